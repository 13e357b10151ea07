#!/usr/bin/env python3
"""Speed of ONNX Runtime in encoding, of a model that export_onnx.py and quantize.py wrote; one JSON line.

Batches of similar length, one session with all threads. Tokens by the `tokenizers` library, within the time.
"""

import argparse
import pathlib

import numpy
import onnxruntime
from tokenizers import Tokenizer

import encoding
import measurement


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="folder with tokenizer.json")
    parser.add_argument("--graph", required=True, help="ONNX file")
    parser.add_argument("--batch-size", type=int, default=32)
    encoding.add_options(parser)
    settings = parser.parse_args()
    tokenizer = encoding.open_tokenizer(Tokenizer, settings)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = settings.threads
    session = onnxruntime.InferenceSession(settings.graph, options, providers=["CPUExecutionProvider"])

    def encode(sentences):
        vectors = None
        for rows, ids, mask in encoding.padded_batches(tokenizer, sentences, settings.batch_size):
            (some,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
            if vectors is None:
                vectors = numpy.empty((len(sentences), some.shape[1]), dtype=numpy.float32)
            vectors[rows] = some
        return vectors

    report = {"program": "onnxruntime encode", "batch_size": settings.batch_size, "threads": settings.threads}
    measurement.print_line({**report, **encoding.report(settings, encode)})


if __name__ == "__main__":
    main()
