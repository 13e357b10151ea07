#!/usr/bin/env bash
# Sets up, configures and builds a preset: scripts/build.sh [PRESET] [TARGET...]. The default preset is cpu.
set -euo pipefail
cd "$(dirname "$0")/.."
preset="${1:-cpu}"
shift || true
if [ "$preset" = cuda ]; then scripts/setup.sh --cuda; else scripts/setup.sh; fi
output=$(cmake --preset "$preset" 2>&1) || {
  printf '%s\n' "$output" >&2
  exit 1
}
cmake --build --preset "$preset" ${1:+--target "$@"}
