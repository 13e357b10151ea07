#!/usr/bin/env python3
"""Checks the pages of files against a result file: runs its Python example, and compares the names, shapes and types in
its tables with those in the file, both ways; of the columns a file may have some only. Runs its similarity of two
embeddings on Gaussians whose divergence is known, too. Exits with 77 (skipped) where h5py is missing.

    python tests/golden/check_results_doc.py docs/result_files.md docs/results.md RESULT.h5
"""
import contextlib
import io
import math
import os
import pathlib
import re
import sys
import tempfile

try:
    import h5py
except ImportError:
    print("skipped: no h5py")
    sys.exit(77)

COLUMNS = "/states/<state>/tasks/<task>/columns"
TYPES = {"int64": "<i8", "float64": "<f8", "float32": "<f4", "uint8": "|u1"}


def rows(text, heading):
    """Cells of all tables that begin with `heading`."""
    tables = [table.split("\n\n", 1)[0] for table in text.split(f"\n| {heading} |")[1:]]
    return [[cell.strip() for cell in line.strip("|").split("|")] for table in tables for line in table.splitlines()[2:]]


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


def documented(text):
    """{path or path@attribute: type} with <state>, <task>, <kind> and <figure> for those of any name."""
    entries = {}
    for what, kind, shape_type, _ in rows(text, "what | kind"):
        first, *others = words(what)
        if kind.startswith("attribute"):
            for attribute in others:
                entries[f"{first}@{attribute}"] = shape_type
        elif kind.startswith("dataset"):
            folder = first.rsplit("/", 1)[0]
            for path in [first] + [f"{folder}/{other}" for other in others]:
                entries[path] = shape_type.split(",")[-1].strip()
    return entries


def documented_columns(text):
    """{path: type} of the columns that a task may have."""
    entries = {}
    for column, shape_type, _ in rows(text, "column | shape, type"):
        for name in words(column.replace("`*`", "")):
            entries[f"{COLUMNS}/{name}"] = shape_type.split(",")[-1].strip()
    return entries


def generic(path):
    path = re.sub(r"^/states/[^/@]+", "/states/<state>", path)
    path = re.sub(r"^(/states/<state>/tasks)/[^/@]+", r"\1/<task>", path)
    path = re.sub(r"^(/states/<state>/average)/[^/@]+", r"\1/<kind>", path)
    path = re.sub(r"/figures@.+$", "/figures@<figure>", path)
    path = re.sub(r"^/curves/[^/@]+", "/curves/<task>", path)
    return re.sub(r"^/curves/<task>/(?!step$|figure_names$|figure_units$).+$", "/curves/<task>/<figure>", path)


def kind_of(dtype):
    if h5py.check_string_dtype(dtype):
        return "text"
    return next(name for name, code in TYPES.items() if dtype.str == code)


def found(file):
    entries = {}

    def visit(name, item):
        path = "/" + name.strip("/")
        for attribute in item.attrs:
            entries[generic(f"{path}@{attribute}")] = kind_of(item.attrs.get_id(attribute).dtype)
        if isinstance(item, h5py.Dataset):
            entries[generic(path)] = kind_of(item.dtype)

    visit("", file)
    file.visititems(visit)
    return entries


def wrong_similarity(text):
    """Returns the output of the page's similarity of two Gaussians of two dimensions, where it is wrong; else nothing."""
    (example,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "embeddings.h5" in block]
    deviations, distance = (1.0, 3.0), 2.0  # of both dimensions of each sentence; of their means in the first dimension

    def similarity(a, b):
        equal_means = math.log(b / a) + a * a / (2 * b * b) - 0.5  # KL(N(0, a^2) || N(0, b^2))
        return (1 / (1 + equal_means + distance ** 2 / (2 * b * b)) + 1 / (1 + equal_means)) / 2

    first, second = deviations
    expected = f"{similarity(second, first):.6f}\t{similarity(first, second):.6f}\n"
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        path = str(pathlib.Path(folder) / "embeddings.h5")
        with h5py.File(path, "w") as file:
            file["mean"] = [[1.0, 5.0], [1.0 + distance, 5.0]]
            file["log_var"] = [[2 * math.log(deviation)] * 2 for deviation in deviations]
        exec(compile(example.replace('"embeddings.h5"', repr(path)), "similarity", "exec"), {})
    return [] if printed.getvalue() == expected else [f"similarities: {printed.getvalue()!r}, not {expected!r}"]


def main():
    text = "\n".join(pathlib.Path(page).read_text() for page in sys.argv[1:-1])
    result = pathlib.Path(sys.argv[-1]).resolve()
    with h5py.File(result) as file:
        in_file = found(file)
    in_text = documented(text)
    in_text |= {name: value for name, value in documented_columns(text).items() if name in in_file}
    wrong = [f"{name}: {in_text.get(name, 'nothing')} in the text, {in_file.get(name, 'nothing')} in the file"
             for name in sorted(in_text.keys() | in_file.keys()) if in_text.get(name) != in_file.get(name)]
    wrong += wrong_similarity(text)
    print("\n".join(wrong))
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    os.chdir(result.parent)
    exec(compile(example.replace("result.h5", result.name), "example", "exec"), {})
    print(f"{len(in_text)} names, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(in_text) < 40 else 0)


if __name__ == "__main__":
    main()
