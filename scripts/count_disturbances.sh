#!/usr/bin/env bash
# Runs the tests that disturb files, calls and processes, and prints how often each kind of disturbance was survived:
# the table of docs/reliability.md. Takes a build of the preset cpu; options go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
ctest --preset cpu -V -R 'Atomic|DiskFull|Checkpoint|Token(Image|Store)|ResultFile|EmbeddingsFile|Safetensors|Restart|Hang|ResumeRules|two_hosts' \
  "$@" >"$log" || { tail -n 30 "$log" >&2; exit 1; }
sed -n 's/^[0-9]*: disturbances: \(.*\) \([0-9]*\)$/\1|\2/p' "$log" |
  awk -F'|' '{ times[$1] += $2 } END { for (kind in times) printf "| %s | %d |\n", kind, times[kind] }' | sort
sed -n 's/^\([0-9]*% tests passed.*\)/\1/p' "$log"
