"""The launches of a training step that this project's own kernels are: how large they are, how often their loops turn, and
how many bytes they move. It follows the host's code in model/kernels/cuda, and the loops that nvcc makes of a kernel."""

import dataclasses

from attention_kernels import attention
from launches import FACTOR, FLOAT, Launch, parts
from loss_kernels import Loss, loss


@dataclasses.dataclass(frozen=True)
class Step:
    """A training step of the paper's recipe: three sentences an example, joint similarity, ent+con+rev."""

    name: str
    triples: int
    hidden: int
    layers: int
    parameters: float
    tokens_of_sentence: float = 17.0
    tera_flops: float = 620e12  # of matrix products, a second

    @property
    def heads(self):
        return self.hidden // 64

    @property
    def sentences(self):
        return 3 * self.triples

    @property
    def tokens(self):
        return round(self.sentences * self.tokens_of_sentence)

    @property
    def inner(self):
        return 4 * self.hidden

    @property
    def product_flops(self):
        """Launches of a forward and a backward; the last layer computes queries, output and feed-forward of first tokens alone."""
        h, tokens, firsts = self.hidden, self.tokens, self.sentences
        whole = 2 * tokens * 12 * h * h
        last = 2 * tokens * 2 * h * h + 2 * firsts * 10 * h * h
        return 3 * ((self.layers - 1) * whole + last)


BASE_64 = Step("bert-base, 64 triples", 64, 768, 12, 109.5e6, tera_flops=470e12)
BASE_512 = Step("bert-base, 512 triples", 512, 768, 12, 109.5e6)
LARGE_512 = Step("bert-large, 512 triples", 512, 1024, 24, 335e6)
STEPS = (BASE_64, BASE_512, LARGE_512)


def rows_of_summed_part(rows, least=64, most=256):
    return least * parts(rows, least * most)


def partial_sums(times, count_of_parts, arrays, width):
    turns = max(0, parts(count_of_parts, 16) // 16)
    return Launch("add_partial_sums_kernel<float>", times, parts(width, 32) * arrays, 512,
                  FLOAT * width * arrays * (count_of_parts + 2),
                  ((min(3, parts(count_of_parts, 16) % 4), ()), (turns, ())), 2048)  # fmt: skip


def layer_norms(step):
    """Two a layer, and one of the embeddings; the last layer's have the first tokens alone."""
    h, launches = step.hidden, []
    chunks, of_float = parts(h, 256), ", float, Bfloat16>"
    for times, rows in ((2 * step.layers - 1, step.tokens), (2, step.sentences)):
        size = rows * h
        launches.append(Launch(f"add_layer_norm_kernel<{chunks}{of_float}", times, parts(rows, 4), 128,
                               size * (3 * FLOAT + 2 * FACTOR), idle={"VOTE": (1,)}))  # fmt: skip
        of_block = rows_of_summed_part(rows, 4, 396)
        blocks = parts(rows, of_block)
        launches.append(Launch(f"add_layer_norm_backward_kernel<{chunks}{of_float}", times, blocks, 128,
                               size * (3 * FLOAT + 2 * FACTOR) + blocks * 3 * h * FLOAT,
                               ((min(of_block, rows) / 4, ()), (6 * chunks, ())), 12 * FLOAT * 256 * chunks,
                               {"VOTE": (0,)}))  # fmt: skip
        launches.append(partial_sums(times, blocks, 3, h))
    return launches


def gelus(step):
    launches, width = [], step.inner
    for times, rows in ((step.layers - 1, step.tokens), (1, step.sentences)):
        size, tiles = rows * width, parts(width, 256)
        launches.append(Launch("bias_gelu_kernel<true, float, Bfloat16>", times, parts(rows, 16) * tiles, 128,
                               size * 2 * FACTOR))  # fmt: skip
        of_block = rows_of_summed_part(rows)
        blocks = parts(rows, of_block)
        launches.append(Launch("gelu_backward_kernel<true, float, Bfloat16>", times, blocks * tiles, 128, size * 4 * FACTOR,
                               ((parts(min(of_block, rows), 8), ()), (0, ()), (1, ())), 4096))  # fmt: skip
        launches.append(partial_sums(times, blocks, 1, width))
    return launches


def optimizer(step):
    """AdamW, which also rounds the parameters, and the norm of the gradient."""
    count = round(step.parameters)
    return [
        Launch("adamw_kernel<float>", 1, parts(count, 1024), 256, (7 * FLOAT + FACTOR) * count, ((6, ()), *((0, ()),) * 4),
               idle={"LDG": range(9)}),
        Launch("sum_of_squares_kernel<float>", 1, parts(count, 1 << 14), 256, FLOAT * count,
               ((0, ()), (4, ()), (1, ()), (0, ()), (0, ())), 64),
    ]  # fmt: skip


def launches(step):
    """All of them, in no order."""
    return [*attention(step), *layer_norms(step), *gelus(step), *optimizer(step), *loss(Loss(step.triples, step.hidden))]
