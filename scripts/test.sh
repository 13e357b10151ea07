#!/usr/bin/env bash
# Sets up, builds and passes every test. Options are those of ctest: scripts/test.sh -L mpi
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh cpu
exec ctest --preset cpu "$@"
