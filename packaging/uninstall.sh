#!/bin/sh
# Removes an installation: the files of installed.sha256, which lies next to this script, and the folders named gausscse
# that are empty then. A file that was changed since, or added, stays.
#   PREFIX/share/gausscse/uninstall.sh [--dry-run]      --dry-run: print the files that would be removed
set -eu
fail() {
  echo "uninstall.sh: error: $1" >&2
  exit 2
}

dry_run=false
case $#${1-} in
  0) ;;
  1--dry-run) dry_run=true ;;
  *) fail "unknown arguments \"$*\": give --dry-run or nothing" ;;
esac
own=$(cd "$(dirname "$0")" && pwd -P)
prefix=${own%/share/gausscse}
list=$own/installed.sha256
if [ "$prefix" = "$own" ] || [ ! -f "$list" ]; then
  fail "$own is not share/gausscse of an installation, or lacks installed.sha256: run the script where it was installed"
fi

cd "${prefix:-/}"
$dry_run || [ -w "$own" ] || fail "$own cannot be written: run the script as the user who installed the program"
removed=0 kept=0
# The shell reads this script while it runs, which its removal does not end.
while read -r checksum name; do
  if [ ! -e "$name" ]; then
    continue
  elif ! printf '%s  %s\n' "$checksum" "$name" | sha256sum --check --status -; then
    echo "uninstall.sh: $name stays: it was changed since it was installed"
    kept=$((kept + 1))
    continue
  fi
  if $dry_run; then echo "$name"; else rm -f "$name"; fi
  removed=$((removed + 1))
done <"$list"
if $dry_run; then
  echo "uninstall.sh: $removed files of $prefix would be removed, $kept were changed and would stay"
  exit 0
fi
rm -f "$list"
for folder in lib/gausscse share/doc/gausscse share/gausscse; do
  [ ! -d "$folder" ] || find "$folder" -depth -type d -empty -delete
done
echo "uninstall.sh: $removed files of $prefix are removed, $kept were changed and stay"
