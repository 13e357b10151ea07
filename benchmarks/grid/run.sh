#!/usr/bin/env bash
# Times what a study costs next to its trainings: the worker for each trial, and the commands that look at a results
# folder of many done trials. Its trainings are of two steps of a tiny model. Builds nothing. See ../README.md.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: benchmarks/grid/run.sh --build DIR [options]
  --build DIR   where gausscse was built (build/cpu)
  --trials N    trials of the study, a multiple of 8 (400)
  --output DIR  where the study and table.md go (a new folder under the current one)
  --rounds N    times that each command is timed (3)
TEXT
}

fail() {
  printf 'run.sh: %s\n' "$@" >&2
  exit 2
}

build='' trials=400 output='' rounds=3
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build | --trials | --output | --rounds)
      [ $# -ge 2 ] || fail "$1 needs a value"
      declare "${1#--}=$2"
      shift 2 ;;
    *) usage >&2; fail "unknown argument $1" ;;
  esac
done
[ -n "$build" ] || { usage >&2; fail "--build is missing"; }
gausscse=$(cd "$build" && pwd)/gausscse
[ -x "$gausscse" ] || fail "$gausscse is missing: build first"
[[ $trials =~ ^[1-9][0-9]{0,5}$ ]] || fail "--trials $trials: not a number from 1 to 999999"
((trials % 8 == 0)) || fail "--trials $trials: not a multiple of 8"
[[ $rounds =~ ^[1-9][0-9]?$ ]] || fail "--rounds $rounds: not a number from 1 to 99"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "$output" ]; then output=$(mktemp -d "$PWD/grid-benchmark-XXXXXX"); else mkdir "$output"; fi
output=$(cd "$output" && pwd)
export GAUSSCSE_CACHE=$output/cache

seconds_of() {  # of a command; what it says goes to commands.log
  local begin end
  begin=$(date +%s%N)
  "$@" >>"$output/commands.log" 2>&1 || fail "failed: $*; the end of commands.log says why"
  end=$(date +%s%N)
  awk -v ns=$((end - begin)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}

median_of() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

timed() {  # a line of the table: its name, a word of the command's help without which it is not there, the command
  local name=$1 word=$2 i
  shift 2
  if ! "$gausscse" "$1" --help 2>&1 | grep -q -e "$word"; then
    echo "| $name | not in this program |"
    return
  fi
  echo "| $name | $(for ((i = 0; i < rounds; ++i)); do seconds_of "$gausscse" "$@"; done | median_of) |"
}

mkdir "$output/data"
bash "$here/../../tests/support/make_trial.sh" "$gausscse" "$output/data" 2 0 tiny

cat >"$output/manifest.yaml" <<TEXT
format: gausscse-manifest/1
name: many-trials
keep_models: false
defaults:
  model: {backbone: {path: data/model}}
  data: {train: [data/corpus/train.jsonl], cache: data/cache}
  training: {max_steps: 2, max_tokens: 32, precision: fp32}
  tasks:
    dev: {kind: nli, files: data/corpus/dev.jsonl, eval_every: 1}
    test: {kind: nli, files: data/corpus/test.jsonl, threshold: dev}
  select: {task: dev, figure: auprc}
stages:
  all:
    grid:
      objective.loss: [ent, ent+con, ent+rev, ent+con+rev]
      training.batch_size: [8, 16]
    seeds: [$(seq -s ', ' 0 $((trials / 8 - 1)))]
tables:
  nli:
    rows: [objective.loss]
    columns: [training.batch_size]
    figures: [test.accuracy, test.auprc]
    compare: objective.loss
TEXT
echo "running $trials trainings without a worker"
bare() {
  local i
  for ((i = 0; i < trials; ++i)); do
    "$gausscse" --threads 1 train "$output/data/trial.yaml" --set "output=$output/bare/$i" --set "training.seed=$i"
  done
}
bare_seconds=$(seconds_of bare)

echo "running $trials trials"
run_seconds=$(seconds_of "$gausscse" --threads 1 run "$output/manifest.yaml" --results "$output/results")
done_trials=$(find "$output/results/trials" -mindepth 1 -maxdepth 1 | wc -l)
[ "$done_trials" -eq "$trials" ] || fail "$done_trials trials are done, not $trials"

{
  echo "$trials done trials; medians of $rounds; $(nproc) cores"
  echo
  echo "| what | seconds |"
  echo "|---|---|"
  awk -v run="$run_seconds" -v bare="$bare_seconds" -v n="$trials" 'BEGIN {
    printf "| worker, a trial | %.4f |\n| the training alone | %.4f |\n", run / n, bare / n }'
  timed 'run --dry-run' --dry-run run "$output/manifest.yaml" --results "$output/results" --dry-run
  timed status RESULTS status "$output/results"
  timed tables RESULTS tables "$output/results"
  timed report RESULTS report "$output/results" --output "$output/report.html" --overwrite
} | tee "$output/table.md"
