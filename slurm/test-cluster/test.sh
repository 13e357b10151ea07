#!/usr/bin/env bash
# Runs slurm/train.sbatch and slurm/grid.sbatch on a Slurm of one node: jobs on 2 ranks that are requeued while they run,
# warned, or meet their time limit must end with the result of an undisturbed one, and so must one that is submitted again
# after scancel, and the trials of a study whose workers are warned or meet their time limit. With srun and with mpirun. All
# are submitted at once, and two run at a time.
#   slurm/test-cluster/test.sh PROGRAM    (build/cpu/gausscse; four minutes on a quiet machine)
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-build/cpu/gausscse}")
folder=$(mktemp -d)
watchers=()
stop() {
  kill "${watchers[@]}" 2>/dev/null || true
  slurm/test-cluster/stop.sh "$folder/cluster"
  rm -rf "$folder"
}
trap stop EXIT
slurm/test-cluster/start.sh "$folder/cluster" 4
export SLURM_CONF=$folder/cluster/slurm.conf GAUSSCSE=$program
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tests/support/make_trial.sh "$program" "$folder" 16 2

# In place of the program that trains in a job that meets its time limit: training stands still at its first checkpoint,
# of those that CHECKPOINTS says, until the warning is there, and then gets it. In a job that was started again it is the
# program.
cat >"$folder/until_warned" <<TEXT
#!/usr/bin/env bash
[ "\${SLURM_RESTART_COUNT:-0}" = 0 ] || exec "$program" "\$@"
warned=false
trap 'warned=true' USR2
setsid "$program" "\$@" &
until compgen -G "\$CHECKPOINTS" >/dev/null; do sleep 0.1; done
kill -STOP \$!
until \$warned; do sleep 0.1; done
trap '' USR2
kill -USR2 \$!
kill -CONT \$!
wait \$!
TEXT
chmod +x "$folder/until_warned"

# Studies of the trial with two seeds, by the launcher that starts its ranks.
for launcher in mpirun srun; do
  {
    printf 'format: gausscse-manifest/1\nname: %s\ntitle: "Two seeds"\ndefaults:\n' "$launcher"
    grep -vE '^(format|output):' "$folder/trial.yaml" | sed 's/^/  /'
    printf 'stages:\n  one:\n    grid: {training.batch_size: [8]}\n    seeds: [0, 1]\n'
    printf 'resources: {launcher: %s, ranks: 2, threads: 1}\n' "$launcher"
  } >"$folder/study-$launcher.yaml"
done

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
# submit_workers LAUNCHER SBATCH-OPTIONS... -- RUN-OPTIONS...: the number of an array whose jobs are workers of that study;
# its results are in results-LAUNCHER, its logs are LAUNCHER-1.log, LAUNCHER-2.log, ...
submit_workers() {
  local launcher=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  sbatch --parsable --chdir="$folder" --mem=0 --cpus-per-task=2 --output="$folder/$launcher-%a.log" "${options[@]}" \
    "$PWD/slurm/grid.sbatch" "$folder/study-$launcher.yaml" "$folder/results-$launcher" "$@"
}
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'; }
# wait_for COMMAND...: until it succeeds; fails after a quarter of an hour, as jobs wait for each other.
wait_for() {
  for attempt in $(seq 9000); do
    if "$@"; then return 0; fi
    sleep 0.1
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
# Once is enough: on a busy machine the limit would come again and again.
give_time() { scontrol update "JobId=$1" TimeLimit=60 2>/dev/null || true; }
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

# strike_worker LAUNCHER JOB COMMAND...: strikes a worker once a trial has a checkpoint; its job must be queued again and end
# well.
study_has_checkpoint() { compgen -G "$folder/results-$1/unfinished/*/checkpoints/*.safetensors" >/dev/null; }
strike_worker() {
  local launcher=$1 job=$2
  shift 2
  must wait_for study_has_checkpoint "$launcher"
  must "$@"
  must wait_for runs_again "$job"
  give_time "$job"
  finish "$job"
  echo "study with $launcher: worker queued again, and ended"
}
must_have_both_trials() { # LAUNCHER
  "$program" status --json - "$folder/results-$1" >"$folder/status-$1.log"
  must grep -q '^    "done": 2$' "$folder/status-$1.log"
  for seed in 0 1; do
    local trial
    trial=$(dirname "$(grep -lx "  seed: $seed" "$folder/results-$1"/trials/*/trial.yaml)")
    must cmp "$folder/seed-$seed.json" "$trial/report.json"
    must cmp "$folder/seed-$seed/model/model.safetensors" "$trial/model/model.safetensors"
  done
  must grep -q "going on after step" "$folder/results-$1"/trials/*/log.txt
}

# strike NAME JOB COMMAND...: strikes a job once it has a checkpoint; it must be queued again and end well.
strike() {
  local name=$1 job=$2
  shift 2
  must wait_for has_checkpoint "$name"
  must "$@"
  must wait_for runs_again "$job"
  give_time "$job"
  finish "$job"
  echo "$name: queued again, and ended"
}

# A job that was cancelled stays so; the same command goes on from what it left.
cancel() { # NAME JOB
  must wait_for has_checkpoint "$1"
  must scancel "$2"
  must wait_for ended "$2"
  must test "$(state_of "$2")" = CANCELLED
  must has_checkpoint "$1"
  finish "$(LAUNCHER=srun submit "$1" --)"
  echo "$1: cancelled, submitted again, and ended"
}

# The launcher alone knows which GPU a task is shown, and doctor prints it in any build. This one has none to show.
cat >"$folder/doctor.sbatch" <<TEXT
#!/bin/bash
srun --mpi=pmix bash -c 'CUDA_VISIBLE_DEVICES=srun-\$SLURM_LOCALID exec "$program" doctor --device cpu --threads 1'
mpirun -np 2 --bind-to none bash -c 'CUDA_VISIBLE_DEVICES=mpirun-\$OMPI_COMM_WORLD_LOCAL_RANK exec "$program" doctor --device cpu --threads 1'
exit 0
TEXT
must_show_gpus() {
  for launcher in srun mpirun; do
    for rank in 0 1; do
      must grep -q "^rank $rank: .*, local rank $rank of 2, .*, CUDA_VISIBLE_DEVICES \"$launcher-$rank\"$" "$folder/doctor.log"
    done
  done
  echo "doctor: prints the GPU of each task"
}

# Undisturbed, to compare with.
seed_0=$(LAUNCHER=srun submit seed-0 --)
seed_1=$(LAUNCHER=mpirun submit seed-1 -- --set training.seed=1)
requeued_srun=$(LAUNCHER=srun submit requeued-srun --)
requeued_mpirun=$(LAUNCHER=mpirun submit requeued-mpirun --)
warned=$(LAUNCHER=mpirun submit warned --)
cancelled=$(LAUNCHER=srun submit cancelled --)
# Slurm looks at time limits every 30 s and warns as much earlier: 41 to 71 s after the start of such a job. A busy machine
# has started the training by then, and has almost four minutes more for its first checkpoint and for that of the warning.
limit=(--time=5 --signal=B:USR1@229)
doctor=$(sbatch "${job_options[@]}" --output="$folder/doctor.log" "$folder/doctor.sbatch")
limited=$(LAUNCHER=srun GAUSSCSE=$folder/until_warned CHECKPOINTS='limited/checkpoints/*.safetensors' \
  submit limited "${limit[@]}" --)
workers=$(submit_workers mpirun --array=1-2 --)
limited_worker=$(CHECKPOINTS='checkpoints/*.safetensors' submit_workers srun --array=1 "${limit[@]}" -- \
  --train-program "$folder/until_warned")

strike requeued-srun "$requeued_srun" scontrol requeue "$requeued_srun" & watchers+=($!)
strike requeued-mpirun "$requeued_mpirun" scontrol requeue "$requeued_mpirun" & watchers+=($!)
strike warned "$warned" scancel --batch --signal=USR1 "$warned" & watchers+=($!)
cancel cancelled "$cancelled" & watchers+=($!)
strike limited "$limited" true & watchers+=($!)
strike_worker mpirun "${workers}_1" scancel --batch --signal=USR1 "${workers}_1" & watchers+=($!)
strike_worker srun "${limited_worker}_1" true & watchers+=($!)
for watcher in "${watchers[@]}"; do wait "$watcher"; done

finish "$doctor"
must_show_gpus
for job in "$seed_0" "$seed_1" "${workers}_2"; do
  finish "$job"
  must test "$(restarts_of "$job")" = 0
done
must grep -q "2 ranks (mpi)" "$folder/seed-0.log"
for name in warned limited; do must_resume_where_it_stopped "$name"; done
for name in requeued-srun requeued-mpirun cancelled; do must grep -q "going on after step" "$folder/$name.log"; done
for name in requeued-srun requeued-mpirun warned cancelled limited; do must_equal "$name" seed-0; done
for launcher in mpirun srun; do must_have_both_trials "$launcher"; done
echo "Slurm: all jobs ended as undisturbed ones do"
