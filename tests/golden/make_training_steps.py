#!/usr/bin/env python3
"""Makes tests/golden/training: whole trainings of weights/tiny-bert by PyTorch, in float64, from what the two recipes
say alone (the released program's formulas and the paper's text). Needs torch and safetensors:

    python tests/golden/make_training_steps.py

vocab.txt, train.csv, dev.jsonl   what is trained and evaluated on
cases.json   of each case: the trial's keys beside its data and the defaults, and what comes out: loss, learning rate
             and gradient norm of each step, figures on dev, and of each tensor its norm, its product with
             cos(0, 1, 2, ...), by which any other value of it would show, and the norm of its change in training

Order of triples, initial head and dropout follow Philox, as docs/structure.md and bert_with_masks.py say.
"""

import csv
import json
import math
import pathlib
import random

import torch
from make_loss import similarities

import bert_with_masks
from make_batch_plan import draws, shuffle

FOLDER = pathlib.Path(__file__).parent / "training"
CLS, SEP, FIRST_WORD = 2, 3, 5
HEAD_STREAM = 0x696E6974 << 32
MAX_TOKENS = 12
SEED = 2

# Values beside these are the recipe's.
COMMON = {"training.precision": "fp32", "training.max_tokens": MAX_TOKENS, "training.batch_size": 7,
          "training.learning_rate": 0.002, "training.weight_decay": 0.5, "training.seed": 5,
          "training.eval_every": 3, "training.dropout": 0, "training.keep": "last"}
RECIPES = {
    "released": {"loss": "ent+con+rev", "similarity": "per_dimension", "head.mean": "tanh", "training.epochs": 1,
                 "pooling": "first_token", "training.epsilon": 1e-8,
                 "training.schedule": "warmup_decay", "training.warmup_ratio": 0.1, "training.temperature": 0.05,
                 "training.decay_biases_and_norms": True, "training.clip_norm": 0, "data.last_batch": "drop",
                 "evaluation.auprc": "trapezoid"},
}
RECIPES["paper"] = {**RECIPES["released"], "similarity": "joint", "head.mean": "linear", "training.epochs": 3,
                    "training.schedule": "linear_increase", "evaluation.auprc": "sweep"}
CASES = {
    "released": {"recipe": "released", "training.epochs": 2, "training.warmup_ratio": 0.4},
    "paper": {"recipe": "paper", "training.epochs": 2},
    "entailment alone": {"recipe": "released", "loss": "ent", "training.epochs": 2, "training.temperature": 0.2},
    "without reversed pairs": {"recipe": "paper", "loss": "ent+con", "training.max_steps": 5,
                               "training.decay_biases_and_norms": False},
    "without contradictions": {"recipe": "released", "loss": "ent+rev", "data.last_batch": "keep",
                               "training.epochs": 1, "training.clip_norm": 0.7, "training.warmup_ratio": 0.3},
    "dropout": {"recipe": "released", "training.max_steps": 4, "training.dropout": 0.125,
                "training.warmup_ratio": 0.25},
    "constant rate": {"recipe": "released", "training.epochs": 1, "training.schedule": "warmup_constant",
                      "training.warmup_ratio": 0.6, "training.epsilon": 0.01},
    "mean of tokens": {"recipe": "released", "training.max_steps": 3, "pooling": "mean", "training.dropout": 0.125},
    "mean without the first token": {"recipe": "paper", "training.max_steps": 3, "pooling": "mean_without_first"},
    "maximum of tokens": {"recipe": "released", "training.max_steps": 3, "pooling": "max"},
}
POOLINGS = {
    "first_token": lambda states: states[0],
    "mean": lambda states: states.mean(0),
    "mean_without_first": lambda states: states[1:].mean(0),
    "max": lambda states: states.max(0).values,
}


def make_corpora(generator):
    """31 triples and 24 pairs of words w0 ... w54; some sentences are longer than MAX_TOKENS."""

    def sentence():
        return " ".join(f"w{generator.randrange(55)}" for _ in range(generator.randrange(2, 14)))

    triples = [tuple(sentence() for _ in range(3)) for _ in range(31)]
    labels = ["entailment"] * 9 + ["neutral"] * 8 + ["contradiction"] * 7
    generator.shuffle(labels)
    return triples, [(label, sentence(), sentence()) for label in labels]


def write_corpora(triples, dev):
    FOLDER.mkdir(exist_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(55)]
    (FOLDER / "vocab.txt").write_text("\n".join(words) + "\n")
    with open(FOLDER / "train.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("sent0", "sent1", "hard_neg"), *triples])
    lines = [json.dumps({"gold_label": label, "sentence1": p, "sentence2": h, "pairID": str(i)})
             for i, (label, p, h) in enumerate(dev)]
    (FOLDER / "dev.jsonl").write_text("\n".join(lines) + "\n")


def tokens_of(sentence):
    words = [FIRST_WORD + int(word[1:]) for word in sentence.split()]
    return [CLS, *words[: MAX_TOKENS - 2], SEP]


class Model:
    """Encoder and Gaussian head. The head is uniform within +-1/sqrt(hidden), each tensor from a stream of its own
    that is numbered after the encoder's."""

    def __init__(self, settings):
        config, weights = bert_with_masks.tiny_bert()
        hidden, count = config["hidden_size"], 5 + 16 * config["num_hidden_layers"]
        assert len(weights) == count
        shapes = {"mean.weight": (hidden, hidden), "log_var.weight": (hidden, hidden), "mean.bias": (hidden,),
                  "log_var.bias": (hidden,)}
        for index, (name, shape) in enumerate(shapes.items()):
            stream = draws(settings["training.seed"], HEAD_STREAM + count + index)
            bound = 1 / math.sqrt(hidden)
            values = [bound * (2 * (next(stream) / 2**32) - 1) for _ in range(math.prod(shape))]
            weights["head." + name] = torch.tensor(values).float().double().view(shape)
        self.weights = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        self.initial = weights
        self.bert = bert_with_masks.Bert(config, self.weights)
        self.tanh = settings["head.mean"] == "tanh"
        self.pooling = POOLINGS[settings["pooling"]]

    def embed(self, sentences, dropout=None, samples=()):
        """(mean, log-variance) of each sentence, [n, hidden] both."""
        states = [self.bert.forward(tokens_of(sentence), dropout, samples[i] if samples else 0)
                  for i, sentence in enumerate(sentences)]
        pooled = torch.stack([self.pooling(of_tokens) for of_tokens in states])
        mean = pooled @ self.weights["head.mean.weight"].T + self.weights["head.mean.bias"]
        log_var = pooled @ self.weights["head.log_var.weight"].T + self.weights["head.log_var.bias"]
        return (torch.tanh(mean) if self.tanh else mean), log_var

    def groups(self, decay, weight_decay):
        """Parameters for AdamW: biases and layer norms apart where decay leaves them out."""
        spared = [name for name in self.weights if not decay and (name.endswith("bias") or "LayerNorm" in name)]
        return [{"params": [w for name, w in self.weights.items() if name not in spared], "weight_decay": weight_decay},
                {"params": [self.weights[name] for name in spared], "weight_decay": 0.0}]


def loss_of(premise, entailment, contradiction, settings):
    """-log of the positive pair's share, mean over the batch; rows are anchors, columns candidates."""
    def block(candidates, anchors):
        return similarities(candidates, anchors, settings["similarity"]).T

    entailed = block(entailment, premise)
    blocks = [entailed]
    if "con" in settings["loss"]:
        blocks.append(block(contradiction, premise))
    if "rev" in settings["loss"]:
        blocks.append(block(premise, entailment))
    scores = torch.cat(blocks, dim=1) / settings["training.temperature"]
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(entailed)))


def learning_rate(step, total, settings):
    peak = settings["training.learning_rate"]
    if settings["training.schedule"] == "linear_increase":
        return peak * step / (total - 1)
    warmup = int(settings["training.warmup_ratio"] * total)
    if settings["training.schedule"] == "warmup_constant":
        return peak * min(1, step / max(1, warmup))
    return peak * (step / warmup if step < warmup else (total - step) / (total - warmup))


def area(scores, positive, auprc):
    """Under the precision-recall curve: of every distinct score, or of thresholds 1, 0.999, ..., 0."""
    thresholds = sorted(set(scores), reverse=True) if auprc == "trapezoid" else [k / 1000 for k in range(1000, -1, -1)]
    points = [(0.0, 1.0)]
    for threshold in thresholds:
        said = [positive[i] for i, score in enumerate(scores) if score >= threshold]
        if said:
            points.append((sum(said) / sum(positive), sum(said) / len(said)))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))


def figures_of(scores, back, var, dev, settings):
    positive = [label == "entailment" for label, _, _ in dev]
    directed = [i for i, entailed in enumerate(positive) if entailed]
    accuracies = [sum((s >= k / 1000) == p for s, p in zip(scores, positive)) / len(dev) for k in range(1001)]
    best = accuracies.index(max(accuracies))
    return {"auprc": area(scores, positive, settings["evaluation.auprc"]), "accuracy": accuracies[best],
            "threshold": best / 1000, "direction_sim": sum(scores[i] > back[i] for i in directed) / len(directed),
            "direction_var": sum(var[i] for i in directed) / len(directed)}


@torch.no_grad()
def evaluate(model, dev, settings):
    premise, hypothesis = model.embed([p for _, p, _ in dev]), model.embed([h for _, _, h in dev])
    scores = similarities(hypothesis, premise, settings["similarity"]).diagonal().tolist()
    back = similarities(premise, hypothesis, settings["similarity"]).diagonal().tolist()
    gap = (premise[1].sum(dim=1) - hypothesis[1].sum(dim=1)).tolist()
    figures = figures_of(scores, back, [g > 0 for g in gap], dev, settings)
    # What float32 rounds must not decide: choose another seed of the corpora where this fails.
    assert min(abs(a - b) / a for a, b in zip(scores, back)) > 1e-5 and min(abs(g) for g in gap) > 1e-4
    assert min((b - a) / b for a, b in zip(sorted(scores), sorted(scores)[1:])) > 1e-5
    for factor in (1 - 2e-6, 1 + 2e-6):
        assert figures_of([factor * s for s in scores], back, [g > 0 for g in gap], dev, settings)["threshold"] == (
            figures["threshold"])
    return figures


def batches(count, settings):
    """(epoch, numbers of triples) of each step of an endless training."""
    size, epoch = settings["training.batch_size"], 0
    while True:
        order = shuffle(count, settings["training.seed"], epoch)
        ends = range(size, count + 1, size) if settings["data.last_batch"] == "drop" else range(size, count + size, size)
        for end in ends:
            yield order[end - size : end]
        epoch += 1


def train(settings, triples, dev):
    model = Model(settings)
    decay = settings["training.decay_biases_and_norms"]
    optimizer = torch.optim.AdamW(model.groups(decay, settings["training.weight_decay"]), lr=1.0, eps=settings["training.epsilon"])
    size = settings["training.batch_size"]
    epoch_steps = len(triples) // size if settings["data.last_batch"] == "drop" else -(-len(triples) // size)
    total = settings.get("training.max_steps") or settings["training.epochs"] * epoch_steps
    result = {"loss": [], "learning_rate": [], "gradient_norm": [], "dev": []}
    order = batches(len(triples), settings)
    for step in range(total):
        if step % settings["training.eval_every"] == 0:
            result["dev"].append({"step": step, **evaluate(model, dev, settings)})
        batch = [triples[i] for i in next(order)]
        probability = settings["training.dropout"]
        dropout = bert_with_masks.Dropout(settings["training.seed"], step, probability) if probability else None
        roles = [model.embed([triple[role] for triple in batch], dropout, [3 * i + role for i in range(len(batch))])
                 for role in range(3)]
        loss = loss_of(*roles, settings)
        optimizer.zero_grad()
        loss.backward()
        limit = settings["training.clip_norm"] or math.inf
        norm = torch.nn.utils.clip_grad_norm_(list(model.weights.values()), limit)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, total, settings)
        optimizer.step()
        result["loss"].append(loss.item())
        result["learning_rate"].append(optimizer.param_groups[0]["lr"])
        result["gradient_norm"].append(norm.item())
    result["dev"].append({"step": total, **evaluate(model, dev, settings)})
    result["tensors"] = {}
    for name, weight in model.weights.items():
        values, change = weight.detach().flatten(), (weight.detach() - model.initial[name]).norm().item()
        cosines = torch.cos(torch.arange(len(values), dtype=torch.float64))
        result["tensors"][name] = [values.norm().item(), (values * cosines).sum().item(), change]
    return result


def main():
    bert_with_masks.check()
    triples, dev = make_corpora(random.Random(SEED))
    write_corpora(triples, dev)
    cases = []
    for name, keys in CASES.items():
        overrides = {**COMMON, **keys}
        settings = {**RECIPES[keys["recipe"]], **overrides}
        cases.append({"name": name, "keys": overrides, **train(settings, triples, dev)})
        print(name, cases[-1]["loss"], [figures["auprc"] for figures in cases[-1]["dev"]])
    (FOLDER / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
