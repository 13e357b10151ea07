#!/usr/bin/env bash
# Trains a Gaussian head on a frozen encoder with two MPI ranks, evaluates it, and prints its metrics next to those of the
# encoder alone and of what needs no model.
#   scripts/demo.sh               on a corpus that the program generates: half a minute on two cores, after the build
#   scripts/demo.sh --short       on a smaller one: ten seconds
#   scripts/demo.sh --data DIR    on SNLI: DIR holds snli_1.0_train.jsonl, snli_1.0_dev.jsonl, snli_1.0_test.jsonl
# On a generated corpus the exit code is 1 unless the trained model is above all others.
set -euo pipefail
cd "$(dirname "$0")/.."
usage="use: scripts/demo.sh [--short] [--data DIR]"
name=demo sizes=(--train 40000 --dev 900 --test 1800) settings=() data=""
while [ $# -gt 0 ]; do
  case "$1" in
    --data)
      [ $# -ge 2 ] || { echo "demo: --data needs a folder ($usage)" >&2; exit 2; }
      data=$(realpath "$2"); shift 2 ;;
    --short)
      name=demo-short sizes=(--train 12000 --dev 300 --test 900)
      settings=(--set training.max_steps=300 --set tasks.dev.eval_every=150)
      shift ;;
    *) echo "demo: unknown argument $1 ($usage)" >&2; exit 2 ;;
  esac
done

scripts/build.sh cpu gausscse
program=build/cpu/gausscse
scripts/fetch_minilm.sh models/minilm
mkdir -p runs
if [ -n "$data" ]; then
  train=$data/snli_1.0_train.jsonl dev=$data/snli_1.0_dev.jsonl test=$data/snli_1.0_test.jsonl check=()
else
  # Named by the grammar that wrote it: another one writes another corpus.
  corpus=runs/$name-corpus-$(cat demo/generator/*.cpp demo/generator/lexicon.txt | sha256sum | cut -c 1-8)
  [ -d "$corpus" ] || "$program" generate "$corpus" "${sizes[@]}"
  train=$PWD/$corpus/train.jsonl dev=$PWD/$corpus/dev.jsonl test=$PWD/$corpus/test.jsonl check=(--check)
fi

# Open MPI runs as root only with two variables, and with fewer cores than ranks only with an option.
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
# in_quotes TEXT: as YAML, whatever is in it.
in_quotes() { printf "'%s'" "${1//\'/\'\'}"; }
mpirun -np 2 --oversubscribe --bind-to none "$program" train docs/examples/demo.yaml --overwrite \
  --set "data.train=[$(in_quotes "$train")]" --set "tasks.dev.files=$(in_quotes "$dev")" \
  --set "tasks.test.files=$(in_quotes "$test")" --set "output=$(in_quotes "$PWD/runs/$name")" "${settings[@]}" \
  --json "runs/$name.json"
echo
scripts/demo_table.py "runs/$name.json" "$test" "${check[@]}"
