#!/usr/bin/env bash
# Fuzzes every parser for so many seconds each, as many at a time as there are cores: scripts/fuzz.sh [SECONDS].
# Fails if one finds something.
set -euo pipefail
cd "$(dirname "$0")/.."

# fuzz_one PROGRAM SECONDS
fuzz_one() {
  local name area work
  name=$(basename "$1")
  area="fuzz/$(basename "$(dirname "$1")")"
  work=$(mktemp -d)
  mkdir "$work/corpus"
  local inputs=("$work/corpus") dictionaries=("$area"/*.dict) options=()
  [ -d "$area/seeds/${name#fuzz_}" ] && inputs+=("$area/seeds/${name#fuzz_}")
  [ -e "${dictionaries[0]}" ] && options+=("-dict=${dictionaries[0]}")
  if ! "$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$work/" \
    "${options[@]}" "${inputs[@]}" 2>"$work/log"; then
    tail -40 "$work/log" >&2
    echo "fuzz: $name found something; the input that does it is in $work" >&2
    return 1
  fi
  echo "fuzz: $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") runs in $2 s"
  rm -rf "$work"
}
export -f fuzz_one

scripts/build.sh sanitize fuzz_programs
mapfile -t programs < <(find build/sanitize/fuzz -type f -name 'fuzz_*' -perm -u+x | sort)
[ ${#programs[@]} -gt 0 ] || { echo "fuzz: no fuzz program was built" >&2; exit 1; }
printf '%s\n' "${programs[@]}" | xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz_one "$@"' fuzz {} "${1:-20}"
echo "fuzz: ${#programs[@]} programs, no finding"
