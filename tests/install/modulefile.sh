#!/usr/bin/env bash
# Loads the modulefile as Environment Modules and Lmod do, in Tcl with commands that print what they are asked for. Ends
# with 77 (skipped) where there is no tclsh.
#   modulefile.sh MODULEFILE
set -euo pipefail
modulefile=$(realpath "$1")
command -v tclsh >/dev/null || { echo "SKIPPED: there is no tclsh"; exit 77; }
folder=$(realpath "$(mktemp -d)")
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "modulefile.sh: $1" >&2
  exit 1
}

# A prefix with a blank, where cmake --install puts the file.
prefix="$folder/a prefix"
installed=$prefix/share/gausscse/modulefiles/gausscse/0.1.0
mkdir -p "$(dirname "$installed")"
cp "$modulefile" "$installed"
[ "$(head -c 10 "$installed")" = '#%Module1.' ] || fail "the first line is not that of a modulefile"
cat >"$folder/load.tcl" <<'TCL'
proc module-whatis {text} {}
proc conflict {name} { puts "conflict $name" }
proc prepend-path {variable path} { puts "$variable $path" }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
TCL

loaded=$(env -u MANPATH -u XDG_DATA_DIRS tclsh "$folder/load.tcl" "$installed")
[ "$loaded" = "conflict gausscse
PATH $prefix/bin
XDG_DATA_DIRS $prefix/share:/usr/local/share:/usr/share" ] || fail "without MANPATH and XDG_DATA_DIRS it does: $loaded"
loaded=$(MANPATH=/other XDG_DATA_DIRS=/other tclsh "$folder/load.tcl" "$installed")
[ "$loaded" = "conflict gausscse
PATH $prefix/bin
MANPATH $prefix/share/man
XDG_DATA_DIRS $prefix/share" ] || fail "with MANPATH and XDG_DATA_DIRS it does: $loaded"
