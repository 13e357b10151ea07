#!/usr/bin/env bash
# Installs the library of a build, builds the program of docs/library.md against it, and compares its numbers with
# `gausscse score` for the same sentences. The installation is moved first. A missing or different LibTorch and a project
# without C are refused in words.
#   installed_library.sh SOURCE BUILD CMAKE GENERATOR
set -euo pipefail
support=$(realpath "$(dirname "$0")/../support")
source=$(realpath "$1") build=$(realpath "$2") cmake=$3
export CMAKE_GENERATOR=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "installed_library.sh: $1" >&2
  exit 1
}

"$cmake" --install "$build" --component development --prefix "$folder/first place" >/dev/null
mv "$folder/first place" "$folder/library"
cd "$folder/library"
[ ! -e bin ] && [ ! -e share ] || fail "the component has files of the program: $(ls)"
headers=$(cd include/gausscse && find . -name '*.hpp' -printf '%P\n' | sort)
(cd "$source" && find inference -name '*.hpp') | sort | comm -23 - <(echo "$headers") | grep . && fail "these headers are missing"
grep -rhoP '^#include "\K[^"]+' include | sort -u | comm -23 - <(echo "$headers") | grep . && fail "these headers are included, but missing"

# block LANGUAGE: the first block of the page in this language.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$source/docs/library.md" | sed '1d;/^```$/,$d'; }
mkdir "$folder/answer" && cd "$folder/answer"
block cmake >CMakeLists.txt
block cpp >answer.cpp
configure() { "$cmake" -S . -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/library" "$@" 2>&1 | tr -s ' \n' ' '; }
# refused TEXT OPTION...: configuring with the options fails with the text.
refused() {
  ! output=$(set -o pipefail; configure "${@:2}") || fail "CMake accepts ${*:2}"
  [[ "$output" == *"$1"* ]] || fail "$1: not in: $output"
  rm -r "$folder/build"
}
refused "no LibTorch in $folder/none (lib/libtorch_cpu.so is missing)" -DLIBTORCH_ROOT="$folder/none"
mkdir -p "$folder/other/lib" "$folder/other/include/torch/headeronly"
touch "$folder/other/lib/libtorch_cpu.so"
printf '#define TORCH_VERSION_%s\n' 'MAJOR 1' 'MINOR 2' 'PATCH 3' >"$folder/other/include/torch/headeronly/version.h"
refused "is version 1.2.3, but gausscse was built with 2." -DLIBTORCH_ROOT="$folder/other"
sed -i 's/LANGUAGES C CXX/LANGUAGES CXX/' CMakeLists.txt
refused "write project(NAME LANGUAGES C CXX)"
block cmake >CMakeLists.txt
output=$(configure) || fail "$output"
output=$("$cmake" --build "$folder/build" 2>&1) || fail "$output"

"$support/make_trial.sh" "$build/gausscse" "$folder" 2 0 tiny
"$build/gausscse" train "$folder/trial.yaml" --quiet >/dev/null
printf '%s\tAn animal is moving outdoors.\n' 'A dog is sleeping.' 'A small poodle is running on a beach.' >"$folder/pairs.tsv"
"$build/gausscse" score "$folder/whole" "$folder/pairs.tsv" --quiet >"$folder/scores.tsv"
unset LD_LIBRARY_PATH
"$folder/build/answer" "$folder/whole/model" >"$folder/answers.txt"
python3 - "$folder/scores.tsv" "$folder/answers.txt" <<'PYTHON'
import re, sys
scores, printed = ([[float(x) for x in re.findall(r"-?\d\.\d{6}", line)] for line in open(path)] for path in sys.argv[1:])
text = open(sys.argv[2]).read()
best = max((0, 1), key=lambda j: scores[j][0])
assert abs(scores[0][0] - scores[1][0]) > 1e-5, f"the scores cannot tell the two sentences apart: {scores}"
expected = [[scores[0][0]], [scores[1][0]], scores[best]]
assert [len(line) for line in printed] == [1, 1, 2] and f"best: evidence {best}," in text, text
# In another list the last bits of an embedding may differ.
assert all(abs(a - b) < 2e-6 for given, wanted in zip(printed, expected) for a, b in zip(given, wanted)), (printed, expected)
PYTHON
