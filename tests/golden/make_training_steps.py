#!/usr/bin/env python3
"""Makes tests/golden/training: whole trainings of weights/tiny-bert, or others, by PyTorch, in float64, from what the recipes
say alone (the released programs' formulas and the papers' texts). Needs torch and safetensors:

    python tests/golden/make_training_steps.py

vocab.txt, mpnet_vocab.txt, train.csv, pairs.jsonl, premises.jsonl, dev.jsonl   what is trained and evaluated on;
             labelled pairs are those of pairs.jsonl or, with premises that come several times, of premises.jsonl
cases.json   of each case: the trial's keys beside its data and the defaults, and what comes out: loss, learning rate
             and gradient norm of each step, figures on dev, the labels that a classifier tells there, and of each
             tensor its norm, its product with cos(0, 1, 2, ...), by which any other value of it would show, and the norm
             of its change in training

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
          "tasks.dev.eval_every": 3, "training.dropout": 0, "select.task": "", "select.figure": ""}
RECIPES = {
    "released": {"objective.loss": "ent+con+rev", "objective.similarity": "per_dimension", "model.head.mean": "tanh",
                 "training.epochs": 1, "model.pooling": "first_token", "training.epsilon": 1e-8,
                 "training.schedule": "warmup_decay", "training.warmup_ratio": 0.1, "objective.temperature": 0.05,
                 "training.decay_biases_and_norms": True, "training.clip_norm": 0, "data.last_batch": "drop",
                 "evaluation.auprc": "trapezoid", "model.head.kind": "gaussian", "objective.with_simcse": False,
                 "objective.kind": "gaussian_contrastive", "data.examples": "triples", "data.order": "shuffled"},
}
RECIPES["paper"] = {**RECIPES["released"], "objective.similarity": "joint", "model.head.mean": "linear",
                    "training.epochs": 3, "training.schedule": "linear_increase", "evaluation.auprc": "sweep"}
COSINE = {**RECIPES["released"], "objective.kind": "cosine_contrastive", "objective.hard_negatives": True,
          "objective.hard_negative_weight": 0, "objective.directions": "one", "training.clip_norm": 1.0,
          "data.last_batch": "keep"}
RECIPES["simcse"] = {**COSINE, "model.head.kind": "mlp_tanh", "training.epochs": 3, "training.warmup_ratio": 0}
RECIPES["dynamics"] = {**COSINE, "model.head.kind": "none", "model.pooling": "mean", "objective.hard_negatives": False,
                       "training.decay_biases_and_norms": False, "data.examples": "entailment_pairs"}
RECIPES["contrastive_pairs"] = {**RECIPES["dynamics"], "objective.directions": "both"}
RECIPES["liao"] = {**COSINE, "model.head.kind": "none", "model.pooling": "mean_without_first",
                   "objective.kind": "pair_classification", "objective.activation": "none",
                   "data.examples": "labelled_pairs", "data.order": "file", "training.schedule": "warmup_constant",
                   "training.clip_norm": 0, "training.epsilon": 1e-6, "training.pooling_divisor": "longest"}
CLASSIFICATION = {"recipe": "dynamics", "objective.kind": "pair_classification", "data.examples": "labelled_pairs",
                  "model.pooling": "mean_without_first"}
LIAO = {"recipe": "liao", "training.weight_decay": 0, "training.warmup_ratio": 0.3}


def liao_sum(weight_of_classification, weight_of_contrast, **contrast):
    return {"objective.kind": "sum", "objective.terms.classification": {
                "kind": "pair_classification", "weight": weight_of_classification, "activation": "none"},
            "objective.terms.contrastive": {"kind": "supervised_contrastive", "weight": weight_of_contrast,
                                            "temperature": 1.0, "positives": "all", "negatives": "all", **contrast}}


CASES = {
    "released": {"recipe": "released", "training.epochs": 2, "training.warmup_ratio": 0.4},
    "paper": {"recipe": "paper", "training.epochs": 2},
    "entailment alone": {"recipe": "released", "objective.loss": "ent", "training.epochs": 2,
                         "objective.temperature": 0.2},
    "without reversed pairs": {"recipe": "paper", "objective.loss": "ent+con", "training.max_steps": 5,
                               "training.decay_biases_and_norms": False},
    "without contradictions": {"recipe": "released", "objective.loss": "ent+rev", "data.last_batch": "keep",
                               "training.epochs": 1, "training.clip_norm": 0.7, "training.warmup_ratio": 0.3},
    "dropout": {"recipe": "released", "training.max_steps": 4, "training.dropout": 0.125,
                "training.warmup_ratio": 0.25},
    "constant rate": {"recipe": "released", "training.epochs": 1, "training.schedule": "warmup_constant",
                      "training.warmup_ratio": 0.6, "training.epsilon": 0.01},
    "mean of tokens": {"recipe": "released", "training.max_steps": 3, "model.pooling": "mean",
                       "training.dropout": 0.125},
    "mean without the first token": {"recipe": "paper", "training.max_steps": 3, "model.pooling": "mean_without_first"},
    "maximum of tokens": {"recipe": "released", "training.max_steps": 3, "model.pooling": "max"},
    "SimCSE": {"recipe": "simcse", "training.max_steps": 2, "training.batch_size": 6},
    "SimCSE with weighted hard negatives": {"recipe": "simcse", "training.max_steps": 4,
                                            "objective.hard_negative_weight": 1.5, "objective.temperature": 0.1,
                                            "training.dropout": 0.125},
    "dynamics": {"recipe": "dynamics"},
    "pairs both ways in the order of the file": {"recipe": "contrastive_pairs", "data.order": "file"},
    "pairs with hard negatives": {"recipe": "contrastive_pairs", "data.examples": "triples", "training.max_steps": 4,
                                  "objective.hard_negatives": True},
    "entailment with SimCSE": {"recipe": "released", "training.max_steps": 3, "objective.loss": "ent",
                               "objective.with_simcse": True},
    "classification of pairs in the order of the file": {**CLASSIFICATION, "data.order": "file",
                                                         "objective.activation": "none"},
    "classification of shuffled pairs": {**CLASSIFICATION, "objective.activation": "tanh", "training.dropout": 0.125,
                                         "training.epochs": 2, "training.batch_size": 9},
    "Liao by cross entropy alone": {**LIAO, "training.dropout": 0.125},
    "Liao by cross entropy as the text has it": {**LIAO, "training.schedule": "warmup_decay",
                                                 "training.pooling_divisor": "tokens"},
    "Liao with all positives and negatives": {**LIAO, **liao_sum(0.5, 0.5), "training.epochs": 2},
    "Liao as the text has it": {**LIAO, **liao_sum(0.7, 0.3, temperature=0.5), "training.schedule": "warmup_decay",
                                "training.pooling_divisor": "tokens", "training.dropout": 0.125},
    "Liao with three positives and three negatives": {**LIAO, **liao_sum(0.5, 0.5, positives=3, negatives=3),
                                                      "training.batch_size": 11, "training.epochs": 2},
    "Liao by contrast alone": {**LIAO, **liao_sum(0, 1.0, positives=2)},
    "Liao augmented": {**LIAO, "objective.kind": "augmented_classification", "objective.positives": "all",
                       "objective.negatives": "all", "objective.other_premise_label": "neutral"},
    "Liao augmented by three and three": {**LIAO, "objective.kind": "augmented_classification",
                                          "objective.positives": 3, "objective.negatives": 3,
                                          "objective.other_premise_label": "contradiction"},
}
# What is trained instead of weights/tiny-bert.
BACKBONES = {"MPNet": "tiny-mpnet", "first tokens of MPNet": "tiny-mpnet", "DistilBERT": "tiny-distilbert"}
CASES |= {
    "MPNet": {"recipe": "dynamics", "training.max_steps": 6, "training.dropout": 0.125, "model.pooling": "max"},
    "first tokens of MPNet": {"recipe": "paper", "training.max_steps": 4, "training.dropout": 0.125,
                              "training.decay_biases_and_norms": False},
    "DistilBERT": {"recipe": "paper", "training.max_steps": 4, "training.dropout": 0.125},
}
LABELS = ["entailment", "neutral", "contradiction"]
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


def make_pairs(generator):
    """25 labelled pairs; one is said twice, and one, which is no example, has no label."""
    pairs = [(generator.choice(LABELS), *(" ".join(f"w{generator.randrange(55)}" for _ in range(generator.randrange(2, 14)))
                                          for _ in range(2))) for _ in range(24)]
    pairs.insert(20, pairs[3])
    pairs.insert(8, ("-", *pairs[5][1:]))
    return pairs


def make_premises(generator):
    """Labelled pairs of few premises, one behind the other as in SNLI; the last four are no entailments, so that the
    last batch of seven has no anchor. Of two premises, which are the same tokens, the words behind the last token that
    is taken differ."""
    def sentence(words=None):
        return " ".join(f"w{generator.randrange(55)}" for _ in range(words or generator.randrange(2, 14)))

    long = sentence(11)
    pairs = []
    for number in range(8):
        premise = long + f" w{number}" if number in (2, 3) else sentence()
        for _ in range(generator.randrange(3, 6)):
            pairs.append((generator.choice(["entailment", "entailment", *LABELS]), premise, sentence()))
    pairs = pairs[:28]
    premise = sentence()
    return pairs + [(label, premise, sentence()) for label in ("neutral", "contradiction", "neutral", "neutral")]


def write_pairs(file, pairs):
    lines = [json.dumps({"gold_label": label, "sentence1": p, "sentence2": h, "pairID": str(i)})
             for i, (label, p, h) in enumerate(pairs)]
    (FOLDER / file).write_text("\n".join(lines) + "\n")


def write_corpora(triples, pairs, premises, dev):
    FOLDER.mkdir(exist_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(55)]
    (FOLDER / "vocab.txt").write_text("\n".join(words) + "\n")
    words = ["<s>", "<pad>", "</s>", "[UNK]"] + [f"w{i}" for i in range(55)] + ["<mask>"]
    (FOLDER / "mpnet_vocab.txt").write_text("\n".join(words) + "\n")
    with open(FOLDER / "train.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("sent0", "sent1", "hard_neg"), *triples])
    write_pairs("pairs.jsonl", pairs)
    write_pairs("premises.jsonl", premises)
    write_pairs("dev.jsonl", dev)


def tokens_of(sentence, backbone=None):
    cls, sep, first_word = (0, 2, 4) if backbone == "tiny-mpnet" else (CLS, SEP, FIRST_WORD)
    words = [first_word + int(word[1:]) for word in sentence.split()]
    return [cls, *words[: MAX_TOKENS - 2], sep]


def uniform_values(stream, count, bound):
    return [bound * (2 * (next(stream) / 2**32) - 1) for _ in range(count)]


def normal_values(stream, count, deviation):
    """By Box and Muller's method, from two draws a value."""
    def value():
        radius = math.sqrt(-2 * math.log((next(stream) + 1) / 2**32))
        return deviation * radius * math.cos(2 * math.pi * (next(stream) / 2**32))

    return [value() for _ in range(count)]


class Model:
    """Encoder, head and, for labelled pairs, a classifier. Each tensor of the last two has a stream of its own that is
    numbered after the encoder's; those of a Gaussian head are uniform within +-1/sqrt(hidden), the matrix of SimCSE's
    is normal with deviation 0.02, those of the classifier are uniform within +-1/sqrt(inputs)."""

    def __init__(self, settings):
        self.backbone = settings.get("backbone", "tiny-bert")
        config, weights = bert_with_masks.tiny_model(self.backbone)
        hidden, count = config.get("hidden_size", config.get("dim")), len(weights)
        self.head = settings["model.head.kind"]
        names = {"gaussian": ("mean.weight", "log_var.weight", "mean.bias", "log_var.bias"),
                 "mlp_tanh": ("mlp.weight", "mlp.bias"), "none": ()}[self.head]
        for index, name in enumerate(names):
            stream = draws(settings["training.seed"], HEAD_STREAM + count + index)
            shape = (hidden, hidden) if name.endswith("weight") else (hidden,)
            if self.head == "gaussian":
                values = uniform_values(stream, math.prod(shape), 1 / math.sqrt(hidden))
            else:
                values = normal_values(stream, math.prod(shape), 0.02) if len(shape) == 2 else [0.0] * hidden
            weights["head." + name] = torch.tensor(values, dtype=torch.float64).float().double().view(shape)
        self.classifies = any("classification" in part["objective.kind"] for _, part in parts_of(settings))
        if self.classifies:
            inputs, middle = 3 * hidden, 3 * hidden // 2
            shapes = {"hidden.weight": (middle, inputs), "hidden.bias": (middle,), "output.weight": (3, middle),
                      "output.bias": (3,)}
            for index, (name, shape) in enumerate(shapes.items()):
                stream = draws(settings["training.seed"], HEAD_STREAM + count + len(names) + index)
                bound = 1 / math.sqrt(inputs if name.startswith("hidden") else middle)
                values = uniform_values(stream, math.prod(shape), bound)
                weights["objective.classifier." + name] = (
                    torch.tensor(values, dtype=torch.float64).float().double().view(shape))
        self.weights = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        self.initial = weights
        self.bert = bert_with_masks.Bert(config, self.weights)
        self.tanh = settings["model.head.mean"] == "tanh"
        self.pooling = POOLINGS[settings["model.pooling"]]

    def linear(self, pooled, name):
        return pooled @ self.weights[f"head.{name}.weight"].T + self.weights[f"head.{name}.bias"]

    def embed(self, sentences, dropout=None, samples=(), by_longest=False):
        """Of a Gaussian head (mean, log-variance) of each sentence, [n, hidden] both; of another a vector alone.
        `by_longest`: sums over tokens without the first are divided by as many as the longest sentence has."""
        states = [self.bert.forward(tokens_of(sentence, self.backbone), dropout, samples[i] if samples else 0)
                  for i, sentence in enumerate(sentences)]
        pooled = torch.stack([self.pooling(of_tokens) for of_tokens in states])
        if by_longest:
            longest = max(len(of_tokens) for of_tokens in states)
            pooled = torch.stack([of_tokens[1:].sum(0) / (longest - 1) for of_tokens in states])
        if self.head == "none":
            return (pooled,)
        if self.head == "mlp_tanh":
            return (torch.tanh(self.linear(pooled, "mlp")),)
        mean = self.linear(pooled, "mean")
        return (torch.tanh(mean) if self.tanh else mean), self.linear(pooled, "log_var")

    def classify(self, premise, hypothesis, activation):
        """Logits of entailment, neutral, contradiction."""
        def layer(x, name):
            return (x @ self.weights[f"objective.classifier.{name}.weight"].T
                    + self.weights[f"objective.classifier.{name}.bias"])

        middle = layer(torch.cat([premise, hypothesis, (premise - hypothesis).abs()], dim=1), "hidden")
        return layer(torch.tanh(middle) if activation == "tanh" else middle, "output")

    def groups(self, decay, weight_decay):
        """Parameters for AdamW: biases and layer norms apart where decay leaves them out."""
        spared = [name for name in self.weights if not decay and ("bias" in name or "norm" in name.lower())]
        return [{"params": [w for name, w in self.weights.items() if name not in spared], "weight_decay": weight_decay},
                {"params": [self.weights[name] for name in spared], "weight_decay": 0.0}]


def parts_of(settings):
    """(weight, settings) of each objective that is computed."""
    if settings["objective.kind"] != "sum":
        return [(1, settings)]
    terms = [value for key, value in settings.items() if key.startswith("objective.terms.")]
    return [(term["weight"], {"objective." + key: value for key, value in term.items()})
            for term in terms if term["weight"] != 0]


def sets_of(pairs, settings, step, part):
    """(anchor, positives, negatives) of each entailment pair: numbers of pairs whose hypotheses it is compared with. Of
    more than a limit those with the smallest words are taken, Philox's for the hypothesis, the anchor and the step."""
    premises = [tuple(tokens_of(premise)) for _, premise, _ in pairs]
    seed = settings["training.seed"]
    key = bert_with_masks.philox([*bert_with_masks.words_of(step), 0, 2], bert_with_masks.words_of(seed))[:2]

    def take(anchor, candidates, limit):
        def word(candidate):
            words = bert_with_masks.philox([candidate, anchor, 0, 0], key)
            return words[1] << 32 | words[0]

        return sorted(candidates, key=word)[:limit]

    sets, numbers = [], range(len(pairs))
    most, most_negatives = (None if part[f"objective.{limit}"] == "all" else part[f"objective.{limit}"]
                            for limit in ("positives", "negatives"))
    for anchor in numbers:
        if pairs[anchor][0] != "entailment":
            continue
        positive = [j for j in numbers if pairs[j][0] == "entailment" and premises[j] == premises[anchor]]
        others = take(anchor, [j for j in positive if j != anchor], most and most - 1)
        negatives = take(anchor, [j for j in numbers if j not in positive], most_negatives)
        sets.append((anchor, [anchor] + others, negatives))
    return sets, premises


def supervised_loss(premise, hypothesis, pairs, settings, step, part):
    sets, _ = sets_of(pairs, settings, step, part)
    losses = []
    for anchor, positives, negatives in sets:
        scores = hypothesis @ premise[anchor] / part["objective.temperature"]
        logs = torch.log_softmax(scores[positives + negatives], dim=0)
        losses.append(-logs[: len(positives)].mean())
    return torch.stack(losses).mean() if losses else 0 * (premise.sum() + hypothesis.sum())


def classification_loss(model, premise, hypothesis, pairs, settings, step, part):
    left, right = list(range(len(pairs))), list(range(len(pairs)))
    labels = [LABELS.index(label) for label, _, _ in pairs]
    if part["objective.kind"] == "augmented_classification":
        sets, premises = sets_of(pairs, settings, step, part)
        for anchor, positives, negatives in sets:
            for other in positives[1:] + negatives:
                left.append(anchor)
                right.append(other)
                same = premises[other] == premises[anchor]
                labels.append(labels[other] if same else LABELS.index(part["objective.other_premise_label"]))
    logits = model.classify(premise[left], hypothesis[right], part["objective.activation"])
    return torch.nn.functional.cross_entropy(logits, torch.tensor(labels))


def labelled_loss(model, premise, hypothesis, pairs, settings, step):
    loss = 0
    for weight, part in parts_of(settings):
        if part["objective.kind"] == "supervised_contrastive":
            loss = loss + weight * supervised_loss(premise, hypothesis, pairs, settings, step, part)
        else:
            loss = loss + weight * classification_loss(model, premise, hypothesis, pairs, settings, step, part)
    return loss


def cosines(a, b):
    return torch.nn.functional.cosine_similarity(a[:, None], b[None], dim=2)


def cosine_loss(premise, entailment, contradiction, settings):
    """SimCSE's; `contradiction` is None where there are no hard negatives."""
    def cross_entropy(anchors, candidates, negatives):
        scores = cosines(anchors, candidates) / settings["objective.temperature"]
        if negatives is not None:
            of_negatives = cosines(anchors, negatives) / settings["objective.temperature"]
            own = torch.eye(len(anchors), dtype=torch.float64) * settings.get("objective.hard_negative_weight", 0)
            scores = torch.cat([scores, of_negatives + own], dim=1)
        return torch.nn.functional.cross_entropy(scores, torch.arange(len(anchors)))

    loss = cross_entropy(premise, entailment, contradiction)
    if settings.get("objective.directions") == "both":
        return (loss + cross_entropy(entailment, premise, None)) / 2
    return loss


def gaussian_loss(premise, entailment, contradiction, settings):
    """-log of the positive pair's share, mean over the batch; rows are anchors, columns candidates."""
    def block(candidates, anchors):
        return similarities(candidates, anchors, settings["objective.similarity"]).T

    entailed = block(entailment, premise)
    blocks = [entailed]
    if "con" in settings["objective.loss"]:
        blocks.append(block(contradiction, premise))
    if "rev" in settings["objective.loss"]:
        blocks.append(block(premise, entailment))
    scores = torch.cat(blocks, dim=1) / settings["objective.temperature"]
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(entailed)))


def loss_of(premise, entailment, contradiction, settings):
    if settings["objective.kind"] == "cosine_contrastive":
        negatives = contradiction[0] if settings["objective.hard_negatives"] else None
        return cosine_loss(premise[0], entailment[0], negatives, settings)
    loss = gaussian_loss(premise, entailment, contradiction, settings)
    if settings["objective.with_simcse"]:
        loss = loss + cosine_loss(premise[0], entailment[0], contradiction[0], settings)
    return loss


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
            "threshold": best / 1000,
            "direction_sim": back and sum(scores[i] > back[i] for i in directed) / len(directed),
            "direction_var": var and sum(var[i] for i in directed) / len(directed)}


@torch.no_grad()
def evaluate(model, dev, settings):
    premise, hypothesis = model.embed([p for _, p, _ in dev]), model.embed([h for _, _, h in dev])
    back = var = None  # a cosine has no direction
    if model.head == "gaussian":
        scores = similarities(hypothesis, premise, settings["objective.similarity"]).diagonal().tolist()
        back = similarities(premise, hypothesis, settings["objective.similarity"]).diagonal().tolist()
        gap = (premise[1].sum(dim=1) - hypothesis[1].sum(dim=1)).tolist()
        var = [g > 0 for g in gap]
        assert min(abs(a - b) / a for a, b in zip(scores, back)) > 1e-5 and min(abs(g) for g in gap) > 1e-4
    else:
        scores = cosines(hypothesis[0], premise[0]).diagonal().tolist()
    figures = figures_of(scores, back, var, dev, settings)
    # What float32 rounds must not decide: choose another seed of the corpora where this fails.
    assert min((b - a) / abs(b) for a, b in zip(sorted(scores), sorted(scores)[1:])) > 1e-5
    for factor in (1 - 2e-6, 1 + 2e-6):
        assert figures_of([factor * s for s in scores], back, var, dev, settings)["threshold"] == (
            figures["threshold"])
    return figures


@torch.no_grad()
def told_labels(model, dev, settings):
    """Numbers of the labels that the classifier tells."""
    activation = next(part["objective.activation"] for _, part in parts_of(settings) if "objective.activation" in part)
    logits = model.classify(model.embed([p for _, p, _ in dev])[0], model.embed([h for _, _, h in dev])[0], activation)
    highest = logits.sort(dim=1).values
    assert (highest[:, 2] - highest[:, 1]).min() > 1e-4  # what float32 rounds must not decide
    return logits.argmax(dim=1).tolist()


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
    decay = settings["training.decay_biases_and_norms"]
    optimizer = torch.optim.AdamW(model.groups(decay, settings["training.weight_decay"]), lr=1.0, eps=settings["training.epsilon"])
    size = settings["training.batch_size"]
    epoch_steps = len(triples) // size if settings["data.last_batch"] == "drop" else -(-len(triples) // size)
    total = settings.get("training.max_steps") or settings["training.epochs"] * epoch_steps
    result = {"loss": [], "learning_rate": [], "gradient_norm": [], "dev": []}
    order = batches(len(triples), settings)
    for step in range(total):
        if step % settings["tasks.dev.eval_every"] == 0:
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
            group["lr"] = learning_rate(step, total, settings)
        optimizer.step()
        result["loss"].append(loss.item())
        result["learning_rate"].append(optimizer.param_groups[0]["lr"])
        result["gradient_norm"].append(norm.item())
    result["dev"].append({"step": total, **evaluate(model, dev, settings)})
    if model.classifies:
        result["predictions"] = told_labels(model, dev, settings)
    result["tensors"] = {}
    for name, weight in model.weights.items():
        values, change = weight.detach().flatten(), (weight.detach() - model.initial[name]).norm().item()
        cosines = torch.cos(torch.arange(len(values), dtype=torch.float64))
        result["tensors"][name] = [values.norm().item(), (values * cosines).sum().item(), change]
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
        overrides = {**COMMON, **keys}
        backbone = {"backbone": BACKBONES[name]} if name in BACKBONES else {}
        settings = {**RECIPES[keys["recipe"]], **overrides, **backbone}
        file, examples = "train.csv", triples
        if settings["data.examples"] == "labelled_pairs":
            file, examples = ("premises.jsonl", premises) if keys["recipe"] == "liao" else ("pairs.jsonl", labelled)
        cases.append({"name": name, **backbone, "keys": overrides, "train": file, **train(settings, examples, dev)})
        print(name, cases[-1]["loss"], [figures["auprc"] for figures in cases[-1]["dev"]])
    (FOLDER / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
