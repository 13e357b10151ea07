#!/usr/bin/env bash
# Packs what is built, unpacks it elsewhere, and runs it there with nothing but LibTorch and a bare PATH, as on a machine
# without a GPU. The programs may take no shared object from this machine that is neither in the archive nor LibTorch's
# nor the compilers'. Then all parts on the CPU, so that the report is whole.
#   gpu_checks_test.sh GPU_CHECKS BUILD_FOLDER LIBTORCH_ROOT
set -euo pipefail
script=$1 build=$2 libtorch=$(realpath "$3")
here=$(realpath "$(dirname "$0")")
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

[ "$(run nowhere nowhere --call 1)" = 77 ] || fail "without a GPU it ends otherwise: $(cat nowhere.log)"
count=$(find unpacked/bin -type f | wc -l)
grep -q "^run.sh: no GPU is there: $count programs start" nowhere.log || fail "it says: $(cat nowhere.log)"
[ "$(run again nowhere --call 1)" = 2 ] || fail "a folder with files is taken: $(cat again.log)"
[ "$(run none none)" = 2 ] || fail "it runs without a call: $(cat none.log)"

for call in 1 2; do
  code=$(run "rehearsal_$call" "rehearsed_$call" --call "$call" --rehearse)
  [ "$code" = 0 ] || fail "rehearsal $call ended with $code: $(cat "rehearsal_$call.log")"
  # The table comes last, and is what a log that keeps 12,000 characters still has.
  tail -c 12000 "rehearsal_$call.log" >end.log
  grep -q "^call $call: no GPU" end.log || fail "no table: $(cat "rehearsal_$call.log")"
  cmp -s <(tail -n "$(wc -l <"rehearsed_$call/table_$call.txt")" "rehearsal_$call.log") "rehearsed_$call/table_$call.txt" ||
    fail "the table is not the end: $(cat "rehearsal_$call.log")"
  [ "$(find "rehearsed_$call" -mindepth 1 | wc -l)" -le 8 ] || fail "many files: $(ls -l "rehearsed_$call")"
  [ -z "$(find "rehearsed_$call" -mindepth 1 ! -type f)$(find "rehearsed_$call" -size +16M)" ] || fail "$(ls -l "rehearsed_$call")"
  tar tzf "rehearsed_$call/said.tar.gz" | grep '^start-gausscse.out$' >out.log || fail "what programs said is missing"
done
python3 "$here/gpu_checks_reports.py" unpacked rehearsed_1 rehearsed_2 ||
  fail "a report is not as it should be: $(cat rehearsal_1.log rehearsal_2.log)"

# A shared object that cannot be loaded is found before a GPU is looked for.
: >unpacked/lib/gausscse/libxxhash.so.0
[ "$(run broken broken --call 1)" = 1 ] || fail "a broken shared object is not found: $(cat broken.log)"
grep -q 'does not start.*libxxhash' broken.log || fail "it says: $(cat broken.log)"
