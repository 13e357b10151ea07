#!/usr/bin/env python3
"""Runs every check of the archive that this file lies in, in less than ten minutes; docs/gpu.md of the source tells more.

Exit codes: 0, or 1 where a part failed, 2 where it cannot be started, 77 where there is no GPU.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import sys
import time

import machine
import parts
import process
import summary

NO_GPU = 77
SECONDS = 570


class Checks:
    """Parts that have run, one after another, whatever became of those before."""

    def __init__(self, runner, sizes):
        self.runner, self.sizes, self.done = runner, sizes, []

    def run(self, name, part, *arguments):
        """Returns the figures, or None where it failed."""
        begin = time.monotonic()
        result = {"name": name, "state": "passed"}
        try:
            result["figures"] = part(self.runner, *arguments)
        except process.PartFailed as failure:
            result.update(state="failed", why=str(failure))
            if failure.figures:
                result["figures"] = failure.figures
        except Exception as error:  # whatever it is, the other parts go on
            result.update(state="failed", why=f"{type(error).__name__}: {error}")
        result["seconds"] = round(time.monotonic() - begin, 2)
        self.done.append(result)
        return result.get("figures") if result["state"] == "passed" else None

    def leave_out(self, name, why):
        self.done.append({"name": name, "state": "left out", "why": why, "seconds": 0.0})

    def passed(self):
        return all(part["state"] != "failed" for part in self.done)


def run_parts(checks, tests, gpu):
    """`gpu` is what is known of the first one and of their number, or None where a CPU does it all."""
    rehearse = gpu is None
    for name in tests:
        checks.run(name, parts.test_program, name, not rehearse)
    checks.run("kernels", parts.kernels, checks.sizes)
    checks.run("inputs", parts.make_inputs, checks.sizes)
    for name in checks.sizes.trainings:
        checks.run(f"training {name}", parts.training, checks.sizes, name, gpu["gpu"] if gpu else "none")
    for name, group in parts.groups_of_ranks(gpu["gpus"] if gpu else 0).items():
        checks.run(f"training {name}", parts.ranks, checks.sizes, group)
    checks.run("encoding", parts.encoding, checks.sizes)
    # The slowest last: nothing else waits for them.
    for name, all_tests in tests.items():
        for tool in ("memcheck", "racecheck"):
            if rehearse:
                checks.leave_out(f"{tool} of {name}", "it needs a GPU")
            elif machine.compute_sanitizer() is None:
                checks.leave_out(f"{tool} of {name}", "no compute-sanitizer is on the PATH or in /usr/local/cuda")
            else:
                checks.run(f"{tool} of {name}", parts.sanitized, name, tool, all_tests[:2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, metavar="OUT_FOLDER", help="a new folder, or an empty one")
    parser.add_argument("--rehearse", action="store_true",
                        help="on a CPU, and little of it: shows that everything runs; its figures mean nothing")  # fmt: skip
    arguments = parser.parse_args()
    archive = pathlib.Path(__file__).resolve().parent
    output = arguments.output.resolve()
    begin = time.monotonic()

    libtorch = machine.find_libtorch()
    if libtorch is None:
        print("run.sh: no LibTorch: give LIBTORCH_ROOT, the folder with lib/libtorch_cpu.so, or put a python3 with "
              f"torch {machine.TORCH_VERSION} first on the PATH", file=sys.stderr)  # fmt: skip
        return 2
    if output.exists() and any(output.iterdir()):
        print(f"run.sh: {output} is not empty: name another folder", file=sys.stderr)
        return 2
    output.mkdir(parents=True, exist_ok=True)
    version = machine.libtorch_version(libtorch)
    if version is None or version.split("+")[0] != machine.TORCH_VERSION:
        print(f"run.sh: this is LibTorch {version}, the programs were built with {machine.TORCH_VERSION}",
              file=sys.stderr)  # fmt: skip

    sizes = parts.REHEARSED if arguments.rehearse else parts.MEASURED
    runner = process.Runner(archive, output, machine.environment_of(archive, libtorch), SECONDS)
    checks = Checks(runner, sizes)
    started = checks.run("start of all programs", parts.start_of_programs, sizes)
    if started is None:
        print(f"run.sh: a program does not start: {checks.done[0]['why']}", file=sys.stderr)
        return 1
    gpu = None if arguments.rehearse else machine.first_gpu()
    if gpu is None and not arguments.rehearse:
        print(f"run.sh: no GPU is there: {started['programs']} programs start, nothing was measured")
        return NO_GPU

    run_parts(checks, started["tests"], gpu)
    report = {
        "format": "gausscse-gpu-checks/1",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "program": (output / "start-gausscse.out").read_text(encoding="utf-8").strip(),
        "machine": {**(gpu or {}), "libtorch": version, "rehearsed": arguments.rehearse},
        "passed": checks.passed(),
        "seconds": round(time.monotonic() - begin, 1),
        "parts": checks.done,
    }
    (output / "gpu_checks.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for model in output.glob("*/model"):
        shutil.rmtree(model, ignore_errors=True)
    summary.print_table(report)
    return 0 if checks.passed() else 1


if __name__ == "__main__":
    sys.exit(main())
