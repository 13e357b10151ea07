#!/usr/bin/env python3
"""Changes bytes of a result file and has the program show and compare each changed file.

    python tests/attacks/mutate_results.py build/cpu/tests/launcher/program_server RESULT.h5 [--count 5000] [--seed 0]

program_server runs the program in forks of itself, which saves the time to load LibTorch. Every answer is the one for the
unchanged file, or a refusal (exit code 2) that names the file. Other answers, ends by a signal and processes that take
longer than --timeout are counted as faults: with any, the script ends with 1. --unsealed makes the file one of the time
before files had a seal, whose values nothing protects: other values are counted, but are no fault. --keep FOLDER keeps the
files that caused faults.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import select
import signal
import socket
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


class ProgramServer:
    """The program, each run of which is a fork of one process (tests/launcher/served_request.hpp)."""

    def __init__(self, path):
        self.path = path
        self.start()

    def start(self):
        self.requests, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self.process = subprocess.Popen([self.path], stdin=other, start_new_session=True)

    def stop(self):
        """Ends the server and what runs in it."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.requests.close()

    def answer(self, arguments, timeout):
        """Exit code, standard output and standard error of a run; "crash" or "hang" in place of the exit code."""
        status, status_of_run = os.pipe()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            words = [b"0", *map(os.fsencode, arguments)]
            descriptors = [output.fileno(), errors.fileno(), status_of_run]
            socket.send_fds(self.requests, [b"".join(word + b"\0" for word in words)], descriptors)
            os.close(status_of_run)
            if select.select([status], [], [], timeout)[0]:
                code = os.waitstatus_to_exitcode(struct.unpack("i", os.read(status, 4))[0])
            else:
                code = "hang"
                self.stop()
                self.start()
            os.close(status)
            for file in (output, errors):
                file.seek(0)
            return code if code == "hang" or code >= 0 else "crash", output.read(), errors.read().decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
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
        server = ProgramServer(arguments.server)
        commands = {"show": ["show", str(changed)], "compare": ["compare", str(whole), str(changed), "--json", "-"]}
        expected = {}
        for name, command in commands.items():
            changed.write_bytes(data)
            code, expected[name], errors = server.answer(command, arguments.timeout)
            if code != 0:
                sys.exit(f"{name} of the unchanged file: {code}: {errors}")
        for number in range(arguments.count):
            kind, other = mutated(data, rng)
            changed.write_bytes(other)
            for name, command in commands.items():
                code, output, errors = server.answer(command, arguments.timeout)
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
        server.stop()
    faults = 0
    for (name, outcome), count in sorted(counts.items()):
        print(f"{name}: {outcome}: {count}")
        allowed = {"same", "refused by name"} | ({"other values"} if arguments.unsealed else set())
        faults += count if outcome not in allowed else 0
    print(json.dumps({"faults": faults}))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
