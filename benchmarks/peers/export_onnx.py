#!/usr/bin/env python3
"""Writes an encoder with the mean of its token states as an ONNX file, by PyTorch's exporter.

Inputs input_ids and attention_mask, int64 [batch, tokens]; output float32 [batch, dimension].
"""

import argparse
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from transformers import AutoModel  # noqa: E402


class MeanPooled(torch.nn.Module):
    """An encoder and the mean of its last states over a sentence's tokens."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask):
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        weights = attention_mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="folder of the encoder")
    parser.add_argument("graph", help="the ONNX file to write")
    settings = parser.parse_args()
    # The plain attention is the pattern that the optimisers of runtimes know.
    encoder = AutoModel.from_pretrained(settings.model, local_files_only=True, attn_implementation="eager",
                                        dtype=torch.float32, add_pooling_layer=False)  # fmt: skip
    ids, mask = torch.ones((2, 8), dtype=torch.int64), torch.ones((2, 8), dtype=torch.int64)
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "tokens"} for name in names}
    torch.onnx.export(MeanPooled(encoder).eval(), (ids, mask), settings.graph, input_names=names,
                      output_names=["embedding"], dynamic_axes={**axes, "embedding": {0: "batch"}},
                      opset_version=17, dynamo=False)  # fmt: skip


if __name__ == "__main__":
    main()
