"""Encoder, head and classifier of a training, in float64."""

import math
import re

import torch

import bert_with_masks
from make_batch_plan import draws
from training_cases import parts_of
from training_corpora import tokens_of

HEAD_STREAM = 0x696E6974 << 32
POOLINGS = {
    "first_token": lambda states: states[0],
    "mean": lambda states: states.mean(0),
    "mean_without_first": lambda states: states[1:].mean(0),
    "max": lambda states: states.max(0).values,
}


def scaled(rows):
    """Rows of the length sqrt(columns)."""
    return rows / rows.norm(dim=1, keepdim=True) * math.sqrt(rows.shape[1])


def gaussian_head(settings, hidden):
    """Names and shapes of a Gaussian head's tensors, in the order of their streams."""
    layers = ["mean"] if settings["model.head.mean"] != "identity" else []
    if settings.get("model.head.log_var", "linear") == "linear":
        layers.append("log_var")
    shapes = {f"{layer}.weight": (hidden, hidden) for layer in layers} | {f"{layer}.bias": (hidden,) for layer in layers}
    if "log_var" not in layers:
        width = settings["model.head.log_var_width"]
        shapes |= {"log_var.hidden.weight": (width, hidden), "log_var.hidden.bias": (width,),
                   "log_var.weight": (hidden, width), "log_var.bias": (hidden,)}
    return shapes


def uniform_values(stream, count, bound):
    return [bound * (2 * (next(stream) / 2**32) - 1) for _ in range(count)]


def normal_values(stream, count, deviation):
    """By Box and Muller's method, from two draws a value."""
    def value():
        radius = math.sqrt(-2 * math.log((next(stream) + 1) / 2**32))
        return deviation * radius * math.cos(2 * math.pi * (next(stream) / 2**32))

    return [value() for _ in range(count)]


def of_head(name):
    return name.startswith(("head.", "objective."))


def is_trained(name, parameters):
    """Returns whether training.parameters, a word or {"from_layer": k}, has a tensor changed."""
    layer = re.search(r"layer\.(\d+)\.", name)
    first_layer = {"all": -1, "head": math.inf}[parameters] if isinstance(parameters, str) else parameters["from_layer"]
    return of_head(name) or (int(layer[1]) if layer else -1) >= first_layer


class Model:
    """Encoder, head and, for labelled pairs, a classifier. Each tensor of the last two has a stream of its own that is
    numbered after the encoder's; those of a Gaussian head are uniform within +-1/sqrt(inputs), the matrix of SimCSE's
    is normal with deviation 0.02, those of the classifier are uniform within +-1/sqrt(inputs). At an identity start the
    mean's layer is the identity, and the weights of the log-variance's last layer are 0."""

    def __init__(self, settings):
        self.backbone = settings.get("backbone", "tiny-bert")
        config, weights = bert_with_masks.tiny_model(self.backbone)
        hidden, count = config.get("hidden_size", config.get("dim")), len(weights)
        self.head = settings["model.head.kind"]
        names = {"gaussian": gaussian_head(settings, hidden),
                 "mlp_tanh": {"mlp.weight": (hidden, hidden), "mlp.bias": (hidden,)}, "none": {}}[self.head]
        for index, (name, shape) in enumerate(names.items()):
            stream = draws(settings["training.seed"], HEAD_STREAM + count + index)
            if self.head == "gaussian":
                inputs = names[name.replace("bias", "weight")][1]
                values = uniform_values(stream, math.prod(shape), 1 / math.sqrt(inputs))
            else:
                values = normal_values(stream, math.prod(shape), 0.02) if len(shape) == 2 else [0.0] * hidden
            weights["head." + name] = torch.tensor(values, dtype=torch.float64).float().double().view(shape)
        if settings.get("model.head.init") == "identity":
            start = {"mean.weight": torch.eye(hidden), "mean.bias": torch.zeros(hidden),
                     "log_var.weight": torch.zeros(names["log_var.weight"]),
                     "log_var.bias": torch.full((hidden,), float(settings["model.head.log_var_start"]))}
            weights |= {"head." + name: value.double() for name, value in start.items() if name in names}
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
        parameters = settings.get("training.parameters", "all")
        self.weights = {name: weight.clone().requires_grad_(is_trained(name, parameters))
                        for name, weight in weights.items()}
        self.initial = weights
        self.bert = bert_with_masks.encoder(config, self.weights)
        self.mean = settings["model.head.mean"]
        self.scales = settings.get("model.head.scale") == "unit"
        self.is_mlp = settings.get("model.head.log_var") == "mlp"
        self.pooling = POOLINGS[settings["model.pooling"]]

    def linear(self, pooled, name):
        return pooled @ self.weights[f"head.{name}.weight"].T + self.weights[f"head.{name}.bias"]

    def embed(self, sentences, dropout=None, samples=(), by_longest=False):
        """Returns the output of a Gaussian head (mean, log-variance) of each sentence, [n, hidden] both; of another a vector alone.
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
        read = scaled(pooled) if self.scales else pooled
        log_var = self.linear(torch.tanh(self.linear(read, "log_var.hidden")) if self.is_mlp else read, "log_var")
        if self.mean == "identity":
            return read, log_var
        mean = torch.tanh(self.linear(read, "mean")) if self.mean == "tanh" else self.linear(read, "mean")
        return (scaled(mean) if self.scales else mean), log_var

    def classify(self, premise, hypothesis, activation):
        """Logits of entailment, neutral, contradiction."""
        def layer(x, name):
            return (x @ self.weights[f"objective.classifier.{name}.weight"].T
                    + self.weights[f"objective.classifier.{name}.bias"])

        middle = layer(torch.cat([premise, hypothesis, (premise - hypothesis).abs()], dim=1), "hidden")
        return layer(torch.tanh(middle) if activation == "tanh" else middle, "output")

    def groups(self, settings):
        """Parameters for AdamW, the encoder's first: biases and layer norms apart where decay leaves them out."""
        rate = settings["training.learning_rate"]
        factors = [1, settings.get("training.head_learning_rate", rate) / rate]
        decay = settings["training.decay_biases_and_norms"]

        def group(in_head, spared):
            chosen = [weight for name, weight in self.weights.items() if of_head(name) == in_head
                      and (not decay and ("bias" in name or "norm" in name.lower() or "emb_ln" in name)) == spared]
            return {"params": chosen, "factor": factors[in_head],
                    "weight_decay": 0.0 if spared else settings["training.weight_decay"]}

        return [group(in_head, spared) for in_head in (False, True) for spared in (False, True)]
