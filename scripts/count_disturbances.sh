#!/usr/bin/env bash
# Runs the tests that disturb files, calls and processes, and prints how often each kind of disturbance was survived:
# the table of docs/reliability.md. Takes a build of the preset cpu; options go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
programs='base_atomic_test|refused_memory_test|corpus_test|model_safetensors_test|checkpoint_test|result_file_test'
programs+='|restart_test|restart_ranks_test|checkpoint_requests_test|resume_rules_test|hang_test|time_out_test|two_hosts'
ctest --preset cpu -V -R "^($programs)\$" "$@" >"$log" || { tail -n 30 "$log" >&2; exit 1; }
sed -n 's/^[0-9]*: disturbances: \(.*\) \([0-9]*\)$/\1|\2/p' "$log" |
  awk -F'|' '{ times[$1] += $2 } END { for (kind in times) printf "| %s | %d |\n", kind, times[kind] }' | sort
sed -n 's/^\([0-9]*% tests passed.*\)/\1/p' "$log"
