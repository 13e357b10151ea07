"""The launches of attention: of a training step, whose sentences are short, and of a layer over long sentences."""

import dataclasses

import corpus
from launches import FACTOR, FLOAT, Body, Launch, parts

ROWS = 64  # tokens of a block


def shared_bytes(tiles, tiles_at_once, backward):
    """Shared memory of a block for heads of 64 columns, see WarpShape in attention/warp_rows.cuh."""
    rows, weights = FACTOR * ROWS * (64 + 8), FACTOR * ROWS * (16 * tiles + 8)
    scores = FLOAT * (ROWS * (64 + 4) + 4 * 8 * tiles + 4 * 16 * (tiles_at_once + 1))
    return (4 * rows + 2 * weights + FLOAT * 128 if backward else 3 * rows + weights) + scores


def attention(step):
    """A block has four warps, and a warp 16 tokens of a head. The last layer has one query in a sentence: its other warps
    are counted as if they had some, too."""
    lengths = sorted([*corpus.PREMISE_TOKENS, *2 * corpus.HYPOTHESIS_TOKENS])
    bodies = {"attention_warp_kernel": [], "attention_warp_backward_kernel": []}
    for tiles in (4, 3, 2, 1):
        of_class = [length for length in lengths if parts(length, 16) == tiles]
        pairs = len(of_class) / len(lengths) * step.sentences * step.heads
        # Queries of a warp, and turns of the loop that draws their masks.
        queries = [min(16, length - first) for length in of_class for first in range(0, length, 16)]
        masks = (sum(parts(count * tiles, 8) for count in queries) / len(queries), ())
        # The loop that clears rows without a query does not turn.
        for kernel, turns in (("attention_warp_kernel", (masks,)),
                              ("attention_warp_backward_kernel", (masks, (0, ())))):  # fmt: skip
            bodies[kernel].append(Body(4 - tiles, parts(round(pairs), 4 // tiles), turns))
    launches = []
    # In units of the matrix of context: queries, keys, values and context; then their gradients, too.
    for kernel, of_all, of_firsts in (("attention_warp_kernel", 4, 2), ("attention_warp_backward_kernel", 7, 5)):
        for times, matrices in ((step.layers - 1, of_all), (1, of_firsts)):
            launches.append(Launch(f"{kernel}<64, false>", times, sum(body.blocks for body in bodies[kernel]), 128,
                                   matrices * FACTOR * step.tokens * step.hidden,
                                   shared=shared_bytes(4, 4, "backward" in kernel), bodies=tuple(bodies[kernel])))  # fmt: skip
    return launches


@dataclasses.dataclass(frozen=True)
class LongAttention:
    """Attention of one layer over sentences of one length, by tensor cores."""

    sentences: int
    tokens: int  # of a sentence
    hidden: int
    dropout: bool

    @property
    def name(self):
        return (f"attention of a layer over {self.sentences} sentences of {self.tokens} tokens, "
                f"{'with' if self.dropout else 'without'} dropout")  # fmt: skip


LONG = (LongAttention(64, 512, 768, True), LongAttention(64, 512, 768, False))


def long_attention(of):
    """A block has 64 queries, or keys, of a head, and goes over the other ones 64 at a time."""
    blocks = of.sentences * of.hidden // 64 * parts(of.tokens, ROWS)
    matrix, turns = FACTOR * of.sentences * of.tokens * of.hidden, parts(of.tokens, ROWS)
    numbers = of.sentences * of.tokens * of.hidden // 64 * FLOAT
    masks = 2 * turns * numbers if of.dropout else 0
    # Weights do not grow too large, the last 64 keys are all there, and masks are drawn or not.
    forward = {"LDS": (1,), "FSEL": (1,)} if of.dropout else {"LDS": (1,), "FSEL": (1, 2), "ISETP": (0, 2)}
    queries = {"FSEL": (1,)} if of.dropout else {"FSEL": (0, 1), "ISETP": (0, 1), "STG": (1,)}
    keys = {} if of.dropout else {"FSEL": (0, 1)}
    half = (2, ())
    return [
        Launch("attention_warp_long_kernel<64, false>", 1, blocks, 128, 4 * matrix + 2 * numbers, ((turns, ()),),
               shared_bytes(4, 4, False), forward),
        Launch("attention_warp_queries_kernel<64, false>", 1, blocks, 128, 6 * matrix + 6 * numbers + masks,
               ((turns, (half,)),), shared_bytes(4, 2, True), queries),
        Launch("attention_warp_keys_kernel<64, false>", 1, blocks, 128, 6 * matrix + 4 * numbers + masks,
               ((turns, (half,)), (0, ())), shared_bytes(4, 2, True), keys),
    ]  # fmt: skip
