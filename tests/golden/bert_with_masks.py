"""BERT, MPNet and DistilBERT in PyTorch, one sentence at a time, with dropout masks that are a function of their place:
what the goldens of training steps are computed with. Without masks they must give what transformers gives: `check`
compares them with encoder/tiny-*.safetensors, which make_weights.py took from there.

A mask is drawn by Philox4x32-10 under the key of a step. Element e of row r takes word (e / 16) % 4 of counter
{16 * (e / 64) + e % 16, r, sample, site}; it is kept if that word is at least probability * 2^32, rounded down, and
then multiplied by 1 / (1 - probability). Sites: 0 after the embeddings' layer norm; of layer l, 1 + 3l the attention
probabilities (row: head; element: query * padded tokens + key, padded to 16), 2 + 3l the attention's output and
3 + 3l the feed-forward output, each before the residual is added (row: position of the token, from 2 on in MPNet).
DistilBERT drops nothing of the attention's output.
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


# Names of tensors of other models, in the order in which parts of BERT's names are replaced.
OWN_NAMES = {
    "bert": [],
    "mpnet": [("attention.self.query", "attention.attn.q"), ("attention.self.key", "attention.attn.k"),
              ("attention.self.value", "attention.attn.v"), ("attention.output.dense", "attention.attn.o"),
              ("attention.output.LayerNorm", "attention.LayerNorm")],
    "distilbert": [("encoder.layer", "transformer.layer"), ("attention.self.query", "attention.q_lin"),
                   ("attention.self.key", "attention.k_lin"), ("attention.self.value", "attention.v_lin"),
                   ("attention.output.dense", "attention.out_lin"), ("attention.output.LayerNorm", "sa_layer_norm"),
                   ("intermediate.dense", "ffn.lin1"), ("output.dense", "ffn.lin2"),
                   ("output.LayerNorm", "output_layer_norm")],
}


def relative_buckets(tokens):
    """Numbers [query, key] of the buckets of MPNet, from the definition: 16 for keys up to the query and 16 for those
    behind it, 8 of either for distances 0 to 7, then a logarithmic scale up to 128."""
    offsets = torch.arange(tokens)[None] - torch.arange(tokens)[:, None]
    distances = offsets.abs()
    # The ratio of logarithms may be a little below the whole number that it is.
    steps = 8 * torch.log(distances.clamp(min=1).double() / 8) / math.log(128 / 8)
    far = (8 + (steps + 1e-9).floor().long()).clamp(max=15)
    return torch.where(distances < 8, distances, far) + 16 * (offsets > 0)


class Bert:
    """`weights`: the tensors of a BertModel, MPNetModel or DistilBertModel without pooler, float64."""

    def __init__(self, config, weights):
        self.kind = config["model_type"]
        self.heads = config.get("num_attention_heads", config.get("n_heads"))
        self.layers = config.get("num_hidden_layers", config.get("n_layers"))
        self.epsilon = config.get("layer_norm_eps", 1e-12)
        self.weights = weights

    def weight(self, name):
        for of_bert, own in OWN_NAMES[self.kind]:
            name = name.replace(of_bert, own)
        return self.weights[name]

    def linear(self, x, name):
        return torch.nn.functional.linear(x, self.weight(name + ".weight"), self.weight(name + ".bias"))

    def norm(self, x, name):
        weight, bias = self.weight(name + ".weight"), self.weight(name + ".bias")
        return torch.nn.functional.layer_norm(x, [x.shape[-1]], weight, bias, self.epsilon)

    def forward(self, ids, dropout=None, sample=0):
        """Hidden states of the last layer, [tokens, hidden]."""
        tokens, heads = len(ids), self.heads
        first_position = 2 if self.kind == "mpnet" else 0

        def drop_rows(x, site):
            if dropout is None:
                return x
            rows = range(first_position, first_position + tokens)
            return x * torch.stack([dropout.mask(site, sample, row, x.shape[1]) for row in rows])

        def drop_probabilities(p, site):
            if dropout is None:
                return p
            padded = (tokens + 15) // 16 * 16
            masks = [dropout.mask(site, sample, head, tokens * padded).view(tokens, padded) for head in range(heads)]
            return p * torch.stack(masks)[:, :, :tokens]

        x = self.weights["embeddings.word_embeddings.weight"][torch.tensor(ids)]
        x = x + self.weights["embeddings.position_embeddings.weight"][first_position : first_position + tokens]
        if self.kind == "bert":
            x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = drop_rows(self.norm(x, "embeddings.LayerNorm"), 0)
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}."

            def by_head(part):
                return self.linear(x, name + "attention.self." + part).view(tokens, heads, -1).transpose(0, 1)

            query, key, value = by_head("query"), by_head("key"), by_head("value")
            scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2])
            if self.kind == "mpnet":
                biases = self.weights["encoder.relative_attention_bias.weight"]
                scores = scores + biases[relative_buckets(tokens)].permute(2, 0, 1)
            p = drop_probabilities(torch.softmax(scores, dim=-1), 1 + 3 * layer)
            context = (p @ value).transpose(0, 1).reshape(tokens, -1)
            attended = self.linear(context, name + "attention.output.dense")
            if self.kind != "distilbert":
                attended = drop_rows(attended, 2 + 3 * layer)
            x = self.norm(attended + x, name + "attention.output.LayerNorm")
            wide = torch.nn.functional.gelu(self.linear(x, name + "intermediate.dense"))
            x = self.norm(drop_rows(self.linear(wide, name + "output.dense"), 3 + 3 * layer) + x,
                          name + "output.LayerNorm")
        return x


def tiny_model(name="tiny-bert"):
    """Configuration and float64 weights of a folder of weights."""
    folder = HERE / "weights" / name
    weights = load_file(folder / "model.safetensors")
    return json.loads((folder / "config.json").read_text()), {name: w.double() for name, w in weights.items()}


def check():
    """Raises unless the models without dropout are those of transformers."""
    for name in ("tiny-bert", "tiny-mpnet", "tiny-distilbert"):
        truth = load_file(HERE / "encoder" / f"{name}.safetensors")
        bert = Bert(*tiny_model(name))
        ids, offsets = truth["ids"].tolist(), truth["offsets"].tolist()
        hidden = torch.cat([bert.forward(ids[begin:end]) for begin, end in zip(offsets, offsets[1:])])
        difference = (hidden - truth["last_hidden_state"]).abs().max().item()
        if difference > 2e-5:
            raise SystemExit(f"{name} differs from transformers by {difference}")
