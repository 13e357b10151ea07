#!/usr/bin/env bash
# Runs slurm/train.sbatch on a Slurm of one node: a job on 2 ranks that is requeued while it runs, and one that meets
# its early warning, must both end with the result of an undisturbed run. For each launcher, srun and mpirun.
#   slurm/test-cluster/test.sh PROGRAM    (build/cpu/gausscse)
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-build/cpu/gausscse}")
folder=$(mktemp -d)
stop() {
  slurm/test-cluster/stop.sh "$folder/cluster"
  rm -rf "$folder"
}
trap stop EXIT
slurm/test-cluster/start.sh "$folder/cluster"
export SLURM_CONF=$folder/cluster/slurm.conf GAUSSCSE=$program
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

tests/support/make_trial.sh "$program" "$folder" 120

# submit NAME SBATCH-OPTIONS...: the job's number; its log is NAME.log.
submit() {
  local name=$1
  shift
  sbatch --parsable --chdir="$folder" --output="$folder/$name.log" --ntasks=2 --ntasks-per-node=2 --mem=0 "$@" \
    "$PWD/slurm/train.sbatch" "$folder/trial.yaml" --threads 1 --set "output=$name" --json "$folder/$name.json"
}
# submit_array LINE...: an array with a job for each line; its logs are array-1.log, array-2.log, ...
submit_array() {
  printf '%s\n' "$@" >"$folder/trials.txt"
  sbatch --parsable --chdir="$folder" --output="$folder/array-%a.log" --ntasks=2 --ntasks-per-node=2 --mem=0 \
    --array="1-$#" "$PWD/slurm/grid.sbatch" "$folder/trials.txt" --threads 1
}
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'; }
# wait_for COMMAND...: until it succeeds; fails after about five minutes.
wait_for() {
  for attempt in $(seq 1500); do
    if "$@"; then return 0; fi
    sleep 0.2
  done
  echo "test.sh: waited in vain for: $*" >&2
  tail -n 20 "$folder"/*.log >&2
  return 1
}
ended() { case $(state_of "$1") in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) return 0 ;; *) return 1 ;; esac; }
runs_again() {
  [ "$(restarts_of "$1")" = 1 ] && case $(state_of "$1") in RUNNING | COMPLETED) true ;; *) false ;; esac
}
has_checkpoint() { ls "$folder/$1/checkpoints/"*.safetensors >/dev/null 2>&1; }
must() {
  "$@" && return 0
  echo "test.sh: failed: $*" >&2
  tail -n 30 "$folder"/*.log >&2
  exit 1
}
restarts_of() { scontrol show job "$1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p'; }
finish() { # NAME JOB
  must wait_for ended "$2"
  must test "$(state_of "$2")" = COMPLETED
  must cmp "$folder/whole.json" "$folder/$1.json"
  must cmp "$folder/whole/model/model.safetensors" "$folder/$1/model/model.safetensors"
}

for launcher in srun mpirun; do
  export LAUNCHER=$launcher
  rm -rf "$folder/whole" "$folder"/*.json "$folder"/*.log
  echo "== $launcher, undisturbed"
  job=$(submit whole)
  finish whole "$job"
  must grep -q "2 ranks (mpi)" "$folder/whole.log"

  echo "== $launcher, requeued while it runs"
  job=$(submit "requeued-$launcher")
  must wait_for has_checkpoint "requeued-$launcher"
  must scontrol requeue "$job"
  must wait_for runs_again "$job"
  finish "requeued-$launcher" "$job"
  must grep -q "going on after step" "$folder/requeued-$launcher.log"

  echo "== $launcher, warned before the time limit"
  job=$(submit "warned-$launcher")
  must wait_for has_checkpoint "warned-$launcher"
  must scancel --batch --signal=USR1 "$job"
  must wait_for runs_again "$job"
  finish "warned-$launcher" "$job"
  # The checkpoint is that of the warning, not the regular one before it.
  step=$(sed -n 's/.*stopped after step \([0-9]*\) of.*/\1/p' "$folder/warned-$launcher.log")
  must test -n "$step"
  must grep -q "going on after step $step of" "$folder/warned-$launcher.log"

  echo "== $launcher, an array of two, one of them warned"
  job=$(submit_array "trial.yaml --set output=array-1 --json array-1.json" "'trial.yaml' --set output=array-2 --json array-2.json")
  must wait_for has_checkpoint array-1
  must scancel --batch --signal=USR1 "${job}_1"
  must wait_for runs_again "${job}_1"
  finish array-1 "${job}_1"
  finish array-2 "${job}_2"
  must test "$(restarts_of "${job}_2")" = 0
  rm -rf "$folder"/array-*
done
echo "Slurm: all jobs ended as undisturbed ones do"
