#!/usr/bin/env bash
# Looks which GPU each rank chooses that srun or mpirun started on a Slurm of one node with two pretended GPUs: where all
# tasks see all GPUs of their job, where Slurm or a script shows each its own, and where there are fewer than ranks.
#   slurm/test-cluster/test_gpus.sh PROGRAM    (build/cpu/tests/launcher/choose_pretended_gpu; half a minute)
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-build/cpu/tests/launcher/choose_pretended_gpu}")
folder=$(mktemp -d)
stop() {
  slurm/test-cluster/stop.sh "$folder/cluster"
  rm -rf "$folder"
}
trap stop EXIT
slurm/test-cluster/start.sh "$folder/cluster" 4 2
export SLURM_CONF=$folder/cluster/slurm.conf
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset CUDA_VISIBLE_DEVICES
host=$(hostname)

# must_print WHAT EXPECTED COMMAND...: the command's lines, sorted, must be these; where they are a refusal, it must fail.
must_print() {
  local what=$1 expected=$2 code=0
  shift 2
  "$@" >"$folder/out" 2>"$folder/err" || code=$?
  if ! diff <(printf '%s\n' "$expected") <(sort "$folder/out") ||
    { [[ $expected == *refused* ]] && [ "$code" = 0 ]; } || { [[ $expected != *refused* ]] && [ "$code" != 0 ]; }; then
    echo "test_gpus.sh: failed: $what, exit code $code: $*" >&2
    cat "$folder/err" >&2
    exit 1
  fi
  echo "$what"
}
# Tasks of a job of its own that asks Slurm for GPUs in these words.
tasks=(srun --mpi=pmix --ntasks=2 --mem=0)
own_gpus=$'rank 0 of 2, which sees 0, computes on cuda:0, GPU-0\nrank 1 of 2, which sees 1, computes on cuda:0, GPU-1'
all_gpus=$'rank 0 of 2, which sees 0,1, computes on cuda:0, GPU-0\nrank 1 of 2, which sees 0,1, computes on cuda:1, GPU-1'
# Both ranks must print a refusal, in these words, with what each of them sees.
refused() { # TEXT OF-RANK-0 OF-RANK-1
  printf 'rank 0 of 2, which sees %s, is refused: %s\nrank 1 of 2, which sees %s, is refused: %s' "$2" "$1" "$3" "$1"
}
way_out='give --device cpu, or --share-gpu, by which ranks share GPUs and are slower'
taken="$host: 2 ranks for 1 GPUs: rank 1 would compute on the same GPU as rank 0, NVIDIA H100 GPU-"

must_print "srun: all tasks see the GPUs of the node" "$all_gpus" "${tasks[@]}" --gpus-per-node=2 "$program" 2
must_print "srun: each task is given one" "$own_gpus" "${tasks[@]}" --gpus-per-task=1 "$program" 2
must_print "srun: each task is given one, and hidden from none" "${all_gpus//sees 0,1/sees all}" \
  "${tasks[@]}" --gpus-per-task=1 --gpu-bind=none "$program" 2
must_print "srun: a script shows each task one" "$own_gpus" \
  "${tasks[@]}" bash -c "CUDA_VISIBLE_DEVICES=\$SLURM_LOCALID exec $program 2"
must_print "srun: fewer GPUs than tasks are refused by all" \
  "$(refused "${taken}0 (its CUDA_VISIBLE_DEVICES is \"0\"): start at most 1 rank there, $way_out" 0 0)" \
  "${tasks[@]}" --gpus-per-node=1 "$program" 2
must_print "srun: no GPU for one task is refused by all" \
  "$(refused "device cuda: rank 1 on $host: CUDA_VISIBLE_DEVICES is empty, which hides all GPUs: unset it, or name some; or give --device cpu" 0 '')" \
  "${tasks[@]}" bash -c "[ \$SLURM_LOCALID = 0 ] && show=0; CUDA_VISIBLE_DEVICES=\${show:-} exec $program 2"
must_print "srun: two tasks share a GPU where they may" \
  $'rank 0 of 2, which sees 0, computes on cuda:0, GPU-0, shared\nrank 1 of 2, which sees 0, computes on cuda:0, GPU-0, shared' \
  "${tasks[@]}" --gpus-per-node=1 "$program" 2 --share-gpu

# The same in a job whose ranks mpirun starts: the job's script sees what the job was given.
cat >"$folder/job" <<TEXT
#!/bin/bash
run() { # NAME COMMAND...
  mpirun -np 2 --bind-to none "\${@:2}" >"$folder/\$1.out" 2>"$folder/\$1.err" || echo \$? >"$folder/\$1.code"
}
run all "$program" 2
run own bash -c 'CUDA_VISIBLE_DEVICES=\$OMPI_COMM_WORLD_LOCAL_RANK exec "$program" 2'
run same bash -c 'CUDA_VISIBLE_DEVICES=1 exec "$program" 2'
run shared bash -c 'CUDA_VISIBLE_DEVICES=1 exec "$program" 2 --share-gpu'
TEXT
sbatch --quiet --wait --ntasks=2 --mem=0 --gpus-per-node=2 --output="$folder/job.log" "$folder/job"
in_job() { # NAME
  cat "$folder/job.log" "$folder/$1.err" >&2
  cat "$folder/$1.out"
  [ ! -e "$folder/$1.code" ] || return "$(<"$folder/$1.code")"
}
must_print "mpirun: all ranks see the GPUs of the job" "$all_gpus" in_job all
must_print "mpirun: a script shows each rank one" "$own_gpus" in_job own
must_print "mpirun: two ranks on one GPU are refused by all" \
  "$(refused "${taken}1 (its CUDA_VISIBLE_DEVICES is \"1\"): start at most 1 rank there, $way_out" 1 1)" in_job same
must_print "mpirun: two ranks share a GPU where they may" \
  $'rank 0 of 2, which sees 1, computes on cuda:0, GPU-1, shared\nrank 1 of 2, which sees 1, computes on cuda:0, GPU-1, shared' \
  in_job shared
echo "Slurm: each rank chooses the GPU that it should"
