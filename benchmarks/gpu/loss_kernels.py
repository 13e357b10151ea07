"""The launches of the contrastive loss. It follows the host's code in model/kernels/cuda/contrastive.cuh, and the loops that
nvcc makes of a kernel."""

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
