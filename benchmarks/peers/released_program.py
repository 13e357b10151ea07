#!/usr/bin/env python3
"""The authors' released program, written anew in PyTorch and transformers: what gausscse is measured against.

With --steps N it times N training steps after --warm-up ones and prints one JSON line. Without, it trains for
--epochs, evaluates, and prints the figures as `gausscse train --json` writes them, with the run's settings.
Everything is read from local folders.
"""

import argparse
import json
import os
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from transformers import get_linear_schedule_with_warmup  # noqa: E402
from transformers.utils import logging  # noqa: E402

import measurement  # noqa: E402
import nli_metrics  # noqa: E402
from gaussian_model import LOSSES, GaussianEncoder, contrastive_loss  # noqa: E402
from nli_pairs import read_sick, read_snli  # noqa: E402
from triples import batches_without_end, read_triples, shuffled_batches  # noqa: E402


class Trainer:
    def __init__(self, model, settings, total_steps):
        self.model = model
        self.loss = settings.loss
        self.bf16 = settings.precision == "bf16"
        # Weight decay on every parameter: the released program's list of exceptions excludes none.
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=0.01)
        self.schedule = get_linear_schedule_with_warmup(self.optimizer, int(0.1 * total_steps), total_steps)
        self.padded_tokens = self.real_tokens = 0

    def step(self, batch):
        """One optimizer step on three lists of sentences; returns the loss."""
        self.model.train()
        tokens = [self.model.tokenize(sentences) for sentences in batch]
        with torch.autocast(self.model.device.type, dtype=torch.bfloat16, enabled=self.bf16):
            embeddings = [self.model(role) for role in tokens]
        loss = contrastive_loss(*embeddings, self.loss)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        self.padded_tokens += sum(role["attention_mask"].numel() for role in tokens)
        self.real_tokens += sum(int(role["attention_mask"].sum()) for role in tokens)
        return loss.item()


def time_training(model, triples, settings):
    """Learning rate warm-up and decay are as in a run of one epoch: they cost nothing and change nothing in time."""
    trainer = Trainer(model, settings, max(len(triples) // settings.batch_size, settings.warm_up + settings.steps))
    batches = batches_without_end(triples, settings.batch_size, settings.seed)
    # A step gives its loss as a number, and has waited for a GPU by that, but for the optimizer.
    finish = torch.cuda.synchronize if settings.device == "cuda" else lambda: None
    seconds, processor = measurement.time_steps(trainer.step, batches, settings.warm_up, settings.steps, finish)
    steps = settings.warm_up + settings.steps
    return {
        **measurement.rate_report(seconds, processor, settings.batch_size, "triples"),
        "real_tokens_per_step": round(trainer.real_tokens / steps, 1),
        "padded_tokens_per_step": round(trainer.padded_tokens / steps, 1),
    }


def train(model, triples, dev, settings):
    """Returns the steps made and the rate; the model is left in the state to be kept."""
    total_steps = settings.epochs * (len(triples) // settings.batch_size)
    trainer = Trainer(model, settings, total_steps)
    best_auprc, best_state, step, training_seconds = -1.0, None, 0, 0.0

    def evaluate_on_dev():
        nonlocal best_auprc, best_state
        auprc = nli_metrics.auprc(nli_metrics.score(model, dev, settings.precision), dev)
        print(f"step {step}: dev AUPRC {auprc:.4f}", file=sys.stderr)
        if auprc > best_auprc:
            best_auprc = auprc
            best_state = {name: tensor.clone() for name, tensor in model.state_dict().items()}

    for epoch in range(settings.epochs):
        for batch in shuffled_batches(triples, settings.batch_size, settings.seed, epoch):
            if settings.keep == "best" and step % settings.eval_every == 0:
                evaluate_on_dev()
            begin = time.perf_counter()
            loss = trainer.step(batch)
            training_seconds += time.perf_counter() - begin
            step += 1
            if step % 10 == 0:
                print(f"step {step} of {total_steps}: loss {loss:.4f}", file=sys.stderr)
    if settings.keep == "best":
        if step % settings.eval_every == 0:
            evaluate_on_dev()
        model.load_state_dict(best_state)
    rate = settings.batch_size * step / training_seconds if step else None
    return {"steps": step, "triples_per_second": rate, "peak_memory_mb": round(measurement.peak_memory_mb(), 1)}


def evaluate(model, dev, tests, settings):
    drop = settings.two_way_pairs == "drop"
    dev_scores = nli_metrics.score(model, dev, settings.precision)
    threshold = nli_metrics.best_threshold(dev_scores, dev)
    figures = {"dev": nli_metrics.metrics(dev_scores, dev, threshold, drop), "test": {}}
    for name, pairs in tests.items():
        scores = nli_metrics.score(model, pairs, settings.precision)
        figures["test"][name] = nli_metrics.metrics(scores, pairs, threshold, drop)
    return figures


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder of the pre-trained encoder")
    parser.add_argument("--triples", required=True, help="CSV of triples: sent0,sent1,hard_neg")
    parser.add_argument("--dev", help="SNLI jsonl whose figures choose the threshold; needed unless --steps is given")
    parser.add_argument("--snli", action="append", default=[], metavar="NAME=FILE", help="a test set, SNLI jsonl")
    parser.add_argument("--sick", action="append", default=[], metavar="NAME=FILE", help="a test set, SICK txt")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=3e-5)
    parser.add_argument("--loss", choices=LOSSES, default="ent+con+rev")
    parser.add_argument("--epochs", type=int, default=1, help="0: evaluate the untrained head")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--no-gradient-checkpointing", action="store_true", help="released: with checkpointing")
    parser.add_argument("--keep", choices=("last", "best"), default="last", help="which state is evaluated")
    parser.add_argument("--eval-every", type=int, default=100, help="steps between dev evaluations for --keep best")
    parser.add_argument("--two-way-pairs", choices=("keep", "drop"), default="keep")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--steps", type=int, default=0, help="time so many steps and do nothing else")
    parser.add_argument("--warm-up", type=int, default=2, help="steps before the timed ones")
    settings = parser.parse_args()
    if not settings.steps and not settings.dev:
        parser.error("give --dev, or --steps to time training only")
    return settings


def named_tests(settings):
    tests = {}
    for arguments, read in ((settings.snli, read_snli), (settings.sick, read_sick)):
        for argument in arguments:
            name, separator, path = argument.partition("=")
            if not separator:
                raise SystemExit(f"{argument!r} is not NAME=FILE")
            tests[name] = read(path)
    return tests


def main():
    settings = parse_arguments()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    torch.set_num_threads(settings.threads)
    os.environ.setdefault("RAYON_NUM_THREADS", str(settings.threads))
    torch.manual_seed(settings.seed)
    checkpointing = not settings.no_gradient_checkpointing
    triples = read_triples(settings.triples)
    report = {"program": "released", "gradient_checkpointing": checkpointing}
    for name in ("loss", "batch_size", "learning_rate", "seed", "precision", "device", "threads", "max_tokens"):
        report[name] = getattr(settings, name)
    model = GaussianEncoder(settings.model, checkpointing, settings.max_tokens).to(settings.device)
    if settings.steps:
        measurement.print_line({**report, **time_training(model, triples, settings)})
        return
    dev, tests = read_snli(settings.dev), named_tests(settings)
    report["training"] = train(model, triples, dev, settings)
    print(json.dumps({**report, "keep": settings.keep, **evaluate(model, dev, tests, settings)}, indent=2))


if __name__ == "__main__":
    main()
