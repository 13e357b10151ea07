"""A model as a class: sentences in, arrays of numpy out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

import numpy as np

from ._comparisons import Comparisons, open_model, progress_bar, thread_count
from ._embeddings import Embeddings
from ._gausscse import Model, sentences_of


def _texts(sentences) -> list[str]:
    texts = [sentences] if isinstance(sentences, str) else list(sentences)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"sentence {i} (from 0) is not a str but {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"sentence {i} (from 0) cannot be written as UTF-8: {error.reason}") from None
    return texts


def split(text: str, locale: str = "en-u-ss-standard") -> list[str]:
    """Returns the sentences of a text, as `gausscse split`; none goes on in the next line.

    `locale` is a tag of BCP 47. With `-u-ss-standard` known abbreviations end no sentence. Raises ValueError for another
    tag.

    >>> split("Mr. Smith left. Why?")
    ['Mr. Smith left.', 'Why?']
    """
    return sentences_of(_texts([text])[0], locale)


class Encoder(Comparisons):
    """A trained model.

    `path` is the folder `model` of a finished run, the folder of an encoder of Hugging Face, or a file of word vectors.

    - `pooling`, `precision`, `max_tokens`: as the options of `gausscse encode`; by default as the model says.
    - `calibration`: a file of `gausscse eval --save-calibration`, in place of the `calibration.json` of the model. One of
      hits serves `search` alone; the model's own one still gives the probabilities of pairs.
    - `threads`: threads that compute; by default as many as the cores that the process may use. Results have the same
      bits for any number.

    Several threads may use one object; their calls compute one after the other. A process that was forked after the first
    call must not compute: start others with `multiprocessing.get_context("spawn")`.
    """

    def __init__(self, path: str | os.PathLike[str], *, pooling: str | None = None, precision: str | None = None,
                 max_tokens: int | None = None, threads: int | None = None,
                 calibration: str | os.PathLike[str] | None = None):
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"max_tokens is {max_tokens}: give at least 1")
        self._model = open_model(lambda path, calibration: Model(path, pooling or "", precision or "", max_tokens or 0,
                                                                 thread_count(threads), calibration), path, calibration)

    @property
    def max_seq_length(self) -> int:
        """Number of tokens that longer sentences are cut to."""
        return self._model.max_tokens

    def encode(self, sentences: str | Sequence[str], batch_size: int | None = None,
               show_progress_bar: bool | None = None) -> Embeddings:
        """Returns the embeddings of the sentences; of one str those of one sentence.

        They are those of `gausscse encode`. `batch_size` changes neither bits nor speed: it is there for programs that
        were written for sentence-transformers. In another list the last bits of a sentence may differ.
        `show_progress_bar=True` draws a bar on standard error. Warns of sentences that were cut. Ctrl-C ends it with
        KeyboardInterrupt.
        """
        texts = _texts(sentences)
        with progress_bar(show_progress_bar, "Sentences", len(texts)) as move:
            rows, notes = self._model.embed(texts, move)
            if move:
                move(len(texts))
        for text in notes:
            warnings.warn(text, stacklevel=2)
        return Embeddings._of_rows(rows, self.is_gaussian)

    def _embedded(self, sentences) -> Embeddings:
        return self.encode(sentences)

    def _log_length_ratios(self, first, second) -> list[float]:
        if isinstance(first, Embeddings) or isinstance(second, Embeddings):
            return []
        lengths = [np.array([max(len(text), 1) for text in _texts(side)], np.float64) for side in (first, second)]
        return np.log(lengths[1] / lengths[0]).tolist()
