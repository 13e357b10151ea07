"""Makes tests/golden/encoder/minilm.safetensors: last hidden states that transformers computes for the real MiniLM.
Needs torch, transformers and safetensors, and the model (scripts/fetch_minilm.sh):

    python tests/golden/make_minilm.py [models/minilm]

ids int32 [tokens], offsets int32 [sentences + 1], last_hidden_state float32 [tokens, 384]; random ids between the special
tokens, each sentence computed alone, in eval mode and float32, without padding.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import BertModel

HERE = pathlib.Path(__file__).parent
LENGTHS = [1, 64, 2, 7, 31, 12]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "models" / "minilm"
    model = BertModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float32).eval()
    generator = torch.Generator().manual_seed(5)
    ids, offsets, states = [], [0], []
    for length in LENGTHS:
        sentence = torch.randint(1000, 30000, (length,), generator=generator)
        sentence[0] = 101
        if length > 1:
            sentence[-1] = 102
        with torch.no_grad():
            states.append(model(sentence[None]).last_hidden_state[0])
        ids.append(sentence)
        offsets.append(offsets[-1] + length)
    save_file(
        {
            "ids": torch.cat(ids).to(torch.int32),
            "offsets": torch.tensor(offsets, dtype=torch.int32),
            "last_hidden_state": torch.cat(states).contiguous(),
        },
        HERE / "encoder" / "minilm.safetensors",
    )


main()
