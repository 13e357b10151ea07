#!/usr/bin/env python3
"""Measures gausscse and its peers, in turns, and writes a table of ratios. Builds nothing. See benchmarks/README.md.

In each round every program runs once, one after another, so a slow period of the machine affects all of them. A peer
that cannot be installed or run is a row of the table with the reason. Needs nothing but Python's standard library.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from environments import Environments, Missing, last_words
from measures import MEASURES, Workplace

FOR_GPUS = ["encode", "train_64", "train_512"]


def largest_of(folder, pattern):
    """A folder may hold samples next to the whole."""
    files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_size)
    if not files:
        sys.exit(f"run.sh: {folder}: there is no {pattern}; benchmarks/README.md lists the content of --data")
    return files[-1]


def processor_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.partition(":")[2].split())
    return set()


def measured(program, flags, variables):
    """Runs a program. Returns {"result": its JSON line} or {"reason": why there is none}."""
    if program.flags and not flags.intersection(program.flags):
        return {"reason": f"the processor has none of {', '.join(program.flags)}"}
    try:
        command = [str(word) for word in program.command()]
    except Missing as missing:
        return {"reason": str(missing)}
    environment = {**os.environ, **variables, **program.variables}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return {"reason": last_words(done.stderr), "failed": program.who.startswith("gausscse")}
    return {"result": json.loads(done.stdout.splitlines()[-1])}


def chosen(program, names):
    return not names or any(name in program.who for name in names.split(","))


def run_rounds(settings, place, results):
    flags = processor_flags()
    variables = {"OMP_NUM_THREADS": str(settings.threads), "RAYON_NUM_THREADS": str(settings.threads)}
    measures = {name: [program for program in MEASURES[name](place) if chosen(program, settings.programs)]
                for name in settings.only}  # fmt: skip
    failed = []
    with open(results, "x", encoding="utf-8") as lines:
        for number in range(1, settings.rounds + 1):
            for measure, programs in measures.items():
                for program in programs:
                    begin = time.perf_counter()
                    line = measured(program, flags, variables)
                    seconds = time.perf_counter() - begin
                    note = line.get("reason", f"{seconds:.0f} s")
                    print(f"round {number} of {settings.rounds}: {measure}, {program.who}: {note}", file=sys.stderr)
                    if line.pop("failed", False):
                        failed.append(f"{measure}, {program.who}: {note}")
                    line = {"round": number, "measure": measure, "who": program.who, **line}
                    print(json.dumps(line), file=lines, flush=True)
    return failed


def parse_arguments():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    for name, text in (("build", "where gausscse was built (build/cpu)"),
                       ("model", "MiniLM, as scripts/fetch_minilm.sh leaves it"),
                       ("data", "folder with triples/*.csv, snli_1.0*/*.jsonl and tokenizers/")):  # fmt: skip
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, metavar="DIR", help=text)
    parser.add_argument("--environments", type=pathlib.Path, default="peers-env", metavar="DIR",
                        help="where virtual environments of the peers are made and kept (peers-env)")  # fmt: skip
    parser.add_argument("--python", help="use this Python in place of the environment torch, such as on a GPU")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR",
                        help="where results.jsonl and table.md go (a new folder under the current one)")  # fmt: skip
    parser.add_argument("--only", metavar="LIST", help=f"some of {','.join(MEASURES)} (all)")
    parser.add_argument("--programs", metavar="LIST", help="only programs whose names contain one of these")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="of training and encoding (cpu)")
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16", help="of training (bf16)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each with every program once (3)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of every program (all)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall",
                        help="processor: rates from processor time, if the machine does other work (wall)")  # fmt: skip
    parser.add_argument("--sentences", type=int, default=0, help="encode so many at most; 0: all (0)")
    parser.add_argument("--steps", type=int, default=0, help="timed steps of a training (10 at batch 64, 2 at 512)")
    parser.add_argument("--quick", action="store_true",
                        help="one round of small work, to see that all runs; its numbers mean nothing")  # fmt: skip
    settings = parser.parse_args()
    usual = list(MEASURES) if settings.device == "cpu" else FOR_GPUS
    settings.only = settings.only.split(",") if settings.only else usual
    for name in settings.only:
        if name not in MEASURES:
            parser.error(f"--only {name}: not one of {', '.join(MEASURES)}")
        if name not in usual and settings.device == "cuda":
            parser.error(f"--only {name}: measured on CPUs only")
    if settings.rounds < 1 or settings.threads < 1:
        parser.error("--rounds and --threads must be at least 1")
    return settings


def complete(settings):
    """Adds the files of the folders, and the sizes of --quick."""
    settings.gausscse = settings.build / "gausscse"
    if not os.access(settings.gausscse, os.X_OK):
        sys.exit(f"run.sh: {settings.gausscse} is missing: build first (scripts/test.sh, or cmake --build)")
    if not (settings.model / "model.safetensors").exists():
        sys.exit(f"run.sh: {settings.model} holds no model.safetensors: scripts/fetch_minilm.sh fetches it")
    settings.triples = largest_of(settings.data, "triples/*.csv")
    settings.dev = largest_of(settings.data, "snli_1.0*/snli_1.0_dev.jsonl")
    settings.test = largest_of(settings.data, "snli_1.0*/snli_1.0_test.jsonl")
    settings.corpora = sorted(file for part in ("train", "dev*", "test")
                              for pattern in (f"snli_1.0*/*_{part}.jsonl", f"multinli_1.0*/*_{part}.jsonl")
                              for file in settings.data.glob(pattern))  # fmt: skip
    settings.tokenizers = settings.data / "tokenizers"
    settings.text_sentences = 0
    if settings.quick:
        settings.rounds, settings.sentences, settings.text_sentences = 1, 200, 2000
    settings.output = settings.output or pathlib.Path(time.strftime("benchmark-%Y%m%d-%H%M%S"))


def main():
    settings = parse_arguments()
    complete(settings)
    settings.output.mkdir(parents=True, exist_ok=True)
    results = settings.output / "results.jsonl"
    if results.exists():
        sys.exit(f"run.sh: {results} exists; name another --output")
    environments = Environments(settings.environments, {"torch": settings.python} if settings.python else {})
    with tempfile.TemporaryDirectory() as scratch:
        place = Workplace(settings, environments, scratch)
        failed = run_rounds(settings, place, results)
        folder = pathlib.Path(__file__).parent
        tables = [sys.executable, folder / "tables.py", results, "--clock", settings.clock]
        machine = [environments.python("torch"), folder / "machine.py", "--threads", settings.threads, "--precision",
                   settings.precision, "--device", settings.device, "--rounds", settings.rounds, "--clock",
                   settings.clock, "--gausscse", settings.gausscse]  # fmt: skip
        texts = [subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
                 for command in (machine, tables)]  # fmt: skip
    text = "\n".join(texts)
    (settings.output / "table.md").write_text(text, encoding="utf-8")
    print(text)
    print(f"kept in {settings.output}", file=sys.stderr)
    if failed:
        sys.exit("run.sh: " + "; ".join(failed))


if __name__ == "__main__":
    main()
