"""What is checked and measured. A part takes a Runner and Sizes, and returns its figures; it throws PartFailed."""

import dataclasses
import json
import math
import os
import pathlib
import re
import statistics

import machine
import utilisation
from process import PartFailed


@dataclasses.dataclass
class Training:
    """Steps of a model with random weights."""

    architecture: str
    batch: int  # triples
    steps: int
    micro_batch: int = 0  # triples that are embedded at a time; 0: all
    warm_up: int = 10  # steps that do not count
    seconds: int = 120  # limit


@dataclasses.dataclass
class Sizes:
    """How much is done, and where."""

    device: list  # options of the program
    benchmark: list
    pairs: int
    trainings: dict  # by name
    ranks: Training  # by several ranks, and by one
    sentences: int


MEASURED = Sizes(
    device=["--device", "cuda"],
    benchmark=["--device", "cuda"],
    pairs=200000,
    trainings={
        "minilm batch 16": Training("minilm-l6", 16, 110),
        "minilm batch 64": Training("minilm-l6", 64, 110),
        "minilm batch 512": Training("minilm-l6", 512, 40),
        "bert-base batch 64": Training("bert-base", 64, 60),
        "bert-base batch 512": Training("bert-base", 512, 30),
        "bert-large batch 512": Training("bert-large", 512, 16, warm_up=4),
        "bert-base batch 65536": Training("bert-base", 65536, 1, micro_batch=512, warm_up=1, seconds=300),
    },
    ranks=Training("minilm-l6", 64, 10),
    sentences=100000,
)

# Without a GPU: everything runs, and its figures mean nothing.
REHEARSED = Sizes(
    device=[],
    benchmark=["--device", "cpu", "--small", "--only", "adamw", "--only", "attention/minilm/fp32/short"],
    pairs=300,
    trainings={
        "minilm batch 4": Training("minilm-l6", 4, 2, warm_up=1),
        "minilm batch 8": Training("minilm-l6", 8, 2, micro_batch=2, warm_up=1),
    },
    ranks=Training("minilm-l6", 4, 3),
    sentences=50,
)


def listed_tests(text):
    """Full names out of what --gtest_list_tests prints."""
    suite, names = "", []
    for line in text.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith(" ") and suite:
            names.append(suite + word)
        elif re.fullmatch(r"\S+\.", word):
            suite = word
    return names


def start_of_programs(runner, _):
    """Every program starts, so that no shared object is missing. Returns the tests of each test program."""
    tests = {}
    programs = sorted((runner.archive / "bin").iterdir())
    for path in programs:
        option = {"gausscse": "--version", "benchmark_kernels": "--help", "mpirun": "--version"}.get(
            path.name, "--gtest_list_tests"
        )
        _, text = runner.run([path, option], f"start-{path.name}", 60, machine.environment_of_mpirun(runner.archive))
        if option == "--gtest_list_tests":
            tests[path.name] = listed_tests(text)
            if not tests[path.name]:
                raise PartFailed(f"{path.name} lists no test")
    return {"programs": len(programs), "tests": tests}


def test_program(runner, name, need_a_gpu):
    """All tests of a program; with a GPU at hand none may be skipped."""
    report = runner.output / f"{name}.json"
    report.unlink(missing_ok=True)
    command = [runner.program(name), f"--gtest_output=json:{report}"]
    runner.run(command, name, 150)
    result = json.loads(report.read_text(encoding="utf-8"))
    skipped = sum(test.get("result") == "SKIPPED" for suite in result["testsuites"] for test in suite["testsuite"])
    figures = {"tests": result["tests"], "skipped": skipped}
    if skipped and need_a_gpu:
        raise PartFailed(f"{skipped} of {result['tests']} tests were skipped though a GPU is there: see {name}.out")
    return figures


def sanitized(runner, name, tool, tests):
    """The first tests of a program under a tool of compute-sanitizer."""
    sanitizer = machine.compute_sanitizer()
    command = [pathlib.Path(sanitizer), "--tool", tool, "--error-exitcode", "9", "--print-limit", "20",
               runner.program(name), f"--gtest_filter={':'.join(tests)}"]  # fmt: skip
    # Each tensor is an allocation of its own: steps beyond one are found.
    runner.run(command, f"{tool}-{name}", 75, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
    return {"tests": len(tests)}


def kernels(runner, sizes):
    """Times of kernels and products beside their floors."""
    failure = None
    try:
        runner.run([runner.program("benchmark_kernels"), *sizes.benchmark], "kernels", 200)
    except PartFailed as error:
        failure = error
    # Cases that were measured before it failed count.
    lines = (runner.output / "kernels.out").read_text(encoding="utf-8").splitlines(keepends=True)
    lines = [json.loads(line) for line in lines if line.endswith("\n")]
    figures = {"rates": lines[0], "cases": lines[1:]} if lines else None
    if failure:
        raise PartFailed(str(failure), figures)
    return figures


def make_inputs(runner, sizes):
    """A generated corpus, a vocabulary of its words, its sentences, and the trial."""
    folder = runner.output
    seed = ["--train", sizes.pairs, "--dev", 10, "--test", 10, "--seed", 1]
    runner.run([runner.program("gausscse"), "generate", folder / "corpus", *seed], "generate", 60)
    sentences = []
    with open(folder / "corpus" / "train.jsonl", encoding="utf-8") as file:
        for line in file:
            pair = json.loads(line)
            sentences += [pair["sentence1"], pair["sentence2"]]
    words = sorted({word.lower() for sentence in sentences for word in re.findall("[A-Za-z]+", sentence)})
    (folder / "model").mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *words]
    (folder / "model" / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    for count, name in ((sizes.sentences, "sentences.txt"), (10, "few_sentences.txt")):
        text = "".join(sentences[i % len(sentences)] + "\n" for i in range(count))
        (folder / name).write_text(text, encoding="utf-8")
    trial = (runner.archive / "trial.yaml").read_text(encoding="utf-8")
    (folder / "trial.yaml").write_text(trial, encoding="utf-8")
    return {"sentences": len(sentences), "words": len(words)}


def output_of(name):
    return name.replace(" ", "-")


def train(runner, sizes, what, name, settings=(), launcher=(), options=(), environment=None):
    """Trains to the folder `name` of the output. Returns its seconds, and its result as `show --json` tells it."""
    program, output = runner.program("gausscse"), runner.output / name
    command = [*launcher, program, "train", runner.output / "trial.yaml", *sizes.device, *options]
    for setting in (f"model.backbone.architecture={what.architecture}", f"training.batch_size={what.batch}",
                    f"training.micro_batch={what.micro_batch}", f"training.max_steps={what.steps}",
                    f"output={output}", *settings):  # fmt: skip
        command += ["--set", setting]
    seconds, _ = runner.run(command, f"train-{name}", what.seconds, environment)
    _, text = runner.run([program, "show", "--json", output / "result.h5"], f"show-{name}", 30)
    return seconds, json.loads(text)


def losses_of(result, what):
    losses = result["training"]["loss"]
    if not all(isinstance(loss, float) and math.isfinite(loss) for loss in losses):
        raise PartFailed("a step's loss is not a number")
    if len(losses) != what.steps:
        raise PartFailed(f"{len(losses)} steps were taken in place of {what.steps}")
    return losses


def training(runner, sizes, name, gpu):
    """Steps of a training; the rate is the median of those after the first ones."""
    what = sizes.trainings[name]
    seconds, result = train(runner, sizes, what, output_of(name))
    figures = {"batch": what.batch, "micro_batch": what.micro_batch, "architecture": what.architecture,
               "steps": what.steps, "process_seconds": round(seconds, 2)}  # fmt: skip
    for rate in ("examples_per_second", "tokens_per_second"):
        figures[rate] = round(statistics.median(result["training"][rate][what.warm_up :]), 1)
    tflops = utilisation.model_tflops(what.architecture, figures["examples_per_second"], figures["tokens_per_second"])
    figures["model_tflops"] = round(tflops, 3)
    peak = utilisation.bfloat16_peak(gpu)
    if peak:
        figures["model_flop_utilisation"] = round(tflops / peak, 4)
    losses = losses_of(result, what)
    figures["first_loss"], figures["last_loss"] = losses[0], losses[-1]
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


def ranks(runner, sizes, group):
    """The same training in float32 by several ranks and by one, with candidates gathered and around a ring.

    How far the losses are apart, as a share of them, is rounding alone.
    """
    what, count = sizes.ranks, group.count
    if not runner.program("mpirun").exists():
        raise PartFailed("the archive has no mpirun: it was packed where there is no Open MPI 4")
    mpirun = [runner.program("mpirun"), "-n", count, "--oversubscribe", "--bind-to", "none"]
    environment = {**machine.environment_of_mpirun(runner.archive), **group.environment}
    _, alone = train(runner, sizes, what, f"alone-beside-{count}-on-{group.gpus}", ["training.precision=fp32"])
    expected = losses_of(alone, what)
    figures = {"ranks": count, "gpus": group.gpus}
    for exchange in ("gather", "ring"):
        settings = ["training.precision=fp32", f"training.exchange={exchange}"]
        name = f"{count}-ranks-on-{group.gpus}-{exchange}"
        _, result = train(runner, sizes, what, name, settings, mpirun, group.options, environment)
        there = result["provenance"]
        if there["ranks"] != count or any((device != "cpu") != (group.gpus > 0) for device in there["devices"]):
            raise PartFailed(f"{there['ranks']} ranks computed on {there['devices']}")
        losses = losses_of(result, what)
        apart = max(abs(loss - other) / abs(other) for loss, other in zip(losses, expected))
        figures[f"losses_apart_{exchange}"] = apart
        rate = statistics.median(result["training"]["examples_per_second"][1:])
        figures[f"examples_per_second_{exchange}"] = round(rate, 1)
        if apart > 1e-4:
            raise PartFailed(f"losses of {count} ranks are {apart:.1e} apart from those of one", figures)
    return figures


def encoding(runner, sizes):
    """Sentences a second of a process that encodes many, less what one takes that encodes ten."""
    model = runner.output / output_of(next(iter(sizes.trainings))) / "model"
    seconds = {}
    for name in ("few_sentences", "sentences"):
        command = [runner.program("gausscse"), "encode", model, runner.output / f"{name}.txt",
                   runner.output / f"{name}.h5", *sizes.device]  # fmt: skip
        seconds[name], _ = runner.run(command, f"encode-{name}", 60)
    rate = (sizes.sentences - 10) / max(seconds["sentences"] - seconds["few_sentences"], 1e-3)
    return {"sentences": sizes.sentences, "sentences_per_second": round(rate, 1),
            "start_seconds": round(seconds["few_sentences"], 2)}  # fmt: skip
