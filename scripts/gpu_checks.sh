#!/usr/bin/env bash
# Checks and measures the code for GPUs on a machine that has one, but neither this tree nor its libraries.
#   scripts/gpu_checks.sh pack ARCHIVE.tar.gz                builds the preset cuda and packs what is needed, under 60 MB,
#                                                            for the GPUs of CUDAARCHS (90-real: H100 and H200)
#   scripts/gpu_checks.sh pack ARCHIVE.tar.gz --build DIR    packs what is built in DIR, of the target gpu_checks
# On the other machine: tar xzf ARCHIVE.tar.gz && gausscse-gpu-checks/run.sh OUT_FOLDER --call 1, then --call 2 to another
# folder; docs/developers/gpu_checks.md has what these do.
set -euo pipefail
usage="use: scripts/gpu_checks.sh pack ARCHIVE.tar.gz [--build DIR]"
most_bytes=60000000
if [ "${1:-}" != pack ] || { [ $# -ne 2 ] && { [ $# -ne 4 ] || [ "$3" != --build ]; }; }; then
  echo "gpu_checks.sh: $usage" >&2
  exit 2
fi
archive=$(realpath "$2")
[ ! -e "$archive" ] || { echo "gpu_checks.sh: $archive is there already" >&2; exit 2; }
[ $# -eq 2 ] || build=$(realpath "$4")
cd "$(dirname "$0")/.."
if [ $# -eq 2 ]; then
  CUDAARCHS="${CUDAARCHS:-90-real}" scripts/build.sh cuda gpu_checks
  build=$PWD/build/cuda
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --component gpu_checks --strip --prefix "$folder/gausscse-gpu-checks" >"$folder/log" 2>&1 ||
  { cat "$folder/log" >&2; exit 1; }
tar -C "$folder" -c gausscse-gpu-checks | gzip -6 >"$folder/archive"
bytes=$(stat -c %s "$folder/archive")
if [ "$bytes" -ge "$most_bytes" ]; then
  echo "gpu_checks.sh: the archive has $bytes bytes, more than $most_bytes: build for one kind of GPU," \
    "such as CUDAARCHS=90-real" >&2
  exit 1
fi
mv "$folder/archive" "$archive"
echo "$archive: $bytes bytes"
