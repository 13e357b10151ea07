"""BERT in PyTorch, one sentence at a time, with dropout masks that are a function of their place: what the goldens of
training steps are computed with. Without masks it must give what transformers gives: `check` compares it with
encoder/tiny-bert.safetensors, which make_weights.py took from there.

A mask is drawn by Philox4x32-10 under the key of a step. Element e of row r takes word (e / 16) % 4 of counter
{16 * (e / 64) + e % 16, r, sample, site}; it is kept if that word is at least probability * 2^32, rounded down, and
then multiplied by 1 / (1 - probability). Sites: 0 after the embeddings' layer norm; of layer l, 1 + 3l the attention
probabilities (row: head; element: query * padded tokens + key, padded to 16), 2 + 3l the attention's output and
3 + 3l the feed-forward output, each before the residual is added (row: position of the token).
"""

import json
import math
import pathlib
import sys

import torch
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "corpus"))
from make_batch_plan import WORD, philox  # noqa: E402


def words_of(seed):
    return [seed & WORD, seed >> 32]


class Dropout:
    """All masks of one step."""

    def __init__(self, seed, step, probability):
        self.key = philox([*words_of(step), 0, 1], words_of(seed))[:2]
        self.probability = probability

    def mask(self, site, sample, row, count):
        """The factors of `count` elements of a row."""
        threshold = int(self.probability * 2**32)
        kept = 1 / (1 - self.probability)
        factors = []
        for group in range(0, count, 64):
            lanes = [philox([group // 4 + lane, row, sample, site], self.key) for lane in range(16)]
            words = [lanes[e % 16][e // 16] for e in range(min(64, count - group))]
            factors += [kept if word >= threshold else 0.0 for word in words]
        return torch.tensor(factors, dtype=torch.float64)


class Bert:
    """`weights`: the tensors of a BertModel without pooler, float64."""

    def __init__(self, config, weights):
        self.config = config
        self.weights = weights

    def linear(self, x, name):
        return torch.nn.functional.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return torch.nn.functional.layer_norm(x, [x.shape[-1]], weight, bias, self.config["layer_norm_eps"])

    def forward(self, ids, dropout=None, sample=0):
        """Hidden states of the last layer, [tokens, hidden]."""
        tokens, heads = len(ids), self.config["num_attention_heads"]

        def drop_rows(x, site):
            if dropout is None:
                return x
            return x * torch.stack([dropout.mask(site, sample, row, x.shape[1]) for row in range(tokens)])

        def drop_probabilities(p, site):
            if dropout is None:
                return p
            padded = (tokens + 15) // 16 * 16
            masks = [dropout.mask(site, sample, head, tokens * padded).view(tokens, padded) for head in range(heads)]
            return p * torch.stack(masks)[:, :, :tokens]

        x = self.weights["embeddings.word_embeddings.weight"][torch.tensor(ids)]
        x = x + self.weights["embeddings.position_embeddings.weight"][:tokens]
        x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = drop_rows(self.norm(x, "embeddings.LayerNorm"), 0)
        for layer in range(self.config["num_hidden_layers"]):
            name = f"encoder.layer.{layer}."

            def by_head(part):
                return self.linear(x, name + "attention.self." + part).view(tokens, heads, -1).transpose(0, 1)

            query, key, value = by_head("query"), by_head("key"), by_head("value")
            scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2])
            p = drop_probabilities(torch.softmax(scores, dim=-1), 1 + 3 * layer)
            context = (p @ value).transpose(0, 1).reshape(tokens, -1)
            attended = drop_rows(self.linear(context, name + "attention.output.dense"), 2 + 3 * layer)
            x = self.norm(attended + x, name + "attention.output.LayerNorm")
            wide = torch.nn.functional.gelu(self.linear(x, name + "intermediate.dense"))
            x = self.norm(drop_rows(self.linear(wide, name + "output.dense"), 3 + 3 * layer) + x,
                          name + "output.LayerNorm")
        return x


def tiny_bert():
    """Configuration and float64 weights of weights/tiny-bert."""
    folder = HERE / "weights" / "tiny-bert"
    weights = load_file(folder / "model.safetensors")
    return json.loads((folder / "config.json").read_text()), {name: w.double() for name, w in weights.items()}


def check():
    """Raises unless the model without dropout is the one of transformers."""
    truth = load_file(HERE / "encoder" / "tiny-bert.safetensors")
    bert = Bert(*tiny_bert())
    ids, offsets = truth["ids"].tolist(), truth["offsets"].tolist()
    hidden = torch.cat([bert.forward(ids[begin:end]) for begin, end in zip(offsets, offsets[1:])])
    difference = (hidden - truth["last_hidden_state"]).abs().max().item()
    if difference > 2e-5:
        raise SystemExit(f"BERT differs from transformers by {difference}")
