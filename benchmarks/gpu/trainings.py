"""Parts that train: steps of a model, a step under ncu, and the same training by several ranks."""

import dataclasses
import json
import math
import os
import re
import statistics
import sys

import corpus
import machine
import step_profile
import utilisation
from process import PartFailed, significant


def output_of(name):
    return re.sub("[^a-z0-9-]+", "-", name.lower())


def settings_of(what, output):
    """The options of a training to the folder `output`."""
    return [word for setting in (f"model.backbone.architecture={what.architecture}",
                                 f"training.batch_size={what.batch}", f"training.micro_batch={what.micro_batch}",
                                 f"training.max_steps={what.steps}", f"output={output}")
            for word in ("--set", setting)]  # fmt: skip


def check_data(text, triples):
    """Fails unless a training's log reports the corpus, whole."""
    found = re.search(r"training data: .* (\d+) examples, (\d+) sentences, (\d+) tokens", text)
    read = tuple(int(number) for number in found.groups()) if found else None
    expected = (triples, corpus.SENTENCES_OF_A_TRIPLE * triples, corpus.TOKENS_OF_A_TRIPLE * triples)
    if read != expected:
        raise PartFailed(f"the training read {read} examples, sentences and tokens in place of {expected}")


def train(context, what, name, settings=(), launcher=(), options=(), environment=None):
    """Trains to the folder `name` of the work folder. Returns its seconds, and its result as `show --json` prints it."""
    runner, program = context.runner, context.runner.program("gausscse")
    output = runner.output / name
    command = [*launcher, program, "train", runner.output / "trial.yaml", *context.sizes.device, *options,
               *settings_of(what, output), *(word for setting in settings for word in ("--set", setting))]  # fmt: skip
    seconds, _ = runner.run(command, f"train-{name}", what.seconds, {**what.environment, **(environment or {})})
    check_data(runner.said(f"train-{name}"), context.call.triples())
    _, text = runner.run([program, "show", "--json", "-", output / "result.h5"], f"show-{name}", 30)
    return seconds, json.loads(text)


def losses_of(result, what):
    losses = result["training"]["loss"]
    if not all(isinstance(loss, float) and math.isfinite(loss) for loss in losses):
        raise PartFailed("a step's loss is not a number")
    if len(losses) != what.steps:
        raise PartFailed(f"{len(losses)} steps were taken in place of {what.steps}")
    return losses


def rate_of(result, rate, what):
    """The median of the steps behind the first ones."""
    return statistics.median(result["training"][rate][what.warm_up :])


def training(context, name):
    """Steps of a training; rates are medians of those behind the first ones."""
    what = context.call.trainings[name]
    seconds, result = train(context, what, output_of(name))
    losses = losses_of(result, what)
    figures = {"batch": what.batch, "micro_batch": what.micro_batch, "architecture": what.architecture,
               "steps": what.steps, "process_seconds": round(seconds, 2)}  # fmt: skip
    for rate in ("examples_per_second", "tokens_per_second"):
        figures[rate] = significant(rate_of(result, rate, what))
    figures["step_milliseconds"] = significant(1e3 * what.batch / rate_of(result, "examples_per_second", what))
    tflops = utilisation.model_tflops(what.architecture, figures["examples_per_second"], figures["tokens_per_second"])
    figures["model_tflops"] = significant(tflops)
    peak = utilisation.bfloat16_peak(context.gpu["gpu"]) if context.gpu else None
    if peak:
        figures["model_flop_utilisation"] = significant(tflops / peak)
    figures["first_loss"], figures["last_loss"] = losses[0], losses[-1]
    return figures


def profiled(context, of):
    """One step of a training under ncu, by kernel."""
    runner = context.runner
    name = f"profile-{of.batch}"
    log = runner.output / f"{name}.csv"
    profiler = [sys.executable, runner.archive / "fake_ncu.py"] if context.gpu is None else [machine.profiler()]
    command = [*profiler, *step_profile.options(log), runner.program("gausscse"), "train", runner.output / "trial.yaml",
               *context.sizes.device, *settings_of(of.training, runner.output / name)]  # fmt: skip
    failure = None
    try:
        runner.run(command, name, of.training.seconds)
    except PartFailed as error:  # what was measured before counts
        failure = error
    try:
        launches = step_profile.read_launches(log.read_text(encoding="utf-8", errors="replace") if log.exists() else "")
        step = step_profile.one_step(launches)
    except step_profile.NoStep as error:
        raise PartFailed(f"{failure or error}") from None
    step_profile.write_launches(step, context.results / f"launches_{of.batch}.csv")
    figures = {"batch": of.batch, **step_profile.by_kernel(step)}
    if failure:
        raise PartFailed(str(failure), figures)
    return figures


@dataclasses.dataclass
class Ranks:
    count: int
    gpus: int  # 0: they compute on the CPU
    options: list = dataclasses.field(default_factory=list)  # of the program
    environment: dict = dataclasses.field(default_factory=dict)


def groups_of_ranks(gpus):
    """By name; `gpus` are those of the machine."""
    if gpus == 0:
        return {"two ranks": Ranks(2, 0)}
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")
    groups = {"two ranks on one GPU": Ranks(2, 1, ["--share-gpu"], {"CUDA_VISIBLE_DEVICES": visible[0]})}
    if gpus > 1:
        count = min(gpus, 8)
        groups[f"{count} ranks with a GPU each"] = Ranks(count, count)
    return groups


def ranks(context, group):
    """The same training in float32 by several ranks and by one, with candidates gathered and around a ring.

    How far the losses are apart, as a share of them, is rounding alone.
    """
    runner, what, count = context.runner, context.call.ranks, group.count
    if not runner.program("mpirun").exists():
        raise PartFailed("the archive has no mpirun: it was packed where there is no Open MPI 4")
    mpirun = [runner.program("mpirun"), "-n", count, "--oversubscribe", "--bind-to", "none"]
    environment = {**machine.environment_of_mpirun(runner.archive), **group.environment}
    _, alone = train(context, what, f"alone-beside-{count}-on-{group.gpus}", ["training.precision=fp32"])
    expected = losses_of(alone, what)
    figures = {"ranks": count, "gpus": group.gpus}
    for exchange in ("gather", "ring"):
        settings = ["training.precision=fp32", f"training.exchange={exchange}"]
        name = f"{count}-ranks-on-{group.gpus}-{exchange}"
        _, result = train(context, what, name, settings, mpirun, group.options, environment)
        there = result["provenance"]
        if there["ranks"] != count or any((device != "cpu") != (group.gpus > 0) for device in there["devices"]):
            raise PartFailed(f"{there['ranks']} ranks computed on {there['devices']}")
        losses = losses_of(result, what)
        apart = max(abs(loss - other) / abs(other) for loss, other in zip(losses, expected))
        figures[f"losses_apart_{exchange}"] = apart
        figures[f"examples_per_second_{exchange}"] = significant(rate_of(result, "examples_per_second", what))
        if apart > 1e-4:
            raise PartFailed(f"losses of {count} ranks are {apart:.1e} apart from those of one", figures)
    return figures
