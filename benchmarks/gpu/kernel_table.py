#!/usr/bin/env python3
"""Compares the resources of each GPU kernel with the table in the tree, kernel_resources.txt.

    benchmarks/gpu/kernel_table.py build/cuda/model/kernels/libgausscse_cuda_kernels.a
    benchmarks/gpu/kernel_table.py --write ...    # after an improvement, or a change that is meant

A kernel that takes more fails the comparison: more registers, local memory (of registers that do not fit, or of arrays that
are indexed by a variable) or shared memory, or narrower accesses. One that takes less fails it too, until the table has it.
"""

import argparse
import pathlib
import sys

import sass

TABLE = pathlib.Path(__file__).with_name("kernel_resources.txt")
HEAD = """# Resources of the GPU kernels on {architecture}: registers of a thread; bytes of its local memory; instructions that
# access local memory; bytes of shared memory that are not asked for at the launch; loads and stores of global memory, as
# COUNTxBITS. Written and compared by benchmarks/gpu/kernel_table.py.
"""
COLUMNS = ("registers", "local", "local_accesses", "shared", "loads", "stores")


def row_of(kernel):
    """The kernel's columns, by name."""

    def widths(word):
        return " ".join(f"{count}x{bits}" for bits, count in kernel.widths(word).items()) or "-"

    return {"registers": kernel.registers, "local": kernel.stack, "local_accesses": kernel.count("LDL", "STL"),
            "shared": kernel.shared, "loads": widths("LDG"), "stores": widths("STG")}  # fmt: skip


def bits_of_an_access(text):
    """The mean width of accesses such as "2x32 1x128"; None of no access."""
    pairs = [[int(number) for number in word.split("x")] for word in text.split() if word != "-"]
    return sum(count * bits for count, bits in pairs) / sum(count for count, _ in pairs) if pairs else None


def lines_of(rows, architecture):
    lines = [f"{name} | {' | '.join(str(row[column]) for column in COLUMNS)}" for name, row in sorted(rows.items())]
    return HEAD.format(architecture=architecture) + f"kernel | {' | '.join(COLUMNS)}\n" + "\n".join(lines) + "\n"


def parsed(text):
    """Rows of a table, by kernel."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = {}
    for line in lines[1:]:
        name, *cells = line.split(" | ")
        rows[name] = dict(zip(COLUMNS, [int(cell) if cell.isdigit() else cell for cell in cells], strict=True))
    return rows


def differences(before, now):
    """Returns the rows that are worse, and those that differ otherwise: two lists of lines."""
    worse, other = [], []
    for name in sorted(before.keys() | now.keys()):
        if name not in before or name not in now:
            other.append(f"{name}: {'is not in the table' if name in now else 'is in the table alone'}")
            continue
        for column in COLUMNS:
            old, new = before[name][column], now[name][column]
            if old == new:
                continue
            line = f"{name}: {column} {old} -> {new}"
            if column in ("loads", "stores"):
                narrower = (bits_of_an_access(new) or 0) < (bits_of_an_access(old) or 0)
                (worse if narrower else other).append(line)
            else:
                (worse if new > old else other).append(line)
    return worse, other


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="what nvcc compiled: a cubin, an object, a library or a program")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    parser.add_argument("--write", action="store_true", help="write the table")
    options = parser.parse_args()
    try:
        rows = {name: row_of(kernel) for name, kernel in sass.kernels_of(options.build, options.architecture).items()}
    except sass.NoCode as error:
        sys.exit(f"kernel_table.py: {error}")
    if options.write:
        options.table.write_text(lines_of(rows, options.architecture), encoding="utf-8")
        return
    worse, other = differences(parsed(options.table.read_text(encoding="utf-8")), rows)
    for title, lines in (("kernels take more than the table allows", worse), ("the table is not up to date", other)):
        if lines:
            print(f"kernel_table.py: {title}:", *lines, sep="\n  ")
    if worse or other:
        sys.exit(f"kernel_table.py: {options.table} differs: if that is meant, write it with --write")
    print(f"{len(rows)} kernels take what {options.table.name} has")


if __name__ == "__main__":
    main()
