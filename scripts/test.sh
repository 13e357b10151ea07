#!/usr/bin/env bash
# Sets up, builds and passes every test, two at a time. Options are those of ctest: scripts/test.sh -L mpi
#   scripts/test.sh --quick    what finds most mistakes soonest: under three minutes after a build
#   scripts/test.sh --slurm    the tests on a Slurm of one node instead (root; installs Slurm if it is not there)
set -euo pipefail
cd "$(dirname "$0")/.."
what="every test: 10 to 15 minutes on two cores"
options=()
case "${1:-}" in
  --quick)
    what="the tests of units and of two ranks, and of the program's input: about 2 minutes on two cores"
    options=(-L 'unit|rank_2|quick')
    shift
    ;;
  --slurm) what="the tests on a Slurm of one node: about 2 minutes on two cores" ;;
esac
echo "test.sh: builds the preset cpu (6 to 15 minutes on two cores the first time), then runs $what"
scripts/setup.sh --tests
scripts/build.sh cpu
if [ "${1:-}" = --slurm ]; then
  if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null; } ||
      { echo "test.sh --slurm needs slurm-wlm and munge: apt-get install slurm-wlm munge" >&2; exit 2; }
  fi
  slurm/test-cluster/test_gpus.sh build/cpu/tests/launcher/choose_pretended_gpu
  exec slurm/test-cluster/test.sh build/cpu/gausscse
fi
code=0
ctest --preset cpu "${options[@]}" "$@" || code=$?
scripts/list_skips.py build/cpu/ctest.xml
exit "$code"
