"""Parts that do not train. A part takes a Context, and returns its figures; it throws PartFailed."""

import dataclasses
import json
import pathlib
import re

import corpus
import machine
import process
import sizes as sizes_of_calls
import trainings
from process import PartFailed, significant


@dataclasses.dataclass
class Context:
    runner: process.Runner  # its output folder is the work folder, which is removed in the end
    sizes: sizes_of_calls.Sizes
    call: sizes_of_calls.Call
    gpu: dict | None  # what is known of the first one; None where a CPU does it all
    results: pathlib.Path  # the folder that stays


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


def start_of_programs(context):
    """Every program starts, so that no shared object is missing. Returns the tests of each test program."""
    runner, tests = context.runner, {}
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
    asked = {name for call in context.sizes.calls.values() for name in call.tests}
    if asked != set(tests):
        raise PartFailed(f"the archive has the tests {sorted(tests)}, the calls run {sorted(asked)}")
    return {"programs": len(programs), "tests": tests}


def test_program(context, name):
    """All tests of a program; with a GPU at hand none may be skipped."""
    report = context.runner.output / f"{name}.json"
    report.unlink(missing_ok=True)
    command = [context.runner.program(name), f"--gtest_output=json:{report}"]
    context.runner.run(command, name, 150)
    result = json.loads(report.read_text(encoding="utf-8"))
    skipped = sum(test.get("result") == "SKIPPED" for suite in result["testsuites"] for test in suite["testsuite"])
    figures = {"tests": result["tests"], "skipped": skipped}
    if skipped and context.gpu:
        raise PartFailed(f"{skipped} of {result['tests']} tests were skipped though a GPU is there: see {name}.out")
    return figures


def memcheck(context, name):
    """All tests of a program under compute-sanitizer."""
    command = [pathlib.Path(machine.compute_sanitizer()), "--tool", "memcheck", "--error-exitcode", "9",
               "--print-limit", "20", context.runner.program(name)]  # fmt: skip
    # Each tensor is an allocation of its own: steps beyond one are found.
    context.runner.run(command, f"memcheck-{name}", 150, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
    return {}


def kernels(context, triples):
    """Times of kernels and products next to their floors, with the sentences of so many triples."""
    failure, name = None, f"kernels-{triples}"
    command = [context.runner.program("benchmark_kernels"), *context.sizes.benchmark, "--triples", triples]
    try:
        context.runner.run(command, name, 90)
    except PartFailed as error:
        failure = error
    # Cases that were measured before it failed count.
    lines = (context.runner.output / f"{name}.out").read_text(encoding="utf-8").splitlines(keepends=True)
    lines = [json.loads(line) for line in lines if line.endswith("\n")]
    figures = {"triples": triples, "rates": lines[0], "cases": lines[1:]} if lines else None
    if failure:
        raise PartFailed(str(failure), figures)
    asked = [word for option, word in zip(context.sizes.benchmark, context.sizes.benchmark[1:]) if option == "--only"]
    missing = [name for name in asked if not any(name in case["case"] for case in figures["cases"])]
    if missing:
        raise PartFailed(f"no case is named {', '.join(missing)}", figures)
    return figures


def make_inputs(context):
    """The corpus, a vocabulary of its words, its sentences, and the trial."""
    folder, triples = context.runner.output, context.call.triples()
    sentences = corpus.write_corpus(folder, triples, context.sizes.words)
    for count, name in ((context.call.sentences, "sentences.txt"), (10, "few_sentences.txt")):
        text = "".join(sentences[i % len(sentences)] + "\n" for i in range(count))
        (folder / name).write_text(text, encoding="utf-8")
    trial = (context.runner.archive / "trial.yaml").read_text(encoding="utf-8")
    (folder / "trial.yaml").write_text(trial, encoding="utf-8")
    return {"triples": triples, "sentences": len(sentences)}


def encoding(context):
    """Sentences a second of a process that encodes many, less what one takes that encodes ten."""
    runner, count = context.runner, context.call.sentences
    model = runner.output / trainings.output_of(context.call.encoded) / "model"
    seconds = {}
    for name in ("few_sentences", "sentences"):
        command = [runner.program("gausscse"), "encode", model, runner.output / f"{name}.txt",
                   runner.output / f"{name}.h5", *context.sizes.device]  # fmt: skip
        seconds[name], _ = runner.run(command, f"encode-{name}", 60)
    rate = (count - 10) / max(seconds["sentences"] - seconds["few_sentences"], 1e-3)
    return {"sentences": count, "sentences_per_second": significant(rate),
            "start_seconds": round(seconds["few_sentences"], 2)}  # fmt: skip
