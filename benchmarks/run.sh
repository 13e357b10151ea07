#!/usr/bin/env bash
# Measures gausscse and its peers, in turns, and writes a table of ratios: run.sh --help, README.md.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/peers/run.py" "$@"
