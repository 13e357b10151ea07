#!/usr/bin/env bash
# Two scripts/build.sh of a preset at once: the second says that it waits, and configures when the first has built.
set -euo pipefail
scripts=$(realpath "$(dirname "$0")/../../scripts")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "build_lock_test.sh: $1" >&2
  exit 1
}
mkdir scripts bin
cp "$scripts/build.sh" scripts
printf '#!/bin/sh\n' >scripts/setup.sh
# Notes each call. The configuration of the first build ends when the gate is closed, also by the end of this test.
cat >bin/cmake <<'END'
#!/bin/sh
echo "$BUILDER $1" >>calls
[ "$1 $BUILDER" != "--preset first" ] || { echo >entered; cat gate >/dev/null; }
END
chmod +x scripts/setup.sh bin/cmake
mkfifo entered gate
export PATH="$folder/bin:$PATH"
BUILDER=first scripts/build.sh cpu &
first=$!
cat entered >/dev/null
exec 4>gate
BUILDER=other scripts/build.sh sanitize >printed || fail "a build of another preset fails"
[ ! -s printed ] || fail "a build of another preset waits: $(cat printed)"
mkfifo says
BUILDER=second scripts/build.sh cpu >says 4>&- &
second=$!
exec 3<says
read -r line <&3 || fail "the second build does not wait"
[ "$line" = "build.sh: another build of the preset cpu runs in this checkout; waiting for it" ] || fail "it says: $line"
exec 4>&-
wait "$first" || fail "the first build fails"
wait "$second" || fail "the second build fails"
[ "$(tr '\n' ' ' <calls)" = "first --preset other --preset other --build first --build second --preset second --build " ] ||
  fail "the order is: $(cat calls)"
