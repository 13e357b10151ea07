#!/usr/bin/env python3
"""Makes tests/golden/loss/cases.safetensors: the contrastive loss of Gaussians and its gradients.

Inputs are float32, so that a float32 implementation starts from the very same numbers; values and gradients are
float64, by automatic differentiation of the formula as it is written. Tensors of a case:

    <case>/mean, <case>/log_var                      float32 [3, n, d]: premises, entailments, contradictions
    <case>/<similarity>/<loss>/value                 float64 []
    <case>/<similarity>/<loss>/grad_mean             float64 [3, n, d]
    <case>/<similarity>/<loss>/grad_log_var          float64 [3, n, d]
    <case>/per_dimension/<loss>/released_value       float32 []: the released program's formula in float32
    <case>/per_dimension/<loss>/released_grad_mean, released_grad_log_var    float32 [3, n, d]

The temperature is in the file's metadata. Not every case has every similarity and loss: the file is kept small.
Needs torch and safetensors; writes the same bytes every time.
"""

import argparse
import pathlib

import torch
from safetensors.torch import save

TEMPERATURE = 0.05
LOSSES = ("ent", "ent+con", "ent+rev", "ent+con+rev")
SIMILARITIES = ("per_dimension", "joint")
EVERY = tuple((similarity, loss) for similarity in SIMILARITIES for loss in LOSSES)
FULL_LOSS = tuple((similarity, "ent+con+rev") for similarity in SIMILARITIES)
PREMISE, ENTAILMENT, CONTRADICTION = range(3)

# (kind of input, n triples, d dimensions, which similarities and losses, with the released float32 formula)
CASES = (
    ("normal", 1, 3, EVERY, True),
    ("normal", 1, 40, FULL_LOSS, True),
    ("normal", 5, 3, EVERY, True),
    ("normal", 5, 16, EVERY, True),
    ("normal", 17, 3, EVERY, False),
    ("normal", 17, 16, (("per_dimension", "ent+con+rev"),), True),
    ("normal", 17, 40, FULL_LOSS, False),
    ("huge", 1, 16, FULL_LOSS, False),
    ("huge", 5, 3, EVERY, False),
    ("huge", 5, 16, FULL_LOSS, False),
    ("tiny", 1, 16, FULL_LOSS, False),
    ("tiny", 5, 3, EVERY, False),
    ("tiny", 5, 16, FULL_LOSS, False),
    ("equal", 1, 3, EVERY, False),
    ("equal", 5, 16, FULL_LOSS, False),
    ("repeated", 5, 3, EVERY, False),
    ("repeated", 17, 3, FULL_LOSS, False),
    ("far", 5, 16, FULL_LOSS, False),
    ("far", 1, 40, FULL_LOSS, False),
)


def make_inputs(kind, n, d, generator):
    """Mean and log-variance of a case, float32 [3, n, d]."""

    def normal():
        return torch.randn(3, n, d, generator=generator, dtype=torch.float64)

    mean = torch.tanh(normal())
    log_var = normal()
    if kind == "huge":
        # Variances from e^-30 to e^30 side by side: most pairs are infinitely far apart for float32.
        log_var = 60 * torch.rand(3, n, d, generator=generator, dtype=torch.float64) - 30
        log_var[..., 0] = torch.where(log_var[..., 0] < 0, -30.0, 30.0)
    elif kind == "tiny":
        # Variances about e^-16, and means as close together as such Gaussians must be to overlap.
        log_var = -16 + 0.5 * log_var
        mean = mean[:1, :1] + torch.exp(torch.tensor(-8.0, dtype=torch.float64)) * normal()
    elif kind == "equal":
        mean = mean[:1, :1].expand(3, n, d)
        log_var = log_var[:1, :1].expand(3, n, d)
    elif kind == "repeated":
        # One hypothesis is its premise, another contradicts nothing, and the last triple is the first once more.
        mean[ENTAILMENT, 0], log_var[ENTAILMENT, 0] = mean[PREMISE, 0], log_var[PREMISE, 0]
        mean[CONTRADICTION, 1], log_var[CONTRADICTION, 1] = mean[ENTAILMENT, 1], log_var[ENTAILMENT, 1]
        mean[:, -1], log_var[:, -1] = mean[:, 0], log_var[:, 0]
    elif kind == "far":
        # Without tanh means may lie far from the origin: products of means lose what their differences keep.
        mean = 30 + mean
    elif kind != "normal":
        raise ValueError(f"no kind of input is called {kind!r}")
    return mean.float().contiguous(), log_var.float().contiguous()


def similarities(p, q, similarity):
    """sim(p_i || q_j) of all pairs, [n, m], for p = (mean, log_var) of [n, d] and q of [m, d]."""
    (p_mean, p_log_var), (q_mean, q_log_var) = p, q
    p_std = torch.sqrt(torch.exp(p_log_var))[:, None]
    q_std = torch.sqrt(torch.exp(q_log_var))[None, :]
    difference = p_mean[:, None] - q_mean[None, :]
    ratio = p_std / q_std
    kl = 0.5 * (ratio**2 + (difference / q_std) ** 2 - 1 - 2 * torch.log(ratio))
    if similarity == "joint":
        return 1 / (1 + kl.sum(dim=-1))
    return (1 / (1 + kl)).mean(dim=-1)


def contrastive_loss(mean, log_var, similarity, loss):
    def role(index):
        return mean[index], log_var[index]

    # Row i of each block belongs to anchor i, column j to candidate j.
    entailment = similarities(role(ENTAILMENT), role(PREMISE), similarity).T
    blocks = [entailment]
    if "con" in loss:
        blocks.append(similarities(role(CONTRADICTION), role(PREMISE), similarity).T)
    if "rev" in loss:
        blocks.append(similarities(role(PREMISE), role(ENTAILMENT), similarity).T)
    scores = torch.cat(blocks, dim=1) / TEMPERATURE
    return (torch.logsumexp(scores, dim=1) - entailment.diagonal() / TEMPERATURE).mean()


def value_and_gradients(mean, log_var, similarity, loss, dtype):
    mean = mean.to(dtype).requires_grad_()
    log_var = log_var.to(dtype).requires_grad_()
    value = contrastive_loss(mean, log_var, similarity, loss)
    grad_mean, grad_log_var = torch.autograd.grad(value, (mean, log_var))
    for tensor in (value, grad_mean, grad_log_var):
        if not torch.isfinite(tensor).all():
            raise ArithmeticError(f"{similarity}/{loss} is not finite in {dtype}")
    return value.detach(), grad_mean, grad_log_var


def make_cases():
    tensors = {}
    for seed, (kind, n, d, combinations, with_released) in enumerate(CASES):
        case = f"{kind}_n{n}_d{d}"
        mean, log_var = make_inputs(kind, n, d, torch.Generator().manual_seed(seed))
        tensors[f"{case}/mean"], tensors[f"{case}/log_var"] = mean, log_var
        for similarity, loss in combinations:
            prefix = f"{case}/{similarity}/{loss}/"
            names = ("value", "grad_mean", "grad_log_var")
            exact = value_and_gradients(mean, log_var, similarity, loss, torch.float64)
            tensors.update({prefix + name: tensor for name, tensor in zip(names, exact)})
            if with_released and similarity == "per_dimension":
                released = value_and_gradients(mean, log_var, similarity, loss, torch.float32)
                tensors.update({prefix + "released_" + name: tensor for name, tensor in zip(names, released)})
    return tensors


def main():
    default = pathlib.Path(__file__).parent / "loss" / "cases.safetensors"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", type=pathlib.Path, default=default)
    output = parser.parse_args().output
    torch.set_num_threads(1)
    tensors = make_cases()
    content = save(tensors, metadata={"temperature": str(TEMPERATURE)})
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(content)
    print(f"{output}: {len(CASES)} cases, {len(tensors)} tensors, {len(content)} bytes")


if __name__ == "__main__":
    main()
