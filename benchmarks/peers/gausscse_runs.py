#!/usr/bin/env python3
"""Runs the built programs of gausscse for one measurement each, and prints JSON lines like the peers'.

    train:  `gausscse train` for some steps; rates from its result.h5, peak memory of the whole process
    encode: `gausscse encode` of a text file, the whole process from its start to the written file; less the same of a
            file of one line, that is the rate of the inner loop
    tokens: `benchmark_tokenizer`, and the checksum of what `gausscse tokenize` prints
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

import h5py
import numpy

import encoding
import measurement


@dataclasses.dataclass
class Run:
    """A process that has ended: its standard output, seconds, processor time in seconds, and peak resident MB."""

    output: str
    seconds: float
    processor_seconds: float
    peak_mb: float


def run_program(command, threads):
    """Runs to the end."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in command], stdout=output, stderr=messages, env=environment, text=True
        )
        # Not process.wait(): only wait4 reports the resources of this very child.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begin
        output.seek(0)
        messages.seek(0)
        if process.returncode != 0:
            words = " ".join(map(str, command))
            raise SystemExit(f"{words}\nended with {process.returncode}:\n{messages.read()[-4000:]}")
        return Run(output.read(), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def first_lines(source, count, destination):
    with open(source, encoding="utf-8") as lines, open(destination, "w", encoding="utf-8") as some:
        some.writelines(line for _, line in zip(range(count), lines))


def trial_text(settings, batch_size, dev, output):
    # JSON is YAML, and quotes paths with spaces or colons.
    return json.dumps({
        "format": "gausscse-trial/2",
        "recipe": "released",
        "model": {"backbone": {"path": str(settings.model.resolve())}, "pooling": settings.pooling},
        "objective": {"loss": settings.loss},
        "data": {"train": str(settings.triples.resolve())},
        "training": {
            "batch_size": batch_size,
            "precision": settings.precision,
            "max_tokens": settings.max_tokens,
            "seed": settings.seed,
        },
        "tasks": {"dev": {"kind": "nli", "files": str(dev), "eval_every": 100}},
        "select": {"task": "dev", "figure": "auprc"},
        "output": str(output),
    }, indent=2)  # fmt: skip


def train(settings, batch_size, steps, overrides=()):
    """Trains for so many steps, with `overrides` of the trial as on the command line. Returns the seconds of each step,
    and the Run of the whole process."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        # A step's rate does not depend on the dev set; a small one keeps the evaluations at both ends short.
        first_lines(settings.dev, 64, scratch / "dev.jsonl")
        (scratch / "trial.yaml").write_text(trial_text(settings, batch_size, scratch / "dev.jsonl", scratch / "run"))
        command = [settings.program, "--threads", settings.threads, "train", scratch / "trial.yaml",
                   "--device", settings.device]  # fmt: skip
        for override in (f"training.max_steps={steps}", *overrides):
            command += ["--set", override]
        run = run_program(command, settings.threads)
        with h5py.File(scratch / "run" / "result.h5") as result:
            rates = result["/training/examples_per_second"][:].tolist()
        if len(rates) != steps:
            raise SystemExit(f"{steps} steps were asked for, but result.h5 has {len(rates)}: are there enough triples?")
    return [batch_size / rate for rate in rates], run


def time_training(settings):
    seconds, run = train(settings, settings.batch_size, settings.warm_up + settings.steps)
    # Steps do not report their processor time. A training of the other steps alone has the rest.
    _, rest = train(settings, settings.batch_size, max(settings.warm_up, 1))
    timed = seconds[max(settings.warm_up, 1) :] or seconds
    processor = (run.processor_seconds - rest.processor_seconds) * settings.steps / len(timed)
    report = measurement.rate_report(seconds[settings.warm_up :], processor, settings.batch_size, "triples")
    return {
        **report,
        "peak_memory_mb": round(run.peak_mb, 1),
        "whole_process_seconds": round(run.seconds, 2),
    }


def encode_file(settings, sentences, output):
    command = [settings.program, "--threads", settings.threads, "encode", settings.model, sentences, output,
               "--precision", settings.precision, "--device", settings.device, "--max-tokens", settings.max_tokens,
               "--overwrite"]  # fmt: skip
    return run_program(command, settings.threads)


def time_encoding(settings):
    count = len(encoding.read_sentences(settings.sentences))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        first_lines(settings.sentences, 1, scratch / "line.txt")
        start = encode_file(settings, scratch / "line.txt", scratch / "line.npy")
        run = encode_file(settings, settings.sentences, scratch / "embeddings.npy")
        vectors = numpy.load(scratch / "embeddings.npy")
    if len(vectors) != count:
        raise SystemExit(f"{count} sentences went in, {len(vectors)} came out")
    return {
        "sentences": count,
        "sentences_per_second": round(count / (run.seconds - start.seconds), 2),
        "whole_process_sentences_per_second": round(count / run.seconds, 2),
        "processor_seconds": round(run.processor_seconds - start.processor_seconds, 2),
        "whole_process_processor_seconds": round(run.processor_seconds, 2),
        "peak_memory_mb": round(run.peak_mb, 1),
        **encoding.agreement(vectors, settings.reference),
    }


def time_tokens(settings):
    count = len(settings.sentences.read_bytes().splitlines())
    passes = run_program([settings.benchmark, settings.tokenizer, settings.sentences, 2], 1).output.splitlines()
    (first, _), (second, tokens) = (line.split() for line in passes)
    # More than any line has: no line is cut.
    run = run_program([settings.program, "-q", "tokenize", settings.tokenizer, settings.sentences,
                       "--max-tokens", 1 << 20], 1)  # fmt: skip
    return {
        "sentences": count,
        "tokens": int(tokens),
        "first_pass_per_second": round(count / float(first)),
        "sentences_per_second": round(count / float(second)),
        "whole_process_sentences_per_second": round(count / run.processor_seconds),
        "ids": hashlib.sha256(run.output.encode()).hexdigest(),
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    train.add_argument("--triples", type=pathlib.Path, required=True)
    train.add_argument("--dev", type=pathlib.Path, required=True, help="SNLI jsonl; its first 64 pairs are used")
    train.add_argument("--batch-size", type=int, default=64)
    train.add_argument("--loss", default="ent+con+rev")
    train.add_argument("--pooling", choices=("first_token", "mean"), default="first_token")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--steps", type=int, default=10)
    train.add_argument("--warm-up", type=int, default=2, help="steps before the timed ones")
    train.add_argument("--max-tokens", type=int, default=64)
    encode = commands.add_parser("encode")
    encoding.add_options(encode)
    tokens = commands.add_parser("tokens")
    tokens.add_argument("--benchmark", type=pathlib.Path, required=True, help="benchmark_tokenizer")
    tokens.add_argument("--tokenizer", type=pathlib.Path, required=True, help="folder with the tokenizer's files")
    tokens.add_argument("--sentences", type=pathlib.Path, required=True, help="text file, one sentence a line")
    tokens.set_defaults(threads=1)
    for command in (train, encode):
        command.add_argument("--model", type=pathlib.Path, required=True)
        command.add_argument("--precision", default="bf16")
        command.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    train.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    for command in (train, encode, tokens):
        command.add_argument("--program", type=pathlib.Path, required=True, help="gausscse")
    return parser.parse_args()


def main():
    settings = parse_arguments()
    action = {"train": time_training, "encode": time_encoding, "tokens": time_tokens}[settings.command]
    report = {"program": f"gausscse {settings.command}", "threads": settings.threads}
    for name in ("batch_size", "loss", "pooling", "precision", "device"):
        if hasattr(settings, name):
            report[name] = getattr(settings, name)
    measurement.print_line({**report, **action(settings)})


if __name__ == "__main__":
    main()
