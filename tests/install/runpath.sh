#!/usr/bin/env bash
# No program or shared object in these folders looks for libraries in the working folder: an empty element in its RUNPATH
# means that folder, and so does one that is relative.
#   runpath.sh FOLDER...
set -euo pipefail
count=0 failed=0
while IFS= read -r -d '' file; do
  paths=$({ readelf -d "$file" 2>/dev/null || true; } | sed -n 's/.*(R\(UN\)\?PATH).*\[\(.*\)\]$/\2/p')
  [ -n "$paths" ] || continue
  count=$((count + 1))
  while IFS= read -r element; do
    case $element in
      /* | '$ORIGIN' | '$ORIGIN/'*) ;;
      *) failed=1 && echo "runpath.sh: $file looks in $(printf %q "$element"), of $paths" >&2 ;;
    esac
  done < <(printf '%s\n' "${paths//:/$'\n'}")
done < <(find "$@" -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) -print0)
[ "$count" -gt 0 ] || { echo "runpath.sh: nothing under $* has a RUNPATH" >&2 && exit 1; }
exit "$failed"
