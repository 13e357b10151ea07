#!/usr/bin/env python3
"""Measures the cost of `reproducibility: rank_invariant` next to `fast`: trainings of one rank in both modes, in turn, so that
a slow spell of the machine meets both. Prints triples a second of the median step and of the quickest, as a table.

    compare_modes.py --build build/cpu --model models/minilm --data DATA

DATA is the folder of benchmarks/run.sh. Python needs h5py.
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
import gausscse_runs  # noqa: E402

MODES = ("fast", "rank_invariant")
WARM_UP = 2


def largest_of(folder, pattern):
    files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_size)
    if not files:
        sys.exit(f"compare_modes.py: no {pattern} in {folder}; benchmarks/README.md lists its content")
    return files[-1]


def seconds_of_steps(settings, batch_size, steps, mode):
    """Seconds of each step after the first WARM_UP, of one training."""
    overrides = [f"reproducibility={mode}"]
    if mode == "rank_invariant":
        overrides.append(f"training.virtual_shards={settings.virtual_shards}")
    return gausscse_runs.train(settings, batch_size, WARM_UP + steps, overrides)[0][WARM_UP:]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("build", "model", "data"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--virtual-shards", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.set_defaults(loss="ent+con+rev", pooling="first_token", seed=0, max_tokens=64, device="cpu")
    parser.add_argument("--batches", default="64:10,512:3", help="batch size:timed steps of a run, separated by commas")
    return parser.parse_args()


def main():
    settings = parse_arguments()
    settings.program = settings.build / "gausscse"
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
