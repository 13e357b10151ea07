#!/usr/bin/env python3
"""Runs one of the two calls of the archive that this file lies in, in less than ten minutes; docs/developers/gpu_checks.md has more.

Exit codes: 0, or 1 where a part failed, 2 where it cannot be started, 77 where there is no GPU.
"""

import argparse
import datetime
import pathlib
import sys
import tempfile
import time

import kept
import machine
import parts
import process
import sizes
import summary
import trainings

NO_GPU = 77


class Checks:
    """Parts that have run, one after another, whatever became of those before. Each is reported as soon as it ends."""

    def __init__(self, context, report):
        self.context, self.report, self.begin = context, report, time.monotonic()

    def run(self, name, part, *arguments):
        """Returns the figures, or None where it failed."""
        begin = time.monotonic()
        result = {"name": name, "state": "passed"}
        try:
            result["figures"] = part(self.context, *arguments)
        except process.PartFailed as failure:
            result.update(state="failed", why=str(failure))
            if failure.figures:
                result["figures"] = failure.figures
        except Exception as error:  # whatever it is, the other parts go on
            result.update(state="failed", why=f"{type(error).__name__}: {error}")
        result["seconds"] = round(time.monotonic() - begin, 2)
        self.done(result)
        return result.get("figures") if result["state"] == "passed" else None

    def leave_out(self, name, why):
        self.done({"name": name, "state": "left out", "why": why, "seconds": 0.0})

    def done(self, result):
        print(f"{result['state']} {result['seconds']:.1f} s: {result['name']}", flush=True)
        self.report["parts"].append(result)
        self.report["passed"] = all(part["state"] != "failed" for part in self.report["parts"])
        self.report["seconds"] = round(time.monotonic() - self.begin, 1)
        kept.write_report(self.report, self.context.results)


def run_parts(checks):
    """In the order of their worth: what comes last is lost where time runs out."""
    call, gpu = checks.context.call, checks.context.gpu
    checks.run("inputs", parts.make_inputs)
    names = list(call.trainings)
    for name in names[:2]:
        checks.run(f"training {name}", trainings.training, name)
    for of in call.profiles:
        name = f"profile of batch {of.batch}"
        if gpu and machine.profiler() is None:
            checks.leave_out(name, "no ncu is on the PATH, in /usr/local/cuda or in /opt/nvidia")
        else:
            checks.run(name, trainings.profiled, of)
    for name in call.tests:
        checks.run(name, parts.test_program, name)
    for triples in call.kernels:
        checks.run(f"kernels of {triples} triples", parts.kernels, triples)
    for name in names[2:]:
        checks.run(f"training {name}", trainings.training, name)
    if call.ranks:
        for name, group in trainings.groups_of_ranks(gpu["gpus"] if gpu else 0).items():
            checks.run(f"training {name}", trainings.ranks, group)
    if call.encoded:
        checks.run("encoding", parts.encoding)
    for name in call.memcheck:
        if gpu is None:
            checks.leave_out(f"memcheck of {name}", "it needs a GPU")
        elif machine.compute_sanitizer() is None:
            checks.leave_out(f"memcheck of {name}", "no compute-sanitizer is on the PATH or in /usr/local/cuda")
        else:
            checks.run(f"memcheck of {name}", parts.memcheck, name)


def run_call(number, output, work, libtorch, rehearse):
    archive = pathlib.Path(__file__).resolve().parent
    version = machine.libtorch_version(libtorch)
    if version is None or version.split("+")[0] != machine.TORCH_VERSION:
        print(f"run.sh: this is LibTorch {version}, the programs were built with {machine.TORCH_VERSION}",
              file=sys.stderr)  # fmt: skip
    what = sizes.REHEARSED if rehearse else sizes.MEASURED
    runner = process.Runner(archive, work, machine.environment_of(archive, libtorch), what.seconds)
    gpu = None if rehearse else machine.first_gpu()
    context = parts.Context(runner, what, what.calls[number], gpu, output)
    report = {
        "format": "gausscse-gpu-checks/3",
        "call": number,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": {**(gpu or {}), "libtorch": version, "rehearsed": rehearse},
        "passed": True,
        "seconds": 0.0,
        "parts": [],
    }
    checks = Checks(context, report)
    started = checks.run("start of all programs", parts.start_of_programs)
    if started is None:
        print(f"run.sh: a program does not start: {report['parts'][0]['why']}", file=sys.stderr)
        return 1
    report["program"] = runner.said("start-gausscse").strip()
    if gpu is None and not rehearse:
        print(f"run.sh: no GPU is there: {started['programs']} programs start, nothing was measured")
        return NO_GPU
    run_parts(checks)
    kept.write_said(work, output)
    wrong = kept.check(output)
    if wrong:
        print(f"run.sh: {output}: {wrong}", file=sys.stderr)
    sys.stderr.flush()
    print("\n" + summary.table(report), end="")
    return 0 if report["passed"] and not wrong else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, metavar="OUT_FOLDER", help="a new folder, or an empty one")
    parser.add_argument("--call", type=int, choices=(1, 2), required=True,
                        help="1: steps of bert-base and their kernels; 2: the rest")  # fmt: skip
    parser.add_argument("--rehearse", action="store_true",
                        help="on a CPU, and little of it: shows that everything runs; its figures mean nothing")  # fmt: skip
    arguments = parser.parse_args()
    output = arguments.output.resolve()
    libtorch = machine.find_libtorch()
    if libtorch is None:
        print("run.sh: no LibTorch: give LIBTORCH_ROOT, the folder with lib/libtorch_cpu.so, or put a python3 with "
              f"torch {machine.TORCH_VERSION} first on the PATH", file=sys.stderr)  # fmt: skip
        return 2
    if output.exists() and any(output.iterdir()):
        print(f"run.sh: {output} is not empty: name another folder", file=sys.stderr)
        return 2
    output.mkdir(parents=True, exist_ok=True)
    # Models and corpora lie elsewhere, and go: the folder keeps what is to be looked at.
    with tempfile.TemporaryDirectory(prefix="gausscse-gpu-checks-") as work:
        return run_call(arguments.call, output, pathlib.Path(work), libtorch, arguments.rehearse)


if __name__ == "__main__":
    sys.exit(main())
