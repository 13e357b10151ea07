#!/usr/bin/env python3
"""Makes the graphs that ONNX Runtime and OpenVINO run fastest from the ONNX file of export_onnx.py.

    onnxruntime-fp32  attention, layer norms and GELU as single operators (onnxruntime.transformers, needs torch)
    onnxruntime-int8  the same with weights in int8, by channel, and activations quantised at run time
    openvino-int8     weights and activations in int8 by nncf, with the ranges of 300 sentences
"""

import argparse
import json
import pathlib

import numpy
from tokenizers import Tokenizer

import encoding


def fuse(settings):
    from onnxruntime.transformers import optimizer

    config = json.loads((settings.model / "config.json").read_text())
    fused = optimizer.optimize_model(str(settings.source), model_type="bert", num_heads=config["num_attention_heads"],
                                     hidden_size=config["hidden_size"])  # fmt: skip
    fused.save_model_to_file(str(settings.graph))


def quantize_at_run_time(settings):
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # onnx cannot infer the types behind the single operators of ONNX Runtime.
    quantize_dynamic(settings.source, settings.graph, per_channel=True, weight_type=QuantType.QInt8,
                     extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})  # fmt: skip


def quantize_by_ranges(settings):
    import nncf
    import openvino

    tokenizer = encoding.open_tokenizer(Tokenizer, settings)
    sentences = encoding.read_sentences(settings.sentences)[:300]
    batches = [{"input_ids": ids, "attention_mask": mask}
               for _, ids, mask in encoding.padded_batches(tokenizer, sentences, 1)]  # fmt: skip
    quantized = nncf.quantize(openvino.Core().read_model(settings.source), nncf.Dataset(batches),
                              subset_size=len(batches), model_type=nncf.ModelType.TRANSFORMER)  # fmt: skip
    openvino.save_model(quantized, settings.graph, compress_to_fp16=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = {"onnxruntime-fp32": fuse, "onnxruntime-int8": quantize_at_run_time, "openvino-int8": quantize_by_ranges}
    parser.add_argument("form", choices=actions)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="folder with config.json and tokenizer.json")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the ONNX file to read")
    parser.add_argument("--graph", type=pathlib.Path, required=True, help="the file to write")
    parser.add_argument("--sentences", help="text file whose first 300 lines give the ranges")
    parser.add_argument("--max-tokens", type=int, default=64)
    settings = parser.parse_args()
    numpy.random.seed(0)
    actions[settings.form](settings)


if __name__ == "__main__":
    main()
