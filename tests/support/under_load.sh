#!/usr/bin/env bash
# under_load.sh COMMAND...: runs it on a machine about a tenth as fast as it is, as 10 loops on each core take turns with it.
# A test that asserts a time or a rate fails: tests/support/under_load.sh ctest --preset cpu -L clock
set -euo pipefail

turn() { for ((i = 0; i < 20000; ++i)); do :; done; }
loops=()
for ((loop = 0; loop < 10 * $(nproc); ++loop)); do
  while kill -0 $$ 2>/dev/null; do turn; done &
  loops+=($!)
done
trap 'kill "${loops[@]}" 2>/dev/null || true' EXIT
"$@"
