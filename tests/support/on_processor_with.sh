#!/usr/bin/env bash
# on_processor_with.sh FLAG COMMAND...: runs it where /proc/cpuinfo has FLAG. Elsewhere the same test runs without the limit
# on instructions, and this one is skipped.
flag=$1
shift
if ! grep -qw "$flag" /proc/cpuinfo; then
  echo "SKIPPED: this processor has no $flag, and nothing that this test would leave out"
  exit 77
fi
exec "$@"
