#!/usr/bin/env python3
"""Checks that folders of the product use only those below them, by the list of layers in docs/developers/structure.md.

    check_layers.py [ROOT]      a source tree; that of this script by default

In addition only launcher/studies may include experiments/, which is optional, and of tests and fuzz targets only what a
CMakeLists.txt names in `if(GAUSSCSE_STUDIES)`. A CMakeLists.txt must name every .cpp file, those of tests too, and no top
folder may hold more than 30 % of the product's lines.
"""

import collections
import pathlib
import re
import sys

SUFFIXES = (".hpp", ".cpp", ".cuh", ".cu")
LARGEST_SHARE = 0.3
# Folders that GAUSSCSE_STUDIES builds: the first may be used by these folders alone.
OPTIONAL, USERS_OF_OPTIONAL = "experiments", ("experiments", "launcher/studies")


def read_layers(root):
    """Returns the level of each folder, 0 at the top."""
    text = (root / "docs/developers/structure.md").read_text(encoding="utf-8")
    found = re.search(r"^```layers\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"{root}/docs/developers/structure.md: has no list of layers: write one between ```layers and ```")
    return {folder: level for level, line in enumerate(found[1].splitlines()) for folder in line.split()}


def source_files(root, tops):
    """Returns the source files below the folders `tops`, as paths from `root`."""
    return sorted(path.relative_to(root).as_posix() for top in tops for path in (root / top).rglob("*")
                  if path.suffix in SUFFIXES and path.is_file())


def folder_of(file, layers):
    """Returns the folder of the list that holds a file: its own or the next above it."""
    return next((folder.as_posix() for folder in pathlib.PurePosixPath(file).parents if folder.as_posix() in layers), None)


def includes_of(root, file):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', (root / file).read_text(encoding="utf-8"), re.MULTILINE)


def wrong_includes(root, layers, files):
    known = set(files)
    for file in files:
        user = folder_of(file, layers)
        if user is None:
            yield f"{file}: its folder is not in the list of layers: add it to docs/developers/structure.md"
            continue
        for included in includes_of(root, file):
            used = folder_of(included, layers) if included in known else user
            if used is not None and used != user and layers[used] <= layers[user]:
                yield f"{file}: includes {included}: {used} is not below {user}: move what both need to a folder below"


def users_of_optional(root, files):
    for file in files:
        if not any(file.startswith(folder + "/") for folder in USERS_OF_OPTIONAL):
            for included in includes_of(root, file):
                if included.startswith(OPTIONAL + "/"):
                    yield f"{file}: includes {included}: builds without {OPTIONAL} lack it; only {USERS_OF_OPTIONAL[1]} may"


def built_with_studies(root, tops):
    """Returns the files and folders that CMakeLists.txt below the folders `tops` name in `if(GAUSSCSE_STUDIES)`."""
    for top in tops:
        for path in (root / top).rglob("CMakeLists.txt"):
            folder = path.parent.relative_to(root).as_posix()
            for block in re.findall(r"^if\(GAUSSCSE_STUDIES\)(.*?)^(?:else|endif)\(", path.read_text(encoding="utf-8"),
                                    re.MULTILINE | re.DOTALL):
                yield from (f"{folder}/{name}/" for name in re.findall(r"add_subdirectory\(([\w/]+)\)", block))
                yield from (f"{folder}/{name}" for name in re.findall(r"[\w/]+\.cpp\b", block))


def tests_of_optional(root):
    tops = ["fuzz", "tests"]
    optional = tuple(built_with_studies(root, tops))
    folders = (f"{OPTIONAL}/", *(name for name in optional if name.endswith("/")))
    for file in source_files(root, tops):
        for included in includes_of(root, file):
            if included.startswith(folders) and not file.startswith(optional):
                yield f"{file}: includes {included}: builds without {OPTIONAL} lack it: name the file in if(GAUSSCSE_STUDIES)"


def unlisted_files(root, files):
    listed = collections.defaultdict(set)
    for top in {file.split("/")[0] for file in files}:
        for path in (root / top).rglob("CMakeLists.txt"):
            listed[top].update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    for file in files:
        path = pathlib.PurePosixPath(file)
        if path.suffix == ".cpp" and path.stem not in listed[path.parts[0]]:
            yield f"{file}: no CMakeLists.txt of {path.parts[0]} names it: it is not compiled"


def large_folders(root, files):
    lines = collections.Counter()
    for file in files:
        lines[file.split("/")[0]] += (root / file).read_text(encoding="utf-8").count("\n")
    for folder, count in lines.items():
        if count > LARGEST_SHARE * lines.total():
            yield f"{folder}: has {count} of {lines.total()} lines: no folder may have more than {LARGEST_SHARE:.0%}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    layers = read_layers(root)
    files = source_files(root, sorted({folder.split("/")[0] for folder in layers}))
    used = {folder_of(file, layers) for file in files}
    problems = [f"{folder}: is in the list of layers, and has no source file: take it out of docs/developers/structure.md"
                for folder in layers if folder not in used]
    problems += [*wrong_includes(root, layers, files), *users_of_optional(root, files), *tests_of_optional(root),
                 *unlisted_files(root, files + source_files(root, ["tests"])), *large_folders(root, files)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"layers: {len(files)} files in {len(layers)} folders")


if __name__ == "__main__":
    main()
