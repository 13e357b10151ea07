"""Makes tests/golden/weights (tiny Hugging Face model folders) and tests/golden/encoder (inputs and the last hidden
states that transformers computes for them). Needs torch, transformers and safetensors:

    python tests/golden/make_weights.py

weights/tiny-bert              as transformers saves BertModel, without pooler
weights/tiny-roberta           as transformers saves RobertaModel, without pooler
weights/tiny-bert-old-names    the same values as tiny-bert, named as in old checkpoints: prefix, gamma and beta,
                               position_ids, a pooler and a language-model head
weights/tiny-roberta-sharded   the same values as tiny-roberta in three shards with an index, prefix and a head
weights/all-dtypes.safetensors every dtype that the reference writer takes, names that need escapes, one metadata key
weights/tiny-xlm-roberta       as transformers saves XLMRobertaModel, without pooler
weights/tiny-mpnet             as transformers saves MPNetModel, without pooler
weights/tiny-distilbert        as transformers saves DistilBertModel
weights/tiny-modernbert        as transformers saves ModernBertModel
weights/tiny-nomic_bert        as transformers saves NomicBertModel, without pooler
encoder/tiny-{bert,roberta,xlm-roberta,mpnet,distilbert,modernbert,nomic_bert}.safetensors
    ids int32 [tokens], offsets int32 [sentences + 1], last_hidden_state float32 [tokens, hidden]; each sentence was
    computed alone, in eval mode, without padding. Of all but BERT and RoBERTa also output_gradient float32
    [tokens, hidden] and, by their names in files, what it makes the gradients of all tensors, computed in float64; of MPNet also
    buckets int32 [1201], those of keys 600 before the query to 600 behind it
"""

import copy
import ctypes
import json
import pathlib
import shutil

import torch
from safetensors import TensorSpec, serialize
from safetensors.torch import save_file
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel, MPNetConfig, MPNetModel
from transformers import ModernBertConfig, ModernBertModel, NomicBertConfig, NomicBertModel
from transformers import RobertaConfig, RobertaModel, XLMRobertaConfig, XLMRobertaModel
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

HERE = pathlib.Path(__file__).parent
LENGTHS = [1, 64, 2, 3, 17, 5, 33, 7, 48, 8, 31, 16]
SHAPE = dict(
    vocab_size=60,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=48,
    max_position_embeddings=70,
)


def randomise(model, seed):
    """Values wide enough that every part of the computation shows in the output."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            noise = torch.randn(parameter.shape, generator=generator)
            scale_of_norm = "norm" in name.lower() and name.endswith(".weight")
            parameter.copy_(1 + 0.2 * noise if scale_of_norm else 0.25 * noise)
    return model.eval()


def gradients(model, sentences, generator):
    """The gradient of the last hidden states, random, and that of each tensor."""
    twin = copy.deepcopy(model).double()
    states = torch.cat([twin(input_ids=ids[None]).last_hidden_state[0] for ids in sentences])
    of_states = torch.randn(states.shape, generator=generator)
    (states * of_states.double()).sum().backward()
    return {"output_gradient": of_states,
            **names_in_files({name: parameter.grad.float() for name, parameter in twin.named_parameters()})}


def names_in_files(tensors):
    """Names, and tensors joined, as transformers saves them; only those of NomicBERT differ."""
    names = {"embeddings.LayerNorm": "emb_ln", "self_attn.o_proj": "attn.out_proj", "up_proj": "fc11", "gate_proj": "fc12",
             "down_proj": "fc2", "post_attention_layernorm": "norm1", "post_mlp_layernorm": "norm2"}
    if not any("self_attn.q_proj" in name for name in tensors):
        return tensors
    saved = {}
    for name, tensor in tensors.items():
        for old, new in names.items():
            name = name.replace(old, new)
        saved["encoder." + name if name.startswith("layers.") else name] = tensor
    for name in [name for name in saved if "self_attn.q_proj" in name]:
        parts = [saved.pop(name.replace("q_proj", part)) for part in ("q_proj", "k_proj", "v_proj")]
        saved[name.replace("self_attn.q_proj", "attn.Wqkv")] = torch.cat(parts)
    return saved


def write_reference(model, name, seed, lengths=LENGTHS, with_gradients=False, others=None):
    generator = torch.Generator().manual_seed(seed)
    sentences = [torch.randint(3, SHAPE["vocab_size"], (n,), generator=generator) for n in lengths]
    with torch.no_grad():
        hidden = [model(input_ids=ids[None]).last_hidden_state[0] for ids in sentences]
    offsets = torch.tensor([0] + lengths).cumsum(0).to(torch.int32)
    tensors = {
        "ids": torch.cat(sentences).to(torch.int32),
        "offsets": offsets,
        "last_hidden_state": torch.cat(hidden),
        **(gradients(model, sentences, generator) if with_gradients else {}),
        **(others or {}),
    }
    save_file(tensors, HERE / "encoder" / f"{name}.safetensors")


def old_name(name):
    name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    return "bert." + name


def write_old_names(model, folder):
    generator = torch.Generator().manual_seed(5)
    hidden, vocabulary = SHAPE["hidden_size"], SHAPE["vocab_size"]
    tensors = {old_name(name): value.contiguous() for name, value in model.state_dict().items()}
    tensors["bert.embeddings.position_ids"] = torch.arange(SHAPE["max_position_embeddings"])[None]
    tensors["bert.pooler.dense.weight"] = torch.randn((hidden, hidden), generator=generator)
    tensors["bert.pooler.dense.bias"] = torch.randn((hidden,), generator=generator)
    tensors["cls.predictions.bias"] = torch.randn((vocabulary,), generator=generator)
    tensors["cls.predictions.transform.LayerNorm.gamma"] = torch.randn((hidden,), generator=generator)
    tensors["cls.seq_relationship.weight"] = torch.randn((2, hidden), generator=generator)
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder.parent / "tiny-bert" / "config.json").read_text())
    config["architectures"] = ["BertForPreTraining"]
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def write_sharded(model, folder):
    tensors = {"roberta." + name: value.contiguous() for name, value in model.state_dict().items()}
    tensors["lm_head.bias"] = torch.zeros(SHAPE["vocab_size"])
    names = sorted(tensors)
    folder.mkdir()
    weight_map = {}
    for shard in range(3):
        file = f"model-{shard + 1:05d}-of-00003.safetensors"
        mine = names[shard::3]
        save_file({name: tensors[name] for name in mine}, folder / file, metadata={"format": "pt"})
        weight_map.update({name: file for name in mine})
    total = sum(value.numel() * value.element_size() for value in tensors.values())
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")
    shutil.copy(folder.parent / "tiny-roberta" / "config.json", folder / "config.json")


def write_all_dtypes(path):
    widths = {"bool": 1, "uint8": 1, "int8": 1, "float8_e5m2": 1, "float8_e4m3fn": 1, "float8_e8m0fnu": 1,
              "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float4_e2m1fn_x2": 1, "int16": 2, "uint16": 2,
              "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4, "float32": 4, "complex64": 8, "float64": 8,
              "int64": 8, "uint64": 8}
    buffers, specs = [], {}

    def add(name, dtype, shape, size):
        data = bytes((7 * len(specs) + 3 * i) % 256 for i in range(size))
        buffers.append(ctypes.create_string_buffer(data, size))
        specs[name] = TensorSpec(dtype=dtype, shape=shape, data_ptr=ctypes.addressof(buffers[-1]), data_len=size)

    for dtype, width in widths.items():
        add(f"b.{dtype}", dtype, [3, 2], 6 * width)
        add(f"a.{dtype}", dtype, [1], width)
    add("single value", "float32", [], 4)
    add("empty", "float32", [0, 3], 0)
    add("empty too", "float32", [0], 0)
    add('quote " backslash \\ newline \n control \x01 \x7f letter \u00e9 emoji \U0001f600', "uint8", [1], 1)
    path.write_bytes(serialize(specs, {"key \t": "value \u2028 \x1f"}))


def main():
    for folder in (HERE / "weights").glob("tiny-*"):
        shutil.rmtree(folder)
    for name in ("weights", "encoder"):
        (HERE / name).mkdir(exist_ok=True)
    weights = HERE / "weights"
    bert = randomise(BertModel(BertConfig(**SHAPE), add_pooling_layer=False), seed=1)
    roberta_config = RobertaConfig(**SHAPE, type_vocab_size=1, layer_norm_eps=1e-5)
    roberta = randomise(RobertaModel(roberta_config, add_pooling_layer=False), seed=2)
    bert.save_pretrained(weights / "tiny-bert")
    roberta.save_pretrained(weights / "tiny-roberta")
    xlm_roberta_config = XLMRobertaConfig(**SHAPE, type_vocab_size=1, layer_norm_eps=1e-5)
    xlm_roberta = randomise(XLMRobertaModel(xlm_roberta_config, add_pooling_layer=False), seed=10)
    xlm_roberta.save_pretrained(weights / "tiny-xlm-roberta")
    write_reference(xlm_roberta, "tiny-xlm-roberta", seed=11, with_gradients=True)
    mpnet_config = MPNetConfig(**{**SHAPE, "max_position_embeddings": 140}, layer_norm_eps=1e-5)
    mpnet = randomise(MPNetModel(mpnet_config, add_pooling_layer=False), seed=6)
    distilbert = randomise(DistilBertModel(DistilBertConfig(
        vocab_size=SHAPE["vocab_size"], dim=SHAPE["hidden_size"], n_layers=SHAPE["num_hidden_layers"],
        n_heads=SHAPE["num_attention_heads"], hidden_dim=SHAPE["intermediate_size"],
        max_position_embeddings=SHAPE["max_position_embeddings"])), seed=7)
    # Both kinds of layers, with sentences that are longer than the window of the local ones.
    modernbert = randomise(ModernBertModel(ModernBertConfig(
        **{**SHAPE, "num_hidden_layers": 4}, local_attention=16, pad_token_id=0, bos_token_id=1, cls_token_id=1,
        eos_token_id=2, sep_token_id=2)), seed=10)
    nomic_bert = randomise(NomicBertModel(NomicBertConfig(**SHAPE), add_pooling_layer=False), seed=11)
    modernbert.save_pretrained(weights / "tiny-modernbert")
    nomic_bert.save_pretrained(weights / "tiny-nomic_bert")
    write_reference(modernbert, "tiny-modernbert", seed=12, with_gradients=True)
    write_reference(nomic_bert, "tiny-nomic_bert", seed=13, with_gradients=True)
    mpnet.save_pretrained(weights / "tiny-mpnet")
    distilbert.save_pretrained(weights / "tiny-distilbert")
    buckets = MPNetEncoder.relative_position_bucket(torch.arange(-600, 601)).to(torch.int32)
    write_reference(mpnet, "tiny-mpnet", seed=8, lengths=[130, 1, 2, 33, 17, 96, 8, 31], with_gradients=True,
                    others={"buckets": buckets})
    write_reference(distilbert, "tiny-distilbert", seed=9, with_gradients=True)
    write_reference(bert, "tiny-bert", seed=3)
    write_reference(roberta, "tiny-roberta", seed=4)
    write_old_names(bert, weights / "tiny-bert-old-names")
    write_sharded(roberta, weights / "tiny-roberta-sharded")
    write_all_dtypes(weights / "all-dtypes.safetensors")


if __name__ == "__main__":
    main()
