#!/usr/bin/env python3
"""Trains gausscse and the released program from the same weights on the same batches, in float32 without dropout, and
prints both losses of every step, and at the end both programs' figures on dev: what is left between the two programs is
rounding, or a mistake."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import torch
from safetensors.torch import load_file
from transformers import get_linear_schedule_with_warmup

import nli_metrics
from gaussian_model import LOSSES, GaussianEncoder, contrastive_loss
from nli_pairs import read_snli
from triples import read_triples

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "corpus"))
from make_batch_plan import shuffle  # noqa: E402


def run_gausscse(settings, folder, name, steps, learning_rate):
    """Returns the output folder. A learning rate too small for float32 leaves the first weights in it."""
    trial = {
        "format": "gausscse-trial/2",
        "model": {"backbone": {"path": str(pathlib.Path(settings.model).resolve())}},
        "objective": {"loss": settings.loss},
        "data": {"train": [str(pathlib.Path(settings.triples).resolve())]},
        "training": {
            "batch_size": settings.batch_size,
            "learning_rate": learning_rate,
            "max_steps": steps,
            "dropout": 0,
            "precision": "fp32",
            "seed": settings.seed,
        },
        "tasks": {"dev": {"kind": "nli", "files": str(pathlib.Path(settings.dev).resolve())}},
        "output": str(folder / name),
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(trial))
    subprocess.run([settings.program, "train", str(path), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return folder / name


def start_from(model, folder):
    """Puts gausscse's first head into the released program's model; the encoder's weights are in `model` already."""
    head = load_file(folder / "model" / "gausscse.safetensors")
    layers = {"mean": model.mean_layer, "log_var": model.log_var_layer}
    with torch.no_grad():
        for name, tensor in head.items():
            layer, parameter = name.split(".")
            getattr(layers[layer], parameter).copy_(tensor)


class Trainer:
    """Training of the released program, as its authors' PyTorch code does it."""

    def __init__(self, model, settings):
        self.model, self.loss = model, settings.loss
        # Weight decay on every parameter: the released program's list of exceptions excludes none.
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=0.01)
        self.schedule = get_linear_schedule_with_warmup(self.optimizer, int(0.1 * settings.steps), settings.steps)

    def step(self, batch):
        """One optimizer step on three lists of sentences; returns the loss."""
        self.model.train()
        loss = contrastive_loss(*(self.model(self.model.tokenize(sentences)) for sentences in batch), self.loss)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="gausscse")
    parser.add_argument("--model", required=True)
    parser.add_argument("--triples", required=True)
    parser.add_argument("--dev", required=True, help="SNLI's dev set, or a few pairs with entailments")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--loss", choices=LOSSES, default="ent+con+rev")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = GaussianEncoder(settings.model)
        start_from(model, run_gausscse(settings, folder, "start", 1, 1e-30))
        trained = run_gausscse(settings, folder, "trained", settings.steps, settings.learning_rate)
        with h5py.File(trained / "result.h5") as result:
            ours = result["training/loss"][:]
            figures = dict(result["states/last/tasks/dev/figures"].attrs)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    model.backbone.config.attention_probs_dropout_prob = 0.0
    for layer in model.backbone.encoder.layer:
        layer.attention.self.dropout_prob = 0.0

    triples = read_triples(settings.triples)
    order = shuffle(len(triples), settings.seed, 0)
    trainer = Trainer(model, settings)
    largest = 0.0
    print("step  gausscse  released  difference")
    for step in range(settings.steps):
        rows = order[step * settings.batch_size : (step + 1) * settings.batch_size]
        theirs = trainer.step(tuple([triples[row][role] for row in rows] for role in range(3)))
        largest = max(largest, abs(ours[step] - theirs))
        print(f"{step:4}  {ours[step]:8.5f}  {theirs:8.5f}  {ours[step] - theirs:10.2e}", flush=True)
    print(f"largest difference {largest:.2e}")
    pairs = read_snli(settings.dev)
    scores = nli_metrics.score(model, pairs)
    theirs = nli_metrics.metrics(scores, pairs, nli_metrics.best_threshold(scores, pairs))
    print("on dev           gausscse  released")
    for name in ("auprc", "accuracy", "direction_sim", "direction_var"):
        print(f"{name:16} {figures[name]:8.4f}  {theirs[name]:8.4f}")


if __name__ == "__main__":
    main()
