"""Sentence encoder with Gaussian embeddings, and its contrastive loss, the way the authors' released program computes
them in float32: padded batches, a pass for each role, and similarities by tensors of n x m x d elements."""

import torch
from transformers import AutoModel, AutoTokenizer

LOSSES = ("ent", "ent+con", "ent+rev", "ent+con+rev")
TEMPERATURE = 0.05


class GaussianEncoder(torch.nn.Module):
    """Backbone from a local folder; mean = tanh(linear(h)) and log-variance = linear(h) of the first token's h."""

    def __init__(self, folder, max_tokens=64):
        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.backbone = AutoModel.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32, add_pooling_layer=False
        )
        self.max_tokens = max_tokens
        width = self.backbone.config.hidden_size
        self.mean_layer = torch.nn.Linear(width, width)
        self.log_var_layer = torch.nn.Linear(width, width)

    def tokenize(self, sentences):
        """Token ids and mask, padded to the longest of `sentences`."""
        return self.tokenizer(
            sentences, padding="longest", truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )

    def forward(self, tokens):
        """(mean, log_var), [n, width] each."""
        first_token = self.backbone(**tokens).last_hidden_state[:, 0]
        return torch.tanh(self.mean_layer(first_token)), self.log_var_layer(first_token)


def normal(embedding):
    mean, log_var = embedding
    return torch.distributions.Normal(mean, torch.sqrt(torch.exp(log_var)))


def similarity(p, q):
    """sim(p || q) over the last dimension: of rows, or of all pairs where the shapes broadcast to [n, m, d]."""
    divergence = torch.distributions.kl_divergence(normal(p), normal(q))
    return (1 / (1 + divergence)).mean(dim=-1)


def all_similarities(p, q):
    """sim(p_i || q_j): [n, m], through tensors of n x m x d elements."""
    return similarity([part[:, None] for part in p], [part[None, :] for part in q])


def contrastive_loss(premise, entailment, contradiction, loss):
    """Mean over the batch; each role is (mean, log_var) of [n, d]."""
    entailed = all_similarities(entailment, premise).T
    blocks = [entailed]
    if "con" in loss:
        blocks.append(all_similarities(contradiction, premise).T)
    if "rev" in loss:
        blocks.append(all_similarities(premise, entailment).T)
    labels = torch.arange(entailed.shape[0], device=entailed.device)
    return torch.nn.functional.cross_entropy(torch.cat(blocks, dim=1) / TEMPERATURE, labels)
