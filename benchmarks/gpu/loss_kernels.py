"""The launches of the contrastive loss. It follows the host's code in model/kernels/cuda/contrastive/contrastive.cuh, and the
loops that nvcc makes of a kernel."""

import dataclasses

from control_flow import DOUBLE
from launches import FLOAT, Launch, parts


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
        """Returns whether the kernels compute the similarity by matrix products: of the joint one, from 512 rows on."""
        return self.similarity == "Joint" and self.triples >= 512


EXACT_STEPS = (Loss(65536, 768), Loss(65536, 768, "PerDimension"))

TILE, STAGED_DIMENSIONS, MOST_BLOCKS = 64, 8, 264


def anchors_held(of):
    """Returns the number of anchors that are worked on at once."""
    pairs_of_tile = TILE * of.triples * of.terms
    return min(of.triples, TILE * max(1, max(1 << 22, 8 * pairs_of_tile) // pairs_of_tile))


def dimension_parts(of, held):
    """Into how many parts of how many dimensions sums are divided."""
    tiles = parts(held, TILE) * parts(of.triples, TILE) * of.terms
    most = max(1, MOST_BLOCKS // tiles) if not of.by_products else 1
    size = STAGED_DIMENSIONS * parts(parts(of.dimension, STAGED_DIMENSIONS), most)
    return parts(of.dimension, size), size


def block_sum(warps):
    """The loops that add up the sums of a block's warps."""
    return (warps // 4, ()), (0, ()), (0, ())


def preparation(of):
    """Packs rows, and finds the form."""
    n, d = of.triples, of.dimension
    packed, math = 3 * n * d * 16, f"{of.similarity}<DeviceMath>"
    launches = [Launch(f"pack_gaussians_kernel<float, {math}>", 1, 3 * n, 128, 1.5 * packed,
                       ((parts(d, 128), ()), *block_sum(4)), 16)]  # fmt: skip
    flags = ((0, ()), *block_sum(8)) * 2
    if of.by_products:
        launches += [
            Launch("centre_kernel<float>", 1, parts(2 * d, 128), 128, FLOAT * 64 * 2 * d, ((8, ()), (0, ()))),
            Launch("product_rows_kernel<float>", 1, 3 * n, 128, packed + 2 * packed / 16 / 16 * FLOAT,
                   ((parts(d, 128), ()), *block_sum(4) * 2), 16),
            # Four turns are one.
            Launch(f"sample_kernel<float, {math}>", 1, 128, 256, 1024 * 2 * d * 16, ((0, ()), (parts(d, 128), ()))),
        ]  # fmt: skip
        flags = ((3 * n / 256, ()), *block_sum(8), (4, ()), *block_sum(8))
    return [*launches, Launch("form_kernel<float>", 1, 1, 256, 3 * n * FLOAT, (*flags, (3 * n / 256, ()), *block_sum(8)), 32)]


def product_gradients(of, held):
    n, d = of.triples, of.dimension
    size = (held + 2 * n) * d * 16 + of.terms * held * n * FLOAT
    # A role has one term on average.
    return [Launch(f"product_gradient_kernel<float, {side}>", n // held, parts(own, TILE) * 3 * parts(d, 64), 256, size,
                   ((1, ((parts(others, 16), ((4, ()),)),)),), 16 * 33 * 16 + 16 * 17 * 16)
            for side, own, others in ((0, held, n), (1, n, held))]  # fmt: skip


def pair_gradients(of, held):
    """Candidates are read and written with each tile of anchors."""
    n, d, columns = of.triples, of.dimension, 2 * of.dimension * FLOAT
    most = max(1, 2 * MOST_BLOCKS // (3 * parts(d, 32)))
    size = 16 * parts(parts(n, 16), most)
    count, tiles = parts(n, size), parts(held, TILE)
    sums = count * of.terms * held * columns
    return [
        Launch(f"contrastive_gradient_kernel<float, {of.similarity}<DeviceMath>, false>", n // held, count * 3 * parts(d, 32), 256,
               (held + 2 * n) * d * 16 + of.terms * held * n * FLOAT + 2 * tiles * 3 * n * columns + sums,
               ((1, ()), (tiles, ((parts(size, 16), ((16, ()),)),))), 16 * 32 * 16 + 16 * 17 * 16 + 16 * 8 * 2 * 32 * FLOAT,
               rare=DOUBLE),
        Launch("anchor_gradient_kernel<float>", n // held, held * 3 * parts(2 * d, 256), 256, sums + 2 * 3 * held * columns,
               ((1, ((parts(count, 4), ()),)),)),
    ]  # fmt: skip


def loss(of):
    """Kernels of the form that serves; those of other forms leave at once. No pair is close, and none far out."""
    n, d, terms, math = of.triples, of.dimension, of.terms, f"{of.similarity}<DeviceMath>"
    held = anchors_held(of)
    times, values = n // held, terms * held * n * FLOAT
    some_packed = (held + 2 * n) * d * 16
    divided, size = dimension_parts(of, held)
    if of.by_products:
        kind, staged, usual = f"ProductTile<float, {math}>", 2 * 17 * 33 * 16, {}
        # No pair is looked at again.
        pairs = ((parts(d, 16), ()), (0, ((0, ()),)))
    else:
        kind, staged = f"DifferenceTile<float, {math}>", 2 * STAGED_DIMENSIONS * (TILE + 1) * 16
        pairs = ((parts(size, STAGED_DIMENSIONS), ((min(size, STAGED_DIMENSIONS), ()),)),)
        # Rare code is float64.
        usual = {"rare": DOUBLE}
    # Eight parts of a pair's sums at once; code for what is left of them is jumped over.
    joined = ((parts(terms * n, 256), ((parts(divided, 8), ()),)), (parts(terms * n, 256), ()), *block_sum(8),
              (parts(terms * n, 256), ()))  # fmt: skip
    launches = [
        *preparation(of),
        Launch(f"pair_sums_kernel<float, {kind}>", times, parts(held, TILE) * parts(n, TILE) * terms * divided, 256,
               some_packed + divided * values, pairs, staged, **usual),
        Launch(f"softmax_kernel<float, {math}, 0>", times, held, 256, (divided + 5) * values, joined, 64,
               {"LDG": (0,)}),
    ]  # fmt: skip
    launches += product_gradients(of, held) if of.by_products else pair_gradients(of, held)
    return [*launches, Launch("loss_of_softmax_kernel<float>", 1, 1, 256, 3 * 8 * n, ((parts(n, 256), ()), *block_sum(8)), 64)]
