#!/usr/bin/env python3
"""Times what `reproducibility: rank_invariant` costs beside `fast`: trainings of one rank in both modes, in turn, so that
a slow spell of the machine meets both. Prints triples a second of the median step and of the quickest, as a table.

    compare_modes.py --build build/cpu --model models/minilm --data DATA

DATA is the folder of benchmarks/run.sh. Python needs h5py.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
import gausscse_runs  # noqa: E402

MODES = ("fast", "rank_invariant")
WARM_UP = 2


def largest_of(folder, pattern):
    files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_size)
    if not files:
        sys.exit(f"compare_modes.py: no {pattern} in {folder}; what it must hold is in benchmarks/README.md")
    return files[-1]


def seconds_of_steps(settings, batch_size, steps, mode):
    """Seconds of each step after the first WARM_UP, of one training."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        gausscse_runs.first_lines(settings.dev, 64, scratch / "dev.jsonl")
        trial = gausscse_runs.trial_text(
            argparse.Namespace(model=settings.model, triples=settings.triples, loss="ent+con+rev", seed=0, max_tokens=64,
                               batch_size=batch_size, precision=settings.precision),
            scratch / "dev.jsonl", scratch / "run")  # fmt: skip
        (scratch / "trial.yaml").write_text(trial)
        command = [settings.build / "gausscse", "--threads", settings.threads, "train", scratch / "trial.yaml",
                   "--set", f"training.max_steps={WARM_UP + steps}", "--set", f"reproducibility={mode}"]  # fmt: skip
        if mode == "rank_invariant":
            command += ["--set", f"training.virtual_shards={settings.virtual_shards}"]
        gausscse_runs.run_program(command, settings.threads)
        with h5py.File(scratch / "run" / "result.h5") as result:
            rates = result["/training/examples_per_second"][:].tolist()
    return [batch_size / rate for rate in rates[WARM_UP:]]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("build", "model", "data"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--virtual-shards", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batches", default="64:10,512:3", help="batch size:timed steps of a run, separated by commas")
    return parser.parse_args()


def main():
    settings = parse_arguments()
    settings.triples = largest_of(settings.data, "triples/*.csv")
    settings.dev = largest_of(settings.data, "snli_1.0*/snli_1.0_dev.jsonl")
    print("| batch | fast, median | best step | rank_invariant, median | best step | cost |\n|---|---|---|---|---|---|")
    for item in settings.batches.split(","):
        batch_size, steps = map(int, item.split(":"))
        seconds = {mode: [] for mode in MODES}
        for _ in range(settings.rounds):
            for mode in MODES:
                seconds[mode] += seconds_of_steps(settings, batch_size, steps, mode)
        median = {mode: statistics.median(seconds[mode]) for mode in MODES}
        rates = [f"{batch_size / value:.1f}" for mode in MODES for value in (median[mode], min(seconds[mode]))]
        cost = 100 * (median["rank_invariant"] / median["fast"] - 1)
        print(f"| {batch_size} | {' | '.join(rates)} | {cost:.0f}% |", flush=True)


if __name__ == "__main__":
    main()
