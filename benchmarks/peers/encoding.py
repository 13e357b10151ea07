"""Encoding of a text file by a peer: one input, two passes and one report for all of them.

The first pass, from the start of the process, is the rate of a whole process. The second one is the rate of the inner
loop, with everything loaded, compiled and cached.
"""

import os
import pathlib
import time

import numpy

import measurement


def read_sentences(path):
    with open(path, encoding="utf-8") as file:
        sentences = file.read().split("\n")
    if sentences[-1] == "":
        sentences.pop()
    return sentences


def open_tokenizer(library, settings):
    """The tokenizer of a model's folder, which cuts sentences and pads none; `library` is tokenizers.Tokenizer."""
    tokenizer = library.from_file(str(settings.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(settings.max_tokens)
    return tokenizer


def padded_batches(tokenizer, sentences, size):
    """Yields (rows, ids, mask) of batches of sentences of similar length: rows of the input, int64 [rows, tokens]."""
    encodings = [encoding.ids for encoding in tokenizer.encode_batch_fast(sentences)]
    order = sorted(range(len(encodings)), key=lambda row: -len(encodings[row]))
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        ids = numpy.zeros((len(rows), len(encodings[rows[0]])), dtype=numpy.int64)
        mask = numpy.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(encodings[row])] = encodings[row]
            mask[place, : len(encodings[row])] = 1
        yield rows, ids, mask


def agreement(vectors, reference):
    """Mean and least cosine of the rows of both; {} without a reference."""
    if not reference:
        return {}
    expected = numpy.load(reference).astype(numpy.float64)
    if expected.shape != vectors.shape:
        raise SystemExit(f"{reference}: {expected.shape} vectors, here {vectors.shape}")
    vectors = vectors.astype(numpy.float64)
    lengths = numpy.linalg.norm(vectors, axis=1) * numpy.linalg.norm(expected, axis=1)
    cosines = (vectors * expected).sum(axis=1) / lengths
    return {"cosine_mean": round(float(cosines.mean()), 6), "cosine_least": round(float(cosines.min()), 6)}


def add_options(parser):
    parser.add_argument("--sentences", required=True, help="text file, one sentence a line")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--passes", type=int, choices=(1, 2), default=2, help="1: the rate is that of the first pass")
    parser.add_argument("--vectors", type=pathlib.Path, help="write the vectors to this .npy file")
    parser.add_argument("--reference", type=pathlib.Path, help=".npy file of vectors to compare with")


def report(settings, encode, sentences=None):
    """`encode` takes sentences and returns float32 [sentences, dimension]. Returns the fields of the JSON line."""
    sentences = sentences or read_sentences(settings.sentences)
    begin, processor_begin = time.perf_counter(), time.process_time()
    vectors = encode(sentences)
    whole, whole_processor = measurement.seconds_since_start(), time.process_time()
    if settings.passes == 2:
        begin, processor_begin = time.perf_counter(), whole_processor
        encode(sentences)
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor_begin
    if settings.vectors:
        numpy.save(settings.vectors, vectors)
    return {
        "sentences": len(sentences),
        "sentences_per_second": round(len(sentences) / seconds, 2),
        "whole_process_sentences_per_second": round(len(sentences) / whole, 2),
        "processor_seconds": round(processor, 2),
        "whole_process_processor_seconds": round(whole_processor, 2),
        "peak_memory_mb": round(measurement.peak_memory_mb(), 1),
        **agreement(vectors, settings.reference),
    }
