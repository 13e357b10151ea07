#!/usr/bin/env bash
# Which lines of the product the tests reach: builds with gcov's counters (preset coverage), runs the tests and prints a
# table by folder and the files that are reached least. Fails under 90 %. About an hour on two cores; options go to ctest.
# Lines of the kernels that only a GPU or a processor of another kind runs are among those that are not reached.
set -euo pipefail
cd "$(dirname "$0")/.."
least=90
if ! command -v gcovr >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends gcovr >/dev/null; } ||
    { echo "coverage.sh needs gcovr: apt-get install gcovr" >&2; exit 2; }
fi
scripts/setup.sh --tests
scripts/build.sh coverage
# Counts are added to those of earlier runs.
find build/coverage -name '*.gcda' -delete
ctest --preset coverage "$@" || echo "coverage.sh: tests failed; what they reached is counted all the same" >&2
folders=(base data demo model dist results config inference evaluation training experiments launcher)
gcovr --root . --object-directory build/coverage "${folders[@]/#/--filter=}" --exclude-unreachable-branches \
  --gcov-ignore-parse-errors --csv build/coverage/lines.csv -j 2 build/coverage
scripts/coverage_table.py build/coverage/lines.csv "$least"
