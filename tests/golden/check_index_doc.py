#!/usr/bin/env python3
"""Checks the section of docs/study_files.md on index.h5 against the index of the sample study (tests/experiments/study): compares
the names, shapes and types in its table with those in the file, both ways, and runs its examples, whose figures are known.
Exits with 77 (skipped) where h5py, or for some of the examples pandas or HDF5's tools, are missing.

    python tests/golden/check_index_doc.py docs/study_files.md INDEX.h5
"""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import h5py
except ImportError:
    print("skipped: no h5py")
    sys.exit(77)

sys.dont_write_bytecode = True
from check_results_doc import kind_of, rows, words  # noqa: E402

TRIALS = 9


def documented(text):
    """{path or path@attribute: type}; a type "as of ..." is that of the entry it is like."""
    entries = {}
    for what, kind, shape_type, _ in rows(text, "in the index"):
        first, *others = words(what)
        type_of = shape_type.split(",")[-1].strip() or "link"
        for attribute in others:
            like = {"as of a task": "/figures/<task>", "as of a figure": "/figures/<task>/<figure>"}.get(type_of)
            entries[f"{first}@{attribute}"] = entries[f"{like}@{attribute}"] if like else type_of
        if not others:
            entries[first] = (type_of, shape_type.split("]")[0].strip("[")) if kind == "dataset" else type_of
    return entries


def generic(path):
    path = re.sub(r"^(/results)/.+", r"\1/<identity>", path)
    path = re.sub(r"^(/trials/axes)/.+", r"\1/<axis>", path)
    path = re.sub(r"^(/figures/)[^/@]+", r"\1<task>", path)
    path = re.sub(r"^(/averages/)[^/@]+", r"\1<kind>", path)
    return re.sub(r"^(/(?:figures|averages)/<(?:task|kind)>)/[^@]+", r"\1/<figure>", path)


def found(file):
    axes = len(file["trials/axis_names"])
    entries = {generic(f"/results/{name}"): "link" for name in file["results"]
               if isinstance(file["results"].get(name, getlink=True), h5py.ExternalLink)}

    def visit(name, item):
        path = "/" + name.strip("/")
        for attribute in item.attrs:
            entries[generic(f"{path}@{attribute}")] = kind_of(item.attrs.get_id(attribute).dtype)
        if isinstance(item, h5py.Dataset):
            length = {(TRIALS,): "T", (axes,): "X"}[item.shape]
            entries[generic(path)] = (kind_of(item.dtype), length)

    visit("", file)
    file.visititems(visit)
    return entries


def output_of(example):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "example", "exec"), {})
    return printed.getvalue()


def expect(output, *parts):
    """Returns the `parts` that are not in the output, in which several blanks count as one."""
    plain = " ".join(output.split())
    return [f"not printed: {part}\n{output}" for part in parts if part not in plain]


def check_examples(text):
    """Returns the faults, and the blocks that could not be run."""
    wrong, skipped = [], []
    with_links, with_pandas = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    wrong += expect(output_of(with_links), "choose {'training.batch_size': '32', 'system': ''} seed 0 failed",
                    "final {'training.batch_size': '16', 'system': 'ent'} seed 1 done hosts one last losses [0.75 0.5 0.25]")
    try:
        wrong += expect(output_of(with_pandas), "final 16 ent 0.625 0.176777 2", "choose 16 0.750 NaN 1")
    except ImportError:
        skipped.append("no pandas")
    for line in re.search(r"```sh\n(h5dump.*?)```", text, re.DOTALL).group(1).splitlines():
        if not shutil.which(line.split()[0]):
            skipped.append(f"no {line.split()[0]}")
            continue
        output = subprocess.run(line.split(), capture_output=True, text=True, check=True).stdout
        wrong += expect(output, "(0): 0.75, nan, 0.75, 0.5, nan" if line.startswith("h5dump") else "/axes/system Dataset {9}")
    return wrong, skipped


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    index = pathlib.Path(sys.argv[2]).resolve()
    with h5py.File(index) as file:
        in_file = found(file)
    in_text = documented(text)
    wrong = [f"{name}: {in_text.get(name, 'nothing')} in the text, {in_file.get(name, 'nothing')} in the file"
             for name in sorted(in_text.keys() | in_file.keys()) if in_text.get(name) != in_file.get(name)]
    os.chdir(index.parent)
    wrong_examples, skipped = check_examples(text)
    print("\n".join(wrong + wrong_examples + [f"skipped in part: {reason}" for reason in skipped]))
    print(f"{len(in_text)} names")
    sys.exit(1 if wrong or wrong_examples or len(in_text) < 15 else 77 if skipped else 0)


if __name__ == "__main__":
    main()
