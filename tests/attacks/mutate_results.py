#!/usr/bin/env python3
"""Changes bytes of a result file and has the program show and compare each changed file.

    python tests/attacks/mutate_results.py build/cpu/gausscse RESULT.h5 [--count 5000] [--seed 0] [--unsealed]

Every answer is the one for the unchanged file, or a refusal (exit code 2) that names the file. Other answers, ends by a
signal and processes that take longer than --timeout are counted as faults: with any, the script ends with 1. --unsealed
makes the file one of the time before files had a seal, whose values nothing protects: other values are counted, but are
no fault. --keep FOLDER keeps the files that caused faults.
"""
import argparse
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

SEAL = 512
SECTOR = 512


def without_seal(data):
    """The superblock, of version 0, has the address of the begin at byte 24 and of the end at byte 40."""
    hdf5 = bytearray(data[SEAL:])
    hdf5[24:32] = struct.pack("<Q", 0)
    hdf5[40:48] = struct.pack("<Q", len(hdf5))
    return bytes(hdf5)


def mutated(data, rng):
    """A kind of change, and the changed bytes."""
    kind = rng.choice(["bit", "bit", "bit", "byte", "zeros", "noise", "swap", "cut", "more", "run"])
    other = bytearray(data)
    place = rng.randrange(len(data))
    start = place // SECTOR * SECTOR
    if kind == "bit":
        other[place] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        other[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
    elif kind == "zeros":
        other[start:start + SECTOR] = bytes(len(other[start:start + SECTOR]))
    elif kind == "noise":
        other[start:start + SECTOR] = rng.randbytes(len(other[start:start + SECTOR]))
    elif kind == "swap":
        from_start = rng.randrange(len(data)) // SECTOR * SECTOR
        one, two = other[start:start + SECTOR], other[from_start:from_start + SECTOR]
        if len(one) == len(two):
            other[start:start + SECTOR], other[from_start:from_start + SECTOR] = two, one
    elif kind == "cut":
        del other[place:]
    elif kind == "more":
        other += rng.randbytes(rng.randrange(1, SECTOR))
    else:
        length = rng.randrange(1, 16)
        other[place:place + length] = bytes([rng.choice([0, 0xFF])]) * len(other[place:place + length])
    return kind, bytes(other)


def answer_of(command, timeout):
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "hang", b"", ""
    if run.returncode < 0 or run.returncode > 128:
        return "crash", b"", run.stderr.decode("utf-8", "replace")
    return run.returncode, run.stdout, run.stderr.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--unsealed", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        whole, changed = pathlib.Path(folder) / "whole.h5", pathlib.Path(folder) / "changed.h5"
        data = arguments.result.read_bytes()
        if arguments.unsealed and data[SEAL:SEAL + 4] == b"\x89HDF":
            data = without_seal(data)
        whole.write_bytes(data)
        commands = {"show": lambda path: [arguments.program, "show", str(path)],
                    "compare": lambda path: [arguments.program, "compare", str(whole), str(path), "--json", "-"]}
        expected = {}
        for name, command in commands.items():
            changed.write_bytes(data)
            code, expected[name], errors = answer_of(command(changed), arguments.timeout)
            if code != 0:
                sys.exit(f"{name} of the unchanged file: {code}: {errors}")
        for number in range(arguments.count):
            kind, other = mutated(data, rng)
            changed.write_bytes(other)
            for name, command in commands.items():
                code, output, errors = answer_of(command(changed), arguments.timeout)
                if code in ("hang", "crash"):
                    outcome = code
                elif code == 0:
                    outcome = "same" if output == expected[name] else "other values"
                else:
                    outcome = "refused by name" if code == 2 and str(changed) in errors else "refused without its name"
                counts[name, outcome] += 1
                if outcome not in ("same", "refused by name"):
                    print(f"{number} {kind} {name}: {outcome}", flush=True)
                    if arguments.keep:
                        arguments.keep.mkdir(parents=True, exist_ok=True)
                        (arguments.keep / f"{number}-{kind}.h5").write_bytes(other)
    faults = 0
    for (name, outcome), count in sorted(counts.items()):
        print(f"{name}: {outcome}: {count}")
        allowed = {"same", "refused by name"} | ({"other values"} if arguments.unsealed else set())
        faults += count if outcome not in allowed else 0
    print(json.dumps({"faults": faults}))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
