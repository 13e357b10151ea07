#!/usr/bin/env bash
# Sets up, configures and builds a preset: scripts/build.sh [PRESET] [TARGET...]. The default preset is cpu.
set -euo pipefail
cd "$(dirname "$0")/.."
preset="${1:-cpu}"
shift || true
if [ "$preset" = cuda ]; then scripts/setup.sh --cuda; else scripts/setup.sh; fi
cmake --preset "$preset" >"${TMPDIR:-/tmp}/gausscse-configure-$$.log" 2>&1 || {
  cat "${TMPDIR:-/tmp}/gausscse-configure-$$.log" >&2
  exit 1
}
rm -f "${TMPDIR:-/tmp}/gausscse-configure-$$.log"
cmake --build --preset "$preset" ${1:+--target "$@"}
