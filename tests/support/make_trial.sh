#!/usr/bin/env bash
# Makes FOLDER/trial.yaml with all it needs: a generated corpus, and the tokenizer files of an encoder of MiniLM's shape
# with random weights, so that nothing has to be fetched. "tiny": two layers of 32 values, and a vocabulary of 60.
#   make_trial.sh PROGRAM FOLDER STEPS CHECKPOINT_EVERY [tiny]
set -euo pipefail
program=$1 folder=$2 steps=$3 checkpoint_every=$4
"$program" generate "$folder/corpus" --train 3000 --dev 200 --test 200 --seed 1 >/dev/null
mkdir -p "$folder/model"
{
  printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' . ,
  grep -oh '"sentence[12]": *"[^"]*"' "$folder"/corpus/*.jsonl | cut -d: -f2 | grep -oE '[A-Za-z]+' |
    tr '[:upper:]' '[:lower:]' | sort -u
} >"$folder/model/vocab.txt"
backbone='{architecture: minilm-l6, init: random, tokenizer: model}'
if [ "${5:-}" = tiny ]; then
  backbone='{path: model}'
  cp "$(dirname "$0")"/../golden/weights/tiny-bert/* "$folder/model"
  sed -i 61,\$d "$folder/model/vocab.txt"
fi
cat >"$folder/trial.yaml" <<TEXT
format: gausscse-trial/2
model: {backbone: $backbone}
data: {train: [corpus/train.jsonl], cache: cache}
training: {batch_size: 8, max_steps: $steps, max_tokens: 32, precision: fp32, checkpoint_every: $checkpoint_every}
tasks:
  dev: {kind: nli, files: corpus/dev.jsonl, eval_every: $((steps / 2))}
  test: {kind: nli, files: corpus/test.jsonl, threshold: dev}
select: {task: dev, figure: auprc}
output: whole
TEXT
