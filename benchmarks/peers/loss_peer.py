#!/usr/bin/env python3
"""The loss alone by the released formula in PyTorch: forward and backward in float32, time and memory; one JSON line.

`seconds` is the best of --repeats runs, as benchmark_loss has it; `extra_mb` is the largest resident memory
above that before the first run, less the gradients. The figures depend on huge pages: see README.md.
"""

import argparse
import os

import torch

import measurement
from gaussian_model import LOSSES, contrastive_loss


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=512, help="triples")
    parser.add_argument("--d", type=int, default=384, help="dimensions")
    parser.add_argument("--loss", choices=LOSSES, default="ent+con+rev")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def main():
    settings = parse_arguments()
    torch.set_num_threads(settings.threads)
    torch.manual_seed(0)
    shape = (3, settings.n, settings.d)
    mean = torch.tanh(torch.randn(shape)).requires_grad_()
    log_var = (0.3 * torch.randn(shape)).requires_grad_()

    def forward_and_backward(n=settings.n):
        mean.grad = log_var.grad = None
        contrastive_loss(*zip(mean[:, :n], log_var[:, :n]), settings.loss).backward()

    # A first small run loads the libraries of the backward pass, whose memory is not the formula's.
    forward_and_backward(1)
    mean.grad = log_var.grad = None
    measurement.reset_peak_memory()
    before = measurement.memory_mb()
    seconds = [measurement.seconds_of(forward_and_backward) for _ in range(settings.repeats)]
    gradients_mb = 2 * mean.numel() * mean.element_size() / 2**20
    measurement.print_line({
        "program": "released loss",
        "n": settings.n,
        "d": settings.d,
        "loss": settings.loss,
        "threads": settings.threads,
        "repeats": settings.repeats,
        "seconds": round(min(seconds), 6),
        "extra_mb": round(measurement.peak_memory_mb() - before - gradients_mb, 1),
    })  # fmt: skip


if __name__ == "__main__":
    main()
