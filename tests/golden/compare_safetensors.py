"""Compares our safetensors reader with the reference reader (the package safetensors), over mutated files: which of them it
accepts, and the values that it reads.

    cmake --build --preset cpu --target print_safetensors_verdicts
    python tests/golden/compare_safetensors.py build/cpu/tests/model/weights/print_safetensors_verdicts [count] [seed]

Differences are allowed only where we refuse on purpose what the reference accepts; each kind is counted:
  rule 5   the header does not begin with {
  rule 16  a key comes twice in an object
  limits   a name over 1 KiB, over 100,000 tensors, over 100 levels of JSON, an extent over 2^63 - 1
  forms    JSON that the format's text does not describe and the reference's library happens to take: null for
           __metadata__, an array for a tensor's object, an object for a dtype
Anything else ends the script with an error; a missing package, with 77 (skipped). Zero-size tensors that share an offset
(rule 17) are read alike.
"""

import collections
import json
import random
import struct
import subprocess
import sys

try:
    from safetensors import deserialize
except ImportError:
    print("SKIPPED: no Python package safetensors; scripts/setup.sh installs it")
    sys.exit(77)

ALLOWED = [
    ("rule 5", "does not begin with {"),
    ("rule 16", "appears twice in one JSON object"),
    ("limits", "has a name of "),
    ("limits", " tensors, more than "),
    ("limits", "nested deeper than "),
    ("limits", "more than any tensor"),
    ("forms", "__metadata__ is not an object"),
    ("forms", "is not described by an object"),
    ("forms", "unknown dtype \"{"),
]
DTYPES = ("BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 "
          "F32 C64 F64 I64 U64").split()
BITS = dict(F4=4, F6_E2M3=6, F6_E3M2=6, I16=16, U16=16, F16=16, BF16=16, I32=32, U32=32, F32=32, C64=64, F64=64,
            I64=64, U64=64)
NUMBERS = ["0", "1", "2", "4", "8", "-1", "-0", "1.0", "1e0", "0.5", "true", "null", '"1"', "[1]", str(2**31), str(2**32),
           str(2**53 + 1), str(2**61), str(2**63 - 1), str(2**63), str(2**64 - 1), str(2**64), str(10**30), "1e400"]


def pack(header, data=b"", length=None):
    header = header if isinstance(header, bytes) else header.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(header) if length is None else length) + header + data


class Entry:
    """One tensor as the texts that are written, so that a mutation can write anything."""

    def __init__(self, name, dtype, shape, begin, end):
        self.name = json.dumps(name)
        self.fields = [["dtype", json.dumps(dtype)], ["shape", [str(n) for n in shape]],
                       ["data_offsets", [str(begin), str(end)]]]

    def text(self):
        values = [(k, v if isinstance(v, str) else "[" + ",".join(v) + "]") for k, v in self.fields]
        return self.name + ":{" + ",".join(f'"{k}":{v}' for k, v in values) + "}"


def random_file(rng):
    entries, position = [], 0
    for i in range(rng.randrange(5)):
        dtype = rng.choice(DTYPES)
        shape = [rng.choice([0, 1, 2, 3, 4]) for _ in range(rng.randrange(4))]
        bits = BITS.get(dtype, 8)
        for n in shape:
            bits *= n
        if bits % 8:
            shape, bits = [8], 8 * BITS[dtype]
        entries.append(Entry(rng.choice("abcdefg\u00e9\u4e2d") + str(i), dtype, shape, position, position + bits // 8))
        position += bits // 8
    return entries, bytes(rng.randrange(256) for _ in range(position))


def mutate_structure(rng, entries):
    if not entries:
        return
    entry = rng.choice(entries)
    kind = rng.randrange(9)
    if kind == 0:
        entry.fields[0][1] = rng.choice([json.dumps(rng.choice(DTYPES)), '"F31"', "null", "7", '{"F32":null}', '"f32"'])
    elif kind == 1 and isinstance(entry.fields[1][1], list) and entry.fields[1][1]:
        entry.fields[1][1][rng.randrange(len(entry.fields[1][1]))] = rng.choice(NUMBERS)
    elif kind == 2 and isinstance(entry.fields[1][1], list):
        entry.fields[1][1].insert(0, rng.choice(NUMBERS))
    elif kind == 3:
        entry.fields[-1][1][rng.randrange(2)] = rng.choice(NUMBERS)
    elif kind == 4:
        offsets = entry.fields[-1][1]
        offsets[rng.randrange(2)] = str(rng.randrange(12))
    elif kind == 5:
        del entry.fields[rng.randrange(len(entry.fields))]
        entry.fields.append(["data_offsets", ["0", "0"]])
    elif kind == 6:
        entry.fields.insert(0, rng.choice([["dtype", '"U8"'], ["more", "1"], ["shape", "null"]]))
    elif kind == 7:
        entry.name = rng.choice(entries).name
    else:
        entry.name = json.dumps(rng.choice(["", "n" * 1024, "n" * 1025, "__metadata__", "\ud800", "\x00", "\U0001f600"]))


def mutate_text(rng, text):
    kind = rng.randrange(10)
    if kind == 0:
        return rng.choice([" ", "\n", "\t", "\ufeff", "\x00", "[", "{"]) + text
    if kind == 1:
        return text + rng.choice([" ", "   \n", "\x00", "x", "}", "{}", "\r\n"])
    if kind == 2:
        middle = rng.choice(['"__metadata__":{"a":"1"}', '"__metadata__":{"a":1}', '"__metadata__":null',
                             '"__metadata__":{"a":"1","a":"2"}', '"__metadata__":[]', '"deep":' + "[" * 101 + "]" * 101,
                             '"e":["U8",[0],[0,0]]'])
        return "{" + middle + ("," if text != "{}" else "") + text[1:]
    if kind == 3:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(list('{}[],:"\\ 0.-eEu')) + text[at:]
    if kind == 4:
        at = rng.randrange(len(text))
        return text[:at] + text[at + 1:]
    return text


def mutate_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
        kind = rng.randrange(5)
        at = rng.randrange(len(data) + 1)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 2:
            data[at:at] = bytes([rng.randrange(256)])
        elif kind == 3:
            del data[at:at + rng.randrange(1, 4)]
        else:
            data = data[:at]
    return bytes(data)


def mutation(rng):
    entries, data = random_file(rng)
    for _ in range(rng.choice([0, 1, 1, 2])):
        mutate_structure(rng, entries)
    order = entries[:]
    rng.shuffle(order)
    text = mutate_text(rng, "{" + ",".join(entry.text() for entry in order) + "}")
    header = text.encode("utf-8", "surrogatepass")
    length = rng.choice([None] * 12 + [0, len(header) + 1, len(header) + len(data), 2**63, 2**64 - 1, 100_000_001])
    whole = pack(header, data, length)
    return mutate_bytes(rng, whole) if rng.random() < 0.5 else whole


def reference_verdict(data):
    try:
        tensors = deserialize(data)
    except Exception:
        return None
    return {name: [t["dtype"], t["shape"], list(t["data"])] for name, t in tensors}


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    files = [mutation(rng) for _ in range(count)]
    stream = b"".join(struct.pack("<Q", len(data)) + data for data in files)
    lines = subprocess.run([program], input=stream, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    assert len(lines) == count, f"{len(lines)} verdicts for {count} files"

    kinds = collections.Counter()
    for data, line in zip(files, lines):
        ours, reference = json.loads(line), reference_verdict(data)
        if "tensors" in ours:
            if reference != ours["tensors"]:
                sys.exit(f"we accept {data!r}\nreference: {reference}\nours: {ours}")
            kinds["both accept, same tensors"] += 1
        elif reference is None:
            kinds["both refuse"] += 1
        else:
            names = [name for name, part in ALLOWED if part in ours["refused"]]
            if not names:
                sys.exit(f"only we refuse {data!r}\n{ours['refused']}")
            kinds["only we refuse: " + names[0]] += 1
    for kind, number in sorted(kinds.items()):
        print(f"{number:8d}  {kind}")


if __name__ == "__main__":
    main()
