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
  seeds=()
  folder=$(dirname "$program")
  seed_folder="fuzz/$(basename "$folder")/seeds"
  for candidate in "$seed_folder/$name" "$seed_folder/${name%_fuzz}" "$seed_folder"; do
    [ -d "$candidate" ] && { seeds=("$candidate"); break; }
  done
  echo "fuzz: $name for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix="$work/" "$work/corpus" "${seeds[@]}" 2>"$work/log" || {
    tail -40 "$work/log" >&2
    echo "fuzz: $name found something" >&2
    exit 1
  }
  rm -rf "$work"
  found=$((found + 1))
done < <(find build/fuzz/fuzz -type f -name '*_fuzz' -perm -u+x | sort)
[ "$found" -gt 0 ] || { echo "fuzz: no fuzz program was built" >&2; exit 1; }
echo "fuzz: $found programs, no finding"
