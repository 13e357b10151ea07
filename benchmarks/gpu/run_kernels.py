"""The steps and evaluations that the paper's runs are made of, for predict.py: their sizes, and what of them is not in a
build's machine code."""

import dataclasses

import step_kernels
from step_kernels import Step

# A matrix product takes 7.1 us besides its arithmetic at 641 TFLOP/s: its launch, the fill of its pipelines and the tiles of
# its last wave, which is not full. Both numbers follow from the 3.5 and 20.5 ms that predictions.py has for 64 and 512 triples.
PRODUCT_SECONDS, PRODUCT_FLOPS = 7.1e-6, 641e12
PRODUCTS_OF_A_LAYER = 12.5  # forward and backward; of a forward alone a third
# Launches of a step that are neither products nor in step_kernels.py, by a trace on a pretended GPU: embeddings and their
# gradients, rows of first tokens, copies of embeddings, gradients that are set to zero. No layer has one of its own. Each takes
# 4 us besides its bytes. They read and write 30 bytes for each element of the tokens' embeddings, and set to zero the gradients
# of all parameters but the layers' matrices.
OTHER_LAUNCHES, OTHER_SECONDS, OTHER_BYTES = 36, 4e-6, 30

BACKBONES = {"BERT-base": (768, 12, 109.5e6), "BERT-large": (1024, 24, 335e6),
             "RoBERTa-base": (768, 12, 124.6e6), "RoBERTa-large": (1024, 24, 355e6)}  # fmt: skip

# SNLI's dev set: 10,000 pairs, whose distinct sentences have 12.5 tokens of BERT on average. The GPU embeds up to 65,536
# tokens at a time.
DEV_PAIRS, DEV_SENTENCES, DEV_TOKENS = 10_000, 13_190, 165_000
BATCHES_OF_DEV = -(-DEV_TOKENS // 65_536)
# Fits and metrics of these pairs, for which the GPU waits: time of a core of an AMD EPYC with AVX-512, as measured, of which the
# draws of the calibration error are shared out among the four threads that the paper's manifests give a trial.
METRIC_SECONDS = 0.028 + 0.033 / 4
# Time of a copy to or from the GPU besides its bytes, and the number of them in an evaluation: the order of the sentences, the
# numbers of the pairs, the similarities.
COPY_SECONDS, COPIES, COPIED_BYTES_A_SECOND = 15e-6, 3, 40e9


def step_of(backbone, triples):
    hidden, layers, parameters = BACKBONES[backbone]
    return Step(f"{backbone}, {triples} triples", triples, hidden, layers, parameters)


def product_seconds(flops, layers, share=1.0):
    return share * layers * PRODUCTS_OF_A_LAYER * PRODUCT_SECONDS + flops / PRODUCT_FLOPS


def other_seconds(step, bytes_a_second):
    zeroed = step.parameters - 12 * step.layers * step.hidden**2
    moved = OTHER_BYTES * step.tokens * step.hidden + step_kernels.FLOAT * zeroed
    return OTHER_LAUNCHES * OTHER_SECONDS + moved / bytes_a_second


def step_seconds(step, seconds_of, bytes_a_second):
    """`seconds_of` returns the time of launches."""
    return (seconds_of(step_kernels.launches(step)) + product_seconds(step.product_flops, step.layers)
            + other_seconds(step, bytes_a_second))  # fmt: skip


@dataclasses.dataclass
class Evaluation:
    """Seconds of one evaluation of SNLI's dev set, by part."""

    products: float
    kernels: float  # of the forward
    pairs: float  # rows in their order, pairs next to each other, both similarities
    copies: float
    metrics: float

    @property
    def seconds(self):
        return sum(dataclasses.astuple(self))


FORWARD_KERNELS = ("attention_warp_kernel", "add_layer_norm_kernel", "bias_gelu_kernel")


def evaluation_of(backbone, seconds_of, bytes_a_second):
    """A forward is taken to do what it does in a step, with dropout."""
    hidden, layers, parameters = BACKBONES[backbone]
    batch = Step(f"{backbone}, a batch of SNLI's dev set", DEV_SENTENCES / BATCHES_OF_DEV / 3, hidden, layers, parameters,
                 DEV_TOKENS / DEV_SENTENCES)  # fmt: skip
    forward = [launch for launch in step_kernels.launches(batch) if launch.kernel.startswith(FORWARD_KERNELS)]
    # Mean and log-variance in float32. Rows are read and written once for their order and once for each side of the pairs.
    # Both directions and both sums of log-variances read those of the pairs again.
    row = 2 * hidden * step_kernels.FLOAT
    rows = 2 * DEV_SENTENCES + 2 * 2 * DEV_PAIRS + 2 * 2 * DEV_PAIRS + 2 * DEV_PAIRS / 2
    copied = 8 * DEV_SENTENCES + 2 * 8 * DEV_PAIRS + 4 * 4 * DEV_PAIRS
    return Evaluation(
        BATCHES_OF_DEV * product_seconds(batch.product_flops / 3, layers, 1 / 3),
        BATCHES_OF_DEV * (seconds_of(forward) + other_seconds(batch, bytes_a_second) / 3),
        rows * row / bytes_a_second,
        COPIES * COPY_SECONDS + copied / COPIED_BYTES_A_SECOND,
        METRIC_SECONDS,
    )
