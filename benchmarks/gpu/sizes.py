"""Amount of work of each call of the checks, on a GPU and in a rehearsal."""

import dataclasses

import corpus


@dataclasses.dataclass
class Training:
    """Steps of a model with random weights."""

    architecture: str
    batch: int  # triples
    steps: int
    micro_batch: int = 0  # triples that are embedded at a time; 0: all
    warm_up: int = 10  # first steps, whose times do not count
    seconds: int = 60  # limit
    environment: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        if not 0 <= self.warm_up < self.steps:
            raise ValueError(f"{self}: no step is left behind the first {self.warm_up}")


@dataclasses.dataclass
class Profile:
    """A training under ncu, whose step is measured by kernel."""

    batch: int
    training: Training


@dataclasses.dataclass
class Call:
    """Work of one call, in this order."""

    tests: list  # programs
    trainings: dict  # by name
    profiles: list = dataclasses.field(default_factory=list)
    kernels: list = dataclasses.field(default_factory=list)  # triples whose sentences the kernels are timed with
    ranks: Training | None = None  # by several ranks, and by one
    encoded: str = ""  # the training whose model encodes
    sentences: int = 0  # that are encoded
    memcheck: list = dataclasses.field(default_factory=list)  # programs

    def triples(self):
        """Returns the number of triples of the corpus."""
        trainings = [*self.trainings.values(), *(profile.training for profile in self.profiles)]
        return corpus.triples_for([what.batch for what in [*trainings, *([self.ranks] if self.ranks else [])]])


@dataclasses.dataclass
class Sizes:
    device: list  # options of the program
    benchmark: list  # options of the kernels' benchmark, before the sizes
    calls: dict  # by number
    words: int = corpus.WORDS  # of the vocabulary, without special tokens
    seconds: int = 570  # limit of a call


TIMED_KERNELS = ("attention", "attention_backward", "add_layer_norm", "add_layer_norm_backward", "bias_gelu", "gelu_backward")


def only(*names):
    """Options of the kernels' benchmark: a layer's kernels of bert-base's shape, and these cases."""
    # Behind the type comes the length of the sentences, where there are several.
    kernels = [f"{kernel}/bert-base/bf16" + ("/short" if kernel.startswith("attention") else "") for kernel in TIMED_KERNELS]
    return [word for name in (*kernels, *names) for word in ("--only", name)]


WITH_GROWING_SEGMENTS = {"PYTORCH_ALLOC_CONF": "expandable_segments:True"}

MEASURED = Sizes(
    device=["--device", "cuda"],
    benchmark=["--device", "cuda", *only("product/bert-base/bf16", "attention/bert-base/bf16/long",
                                         "attention_backward/bert-base/bf16/long")],
    calls={
        1: Call(
            trainings={
                "bert-base batch 64": Training("bert-base", 64, 40),
                "bert-base batch 4": Training("bert-base", 4, 40),
                "bert-base batch 512": Training("bert-base", 512, 40),
                "bert-large batch 512": Training("bert-large", 512, 16, warm_up=4),
                "bert-base batch 512, growing segments": Training("bert-base", 512, 40, environment=WITH_GROWING_SEGMENTS),
            },
            profiles=[Profile(64, Training("bert-base", 64, 12, seconds=120)),
                      Profile(512, Training("bert-base", 512, 12, seconds=120))],
            tests=["gpu_encoder_test", "gpu_objective_test", "gpu_nccl_test"],
        ),
        2: Call(
            tests=["gpu_training_test"],
            trainings={
                "minilm batch 64": Training("minilm-l6", 64, 110),
                "bert-base batch 8192 by micro-batches": Training("bert-base", 8192, 2, micro_batch=512, warm_up=1, seconds=90),
            },
            kernels=[64, 512],
            ranks=Training("minilm-l6", 64, 12),
            encoded="minilm batch 64",
            sentences=100000,
            memcheck=["gpu_encoder_test"],
        ),
    },
)  # fmt: skip

# Without a GPU: every part runs, small, and its figures mean nothing.
REHEARSED = Sizes(
    words=1000,
    device=[],
    benchmark=["--device", "cpu", "--small", *only("product/bert-base/fp32", "adamw/110M")],
    calls={
        1: Call(
            trainings={"minilm batch 4": Training("minilm-l6", 4, 3, warm_up=1),
                       "minilm batch 8, growing segments": Training("minilm-l6", 8, 2, warm_up=1,
                                                                    environment=WITH_GROWING_SEGMENTS)},
            profiles=[Profile(64, Training("minilm-l6", 4, 2, warm_up=1)),
                      Profile(512, Training("minilm-l6", 4, 2, warm_up=1))],
            tests=MEASURED.calls[1].tests,
        ),
        2: Call(
            tests=MEASURED.calls[2].tests,
            trainings={"minilm batch 8 by micro-batches": Training("minilm-l6", 8, 2, micro_batch=2, warm_up=1)},
            kernels=[2],
            ranks=Training("minilm-l6", 4, 3, warm_up=1),
            encoded="minilm batch 8 by micro-batches",
            sentences=50,
            memcheck=["gpu_encoder_test"],
        ),
    },
)  # fmt: skip
