#!/usr/bin/env python3
"""Runs the built programs of gausscse for one measurement each, and prints JSON lines like the peers'.

    train:  `gausscse train` for some steps; rates from its result.h5, peak memory of the whole process
    encode: `gausscse encode` of a text file; the whole process is timed, start and writing included
    loss:   `benchmark_loss`, whose JSON line is passed on
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import h5py

import measurement


def run_program(command, threads):
    """Runs to the end; returns (standard output, seconds, peak resident MB)."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in command], stdout=output, stderr=messages, env=environment, text=True
        )
        # Not process.wait(): only wait4 tells the resources of this very child.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begin
        output.seek(0)
        messages.seek(0)
        if process.returncode != 0:
            words = " ".join(map(str, command))
            raise SystemExit(f"{words}\nended with {process.returncode}:\n{messages.read()[-4000:]}")
        return output.read(), seconds, usage.ru_maxrss / 1024


def first_lines(source, count, destination):
    with open(source, encoding="utf-8") as lines, open(destination, "w", encoding="utf-8") as some:
        some.writelines(line for _, line in zip(range(count), lines))


def trial_text(settings, batch_size, dev, output):
    # JSON is YAML, and quotes paths with spaces or colons.
    return json.dumps({
        "format": "gausscse-trial/2",
        "recipe": "released",
        "model": {"backbone": {"path": str(settings.model.resolve())}},
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
    """Trains for so many steps, with `overrides` of the trial as on the command line. Returns the seconds of each step, of
    the whole process, and its peak resident MB."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        # A step's rate does not depend on the dev set; a small one keeps the evaluations at both ends short.
        first_lines(settings.dev, 64, scratch / "dev.jsonl")
        (scratch / "trial.yaml").write_text(trial_text(settings, batch_size, scratch / "dev.jsonl", scratch / "run"))
        command = [settings.program, "--threads", settings.threads, "train", scratch / "trial.yaml",
                   "--device", settings.device]  # fmt: skip
        for override in (f"training.max_steps={steps}", *overrides):
            command += ["--set", override]
        _, seconds, peak = run_program(command, settings.threads)
        with h5py.File(scratch / "run" / "result.h5") as result:
            rates = result["/training/examples_per_second"][:].tolist()
        if len(rates) != steps:
            raise SystemExit(f"{steps} steps were asked for, but result.h5 has {len(rates)}: are there enough triples?")
        if settings.keep_model:
            shutil.copytree(scratch / "run" / "model", settings.keep_model, dirs_exist_ok=True)
    return [batch_size / rate for rate in rates], seconds, peak


def time_training(settings):
    of_steps, seconds, peak = train(settings, settings.batch_size, settings.warm_up + settings.steps)
    report = measurement.rate_report(of_steps[settings.warm_up :], settings.batch_size, "triples")
    return {**report, "peak_memory_mb": round(peak, 1), "whole_process_seconds": round(seconds, 2)}


def time_encoding(settings):
    with open(settings.sentences, encoding="utf-8") as file:
        count = sum(1 for _ in file)
    runs = []
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(settings.rounds):
            output = pathlib.Path(scratch) / f"embeddings{number}.h5"
            command = [settings.program, "--threads", settings.threads, "encode", settings.model, settings.sentences,
                       output, "--precision", settings.precision, "--device", settings.device]  # fmt: skip
            runs.append(run_program(command, settings.threads))
            with h5py.File(output) as embeddings:
                if embeddings["/mean"].shape[0] != count:
                    raise SystemExit(f"{count} sentences went in, {embeddings['/mean'].shape[0]} came out")
            output.unlink()
    seconds = sorted(run[1] for run in runs)[len(runs) // 2]
    return {
        "sentences": count,
        "rounds": settings.rounds,
        "sentences_per_second": round(count / seconds, 2),
        "peak_memory_mb": round(max(run[2] for run in runs), 1),
    }


def time_loss(settings):
    command = [settings.program, "--n", settings.n, "--d", settings.d, "--threads", settings.threads]
    return json.loads(run_program(command, settings.threads)[0])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    train.add_argument("--triples", type=pathlib.Path, required=True)
    train.add_argument("--dev", type=pathlib.Path, required=True, help="SNLI jsonl; its first 64 pairs are used")
    train.add_argument("--batch-size", type=int, default=64)
    train.add_argument("--loss", default="ent+con+rev")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--steps", type=int, default=10)
    train.add_argument("--warm-up", type=int, default=2, help="steps before the timed ones")
    train.add_argument("--max-tokens", type=int, default=64)
    train.add_argument("--keep-model", type=pathlib.Path, help="copy the trained model to this folder")
    encode = commands.add_parser("encode")
    encode.add_argument("--sentences", type=pathlib.Path, required=True, help="text file, one sentence a line")
    encode.add_argument("--rounds", type=int, default=3)
    loss = commands.add_parser("loss")
    loss.add_argument("--n", type=int, default=512, help="triples")
    loss.add_argument("--d", type=int, default=384, help="dimensions")
    for command in (train, encode):
        command.add_argument("--model", type=pathlib.Path, required=True)
        command.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
        command.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    for command in (train, encode, loss):
        command.add_argument("--program", type=pathlib.Path, required=True, help="gausscse, or benchmark_loss")
        command.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def main():
    settings = parse_arguments()
    action = {"train": time_training, "encode": time_encoding, "loss": time_loss}[settings.command]
    report = {"program": f"gausscse {settings.command}", "threads": settings.threads}
    for name in ("batch_size", "loss", "precision", "device"):
        if hasattr(settings, name):
            report[name] = getattr(settings, name)
    measurement.print_line({**report, **action(settings)})


if __name__ == "__main__":
    main()
