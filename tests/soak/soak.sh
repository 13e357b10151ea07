#!/usr/bin/env bash
# Trains while something goes wrong every PAUSE seconds on average, starts again whenever the run ends, each time on one
# to three ranks of one or two threads, and compares the end with an undisturbed run, bit for bit. Prints how often each
# fault struck, and fails where fewer than FAULTS did; after twice as many it is left to end.
#   tests/soak/soak.sh PROGRAM [STEPS [SEED [PRECISION [PAUSE [FAULTS]]]]]     (400 1 bf16 15 5)
# GAUSSCSE_SOAK_FAULTS names some of the faults, for these alone; GAUSSCSE_SOAK_ENCODER=tiny trains a tiny encoder.
# The program is that of a build, build/cpu/gausscse. 400 steps take about ten minutes on two cores.
set -euo pipefail
# The shell reports each job that a signal ended.
exec 2> >(grep -v ' Killed \| Terminated ' >&2)
program=$(realpath "$1")
steps=${2:-400}
RANDOM=${3:-1}
precision=${4:-bf16}
mean_pause=${5:-15}
least_faults=${6:-5}
time_out=$((mean_pause < 10 ? 5 : 10))
folder=$(mktemp -d)
log=$folder/soak.log
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
trap 'pkill -KILL -f "$folder/trial.yaml" || true; rm -rf "$folder"' EXIT
declare -A struck
starts=0 in_all=0 run='' file_limit=unlimited

"$(dirname "$0")/../support/make_trial.sh" "$program" "$folder" "$steps" 5 "${GAUSSCSE_SOAK_ENCODER:-}"
# start NAME RANKS THREADS: in the background, its number in `run`.
start() {
  (
    ulimit -f "$file_limit"
    exec mpirun --oversubscribe --bind-to none -np "$2" "$program" train "$folder/trial.yaml" --threads "$3" --timeout "$time_out" \
      --set reproducibility=rank_invariant --set training.virtual_shards=4 --set training.batch_size=16 \
      --set "training.precision=$precision" --set "output=$1" --json "$folder/$1.json" >>"$folder/$1.log" 2>&1
  ) &
  run=$!
}
# The kernel keeps 15 bytes of a name.
ranks() { pgrep -P "$run" -x "$(basename "$program" | cut -c-15)"; }
a_rank() { ranks | shuf -n 1 --random-source=<(yes $RANDOM); }
is_over() { ! kill -0 "$run" 2>/dev/null; }
# No process of a run that was killed is left, so that its lock is free.
wait_for_all() { while pgrep -f "train $folder/trial.yaml" >/dev/null; do sleep 0.1; done; }
kill_all() { pkill -KILL -f "$folder/trial.yaml" || true; }
newest_checkpoint() { find "$folder/soak/checkpoints" -name '*.safetensors' 2>/dev/null | sort -V | tail -n 1; }

faults=(kill_a_rank kill_all_at_once kill_mpirun terminate stop_with_checkpoint checkpoint_now freeze_a_rank
  freeze_a_rank_for_a_while flip_a_byte cut_a_checkpoint_short remove_a_checkpoint file_size_limit)
[ -z "${GAUSSCSE_SOAK_FAULTS:-}" ] || read -ra faults <<<"$GAUSSCSE_SOAK_FAULTS"
kill_a_rank() { kill -KILL "$(a_rank)"; }
kill_all_at_once() { kill_all; }
kill_mpirun() { kill -KILL "$run"; }
terminate() { kill -TERM "$run"; }
stop_with_checkpoint() { kill -USR2 "$run"; }
checkpoint_now() { kill -USR1 "$run"; }
freeze_a_rank() { kill -STOP "$(a_rank)"; }
freeze_a_rank_for_a_while() {
  local rank
  rank=$(a_rank)
  kill -STOP "$rank"
  sleep 3
  kill -CONT "$rank"
}
flip_a_byte() {
  kill_all
  local file at
  file=$(newest_checkpoint)
  [ -n "$file" ] || return 0
  at=$((RANDOM * 32768 % $(stat -c %s "$file") + RANDOM % 1000))
  printf '%b' "\\x$(printf '%02x' $((0x$(od -An -tx1 -j "$at" -N 1 "$file" | tr -d ' ') ^ 1)))" |
    dd of="$file" bs=1 seek="$at" conv=notrunc status=none
}
cut_a_checkpoint_short() {
  kill_all
  local file
  file=$(newest_checkpoint)
  [ -z "$file" ] || truncate -s "-$((RANDOM + 1))" "$file"
}
remove_a_checkpoint() {
  kill_all
  local file
  file=$(newest_checkpoint)
  [ -z "$file" ] || rm "$file"
}
# The next start can write no file as large as a checkpoint.
file_size_limit() {
  kill_all
  file_limit=1024
}

echo "== undisturbed"
start whole 2 1
wait "$run"

echo "== disturbed"
while :; do
  start soak $((1 + RANDOM % 3)) $((1 + RANDOM % 2))
  starts=$((starts + 1))
  file_limit=unlimited
  code=
  while [ -z "$code" ]; do
    pause=$((1 + RANDOM % (2 * mean_pause - 1)))
    for _ in $(seq $((10 * pause))); do
      is_over && break
      sleep 0.1
    done
    if is_over; then
      code=0
      wait "$run" || code=$?
      break
    fi
    # A run that has not come up has no ranks yet; a slow machine comes to an end only when it is left alone.
    { [ -n "$(ranks)" ] && [ "$in_all" -lt $((2 * least_faults)) ]; } || continue
    fault=${faults[RANDOM % ${#faults[@]}]}
    echo "$(date +%T) after $pause s: $fault ($(grep -o 'step [0-9]*/[0-9]*' "$folder/soak.log" | tail -n 1))"
    "$fault" || true
    struck[$fault]=$((${struck[$fault]:-0} + 1))
    in_all=$((in_all + 1))
  done
  wait_for_all
  [ "$code" != 0 ] || break
done

for fault in "${faults[@]}"; do echo "$fault: ${struck[$fault]:-0}"; done
grep -c "damaged" "$log" | sed 's/^/damaged checkpoints named: /' || true
for file in .json /model/model.safetensors; do
  cmp "$folder/whole$file" "$folder/soak$file" || {
    cp "$log" soak-failed.log
    echo "soak.sh: the disturbed run ended with another $file; its log is soak-failed.log" >&2
    exit 1
  }
done
[ "$in_all" -ge "$least_faults" ] || {
  echo "soak.sh: $in_all faults in $steps steps are fewer than $least_faults: give more steps, or shorter pauses" >&2
  exit 1
}
echo "soak: $in_all faults, $starts starts, and the end of the undisturbed run, bit for bit"
