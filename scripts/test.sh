#!/usr/bin/env bash
# Sets up, builds and passes every test. Options are those of ctest: scripts/test.sh -L mpi
#   scripts/test.sh --slurm    runs the tests on a Slurm of one node instead (root; installs Slurm if it is not there)
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh cpu
if [ "${1:-}" = --slurm ]; then
  if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null; } ||
      { echo "test.sh --slurm needs slurm-wlm and munge: apt-get install slurm-wlm munge" >&2; exit 2; }
  fi
  exec slurm/test-cluster/test.sh build/cpu/gausscse
fi
exec ctest --preset cpu "$@"
