#!/usr/bin/env python3
"""Time of the paper's runs on an H200, by the steps and evaluations of predictions.py.

    benchmarks/gpu/runs.py

Prints the tables of docs/developers/gpu_kernels.md. A run takes the steps of three epochs, an evaluation of SNLI's dev set before the first and
after every 100 of them, and its start and end.
"""

import predictions

TRIPLES, EPOCHS, EVAL_EVERY = 275_601, 3, 100
LEARNING_RATES, LOSSES, SEEDS = 3, 4, 5


def steps(batch):
    return EPOCHS * (TRIPLES // batch)


def evaluations(batch):
    return -(-steps(batch) // EVAL_EVERY)


def step_milliseconds(backbone, batch):
    """Likely, least and most: by the GPU, or by the host where its launches take longer."""
    on_gpu = predictions.GRID_STEPS[backbone][predictions.GRID_BATCHES.index(batch)]
    least, most = (predictions.LAYERS[backbone] / 12 * milliseconds for milliseconds in predictions.HOST_MILLISECONDS)
    return (max(on_gpu, (least + most) / 2), max((1 - predictions.ERROR) * on_gpu, least),
            max((1 + predictions.ERROR) * on_gpu, most))  # fmt: skip


def run_seconds(backbone, batch):
    """Likely, least and most."""
    evaluation = predictions.EVALUATION_SECONDS[backbone]
    of_evaluations = [evaluations(batch) * evaluation * factor for factor in (1, 1 - predictions.ERROR, 1 + predictions.ERROR)]
    return tuple(steps(batch) * milliseconds / 1e3 + of_all + around
                 for milliseconds, of_all, around in zip(step_milliseconds(backbone, batch), of_evaluations,
                                                         predictions.START_AND_END_SECONDS[backbone], strict=True))  # fmt: skip


def study_hours(chosen):
    """Returns the hours of the grid's 48 runs and the 80 with the batch size `chosen`: likely, least and most."""
    sums = [0.0, 0.0, 0.0]
    for backbone in predictions.GRID_STEPS:
        runs = [(LEARNING_RATES, batch) for batch in predictions.GRID_BATCHES] + [(LOSSES * SEEDS, chosen)]
        for times, batch in runs:
            sums = [total + times * seconds / 3600 for total, seconds in zip(sums, run_seconds(backbone, batch), strict=True)]
    return tuple(sums)


def run_rows():
    """A row for each batch size: steps, evaluations, and milliseconds of a step and seconds of a run by backbone."""
    rows = []
    for batch in predictions.GRID_BATCHES:
        cells = [f"{batch}", f"{steps(batch):,}", f"{evaluations(batch)}"]
        for backbone in predictions.GRID_STEPS:
            cells.append(f"{step_milliseconds(backbone, batch)[0]:.1f}, {run_seconds(backbone, batch)[0]:.0f}")
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def study_rows():
    """A row for each batch size that may be chosen: hours of all 128 runs, likely, least and most."""
    return [f"| {batch} | {hours[0]:.1f} | {hours[1]:.1f} to {hours[2]:.1f} |"
            for batch in predictions.GRID_BATCHES for hours in [study_hours(batch)]]  # fmt: skip


def evaluation_text():
    base, large = (predictions.EVALUATION_SECONDS[backbone] for backbone in ("BERT-base", "BERT-large"))
    return f"takes {base:.2f} s of a base model and {large:.2f} s of a large one"


def start_and_end_text():
    texts = [f"{likely:g} s ({least:g} to {most:g})"
             for likely, least, most in map(predictions.START_AND_END_SECONDS.get, ("BERT-base", "BERT-large"))]  # fmt: skip
    return f"take {' or '.join(texts)}"


if __name__ == "__main__":
    print(f"| batch | steps | evaluations | {' | '.join(f'{name}: ms, s' for name in predictions.GRID_STEPS)} |")
    print("|" + "---|" * (3 + len(predictions.GRID_STEPS)))
    print("\n".join(run_rows()))
    print("\n| chosen batch | hours of 128 runs | between |\n|---|---|---|")
    print("\n".join(study_rows()))
