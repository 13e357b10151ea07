#!/bin/sh
# Lists the functions of LibTorch that object files call, each as "libtorch_function NAME\n", for
# launcher/libtorch_on_demand.cpp. The file is written only if the list changed.
#   list_libtorch_functions.sh NM LIBTORCH OUTPUT LIBRARY...
set -eu
nm=$1 libtorch=$2 output=$3
shift 3
trap 'rm -f "$output.exported" "$output.called" "$output.new"' EXIT
# Functions alone, not data. LibTorch also exports parts of the C++ library, which the system's has, too.
"$nm" -D --defined-only --format=posix "$libtorch" | awk '$2 ~ /^[TWi]$/ && $1 !~ /^_ZNK?St/ { print $1 }' >"$output.exported"
"$nm" -u --format=posix "$@" | awk 'NF > 1 { print $1 }' | sort -u >"$output.called"
awk 'NR == FNR { exported[$1]; next } $1 in exported { printf "\"libtorch_function %s\\n\"\n", $1 }' \
  "$output.exported" "$output.called" >"$output.new"
[ -s "$output.new" ] || { echo "list_libtorch_functions.sh: error: no library calls $libtorch" >&2; exit 1; }
cmp -s "$output.new" "$output" || mv "$output.new" "$output"
