#!/usr/bin/env bash
# Trains and evaluates a Gaussian sentence encoder on two MPI ranks and prints the result table.
#   scripts/demo.sh               on a corpus that the program generates
#   scripts/demo.sh --data DIR    on SNLI: DIR holds snli_1.0_train.jsonl, snli_1.0_dev.jsonl, snli_1.0_test.jsonl
#   scripts/demo.sh --short       a few steps on a small corpus, to see that all of it works; the figures mean nothing
set -euo pipefail
cd "$(dirname "$0")/.."
data="" name=demo sizes=(--train 24000 --dev 1500 --test 3000) settings=()
while [ $# -gt 0 ]; do
  case "$1" in
    --data)
      [ $# -ge 2 ] || { echo "demo: --data needs a folder" >&2; exit 2; }
      data=$(realpath "$2"); shift 2 ;;
    --short)
      name=demo-short sizes=(--train 600 --dev 150 --test 300)
      settings=(--set training.max_steps=6 --set training.eval_every=3 --set "output=$PWD/runs/demo-short")
      shift ;;
    *) echo "demo: unknown argument $1 (use: scripts/demo.sh [--short] [--data DIR])" >&2; exit 2 ;;
  esac
done

scripts/build.sh cpu gausscse
program=build/cpu/gausscse
scripts/fetch_minilm.sh models/minilm
if [ -n "$data" ]; then
  train=$data/snli_1.0_train.jsonl dev=$data/snli_1.0_dev.jsonl test=$data/snli_1.0_test.jsonl
else
  corpus=runs/$name-corpus
  mkdir -p runs
  [ -d "$corpus" ] || "$program" generate "$corpus" "${sizes[@]}"
  train=$PWD/$corpus/train.jsonl dev=$PWD/$corpus/dev.jsonl test=$PWD/$corpus/test.jsonl
fi

# As root, Open MPI wants to be told twice; with fewer cores than ranks it wants to know that this is meant.
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
mpirun -np 2 --oversubscribe --bind-to none "$program" train docs/examples/demo.yaml --overwrite \
  --set "data.train=[$train]" --set "data.dev=$dev" --set "data.test={test: $test}" --json "runs/$name.json" "${settings[@]}"
