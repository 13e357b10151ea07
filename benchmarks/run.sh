#!/usr/bin/env bash
# Measures gausscse beside its peers, in turns, and prints a table of ratios. Builds nothing. See README.md.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: benchmarks/run.sh --build DIR --model DIR --data DIR [options]
  --build DIR       where gausscse was built (build/cpu)
  --model DIR       MiniLM, as scripts/fetch_minilm.sh leaves it
  --data DIR        folder with triples/*.csv and snli_1.0*/snli_1.0_{dev,test}.jsonl
  --python PROGRAM  a Python with benchmarks/peers/requirements.txt installed (python3)
  --output DIR      where results.jsonl and table.md go (a new folder under the current one)
  --only LIST       some of train_64,train_512,loss,encode (all), and transfer, which needs --senteval
  --senteval DIR    a checkout of facebookresearch/SentEval
  --device D        cpu or cuda, of training and encoding (cpu); --build is then that of scripts/build.sh cuda, and loss is
                    left out
  --precision P     bf16 or fp32, of training and encoding (bf16)
  --rounds N        rounds, each with every program once (3)
  --threads N       threads of every program (all cores this process may use)
  --quick           one round of one step of small batches, to see that everything runs; figures mean nothing
TEXT
}

fail() {
  printf 'run.sh: %s\n' "$@" >&2
  exit 2
}

build='' model='' data='' python=python3 output='' only='' precision=bf16 device=cpu senteval=''
rounds=3 threads=$(nproc) quick=false
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) quick=true; shift; continue ;;
    --build | --model | --data | --python | --output | --only | --senteval | --precision | --rounds | --threads | --device)
      [ $# -ge 2 ] || fail "$1 needs a value"
      declare "${1#--}=$2"
      shift 2 ;;
    *) usage >&2; fail "unknown argument $1" ;;
  esac
done
case $device in
  cpu) only=${only:-train_64,train_512,loss,encode} ;;
  cuda) only=${only:-train_64,train_512,encode}
    [[ ,$only, != *,loss,* ]] || fail "--only loss measures CPUs; benchmark_kernels measures the loss on a GPU (docs/gpu.md)" ;;
  *) fail "--device $device: neither cpu nor cuda" ;;
esac
for name in build model data; do [ -n "${!name}" ] || { usage >&2; fail "--$name is missing"; }; done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
peers=$here/peers
gausscse=$build/gausscse
loss_program=$build/benchmark_loss
# The largest of some files: a folder may hold samples beside the whole.
largest_of() {
  [ -e "$1" ] || fail "$1: no such file; benchmarks/README.md lists the content of --data"
  ls -S -- "$@" | head -n 1
}
triples=$(largest_of "$data"/triples/*.csv)
dev=$(largest_of "$data"/snli_1.0*/snli_1.0_dev.jsonl)
test=$(largest_of "$data"/snli_1.0*/snli_1.0_test.jsonl)
[ -x "$gausscse" ] || fail "$gausscse is missing: build first (scripts/test.sh, or cmake --build)"
[[ ,$only, != *,loss,* ]] || [ -x "$loss_program" ] ||
  fail "$loss_program is missing: build it, or leave loss out by --only"
for name in rounds threads; do
  [[ ${!name} =~ ^[1-9][0-9]{0,3}$ ]] || fail "--$name ${!name}: not a number from 1 to 9999"
done
[ -e "$model/model.safetensors" ] || fail "$model holds no model.safetensors: scripts/fetch_minilm.sh fetches it"
"$python" -c 'import h5py, sentence_transformers, sklearn, torch' 2>/dev/null ||
  fail "$python lacks packages: make a virtual environment with benchmarks/peers/requirements.txt and give its --python"
for item in ${only//,/ }; do
  case $item in
    train_64 | train_512 | loss | encode) ;;
    transfer) [ -d "$senteval/senteval/tools" ] || fail "--only transfer: give --senteval, a checkout of SentEval" ;;
    *) fail "--only $item: not one of train_64, train_512, loss, encode, transfer" ;;
  esac
done

output=${output:-benchmark-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$output"
results=$output/results.jsonl
[ ! -e "$results" ] || fail "$results exists; name another --output"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

small_batch=64 small_steps=10 small_warm_up=2 large_batch=512 large_steps=2 large_warm_up=1
loss_n=512 loss_repeats=5 sentence_limit=0 transfer_mode=full
if $quick; then
  rounds=1 small_batch=8 small_steps=1 small_warm_up=1 large_batch=16 large_steps=1 large_warm_up=0
  loss_n=64 loss_repeats=1 sentence_limit=200 transfer_mode=fast
fi
export OMP_NUM_THREADS=$threads RAYON_NUM_THREADS=$threads

ours=("$python" "$peers/gausscse_runs.py")
released=("$python" "$peers/released_program.py")
sentence_transformers=("$python" "$peers/sentence_transformers_peer.py")

# record MEASURE WHO COMMAND...: runs a script that prints one JSON line, and keeps the line.
record() {
  local measure=$1 who=$2 line
  shift 2
  echo "round $round of $rounds: $measure, $who" >&2
  if ! line=$("$@" 2>"$scratch/messages"); then
    cat "$scratch/messages" >&2
    fail "$measure, $who: failed; its messages are above"
  fi
  printf '{"round": %d, "measure": "%s", "who": "%s", "result": %s}\n' "$round" "$measure" "$who" "$line" >>"$results"
}

# Leaves the options that every trainer takes in ${options[@]}; arguments: batch size, steps, steps before them.
set_training_options() {
  options=(--model "$model" --triples "$triples" --precision "$precision" --device "$device"
    --threads "$threads" --batch-size "$1" --steps "$2" --warm-up "$3")
}

train_64() {
  set_training_options $small_batch $small_steps $small_warm_up
  record train_64 gausscse "${ours[@]}" train --program "$gausscse" --dev "$dev" "${options[@]}"
  record train_64 sentence-transformers "${sentence_transformers[@]}" train "${options[@]}"
  record train_64 'released program' "${released[@]}" "${options[@]}"
  record train_64 'sentence-transformers, cached' \
    "${sentence_transformers[@]}" train --loss cached "${options[@]}"
  record train_64 'released program, no checkpointing' \
    "${released[@]}" --no-gradient-checkpointing "${options[@]}"
}

train_512() {
  set_training_options $large_batch $large_steps $large_warm_up
  record train_512 gausscse "${ours[@]}" train --program "$gausscse" --dev "$dev" "${options[@]}"
  record train_512 'released program' "${released[@]}" "${options[@]}"
}

loss() {
  local peer=("$python" "$peers/loss_peer.py" --n "$loss_n" --threads "$threads" --repeats "$loss_repeats")
  record loss gausscse "${ours[@]}" loss --program "$loss_program" --n $loss_n --threads "$threads"
  record loss 'released formula' "${peer[@]}"
  # Asks glibc for huge pages in large allocations; works where the kernel's setting is madvise or always.
  record loss 'released formula, huge pages' env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "${peer[@]}"
}

encode() {
  if [ ! -e "$scratch/sentences.txt" ]; then
    "$python" "$peers/distinct_sentences.py" "$test" --limit "$sentence_limit" >"$scratch/sentences.txt"
    "${ours[@]}" train --program "$gausscse" --dev "$dev" --model "$model" --triples "$triples" \
      --precision "$precision" --device "$device" --threads "$threads" --batch-size 8 --steps 1 --warm-up 0 \
      --keep-model "$scratch/model" >/dev/null
  fi
  options=(--sentences "$scratch/sentences.txt" --precision "$precision" --device "$device"
    --threads "$threads" --rounds 1)
  record encode gausscse \
    "${ours[@]}" encode --program "$gausscse" --model "$scratch/model" "${options[@]}"
  record encode sentence-transformers "${sentence_transformers[@]}" encode --model "$model" "${options[@]}"
  record encode 'sentence-transformers, batch 128' \
    "${sentence_transformers[@]}" encode --batch-size 128 --model "$model" "${options[@]}"
}

transfer() {
  record transfer gausscse "$build/benchmark_transfer" --tasks CR --mode $transfer_mode --threads "$threads"
  record transfer SentEval \
    "$python" "$peers/transfer_peer.py" --senteval "$senteval" --task CR --mode $transfer_mode --threads "$threads"
}

for ((round = 1; round <= rounds; ++round)); do
  for item in ${only//,/ }; do "$item"; done
done

{
  "$python" "$peers/machine.py" --threads "$threads" --precision "$precision" --device "$device" --rounds "$rounds" --gausscse "$gausscse"
  echo
  "$python" "$peers/ratio_table.py" "$results"
} | tee "$output/table.md"
echo "kept in $output" >&2
