#!/usr/bin/env python3
"""Makes tests/golden/training: whole trainings of weights/tiny-bert, or others, by PyTorch, in float64, from what the recipes
say alone (the released programs' formulas and the papers' texts). Needs torch and safetensors:

    python tests/golden/make_training_steps.py

vocab.txt, mpnet_vocab.txt, train.csv, pairs.jsonl, premises.jsonl, dev.jsonl   what is trained and evaluated on;
             labelled pairs are those of pairs.jsonl or, with premises that come several times, of premises.jsonl
cases.json   of each case: the trial's keys beside its data and the defaults, and what comes out: loss, learning rate
             and gradient norm of each step, figures on dev, the labels that a classifier predicts there, and columns
             with each tensor's name, its norm, its product with cos(0, 1, 2, ...), by which any other value of it would
             show, and the norm of its change in training

Order of triples, initial head and dropout follow Philox, as docs/developers/structure.md and bert_with_masks.py say.
"""

import math
import random

import torch

import bert_with_masks
import golden_json
from make_batch_plan import shuffle
from training_cases import BACKBONES, CASES, COMMON, RECIPES
from training_corpora import FOLDER, make_corpora, make_pairs, make_premises, write_corpora
from training_figures import evaluate, told_labels
from training_losses import labelled_loss, loss_of
from training_model import Model

SEED = 2


def learning_rate(step, total, settings):
    peak = settings["training.learning_rate"]
    if settings["training.schedule"] == "linear_increase":
        return peak * step / (total - 1)
    warmup = int(settings["training.warmup_ratio"] * total)
    if settings["training.schedule"] == "warmup_constant":
        return peak * min(1, step / max(1, warmup))
    return peak * (step / warmup if step < warmup else (total - step) / (total - warmup))


def batches(count, settings):
    """Numbers of the triples of each step of an endless training."""
    size, epoch = settings["training.batch_size"], 0
    while True:
        order = shuffle(count, settings["training.seed"], epoch)
        if settings["data.order"] == "file":
            order = list(range(count))
        ends = range(size, count + 1, size) if settings["data.last_batch"] == "drop" else range(size, count + size, size)
        for end in ends:
            yield order[end - size : end]
        epoch += 1


def train(settings, triples, dev):
    model = Model(settings)
    optimizer = torch.optim.AdamW(model.groups(settings), lr=1.0, eps=settings["training.epsilon"])
    size = settings["training.batch_size"]
    epoch_steps = len(triples) // size if settings["data.last_batch"] == "drop" else -(-len(triples) // size)
    total = settings.get("training.max_steps") or settings["training.epochs"] * epoch_steps
    result = {"loss": [], "learning_rate": [], "gradient_norm": [], "dev": []}
    order = batches(len(triples), settings)
    for step in range(total):
        if settings["tasks.dev.eval_every"] and step % settings["tasks.dev.eval_every"] == 0:
            result["dev"].append({"step": step, **evaluate(model, dev, settings)})
        batch = [triples[i] for i in next(order)]
        probability = settings["training.dropout"]
        dropout = bert_with_masks.Dropout(settings["training.seed"], step, probability) if probability else None
        labelled = settings["data.examples"] == "labelled_pairs"
        first = 1 if labelled else 0  # of the sentences, behind the label
        roles = [model.embed([triple[first + role] for triple in batch], dropout,
                             [3 * i + role for i in range(len(batch))],
                             settings.get("training.pooling_divisor") == "longest") for role in range(3 - first)]
        if labelled:
            loss = labelled_loss(model, roles[0][0], roles[1][0], batch, settings, step)
        else:
            loss = loss_of(*roles, settings)
        optimizer.zero_grad()
        loss.backward()
        limit = settings["training.clip_norm"] or math.inf
        norm = torch.nn.utils.clip_grad_norm_(list(model.weights.values()), limit)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, total, settings) * group["factor"]
        optimizer.step()
        result["loss"].append(loss.item())
        result["learning_rate"].append(optimizer.param_groups[0]["lr"])
        result["gradient_norm"].append(norm.item())
    result["dev"].append({"step": total, **evaluate(model, dev, settings)})
    if model.classifies:
        result["predictions"] = told_labels(model, dev, settings)
    tensors = result["tensors"] = {"name": [], "norm": [], "product": [], "change": []}
    for name, weight in model.weights.items():
        values, change = weight.detach().flatten(), (weight.detach() - model.initial[name]).norm().item()
        cosines = torch.cos(torch.arange(len(values), dtype=torch.float64))
        row = name, values.norm().item(), (values * cosines).sum().item(), change
        for column, value in zip(tensors.values(), row):
            column.append(value)
    return result


def main():
    bert_with_masks.check()
    triples, dev = make_corpora(random.Random(SEED))
    pairs = make_pairs(random.Random(SEED + 1))
    premises = make_premises(random.Random(SEED + 2))
    write_corpora(triples, pairs, premises, dev)
    labelled = [pair for pair in pairs if pair[0] != "-"]
    cases = []
    for name, keys in CASES.items():
        overrides = {key: value for key, value in {**COMMON, **keys}.items() if value is not None}
        backbone = {"backbone": BACKBONES[name]} if name in BACKBONES else {}
        settings = {"training.dropout": 0, **RECIPES[keys["recipe"]], **overrides, **backbone}
        file, examples = "train.csv", triples
        if settings["data.examples"] == "labelled_pairs":
            file, examples = ("premises.jsonl", premises) if keys["recipe"] == "liao" else ("pairs.jsonl", labelled)
        cases.append({"name": name, **backbone, "keys": overrides, "train": file, **train(settings, examples, dev)})
        print(name, cases[-1]["loss"], [figures["auprc"] for figures in cases[-1]["dev"]])
    golden_json.write(FOLDER / "cases.json", cases)


if __name__ == "__main__":
    main()
