"""The launches of a training step that this project's own kernels are: how large they are, how often their loops turn, and
how many bytes they move. It follows the host's code in model/kernels/cuda, and the loops that nvcc makes of a kernel."""

import dataclasses

import corpus
from control_flow import DOUBLE

FLOAT, FACTOR = 4, 2  # bytes of a value, and of a factor of matrix products in bfloat16


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
        """Of a forward and a backward; the last layer computes queries, output and feed-forward of first tokens alone."""
        h, tokens, firsts = self.hidden, self.tokens, self.sentences
        whole = 2 * tokens * 12 * h * h
        last = 2 * tokens * 2 * h * h + 2 * firsts * 10 * h * h
        return 3 * ((self.layers - 1) * whole + last)


BASE_64 = Step("bert-base, 64 triples", 64, 768, 12, 109.5e6, tera_flops=470e12)
BASE_512 = Step("bert-base, 512 triples", 512, 768, 12, 109.5e6)
LARGE_512 = Step("bert-large, 512 triples", 512, 1024, 24, 335e6)
STEPS = (BASE_64, BASE_512, LARGE_512)


@dataclasses.dataclass(frozen=True)
class Body:
    """Blocks of a launch that run one of the kernel's bodies: its number, see Flow.usual_path, and its loops."""

    number: int | None
    blocks: int
    turns: tuple


@dataclasses.dataclass(frozen=True)
class Launch:
    """Launches of one size. `turns` has a pair for each loop of the kernel's usual path: turns, and the loops within it."""

    kernel: str
    times: int  # a step
    blocks: int
    threads: int
    bytes: float  # least number to read and write, each value once
    turns: tuple = ()
    shared: int = 0  # bytes of a block
    idle: tuple = ("", ())  # pieces of code that are jumped over, such as votes for masks that are not drawn
    rare: tuple = ()  # instructions' words: code with them is not on the usual path
    bodies: tuple = ()  # of a kernel that has several, in place of its turns


def parts(count, part):
    return -(-count // part)


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
                               size * (3 * FLOAT + 2 * FACTOR), idle=("VOTE", (1,))))  # fmt: skip
        of_block = rows_of_summed_part(rows, 4, 396)
        blocks = parts(rows, of_block)
        launches.append(Launch(f"add_layer_norm_backward_kernel<{chunks}{of_float}", times, blocks, 128,
                               size * (3 * FLOAT + 2 * FACTOR) + blocks * 3 * h * FLOAT,
                               ((min(of_block, rows) / 4, ()), (6 * chunks, ())), 12 * FLOAT * 256 * chunks,
                               ("VOTE", (0,))))  # fmt: skip
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
               idle=("LDG", range(9))),
        Launch("sum_of_squares_kernel<float>", 1, parts(count, 1 << 14), 256, FLOAT * count,
               ((0, ()), (4, ()), (1, ()), (0, ()), (0, ())), 64),
    ]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Loss:
    """The loss of one step and its gradient, on one rank, of ent+con+rev: entailments and contradictions with premises, and
    the reverse of the first."""

    triples: int
    dimension: int
    similarity: str = "Joint"
    terms: int = 3

    @property
    def name(self):
        return f"loss of {self.triples:,} triples, {self.similarity}"

    @property
    def by_products(self):
        """Whether the kernels compute the similarity by matrix products: of the joint one, from 512 rows on."""
        return self.similarity == "Joint" and self.triples >= 512


EXACT_STEPS = (Loss(65536, 768), Loss(65536, 768, "PerDimension"))

WIDEST_TILE = 64


def anchors_held(of):
    """How many anchors' weights are held at once."""
    most = max(1 << 22, 8 * WIDEST_TILE * of.triples * of.terms)
    return min(of.triples, WIDEST_TILE * max(1, most // (WIDEST_TILE * of.triples * of.terms)))


def loss(of):
    """Kernels of the form that serves; those of other forms leave at once. No pair is close, and none far out."""
    n, d, terms = of.triples, of.dimension, of.terms
    held = anchors_held(of)
    packed, some_packed = 3 * n * d * 16, (held + 2 * n) * d * 16
    math = f"{of.similarity}<DeviceMath>"
    launches = []
    if of.by_products:
        tile, kind, staged = 64, f"ProductTile<float, {math}>", 2 * 17 * 33 * 16
        # No pair is looked at again.
        pairs = ((parts(d, 16), ()), (0, ((0, ()),)))
        launches.append(Launch("product_rows_kernel<float>", 1, 3 * n, 128, packed + 2 * packed / 16 / 16 * FLOAT,
                               ((parts(d, 128), ()), *((0, ()), (0, ()), (4, ())) * 2), 16))  # fmt: skip
        launches.append(Launch(f"sample_kernel<float, {math}>", 1, 128, 256, 1024 * 2 * d * 16,
                               ((0, ()), (parts(d, 128), ()))))  # fmt: skip
        usual = {"rare": DOUBLE}
    else:
        tile, kind, staged = 32, f"DifferenceTile<float, {math}>", 2 * 16 * 33 * 16
        # Loops are unrolled by four and two, and nothing is left over; rare code is float64.
        pairs = ((parts(d, 16), ((4, ()),)),)
        usual = {"idle": ("LDS", range(9)), "rare": DOUBLE}
    tiles, held_tiles = parts(n, tile), parts(held, tile)
    of_part = parts(tiles, 16)
    joins = ((4, ((4, ()),)),) if of.by_products else ((4, ()), (4, ()))
    launches += [
        Launch(f"partial_softmax_kernel<float, {kind}>", 1, tiles * terms * parts(tiles, of_part), 256, packed,
               ((min(of_part, tiles), pairs), *joins), staged + 256 * tile // 16 * 16, **usual),
        Launch(f"pair_weights_kernel<float, {kind}>", n // held, held_tiles * tiles * terms, 256,
               some_packed + terms * held * n * FLOAT, pairs, staged, **usual),
    ]  # fmt: skip
    for side in (0, 1):
        own_tiles, others = (held_tiles, n) if side == 0 else (tiles, held)
        size = some_packed + terms * held * n * FLOAT
        # A role has one term on average.
        if of.by_products:
            launches.append(Launch(f"product_gradient_kernel<float, {side}>", n // held, own_tiles * 3 * parts(d, 64), 256,
                                   size, ((1, ((parts(others, 16), ((4, ()),)),)),), 16 * 33 * 16 + 16 * 17 * 16))  # fmt: skip
        else:
            launches.append(Launch(f"contrastive_gradient_kernel<float, {math}, {side}>", n // held,
                                   own_tiles * 3 * parts(d, 32), 256, size,
                                   ((1, ((parts(others, 32), ((16, ()),)),)),), 32 * 32 * 16 + 32 * 9 * 16, **usual))  # fmt: skip
    return launches


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
    rows, widest = 64 * (64 + 8), 16 * 4
    shared = {"attention_warp_kernel": 3 * FACTOR * rows, "attention_warp_backward_kernel": 4 * FACTOR * rows}
    launches = []
    # In units of the matrix of context: queries, keys, values and context; then their gradients, too.
    for kernel, of_all, of_firsts in (("attention_warp_kernel", 4, 2), ("attention_warp_backward_kernel", 7, 5)):
        weights = (1 if kernel == "attention_warp_kernel" else 2) * FACTOR * 64 * (widest + 8)
        for times, matrices in ((step.layers - 1, of_all), (1, of_firsts)):
            launches.append(Launch(f"{kernel}<64, false>", times, sum(body.blocks for body in bodies[kernel]), 128,
                                   matrices * FACTOR * step.tokens * step.hidden,
                                   shared=shared[kernel] + weights + FLOAT * 64 * (widest + 4) + 1024,
                                   bodies=tuple(bodies[kernel])))  # fmt: skip
    return launches


def launches(step):
    """All of them, in no order."""
    return [*attention(step), *layer_norms(step), *gelus(step), *optimizer(step), *loss(Loss(step.triples, step.hidden))]
