#!/usr/bin/env bash
# Makes the archive of CPack, unpacks it in a temporary folder, and runs the program from there: its version, doctor, a
# training on one rank. None of LibTorch's libraries may come from where the build found them. The archive is of zstd,
# which takes a tenth of gzip's time, and else that of the target `package`. It is made under a umask that keeps others
# out, and at the end what was installed is removed again. The part without LibTorch, as
# `inference_archive` packs it, uses the trained model.
#   installed_program.sh BUILD_FOLDER CMAKE CPACK
set -euo pipefail
support=$(realpath "$(dirname "$0")/../support")
build=$(realpath "$1") cmake=$2 cpack=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "installed_program.sh: $1" >&2
  exit 1
}

(umask 077 && "$cpack" --config "$build/CPackConfig.cmake" -G TZST -B "$folder/package" >"$folder/package.log") ||
  { cat "$folder/package.log"; exit 1; }
archives=("$folder"/package/gausscse-*.tar.zst)
[ ${#archives[@]} = 1 ] || fail "CPack made ${archives[*]}"
(umask 022 && cd "$folder" && "$cmake" -E tar xf "${archives[0]}")
installed=$folder/$(basename "${archives[0]}" .tar.zst)
closed=$(cd "$installed" && find . -mindepth 1 ! -perm -o+r -o -type d ! -perm -o+x)
[ -z "$closed" ] || fail "other users cannot read ${closed//$'\n'/, }"
(cd "$installed" && sha256sum --check --quiet share/gausscse/installed.sha256) || fail "the checksums are not right"
(cd "$installed" && find . -type f ! -name installed.sha256 -printf '%P\n' | sort) >"$folder/found.txt"
sed 's/^[0-9a-f]\{64\}  //' "$installed/share/gausscse/installed.sha256" | sort | diff "$folder/found.txt" - ||
  fail "installed.sha256 lists other files than are installed"
[ ! -e "$installed/include" ] && [ ! -e "$installed/lib/libgausscse.a" ] || fail "the archive has files for developers"
[ "$(uname -m)" = "${installed##*-}" ] || fail "the archive's folder is $installed"
program=$installed/bin/gausscse
# Nothing of the build's environment may help.
unset LD_LIBRARY_PATH LIBTORCH_ROOT

libraries=$(ldd "$program" "$installed/lib/gausscse/libtorch_cpu.so")
loaded=$(LD_DEBUG=files "$program" doctor 2>&1 | sed -n 's/.*calling init: //p')
for library in libgausscse_program libtorch_cpu libc10 libgomp; do
  found=$(grep "/$library" <<<"$loaded") || fail "doctor does not load $library"
  [[ "$(realpath "$found")" == "$(realpath "$installed")/lib/gausscse/"* ]] || fail "$library is taken from $found"
done
! grep -q 'not found' <<<"$libraries" || fail "libraries are missing: $(grep 'not found' <<<"$libraries")"
"$(dirname "$0")/runpath.sh" "$installed" || fail "an installed file looks for libraries in the working folder"
! readelf -d "$program" | grep -E 'R(UN)?PATH' | grep -qvF '[$ORIGIN/../lib/gausscse]' ||
  fail "it looks for libraries elsewhere, too: $(readelf -d "$program" | grep -E 'R(UN)?PATH')"

[[ "$("$program" --version)" == "gausscse "* ]] || fail "--version prints: $("$program" --version)"
"$program" doctor >"$folder/doctor.log" || [ $? = 2 ] || fail "doctor failed: $(cat "$folder/doctor.log")"
grep -q '^rank 0: host' "$folder/doctor.log" || fail "doctor prints nothing of rank 0: $(cat "$folder/doctor.log")"
"$support/make_trial.sh" "$program" "$folder" 2 0
"$program" train "$folder/trial.yaml" --quiet --json "$folder/figures.json" >/dev/null || fail "training failed"
[ -s "$folder/whole/result.h5" ] && [ -s "$folder/figures.json" ] || fail "training left no result"

for file in share/man/man1/gausscse.1 share/gausscse/slurm/train.sbatch share/gausscse/slurm/grid.sbatch \
  share/gausscse/examples/first.yaml share/gausscse/fetch_minilm.sh share/doc/gausscse/LICENSE \
  share/doc/gausscse/README.md share/doc/gausscse/docs/README.md share/doc/gausscse/docs/trial.md; do
  [ -s "$installed/$file" ] || fail "$file is not installed"
done
"$(dirname "$0")/check_documents.py" "$installed" || fail "pages or licences are missing"
commands=$("$program" --help | sed -n '/^Train:/,$s/^  \([a-z]\+\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 17 ] || fail "--help lists few commands: $commands"
for command in $commands; do
  grep -q "^\.SS \"gausscse $command\"" "$installed/share/man/man1/gausscse.1" || fail "no $command in the manual page"
done
for written in bash=share/bash-completion/completions/gausscse zsh=share/zsh/site-functions/_gausscse \
  fish=share/fish/vendor_completions.d/gausscse.fish man=share/man/man1/gausscse.1; do
  "$program" completion "${written%%=*}" | cmp - "$installed/${written#*=}" || fail "$written is not what the program prints"
done
size=$(du -sm "$installed" | cut -f 1)

inference=$folder/inference
"$cmake" --install "$build" --component Unspecified --prefix "$inference" >"$folder/inference.log" ||
  { cat "$folder/inference.log"; exit 1; }
! find "$inference/bin" "$inference/lib" "$inference/share/doc/gausscse/licenses" | grep -E 'libtorch|libc10|libgausscse_program|libcu' || fail "the program for inference comes with LibTorch"
(cd "$inference" && sha256sum --check --quiet share/gausscse/installed.sha256) || fail "the checksums for inference are not right"
printf 'a dog runs\ta cat sleeps\n' >"$folder/pairs.tsv"
scores=$("$inference/bin/gausscse" score "$folder/whole/model" "$folder/pairs.tsv" --quiet) || fail "scoring without LibTorch failed"
[ "$scores" = "$("$program" score "$folder/whole/model" "$folder/pairs.tsv" --quiet)" ] || fail "without LibTorch score prints $scores"
! "$inference/bin/gausscse" train "$folder/trial.yaml" --overwrite 2>"$folder/train.log" || fail "train does without LibTorch"
grep -q 'libgausscse_program.so: cannot open shared object file.*: install the program with its folder lib/gausscse' "$folder/train.log" ||
  fail "without LibTorch train says $(cat "$folder/train.log")"

# What a user changed or added stays, and nothing else does.
echo "# ours" >>"$installed/share/gausscse/slurm/train.sbatch"
echo "ours" >"$installed/share/gausscse/slurm/ours.sbatch"
uninstall=$installed/share/gausscse/uninstall.sh
"$uninstall" --dry-run >"$folder/dry_run.log" || fail "uninstall.sh --dry-run failed"
grep -qx bin/gausscse "$folder/dry_run.log" || fail "uninstall.sh --dry-run does not name the program"
[ -x "$program" ] || fail "uninstall.sh --dry-run removed the program"
! "$uninstall" --all 2>"$folder/uninstall.log" || fail "uninstall.sh takes any argument"
[ -x "$program" ] || fail "uninstall.sh removed the program in spite of a wrong argument"
"$uninstall" >"$folder/uninstall.log" || fail "uninstall.sh failed: $(cat "$folder/uninstall.log")"
grep -q 'train.sbatch stays: it was changed' "$folder/uninstall.log" || fail "uninstall.sh does not name what stays"
left=$(cd "$installed" && find . -type f -printf '%P\n' | sort)
[ "$left" = "$(printf 'share/gausscse/slurm/%s\n' ours.sbatch train.sbatch)" ] || fail "uninstall.sh leaves $left"
[ ! -e "$installed/lib/gausscse" ] || fail "uninstall.sh leaves the empty folder lib/gausscse"
echo "installed: $size MB, without LibTorch $(du -sm "$inference" | cut -f 1) MB"
