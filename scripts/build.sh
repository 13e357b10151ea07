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
# Of two at once in a folder, CMake removes the other's files.
mkdir -p build
exec 9>"build/$preset.lock"
if ! flock -n 9; then
  echo "build.sh: another build of the preset $preset runs in this checkout; waiting for it"
  flock 9 || echo "build.sh: build/$preset.lock cannot be locked; another build at the same time may disturb this one" >&2
fi
output=$(cmake --preset "$preset" "${options[@]}" 2>&1 9>&-) || {
  printf '%s\n' "$output" >&2
  exit 1
}
# As many at once as there are cores: Ninja starts two more, which on two cores takes longer.
cmake --build --preset "$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" ${1:+--target "$@"} 9>&-
