#!/usr/bin/env bash
# Fuzzes every parser for so many seconds each: scripts/fuzz.sh [SECONDS]. Fails on the first finding.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-20}"
scripts/build.sh fuzz
found=0
while IFS= read -r program; do
  name=$(basename "$program")
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/corpus"
  area="fuzz/$(basename "$(dirname "$program")")"
  inputs=("$work/corpus")
  [ -d "$area/seeds/${name#fuzz_}" ] && inputs+=("$area/seeds/${name#fuzz_}")
  dictionaries=("$area"/*.dict)
  options=()
  [ -e "${dictionaries[0]}" ] && options+=("-dict=${dictionaries[0]}")
  echo "fuzz: $name for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/" "${options[@]}" "${inputs[@]}" 2>"$work/log" || {
    tail -40 "$work/log" >&2
    echo "fuzz: $name found something" >&2
    exit 1
  }
  sed -n 's/^stat::number_of_executed_units: */      runs: /p' "$work/log"
  rm -rf "$work"
  found=$((found + 1))
done < <(find build/fuzz/fuzz -type f -name 'fuzz_*' -perm -u+x | sort)
[ "$found" -gt 0 ] || { echo "fuzz: no fuzz program was built" >&2; exit 1; }
echo "fuzz: $found programs, no finding"
