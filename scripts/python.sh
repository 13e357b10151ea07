#!/usr/bin/env bash
# Builds the wheel of the Python package that goes to other machines, installs it into build/python-venv and tests it there. The
# tests run the program of build/cpu, which must be built.
#   scripts/python.sh --wheel    only builds the wheel, in build/wheel
#   CMAKE_BUILD_PARALLEL_LEVEL   jobs of the build (default: as many as cores)
#   GAUSSCSE_MODEL               a trained Gaussian model to test with, instead of a small one that is trained first
set -euo pipefail
cd "$(dirname "$0")/.."
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" PIP_DISABLE_PIP_VERSION_CHECK=1
venv=build/python-venv
mkdir -p build
# Another call of this script may be building the wheel.
exec 9>build/python.lock
flock 9
# Debian's Python has its ensurepip in another package: the pip that is there installs into the environment.
[ -x "$venv/bin/python" ] || python3 -m venv --without-pip "$venv"
pip=("$(command -v python3)" -m pip --python "$venv/bin/python")
"${pip[@]}" install --quiet --no-compile --only-binary :all: --require-hashes -r tests/python/requirements.txt
export PATH="$PWD/$venv/bin:$PATH"
rm -rf build/wheel
"${pip[@]}" wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheel/of-build .
auditwheel repair --wheel-dir build/wheel build/wheel/of-build/gausscse-*.whl
find build/wheel -maxdepth 1 -name '*.whl' -size +25M | grep . && { echo "python.sh: a wheel of more than 25 MiB" >&2; exit 1; }
[ "${1:-}" != --wheel ] || exit 0
"${pip[@]}" install --quiet --no-deps --force-reinstall build/wheel/gausscse-*.whl
"$venv/bin/python" -m pytest -q -rs -p no:cacheprovider tests/python
"$venv/bin/python" -c 'import doctest, gausscse, gausscse._embeddings, gausscse._encoder
raise SystemExit(any(doctest.testmod(module).failed
                     for module in (gausscse, gausscse._embeddings, gausscse._encoder)))'
