#!/usr/bin/env bash
# Attacks a build by hand, which takes about an hour on two cores, and prints how often each attack was survived. The tests
# that it repeats with other random numbers are those of ctest, which are its short form; it ends at the first that fails.
#   tests/attacks/attack.sh [BUILD_FOLDER [WORKER_ROUNDS [RANK_FAULTS [RESULTS]]]]     (build/cpu 4 40 5000)
# A round kills 50 workers of a study and 50 of their trials; faults of ranks are kills and stops; RESULTS are mutated files.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build/cpu}")
rounds=${2:-4}
rank_faults=${3:-40}
results=${4:-5000}
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# attack NAME COMMAND...
attack() {
  echo "== $1"
  shift
  local begin=$SECONDS
  "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; echo "attack.sh: it failed: $*" >&2; exit 1; }
  grep -E '^(disturbances: |[a-z_]+: [0-9]+$|soak: |\[  SKIPPED )' "$log" | sort -u || tail -n 3 "$log"
  echo "   $((SECONDS - begin)) s"
}
make_result() {
  tests/support/make_trial.sh "$build/gausscse" "$folder" 4 2
  "$build/gausscse" train "$folder/trial.yaml"
}

for round in $(seq "$rounds"); do
  attack "workers and their trials are killed and put to sleep, round $round" \
    env GAUSSCSE_ATTACK_SEED="$round" "$build/tests/experiments/worker/killed_workers_test"
  attack "workers with real trainings are killed, round $round" "$build/tests/experiments/worker/killed_trainings_test"
done
# A step takes a moment, and a fault comes after five seconds on average: more steps than the faults need.
attack "ranks are killed and stopped" \
  env GAUSSCSE_SOAK_FAULTS="kill_a_rank freeze_a_rank freeze_a_rank_for_a_while kill_all_at_once kill_mpirun" \
  tests/soak/soak.sh "$build/gausscse" $((20 * rank_faults)) 1 fp32 4 "$rank_faults"
attack "ranks are killed and stopped at every collective" "$build/tests/launcher/hang_test"
attack "ranks are stopped until the others give up" "$build/tests/launcher/time_out_test"
attack "a result is made" make_result
attack "its bytes are changed" \
  python3 tests/attacks/mutate_results.py "$build/gausscse" "$folder/whole/result.h5" --count "$results"
