"""Measures of benchmarks/run.sh: the programs of each measure, and the files that they need.

A measure is a function that takes the Workplace and returns its programs, ours first. A file that several programs need
is made when the first one asks for it; if that fails, all of them are rows of the table with the reason.
"""

import dataclasses
import functools
import pathlib
import subprocess
import sys

from environments import FOLDER, Missing, last_words

# Allocations stay with the process instead of going back to the system after each step; glibc's own malloc.
KEEPS_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "68719476736", "MALLOC_TOP_PAD_": "268435456"}
TOKENIZERS = ("bert-base-uncased", "roberta-base")


@dataclasses.dataclass
class Program:
    """A program of a measure: its name in tables, and a function that returns its command."""

    who: str
    command: object
    variables: dict = dataclasses.field(default_factory=dict)  # of its environment
    flags: tuple = ()  # of the processor, in /proc/cpuinfo; it needs one of them


BF16 = ("avx512_bf16", "amx_bf16")


class Workplace:
    """Settings of a run, and the files made for it."""

    def __init__(self, settings, environments, scratch):
        self.settings, self.environments, self.scratch = settings, environments, pathlib.Path(scratch)

    def script(self, environment, name, *words):
        return [self.environments.python(environment), FOLDER / name, *words]

    def make(self, file, command):
        """Returns `file` of the scratch folder, which `command` writes, or prints if it does not name it."""
        path = self.scratch / file
        if path.exists():
            return path
        print(f"making {file}", file=sys.stderr)
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise Missing(f"{file} cannot be made: {last_words(done.stderr)}")
        if path not in command:
            path.write_text(done.stdout)
        return path

    def need_precision(self, precision):
        text = subprocess.run([self.settings.gausscse, "encode", "--help"], capture_output=True, text=True).stdout
        if precision not in text:
            raise Missing(f"this build has no --precision {precision}")

    def sentences(self):
        """The distinct sentences of SNLI test."""
        return self.make("sentences.txt", self.script("inference", "distinct_sentences.py", self.settings.test,
                                                      "--limit", self.settings.sentences))  # fmt: skip

    def text(self):
        """The distinct sentences of all corpora."""
        return self.make("text.txt", self.script("inference", "distinct_sentences.py", *self.settings.corpora,
                                                 "--limit", self.settings.text_sentences))  # fmt: skip

    @functools.cached_property
    def reference(self):
        """Vectors of the sentences in float32, by sentence-transformers."""
        path = self.scratch / "reference.npy"
        words = ["encode", "--model", self.settings.model, "--sentences", self.sentences(), "--precision", "fp32",
                 "--threads", self.settings.threads, "--batch-size", 128, "--passes", 1, "--vectors", path]  # fmt: skip
        return self.make(path.name, self.script("torch", "sentence_transformers_peer.py", *words))

    def graph(self):
        """The model as an ONNX file."""
        path = self.scratch / "model.onnx"
        return self.make(path.name, self.script("torch", "export_onnx.py", self.settings.model, path))


def train(place, batch_size, steps, warm_up):
    settings = place.settings
    options = ["--model", settings.model, "--triples", settings.triples, "--precision", settings.precision, "--device",
               settings.device, "--threads", settings.threads, "--batch-size", batch_size, "--steps", steps,
               "--warm-up", warm_up]  # fmt: skip
    weights = ["--weights", "bf16"] if settings.precision == "bf16" else []

    def ours(*words):
        return lambda: place.script("torch", "gausscse_runs.py", "train", "--program", settings.gausscse, "--dev",
                                    settings.dev, *options, *words)  # fmt: skip

    def peer(*words):
        return lambda: place.script("torch", "sentence_transformers_peer.py", "train", *options, *words)

    small = batch_size <= 64
    # Its usual loss keeps the activations of the whole batch; the cached one computes in chunks.
    cached = [] if small else ["--loss", "cached"]
    name = "sentence-transformers" if small else "sentence-transformers, cached"
    chunks = {"": [] if small else ["--chunk-size", 64]}
    if not small:
        chunks[" by tokens"] = ["--chunk-tokens", 1024]
    programs = [Program("gausscse, first token", ours()), Program("gausscse, mean", ours("--pooling", "mean"))]
    for kind, words in chunks.items():
        programs.append(Program(f"{name}{kind}, mean", peer(*weights, *cached, *words), KEEPS_MEMORY))
    # Where the processor multiplies float32 faster, bf16 is not the peer's fastest precision.
    if weights:
        programs.append(Program(f"{name}, mean, fp32", peer("--precision", "fp32", *cached, *chunks[""]), KEEPS_MEMORY))
    first_token = peer(*weights, *cached, *chunks[""], "--pooling", "first_token")
    return [*programs, Program(f"{name}, first token", first_token, KEEPS_MEMORY)]


def train_64(place):
    return train(place, *((8, 1, 1) if place.settings.quick else (64, place.settings.steps or 10, 2)))


def train_512(place):
    return train(place, *((16, 1, 1) if place.settings.quick else (512, place.settings.steps or 2, 1)))


def encode(place):
    settings = place.settings

    def options():
        return ["--model", settings.model, "--sentences", place.sentences(), "--threads", settings.threads,
                "--reference", place.reference]  # fmt: skip

    def ours(precision):
        def command():
            place.need_precision(precision)
            return place.script("torch", "gausscse_runs.py", "encode", "--program", settings.gausscse, *options(),
                                "--precision", precision, "--device", settings.device)  # fmt: skip

        return command

    def torch(*words):
        return lambda: place.script("torch", "sentence_transformers_peer.py", "encode", *options(), "--batch-size", 128,
                                    "--device", settings.device, *words)  # fmt: skip

    def openvino(precision):
        return lambda: place.script("inference", "openvino_peer.py", *options(), "--graph", place.graph(),
                                    "--precision", precision)  # fmt: skip

    bf16 = ["--weights", "bf16"]
    programs = [
        Program("gausscse fp32", ours("fp32")),
        Program("gausscse bf16", ours("bf16")),
        Program("gausscse int8", ours("int8")),
        Program("sentence-transformers fp32", torch("--precision", "fp32")),
        Program("sentence-transformers bf16", torch(*bf16), flags=BF16),
    ]
    if settings.device == "cuda":
        return programs
    return [
        *programs,
        Program("OpenVINO fp32", openvino("f32")),
        Program("OpenVINO bf16", openvino("bf16"), flags=BF16),
    ]


def tokens(place, tokenizer):
    settings = place.settings
    folder = settings.tokenizers / tokenizer
    options = ["--tokenizer", folder, "--sentences"]

    def ours():
        program = settings.build / "benchmarks" / "tokenizer" / "benchmark_tokenizer"
        return place.script("torch", "gausscse_runs.py", "tokens", "--program", settings.gausscse, "--benchmark",
                            program, *options, place.text())  # fmt: skip

    def peer(environment, library):
        return lambda: place.script(environment, "tokens_peer.py", "--library", library, *options, place.text())

    return [
        Program("gausscse", ours),
        Program("tokenizers, release", peer("tokenizers", "tokenizers")),
        Program("tokenizers, release candidate", peer("tokenizers-candidate", "tokenizers")),
        Program("gigatoken", peer("tokenizers", "gigatoken")),
    ]


MEASURES = {
    "encode": encode,
    "train_64": train_64,
    "train_512": train_512,
    "tokens_wordpiece": functools.partial(tokens, tokenizer=TOKENIZERS[0]),
    "tokens_bpe": functools.partial(tokens, tokenizer=TOKENIZERS[1]),
}
