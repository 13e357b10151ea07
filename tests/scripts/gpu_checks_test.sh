#!/usr/bin/env bash
# Packs what is built, unpacks it elsewhere, and runs it there with nothing but LibTorch and a bare PATH, as on a machine
# without a GPU. The programs may take no shared object from this machine that is neither in the archive nor LibTorch's
# nor the compilers'. Then all parts on the CPU, so that the report is whole.
#   gpu_checks_test.sh GPU_CHECKS BUILD_FOLDER LIBTORCH_ROOT
set -euo pipefail
script=$1 build=$2 libtorch=$(realpath "$3")
folder=$(realpath "$(mktemp -d)")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "gpu_checks_test.sh: $1" >&2
  exit 1
}
# run NAME OPTIONS...: its two streams go to NAME.log, its exit code is printed.
run() {
  local name=$1
  shift
  env -i PATH=/usr/bin:/bin LIBTORCH_ROOT="$libtorch" CUDA_VISIBLE_DEVICES= unpacked/run.sh "$@" >"$name.log" 2>&1 &&
    echo 0 || echo $?
}

"$script" pack "$folder/archive.tar.gz" --build "$build"
bytes=$(stat -c %s archive.tar.gz)
[ "$bytes" -lt 60000000 ] || fail "the archive has $bytes bytes"
! "$script" pack "$folder/archive.tar.gz" --build "$build" 2>message || fail "an archive that is there is replaced"
grep -q 'is there already' message || fail "the message is: $(cat message)"
tar xzf archive.tar.gz
mv gausscse-gpu-checks unpacked

libraries=$(printf '%s:' "$folder/unpacked/lib/gausscse" "$libtorch/lib" "${libtorch%/*}"/nvidia/*/lib)
[ -x unpacked/bin/mpirun ] || fail "there is no mpirun"
for program in unpacked/bin/* unpacked/lib/gausscse/openmpi/*; do
  # Open MPI's are as they were installed; LD_LIBRARY_PATH comes before what they name.
  # shellcheck disable=SC2016
  [[ "$program" =~ (mpirun|openmpi/.*)$ ]] ||
    ! readelf -d "$program" | grep -E 'R(UN)?PATH' | grep -qvF '[$ORIGIN/../lib/gausscse]' ||
    fail "$program looks for libraries elsewhere, too: $(readelf -d "$program" | grep -E 'R(UN)?PATH')"
  while read -r name _ found _; do
    case $found in
      not) fail "$program: $name is missing" ;;
      "$folder/unpacked/"* | "$libtorch"/* | "${libtorch%/*}"/nvidia/*) ;;
      /*)
        [[ "$name" =~ ^(lib(c|m|dl|rt|util|pthread|resolv|stdc\+\+|gcc_s)\.so|/lib.*/ld-linux) ]] ||
          fail "$program takes $name from this machine: $found" ;;
    esac
  done < <(LD_LIBRARY_PATH="$libraries" ldd "$program" |
    sed "s|$libtorch/lib/../../|${libtorch%/*}/|")
done

[ "$(run nowhere nowhere)" = 77 ] || fail "without a GPU it ends otherwise: $(cat nowhere.log)"
count=$(find unpacked/bin -type f | wc -l)
grep -q "^run.sh: no GPU is there: $count programs start" nowhere.log || fail "it says: $(cat nowhere.log)"
[ "$(run again nowhere)" = 2 ] || fail "a folder with files is taken: $(cat again.log)"

code=$(run rehearsal rehearsed --rehearse)
[ "$code" = 0 ] || fail "a rehearsal ended with $code: $(cat rehearsal.log)"
python3 - rehearsed/gpu_checks.json <<'PYTHON' || fail "the report is not as it should be: $(cat rehearsal.log)"
import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
parts = {part["name"]: part for part in report["parts"]}
assert report["format"] == "gausscse-gpu-checks/1" and report["passed"] is True
assert report["machine"]["libtorch"].startswith("2."), report["machine"]
assert parts["gpu_encoder_test"]["figures"]["skipped"] == parts["gpu_encoder_test"]["figures"]["tests"] > 0
cases = {case["case"]: case for case in parts["kernels"]["figures"]["cases"]}
# AdamW reads four arrays and writes three, of 1,000 float32 values here.
assert cases["adamw/110M"]["bytes"] == 28000, cases["adamw/110M"]
for batch, micro_batch in ((4, 0), (8, 2)):
    figures = parts[f"training minilm batch {batch}"]["figures"]
    assert figures["batch"] == batch and figures["micro_batch"] == micro_batch, figures
    triples, tokens = figures["examples_per_second"], figures["tokens_per_second"]
    # Of six layers: 12 weights of 384 x 384, and two products with the sentence's tokens; two operations each, three times.
    of_tokens = 6 * (12 * 384**2 + 2 * 384 * tokens / (3 * triples)) * 2 * 3 * tokens
    assert triples > 0 and abs(figures["model_tflops"] - of_tokens / 1e12) < 0.001, figures
    assert "model_flop_utilisation" not in figures, figures
assert parts["encoding"]["figures"]["sentences"] == 50
ranks = parts["training two ranks"]["figures"]
assert ranks["ranks"] == 2 and ranks["gpus"] == 0, ranks
assert 0 <= ranks["losses_apart_gather"] < 1e-5 and 0 <= ranks["losses_apart_ring"] < 1e-5, ranks
assert all(part["state"] in ("passed", "left out") for part in report["parts"])
PYTHON

# A shared object that cannot be loaded is found before a GPU is looked for.
: >unpacked/lib/gausscse/libxxhash.so.0
[ "$(run broken broken)" = 1 ] || fail "a broken shared object is not found: $(cat broken.log)"
grep -q 'does not start.*libxxhash' broken.log || fail "it says: $(cat broken.log)"
