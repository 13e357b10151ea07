#!/usr/bin/env python3
"""Time of SentEval's own classifiers on a task of one set (MR, CR, SUBJ, MPQA), with the vectors that benchmark_transfer
makes up; one JSON line. `--senteval` is a checkout of facebookresearch/SentEval, which is made to run on CPUs."""

import argparse
import os
import sys

import numpy
import torch

import measurement

SIZES = {"MR": 10662, "CR": 3775, "SUBJ": 10000, "MPQA": 10606}
MODES = {"full": (10, {"nhid": 0, "optim": "adam", "batch_size": 64, "tenacity": 5, "epoch_size": 4}),
         "fast": (5, {"nhid": 0, "optim": "rmsprop", "batch_size": 128, "tenacity": 3, "epoch_size": 2})}  # fmt: skip


class TorchOnCpu:
    def __getattr__(self, name):
        return (lambda _: torch.device("cpu")) if name == "device" else getattr(torch, name)


def import_classifiers(checkout):
    sys.path.insert(0, str(checkout))
    import inspect

    inspect.getargspec = inspect.getfullargspec
    torch.nn.Module.cuda = torch.Tensor.cuda = lambda self: self
    torch.cuda.FloatTensor = torch.FloatTensor
    from senteval.tools import classifier, validation

    classifier.torch = TorchOnCpu()
    return validation


def made_up(rows, width):
    number = numpy.arange(rows, dtype=numpy.uint32)[:, None]
    column = numpy.arange(width, dtype=numpy.uint32)[None, :]
    labels = (number * numpy.uint32(2654435761) >> numpy.uint32(8)) % numpy.uint32(2)
    x = number * numpy.uint32(0x9E3779B1) + column * numpy.uint32(0x85EBCA77)
    x = (x ^ (x >> numpy.uint32(15))) * numpy.uint32(0x2C1B3C6D)
    x = (x ^ (x >> numpy.uint32(12))) * numpy.uint32(0x297A2D39)
    x ^= x >> numpy.uint32(15)
    noise = (x >> numpy.uint32(8)).astype(numpy.float32) * numpy.float32(2.0**-23) - numpy.float32(1)
    meant = numpy.where(column % numpy.uint32(2) == labels, numpy.float32(0.0625), numpy.float32(0))
    return noise + meant, labels[:, 0].astype(numpy.int64)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--senteval", required=True)
    parser.add_argument("--task", choices=SIZES, default="CR")
    parser.add_argument("--mode", choices=MODES, default="full")
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    settings = parser.parse_args()
    torch.set_num_threads(settings.threads)
    validation = import_classifiers(settings.senteval)
    folds, classifier = MODES[settings.mode]
    x, y = made_up(SIZES[settings.task], settings.width)
    config = {"nclasses": 2, "seed": 1111, "usepytorch": True, "classifier": classifier, "kfold": folds}
    accuracies = []
    seconds = measurement.seconds_of(
        lambda: accuracies.extend(validation.InnerKFoldClassifier(x, y, config).run()))  # fmt: skip
    measurement.print_line({
        "tasks": settings.task,
        "mode": settings.mode,
        "width": settings.width,
        "threads": settings.threads,
        "accuracies": {settings.task: [float(each) for each in accuracies]},
        "seconds": round(seconds, 3),
    })  # fmt: skip


if __name__ == "__main__":
    main()
