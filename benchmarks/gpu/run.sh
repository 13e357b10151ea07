#!/bin/sh
# Runs one call of the checks of this archive: run.sh OUT_FOLDER --call 1. docs/developers/gpu_checks.md of the source has what it does and leaves.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
command -v python3 >/dev/null || {
  echo "run.sh: there is no python3 on the PATH, which a machine with LibTorch's wheel has" >&2
  exit 2
}
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/run_checks.py" "$@"
