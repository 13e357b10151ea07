#!/usr/bin/env bash
# Attacks a build by hand: about an hour on two cores for all parts. The tests of ctest are its short form.
#   tests/attacks/attack.sh [PART [COUNT]]        PART: kills, results, ranks or all (the default)
#     kills    kills COUNT workers of studies, and as many of their trials, in rounds of 50            (200)
#     results  changes COUNT result files, in rounds of 500, and has them shown and compared           (5000)
#     ranks    kills or stops ranks COUNT times while they train, and at every collective              (40)
# GAUSSCSE_BUILD names the folder of the build (build/cpu). Each round that ended well is noted in
# GAUSSCSE_BUILD/attacks; the same command goes on after the last one. Remove that folder to begin again.
# A round that fails is printed with the end of its log, which is kept; the other rounds go on. The exit code is then 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
part=${1:-all}
count=${2:-}
build=$(realpath "${GAUSSCSE_BUILD:-build/cpu}")
notes=$build/attacks
folder=$(mktemp -d)
failures=0
trap 'rm -rf "$folder"' EXIT
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$notes"

case $part in kills | results | ranks | all) ;; *)
  echo "attack.sh: there is no part \"$part\": give kills, results, ranks or all" >&2
  exit 2
  ;;
esac
[ -z "$count" ] || { [[ $count =~ ^[1-9][0-9]*$ ]] && [ "$part" != all ]; } || {
  echo "attack.sh: COUNT is a number of one part: attack.sh kills 200" >&2
  exit 2
}

# round NAME COMMAND...: runs a round that is not noted yet, prints what it did, and notes it. NAME is a file's name.
round() {
  local name=$1 log=$notes/$1.log code=0 begin=$SECONDS
  shift
  if [ -e "$notes/$name.done" ]; then
    echo "== $name: done before: $(head -n 1 "$notes/$name.done")"
    return
  fi
  echo "== $name"
  "$@" >"$log" 2>&1 || code=$?
  if [ "$code" != 0 ]; then
    tail -n 40 "$log"
    echo "== $name FAILED with exit code $code after $((SECONDS - begin)) s; its log is $log"
    failures=$((failures + 1))
    return
  fi
  grep -E '^(disturbances: |[a-z_]+: ([a-z ]+: )?[0-9]+$|soak: |\[  (PASSED|SKIPPED) )' "$log" | sort -u | sed 's/^/   /'
  echo "$((SECONDS - begin)) s, ended $(date -u +%FT%TZ)" | tee "$notes/$name.done" | sed 's/^/   /'
  rm "$log"
}

# rounds TOTAL SIZE: number of rounds of SIZE in which TOTAL are reached.
rounds() { echo $((($1 + $2 - 1) / $2)); }

kills() {
  local seed
  for seed in $(seq "$(rounds "$1" 50)"); do
    round "kills-$seed" env GAUSSCSE_ATTACK_SEED="$seed" "$build/tests/experiments/worker/killed_workers_test"
    round "kills-of-real-trainings-$seed" "$build/tests/experiments/worker/killed_trainings_test"
  done
}

# The result that is changed is made once, so that every round changes the same one.
results() {
  local seed left=$1 size
  if [ ! -e "$notes/result.h5" ]; then
    tests/support/make_trial.sh "$build/gausscse" "$folder" 4 2
    "$build/gausscse" train "$folder/trial.yaml" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    cp "$folder/whole/result.h5" "$notes/result.h5"
  fi
  for seed in $(seq "$(rounds "$1" 500)"); do
    size=$((left < 500 ? left : 500))
    left=$((left - size))
    round "results-$seed-of-$size" python3 tests/attacks/mutate_results.py "$build/tests/launcher/program_server" \
      "$notes/result.h5" --count "$size" --seed "$seed" --keep "$notes/faults-$seed"
  done
}

# A fault comes after four seconds on average, and the tiny encoder has its next checkpoint in less: more steps than the
# faults need.
ranks() {
  local seed left=$1 size
  for seed in $(seq "$(rounds "$1" 20)"); do
    size=$((left < 20 ? left : 20))
    left=$((left - size))
    round "ranks-$seed-of-$size" \
      env GAUSSCSE_SOAK_ENCODER=tiny GAUSSCSE_SOAK_FAULTS="kill_a_rank freeze_a_rank freeze_a_rank_for_a_while kill_all_at_once kill_mpirun" \
      tests/soak/soak.sh "$build/gausscse" $((300 * size)) "$seed" fp32 4 "$size"
  done
  round ranks-at-every-collective "$build/tests/launcher/hang_test"
  round ranks-until-others-give-up "$build/tests/launcher/time_out_test"
}

case $part in
  kills) kills "${count:-200}" ;;
  results) results "${count:-5000}" ;;
  ranks) ranks "${count:-40}" ;;
  all) kills 200 && results 5000 && ranks 40 ;;
esac
if [ "$failures" != 0 ]; then
  echo "attack.sh: $failures rounds failed; their logs are in $notes"
  exit 1
fi
echo "attack.sh: every round of $part ended well"
