#!/usr/bin/env bash
# benchmarks/grid/run.sh with eight trials: each trial is done, and the table has a number in each of its rows.
#   grid_benchmark_test.sh BUILD
set -euo pipefail
run=$(realpath "$(dirname "$0")/../../benchmarks/grid/run.sh")
build=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "grid_benchmark_test.sh: $1" >&2
  exit 1
}
"$run" --build "$build" --trials 8 --rounds 2 --output grid >log 2>&1 || { cat log grid/commands.log >&2; fail "it failed"; }
for row in 'worker, a trial' 'the training alone' 'run --dry-run' status tables report; do
  grep -qE "^\| $row \| [0-9]+\.[0-9]+ \|$" grid/table.md || fail "no number for $row: $(cat grid/table.md)"
done
[ "$(grep -c 'is done after' grid/commands.log)" = 8 ] || fail "not all eight trials were done"
[ -s grid/report.html ] || fail "there is no page"
"$run" --build "$build" --trials 9 --output other >log 2>&1 && fail "nine trials were accepted"
grep -q 'not a multiple of 8' log || fail "the refusal does not say why: $(cat log)"
