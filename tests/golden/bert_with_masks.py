"""BERT, MPNet, DistilBERT, ModernBERT and NomicBERT in PyTorch, one sentence at a time, with dropout masks that are a function of their place:
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


def drop_rows(dropout, x, site, sample, first_position=0):
    if dropout is None:
        return x
    rows = range(first_position, first_position + len(x))
    return x * torch.stack([dropout.mask(site, sample, row, x.shape[1]) for row in rows])


def drop_probabilities(dropout, p, site, sample):
    if dropout is None:
        return p
    heads, tokens = p.shape[:2]
    padded = (tokens + 15) // 16 * 16
    masks = [dropout.mask(site, sample, head, tokens * padded).view(tokens, padded) for head in range(heads)]
    return p * torch.stack(masks)[:, :, :tokens]


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

        def drop(x, site):
            return drop_rows(dropout, x, site, sample, first_position)

        x = self.weights["embeddings.word_embeddings.weight"][torch.tensor(ids)]
        x = x + self.weights["embeddings.position_embeddings.weight"][first_position : first_position + tokens]
        if self.kind == "bert":
            x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = drop(self.norm(x, "embeddings.LayerNorm"), 0)
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}."

            def by_head(part):
                return self.linear(x, name + "attention.self." + part).view(tokens, heads, -1).transpose(0, 1)

            query, key, value = by_head("query"), by_head("key"), by_head("value")
            scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2])
            if self.kind == "mpnet":
                biases = self.weights["encoder.relative_attention_bias.weight"]
                scores = scores + biases[relative_buckets(tokens)].permute(2, 0, 1)
            p = drop_probabilities(dropout, torch.softmax(scores, dim=-1), 1 + 3 * layer, sample)
            context = (p @ value).transpose(0, 1).reshape(tokens, -1)
            attended = self.linear(context, name + "attention.output.dense")
            if self.kind != "distilbert":
                attended = drop(attended, 2 + 3 * layer)
            x = self.norm(attended + x, name + "attention.output.LayerNorm")
            wide = torch.nn.functional.gelu(self.linear(x, name + "intermediate.dense"))
            x = self.norm(drop(self.linear(wide, name + "output.dense"), 3 + 3 * layer) + x,
                          name + "output.LayerNorm")
        return x


class RotaryEncoder:
    """ModernBERT and NomicBERT, by the names of their files; the tensors of a ModernBertModel or NomicBertModel, float64."""

    def __init__(self, config, weights):
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.is_modern = config["model_type"] == "modernbert"
        self.epsilon = config["norm_eps" if self.is_modern else "layer_norm_eps"]
        self.weights = weights
        rope = config["rope_parameters"]
        types = config.get("layer_types", ["full_attention"] * self.layers)
        self.bases = [(rope[kind] if self.is_modern else rope)["rope_theta"] for kind in types]
        self.distances = [config["local_attention"] // 2 if kind == "sliding_attention" else math.inf for kind in types]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T

    def norm(self, x, name):
        return torch.nn.functional.layer_norm(x, [x.shape[-1]], self.weights[name + ".weight"],
                                              self.weights.get(name + ".bias"), self.epsilon)

    def attention(self, x, names, layer, dropout, sample):
        """Output of attention by the complex numbers of pairs of columns, which turn with their place."""
        tokens = len(x)
        query, key, value = (part.view(tokens, self.heads, -1).transpose(0, 1)
                             for part in self.linear(x, names[0]).chunk(3, dim=1))
        half = query.shape[2] // 2
        places = torch.arange(tokens, dtype=torch.float64)
        angles = places[:, None] * self.bases[layer] ** (-torch.arange(half, dtype=torch.float64) / half)
        turns = torch.polar(torch.ones_like(angles), angles)

        def turned(of):
            pairs = torch.complex(of[..., :half], of[..., half:]) * turns
            return torch.cat([pairs.real, pairs.imag], dim=2)

        scores = turned(query) @ turned(key).transpose(1, 2) / math.sqrt(query.shape[2])
        is_far = (places[None] - places[:, None]).abs() > self.distances[layer]
        p = torch.softmax(scores.masked_fill(is_far, -math.inf), dim=-1)
        context = drop_probabilities(dropout, p, 1 + 3 * layer, sample) @ value
        output = self.linear(context.transpose(0, 1).reshape(tokens, -1), names[1])
        return drop_rows(dropout, output, 2 + 3 * layer, sample)

    def forward(self, ids, dropout=None, sample=0):
        """Hidden states of the last layer, [tokens, hidden]."""
        return (self.modern if self.is_modern else self.nomic)(torch.tensor(ids), dropout, sample)

    def modern(self, ids, dropout, sample):
        x = self.norm(self.weights["embeddings.tok_embeddings.weight"][ids], "embeddings.norm")
        x = drop_rows(dropout, x, 0, sample)
        for layer in range(self.layers):
            name = f"layers.{layer}."
            read = self.norm(x, name + "attn_norm") if layer else x
            x = x + self.attention(read, (name + "attn.Wqkv", name + "attn.Wo"), layer, dropout, sample)
            a, b = self.linear(self.norm(x, name + "mlp_norm"), name + "mlp.Wi").chunk(2, dim=1)
            output = self.linear(torch.nn.functional.gelu(a) * b, name + "mlp.Wo")
            x = x + drop_rows(dropout, output, 3 + 3 * layer, sample)
        return self.norm(x, "final_norm")

    def nomic(self, ids, dropout, sample):
        x = self.weights["embeddings.word_embeddings.weight"][ids] + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = drop_rows(dropout, self.norm(x, "emb_ln"), 0, sample)
        for layer in range(self.layers):
            name = f"encoder.layers.{layer}."
            attended = self.attention(x, (name + "attn.Wqkv", name + "attn.out_proj"), layer, dropout, sample)
            x = self.norm(x + attended, name + "norm1")
            wide = torch.nn.functional.silu(self.linear(x, name + "mlp.fc12")) * self.linear(x, name + "mlp.fc11")
            output = drop_rows(dropout, self.linear(wide, name + "mlp.fc2"), 3 + 3 * layer, sample)
            x = self.norm(x + output, name + "norm2")
        return x


def encoder(config, weights):
    return (RotaryEncoder if "rope_parameters" in config else Bert)(config, weights)


def tiny_model(name="tiny-bert"):
    """Configuration and float64 weights of a folder of weights."""
    folder = HERE / "weights" / name
    weights = load_file(folder / "model.safetensors")
    return json.loads((folder / "config.json").read_text()), {name: w.double() for name, w in weights.items()}


def check():
    """Raises unless the models without dropout are those of transformers."""
    for name in ("tiny-bert", "tiny-mpnet", "tiny-distilbert", "tiny-modernbert", "tiny-nomic_bert"):
        truth = load_file(HERE / "encoder" / f"{name}.safetensors")
        bert = encoder(*tiny_model(name))
        ids, offsets = truth["ids"].tolist(), truth["offsets"].tolist()
        hidden = torch.cat([bert.forward(ids[begin:end]) for begin, end in zip(offsets, offsets[1:])])
        difference = (hidden - truth["last_hidden_state"]).abs().max().item()
        if difference > 2e-5:
            raise SystemExit(f"{name} differs from transformers by {difference}")
