#!/usr/bin/env bash
# Installs what building and testing need; does nothing where it is there. Debian 12 or later.
#   --tests         also what some tests look at results with, or are skipped: pandas, HDF5's tools, LaTeX, Chromium, mteb,
#                   tensorboard (660 MB)
#   --cuda          also NCCL, cuBLAS and, where there is none on the PATH, nvcc of CUDA 13, for the preset cuda
#   LIBTORCH_ROOT   use this LibTorch (the folder with lib/ and include/) instead of installing one
#   GAUSSCSE_CACHE  where LibTorch, tokenised corpora and the like are kept (default ~/.cache/gausscse)
set -euo pipefail

for_tests=false for_cuda=false
for option in "$@"; do
  case "$option" in
    --tests) for_tests=true ;;
    --cuda) for_cuda=true ;;
    *) echo "setup: unknown option $option (use: scripts/setup.sh [--tests] [--cuda])" >&2; exit 2 ;;
  esac
done
torch_version=2.11.0
cuda_version='13.0.*'
nccl_version=2.28.9  # the one that this LibTorch asks for
cublas_version=13.1.0.3  # likewise
cache="${GAUSSCSE_CACHE:-$HOME/.cache/gausscse}"
packages=(g++ cmake ninja-build ccache pkg-config git iproute2 unzip python3 python3-pip python3-h5py faketime
  libopenmpi-dev openmpi-bin libhdf5-dev libyaml-cpp-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libicu-dev
  libxxhash-dev zlib1g-dev libzstd-dev libgtest-dev libbenchmark-dev libboost-dev libboost-context-dev
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev libfuzzer-14-dev libomp-14-dev lld-14)
# Without what they recommend, which is hundreds of megabytes more.
packages_alone=()
! $for_tests || packages_alone=(python3-dev python3-pandas hdf5-tools texlive-latex-base chromium)

# Two set-ups at once would wait for neither apt's lock nor each other's downloads. A home folder may be that of several
# machines: the next one to come finds what the first installed.
# A cache that another user keeps may not be written to, and needs nothing then.
mkdir -p "$cache" 2>/dev/null || true
if { exec 9>"$cache/.setup.lock"; } 2>/dev/null && ! flock -n 9; then
  echo "setup: another set-up uses $cache; waiting for it"
  flock 9 || echo "setup: $cache cannot be locked; another set-up at the same time may disturb this one" >&2
fi

# list_missing PACKAGE...: those of them that are not installed.
list_missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}
mapfile -t missing < <(list_missing "${packages[@]}")
mapfile -t missing_alone < <(list_missing "${packages_alone[@]}")
if [ $((${#missing[@]} + ${#missing_alone[@]})) -gt 0 ]; then
  sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo -n)
  if { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; } && command -v apt-get >/dev/null; then
    echo "setup: installing ${missing[*]} ${missing_alone[*]}"
    "${sudo[@]}" apt-get update -qq
    install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq)
    [ ${#missing[@]} = 0 ] || "${sudo[@]}" "${install[@]}" "${missing[@]}" >/dev/null
    [ ${#missing_alone[@]} = 0 ] || "${sudo[@]}" "${install[@]}" --no-install-recommends "${missing_alone[@]}" >/dev/null
  else
    echo "setup: these Debian packages are missing and cannot be installed without root:" >&2
    echo "  apt-get install ${missing[*]} ${missing_alone[*]}" >&2
    exit 1
  fi
fi

# install_wheels TARGET TEXT WHEEL...: unpacks wheels from PyPI, with nothing that they ask for, into the folder TARGET.
# Fails, with nothing changed, where they cannot be fetched.
install_wheels() {
  local target=$1 partial status=0
  echo "setup: installing $2 to $target"
  shift 2
  partial=$(mktemp -d "$cache/wheels.XXXXXX") || return 1
  # shellcheck disable=SC2064
  trap "rm -rf '$partial'" EXIT
  { python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --target "$partial/wheel" "$@" && rm -rf "$target" && mv -T "$partial/wheel" "$target"; } || status=1
  rm -rf "$partial"
  return $status
}

# The readers that tests compare ours with (tests/golden). Nothing else needs them: where they cannot be fetched, these
# tests are skipped.
target="$cache/safetensors-0.8.0-tokenizers-0.23.3"
[ -d "$target" ] || install_wheels "$target" "safetensors and tokenizers (16 MB)" safetensors==0.8.0 tokenizers==0.23.3 ||
  echo "setup: no safetensors and tokenizers; the tests that need them will be skipped" >&2

# mteb, whose classes open the results that eval writes for it; without torch and whatever else its models need.
target="$cache/mteb-2.26.24"
! $for_tests || [ -d "$target" ] || install_wheels "$target" "mteb (100 MB)" mteb==2.26.24 pydantic==2.14.3 \
  pydantic-core==2.50.4 annotated-types==0.8.0 typing-inspection==0.4.5 typing-extensions==4.16.0 packaging==26.3 ||
  echo "setup: no mteb; the test that needs it will be skipped" >&2

# tensorboard, whose reader opens the curves of a training.
target="$cache/tensorboard-2.21.0"
! $for_tests || [ -d "$target" ] || install_wheels "$target" "tensorboard (16 MB)" tensorboard==2.21.0 protobuf==7.36.2 \
  absl-py==2.5.1 || echo "setup: no tensorboard; the test that needs it will be skipped" >&2

# onnxruntime, which computes what is exported as ONNX.
target="$cache/onnxruntime-1.32.0"
! $for_tests || [ -d "$target" ] || install_wheels "$target" "onnxruntime (60 MB)" onnxruntime==1.32.0 \
  flatbuffers==25.12.19 protobuf==7.36.2 packaging==26.4 || echo "setup: no onnxruntime; the test that needs it will be skipped" >&2

# Arrow, with which the plug-in that reads and writes Parquet tables is built. Nothing else needs it.
target="$cache/pyarrow-26.0.1"
[ -e "$target/pyarrow/libparquet.so.2600" ] || install_wheels "$target" "Arrow 26.0.1 (165 MB)" pyarrow==26.0.1 ||
  echo "setup: no Arrow; Parquet tables will be refused" >&2

if $for_cuda && ! { command -v nvcc && nvcc --version | grep -q 'release 13\.'; } >/dev/null; then
  target="$cache/cuda-13.0"
  # nccl.h includes headers that look for nv/target, which is CCCL's.
  { [ -x "$target/nvidia/cu13/bin/nvcc" ] && [ -e "$target/nvidia/cu13/include/nv/target" ]; } ||
    install_wheels "$target" "nvcc of CUDA $cuda_version (300 MB)" "nvidia-cuda-nvcc==$cuda_version" \
      "nvidia-nvvm==$cuda_version" "nvidia-cuda-crt==$cuda_version" "nvidia-cuda-runtime==$cuda_version" \
      "nvidia-cuda-cccl==$cuda_version"
fi

if $for_cuda; then
  target="$cache/nccl-$nccl_version"
  [ -e "$target/nvidia/nccl/lib/libnccl.so.2" ] ||
    install_wheels "$target" "NCCL $nccl_version (220 MB)" "nvidia-nccl-cu13==$nccl_version"
  # A whole CUDA on the PATH has it.
  nvcc=$(command -v nvcc || true)
  target="$cache/cublas-$cublas_version"
  { [ -n "$nvcc" ] && [ -e "$(dirname "$(readlink -f "$nvcc")")/../include/cublasLt.h" ]; } ||
    [ -e "$target/nvidia/cu13/lib/libcublasLt.so.13" ] ||
    install_wheels "$target" "cuBLAS $cublas_version (400 MB)" "nvidia-cublas==$cublas_version"
fi

if [ -n "${LIBTORCH_ROOT:-}" ]; then
  [ -e "$LIBTORCH_ROOT/lib/libtorch_cpu.so" ] || {
    echo "setup: LIBTORCH_ROOT=$LIBTORCH_ROOT has no lib/libtorch_cpu.so: give the folder with lib/ and include/" >&2
    exit 1
  }
  exit 0
fi

target="$cache/libtorch-$torch_version"
if [ ! -e "$target/torch/lib/libtorch_cpu.so" ]; then
  # The wheel is used for its shared libraries and headers; Python is not needed afterwards. libtorch_cpu.so of this
  # build asks for two small CUDA libraries even where no GPU is.
  install_wheels "$target" "LibTorch $torch_version (1.2 GB)" "torch==$torch_version" \
    "nvidia-cuda-runtime==$cuda_version" "nvidia-cuda-cupti==$cuda_version"
fi
