#!/usr/bin/env python3
"""Reads with tensorboard's own EventAccumulator the curves of `training.tensorboard: true`, and compares each point with
the result of the run. Needs numpy and tensorboard 2.21 (scripts/setup.sh --tests); ends with 77, which ctest calls
skipped, where they are missing.

    python tests/golden/check_tensorboard.py build/cpu/gausscse
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).parent
OF_STEPS = ("loss", "learning_rate", "gradient_norm", "examples_per_second")


def write_trial(folder):
    """The tiny BERT of the goldens and its corpus; two tasks are measured while training, one at the end only."""
    shutil.copytree(GOLDEN / "weights/tiny-bert", folder / "model")
    shutil.copy(GOLDEN / "training/vocab.txt", folder / "model")
    dev = GOLDEN / "training/dev.jsonl"
    (folder / "trial.yaml").write_text(f"""
format: gausscse-trial/2
model: {{backbone: {{path: model}}}}
data: {{train: {GOLDEN / "training/train.csv"}, cache: cache}}
training: {{batch_size: 7, precision: fp32, epochs: 1000000, tensorboard: true}}
tasks:
  dev: {{kind: nli, files: {dev}, eval_every: 3}}
  other: {{kind: nli, files: {dev}, threshold: dev, eval_every: 4}}
  end: {{kind: nli, files: {dev}, threshold: dev}}
select: {{task: dev, figure: auprc}}
output: out
""")


def train_command(program, folder, output, overrides):
    settings = [f"output={output}", *overrides]
    return [program, "-q", "train", folder / "trial.yaml", "--threads", "1",
            *(word for setting in settings for word in ("--set", setting))]


def result_of(program, folder, output):
    shown = subprocess.run([program, "show", folder / output / "result.h5", "--json", "-"], check=True,
                           stdout=subprocess.PIPE)
    return json.loads(shown.stdout)


def expected_curves(result, distance):
    """Values by tags and steps: means of `distance` steps, and each measurement."""
    series = result["training"]
    curves = {}
    for name in OF_STEPS:
        points = curves[f"training/{name}"] = {}
        for begin in range(0, len(series["step"]), distance):
            values = series[name][begin:begin + distance]
            points[begin + len(values)] = values[-1] if name == "learning_rate" else sum(values) / len(values)
    for task, curve in result["curves"].items():
        for figure in curve.keys() - {"step"}:
            curves[f"{task}/{figure}"] = dict(zip(curve["step"], curve[figure]))
    return curves


def accumulated(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return {tag: events.Scalars(tag) for tag in events.Tags()["scalars"]}


def compare(folder, result, distance):
    import numpy
    expected, found = expected_curves(result, distance), accumulated(folder)
    assert found.keys() == expected.keys(), (sorted(found), sorted(expected))
    for tag, points in expected.items():
        assert [point.step for point in found[tag]] == list(points), (tag, [point.step for point in found[tag]])
        values = numpy.array([numpy.nan if value is None else value for value in points.values()], numpy.float32)
        numpy.testing.assert_array_equal(numpy.array([point.value for point in found[tag]], numpy.float32), values, tag)
        times = [point.wall_time for point in found[tag]]
        assert times == sorted(times) and times[0] > 1.7e9, (tag, times[0])


def check_short_run(program, folder):
    subprocess.run(train_command(program, folder, "short", ["training.max_steps=10"]), check=True)
    result = result_of(program, folder, "short")
    compare(folder / "short/tensorboard", result, 1)
    assert result["curves"]["dev"]["step"] == [0, 3, 6, 9, 10], result["curves"]["dev"]["step"]
    assert list(result["curves"]) == ["dev", "other"]


def check_killed_run(program, folder):
    """A run of 1001 steps, which has a point at every second, is killed after a checkpoint, in the middle of a record, and goes on."""
    command = train_command(program, folder, "long", ["training.max_steps=1001", "training.checkpoint_every=100",
                                                      "tasks.dev.eval_every=500", "tasks.other.eval_every=1000"])
    training = subprocess.Popen(command)
    while training.poll() is None and not list(folder.glob("long/checkpoints/step-*.safetensors")):
        os.sched_yield()
    training.send_signal(signal.SIGKILL)
    assert training.wait() == -signal.SIGKILL, "the training ended before it was killed"
    first, = folder.glob("long/tensorboard/*")
    os.truncate(first, first.stat().st_size - 5)
    assert len(accumulated(first.parent)["training/loss"]) > 20
    subprocess.run(command, check=True)
    assert len(list(first.parent.iterdir())) == 2
    result = result_of(program, folder, "long")
    assert len(result["training"]["step"]) == 1001
    compare(first.parent, result, 2)


def main():
    program, = sys.argv[1:]
    try:
        import tensorboard.backend.event_processing.event_accumulator  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: tensorboard cannot be imported ({error}): scripts/setup.sh --tests installs it")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_trial(folder)
        check_short_run(program, folder)
        check_killed_run(program, folder)
    print("tensorboard reads the curves as the results have them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
