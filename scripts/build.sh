#!/usr/bin/env bash
# Sets up, configures and builds a preset: scripts/build.sh [PRESET] [TARGET...]. The default preset is cpu.
set -euo pipefail
cd "$(dirname "$0")/.."
preset="${1:-cpu}"
shift || true
if [ "$preset" = cuda ]; then scripts/setup.sh --cuda; else scripts/setup.sh; fi
options=()
# CMake heeds this variable only when it configures a folder for the first time.
if [ "$preset" = cuda ]; then
  options=(-UCMAKE_CUDA_ARCHITECTURES)
  [ -z "${CUDAARCHS:-}" ] || options=("-DCMAKE_CUDA_ARCHITECTURES=$CUDAARCHS")
fi
output=$(cmake --preset "$preset" "${options[@]}" 2>&1) || {
  printf '%s\n' "$output" >&2
  exit 1
}
# As many at once as there are cores: Ninja starts two more, which on two cores takes longer.
cmake --build --preset "$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" ${1:+--target "$@"}
