"""Predictions of a training step of bert-base's shape on an H200, made before any GPU ran the program.

They were derived from the instructions of the compiled kernels and from the bytes that each kernel moves, for 17 tokens a
sentence and the loss ent+con+rev of joint similarity. docs/developers/gpu_kernels.md has the same numbers; a test compares them.
"""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Prediction:
    """A group of a step's kernels. Numbers are of a batch of 64 triples and of one of 512."""

    name: str
    kernels: str  # pattern of their names; the first group whose pattern is found has the kernel
    milliseconds: tuple
    floor_milliseconds: tuple  # by the memory's rate, or by the tensor cores'
    instructions: tuple = (None, None)  # of warps, in millions


BATCHES = (64, 512)

# 12 layers of 768 and 3,072 columns; the last one works on first tokens alone. Attention, layer norms, GELU, AdamW, norm and
# loss are what predict.py makes of a build, all others were derived by hand.
GROUPS = (
    Prediction("attention, both ways", r"cuda::attention_", (0.28, 1.97), (0.15, 1.19), (123, 981)),
    Prediction("layer norm, backward", r"cuda::add_layer_norm_backward_kernel", (0.41, 1.79), (0.23, 1.75),
               (131, 704)),
    Prediction("layer norm", r"cuda::add_layer_norm_kernel", (0.26, 1.76), (0.22, 1.73), (85, 679)),
    Prediction("GELU, both ways", r"cuda::(bias_gelu|gelu_backward)_kernel", (0.39, 2.75), (0.31, 2.48),
               (172, 1336)),
    Prediction("AdamW", r"cuda::adamw_kernel", (0.77, 0.77), (0.76, 0.76), (399, 399)),
    Prediction("norm of the gradient",
               r"cuda::(sum_of_squares|sum_of_partials|round_to_bfloat16)_kernel", (0.1, 0.1), (0.1, 0.1), (24, 24)),
    Prediction("loss", r"cuda::(pack_gaussians|centre|product_rows|sample|form|pair_sums|softmax|loss_of_softmax"
               r"|contrastive_gradient|anchor_gradient|product_gradient)_kernel", (0.04, 0.4), (0.02, 0.15), (11, 188)),
    Prediction("matrix products", r"gemm|nvjet|cutlass|xmma|splitK|cublas", (3.5, 20.5), (2.1, 17.0)),
    Prediction("weight gradients: zeros", r"at::native::.*(FillFunctor|ZeroFunctor|CUDAFunctor_add|CUDAFunctorOnSelf_add)",
               (0.03, 0.03), (0.02, 0.02)),
    Prediction("column sums, copies, all others", r"", (0.31, 0.43), (0.04, 0.17)),
)  # fmt: skip

LAUNCHES = 330
PRODUCTS = 150
# Milliseconds of a whole step, and between which the prediction lies.
STEP = {64: (6.1, 5.2, 7.1), 512: (30.5, 26.0, 35.0)}
# Milliseconds of the host for a step's launches: at batch 4 nothing else takes longer.
HOST_MILLISECONDS = (2.2, 3.5)
# bert-large's shape at batch 512.
LARGE_STEP_MILLISECONDS = 100.0

# The paper's runs, for runs.py. Milliseconds of a step on the GPU by backbone at each batch size of the grid, and seconds of an
# evaluation of SNLI's dev set, as predict.py prints them.
GRID_BATCHES = (16, 32, 64, 128)
GRID_STEPS = {
    "BERT-base": (3.7, 4.4, 6.1, 9.5),
    "BERT-large": (9.2, 11.9, 17.7, 29.3),
    "RoBERTa-base": (3.8, 4.6, 6.2, 9.7),
    "RoBERTa-large": (9.4, 12.1, 17.8, 29.4),
}
LAYERS = {"BERT-base": 12, "BERT-large": 24, "RoBERTa-base": 12, "RoBERTa-large": 24}
EVALUATION_SECONDS = {"BERT-base": 0.10, "BERT-large": 0.26, "RoBERTa-base": 0.10, "RoBERTa-large": 0.26}
# Likely, least and most.
START_AND_END_SECONDS = {"BERT-base": (9, 6, 14), "BERT-large": (12, 8, 19),
                         "RoBERTa-base": (9, 6, 14), "RoBERTa-large": (12, 8, 19)}  # fmt: skip
ERROR = 0.16  # of steps and evaluations, up and down


def group_of(kernel):
    """The group of a kernel, by its demangled name."""
    return next(group for group in GROUPS if re.search(group.kernels, kernel))
