#!/usr/bin/env python3
"""Speed of OpenVINO in encoding, of a model that export_onnx.py wrote; one JSON line.

A stream for each thread: several batches of similar length are computed at once, each by one thread. Tokens by the
`tokenizers` library, within the time.
"""

import argparse
import pathlib

import numpy
import openvino
from tokenizers import Tokenizer

import encoding
import measurement


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="folder with tokenizer.json")
    parser.add_argument("--graph", required=True, help="ONNX file")
    parser.add_argument("--precision", choices=("bf16", "f32"), required=True)
    parser.add_argument("--batch-size", type=int, default=32)
    encoding.add_options(parser)
    settings = parser.parse_args()
    tokenizer = encoding.open_tokenizer(Tokenizer, settings)
    compiled = openvino.Core().compile_model(settings.graph, "CPU", {
        "NUM_STREAMS": str(settings.threads),
        "INFERENCE_NUM_THREADS": str(settings.threads),
        "INFERENCE_PRECISION_HINT": settings.precision,
    })  # fmt: skip
    dimension = compiled.output(0).get_partial_shape()[1].get_length()

    def encode(sentences):
        vectors = numpy.empty((len(sentences), dimension), dtype=numpy.float32)

        def keep(request, rows):
            vectors[rows] = request.get_output_tensor(0).data

        queue = openvino.AsyncInferQueue(compiled, settings.threads)
        queue.set_callback(keep)
        for rows, ids, mask in encoding.padded_batches(tokenizer, sentences, settings.batch_size):
            queue.start_async({"input_ids": ids, "attention_mask": mask}, rows)
        queue.wait_all()
        return vectors

    report = {"program": "openvino encode", "batch_size": settings.batch_size, "precision": settings.precision,
              "threads": settings.threads}  # fmt: skip
    measurement.print_line({**report, **encoding.report(settings, encode)})


if __name__ == "__main__":
    main()
