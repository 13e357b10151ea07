#!/usr/bin/env bash
# Runs slurm/train.sbatch and slurm/grid.sbatch on a Slurm of one node: jobs on 2 ranks that are requeued while they run,
# warned, or meet their time limit must end with the result of an undisturbed one. With srun and with mpirun.
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
tests/support/make_trial.sh "$program" "$folder" 40

job_options=(--parsable --chdir="$folder" --ntasks=2 --ntasks-per-node=2 --mem=0)
# submit NAME SBATCH-OPTIONS... -- TRAIN-OPTIONS...: the job's number; its log is NAME.log.
submit() {
  local name=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  sbatch "${job_options[@]}" --output="$folder/$name.log" "${options[@]}" "$PWD/slurm/train.sbatch" "$folder/trial.yaml" \
    --threads 1 --set "output=$name" --json "$folder/$name.json" "$@"
}
# submit_array LINE...: an array with a job for each line; its logs are array-1.log, array-2.log, ...
submit_array() {
  printf '%s\n' "$@" >"$folder/trials.txt"
  sbatch "${job_options[@]}" --output="$folder/array-%a.log" --array="1-$#" "$PWD/slurm/grid.sbatch" \
    "$folder/trials.txt" --threads 1
}
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'; }
# wait_for COMMAND...: until it succeeds; fails after about twenty minutes.
wait_for() {
  for attempt in $(seq 6000); do
    if "$@"; then return 0; fi
    sleep 0.2
  done
  echo "test.sh: waited in vain for: $*" >&2
  tail -n 20 "$folder"/*.log >&2
  return 1
}
ended() { case $(state_of "$1") in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) return 0 ;; *) return 1 ;; esac; }
restarts_of() { scontrol show job "$1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p'; }
runs_again() {
  [ "$(restarts_of "$1")" -ge 1 ] && case $(state_of "$1") in RUNNING | COMPLETED) true ;; *) false ;; esac
}
has_checkpoint() { compgen -G "$folder/$1/checkpoints/*.safetensors" >/dev/null; }
must() {
  "$@" && return 0
  echo "test.sh: failed: $*" >&2
  tail -n 30 "$folder"/*.log >&2
  exit 1
}
finish() { # JOB
  must wait_for ended "$1"
  must test "$(state_of "$1")" = COMPLETED
}
must_equal() { # NAME UNDISTURBED
  must cmp "$folder/$2.json" "$folder/$1.json"
  must cmp "$folder/$2/model/model.safetensors" "$folder/$1/model/model.safetensors"
}
# Each start of a job that was warned goes on from the checkpoint of the warning, not from a regular one before it.
must_resume_where_it_stopped() { # NAME
  must grep -q "stopped after step" "$folder/$1.log"
  must cmp <(sed -n 's/.*stopped after step \([0-9]*\) of.*/\1/p' "$folder/$1.log") \
    <(sed -n 's/.*going on after step \([0-9]*\) of.*/\1/p' "$folder/$1.log")
}

echo "== an array of two: one of them warned, the other undisturbed"
job=$(submit_array "trial.yaml --set output=array-1 --json array-1.json" \
  "'trial.yaml' --set output=array-2 --json array-2.json")
must wait_for has_checkpoint array-1
must scancel --batch --signal=USR1 "${job}_1"
must wait_for runs_again "${job}_1"
finish "${job}_1"
finish "${job}_2"
must test "$(restarts_of "${job}_2")" = 0
must grep -q "2 ranks (mpi)" "$folder/array-2.log"
must_resume_where_it_stopped array-1
must_equal array-1 array-2

for launcher in srun mpirun; do
  export LAUNCHER=$launcher
  echo "== $launcher: requeued while it runs"
  job=$(submit "requeued-$launcher" --)
  must wait_for has_checkpoint "requeued-$launcher"
  must scontrol requeue "$job"
  must wait_for runs_again "$job"
  finish "$job"
  must grep -q "going on after step" "$folder/requeued-$launcher.log"
  must_equal "requeued-$launcher" array-2
done

echo "== mpirun: warned"
job=$(submit warned --)
must wait_for has_checkpoint warned
must scancel --batch --signal=USR1 "$job"
must wait_for runs_again "$job"
finish "$job"
must_resume_where_it_stopped warned
must_equal warned array-2

# Slurm looks at time limits every 30 s and warns as much earlier: within 31 s after the start of such a job.
echo "== srun: a time limit"
export LAUNCHER=srun
job=$(submit whole -- --set training.max_steps=140)
finish "$job"
job=$(submit limited --time=1 --signal=B:USR1@29 -- --set training.max_steps=140)
finish "$job"
must_equal limited whole
if [ "$(restarts_of "$job")" -ge 1 ]; then
  must_resume_where_it_stopped limited
else
  echo "SKIPPED: this machine trains so fast that the job ended before its time limit came near"
fi
echo "Slurm: all jobs ended as undisturbed ones do"
