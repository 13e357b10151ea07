"""A model as a class: sentences in, arrays of numpy out."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from ._arguments import texts, thread_count, warn, whole_number, word
from ._comparisons import Comparisons, open_model, progress_bar
from ._embeddings import Embeddings
from ._gausscse import Model, sentences_of


def split(text: str, locale: str = "en-u-ss-standard") -> list[str]:
    """Returns the sentences of a text, as `gausscse split`; none goes on in the next line.

    `locale` is a tag of BCP 47. With `-u-ss-standard` known abbreviations end no sentence. Raises ValueError for another
    tag.

    >>> split("Mr. Smith left. Why?")
    ['Mr. Smith left.', 'Why?']
    """
    if not isinstance(text, str):
        raise TypeError(f"the text is not a str but {type(text).__name__}: split one text after another")
    return sentences_of(word("text", text), word("locale", locale))


class Encoder(Comparisons):
    """A trained model.

    `path` is the folder `model` of a finished run, the folder of an encoder of Hugging Face, or a file of word vectors.

    - `pooling`, `precision`, `max_tokens`: as the options of `gausscse encode`; by default as the model says.
    - `calibration`: a file of `gausscse eval --save-calibration`, in place of the `calibration.json` of the model. One of
      hits serves `search` alone; the model's own one still gives the probabilities of pairs.
    - `threads`: threads that compute, at most 4096; by default as many as the cores that the process may use. Results have
      the same bits for any number.

    Several threads may use one object; their calls compute one after the other. Pickle stores the path and the options, and
    opens the model again. A process that was forked after the first
    model was opened raises RuntimeError: start others with `multiprocessing.get_context("spawn")`.
    """

    def __init__(self, path: str | os.PathLike[str], *, pooling: str | None = None, precision: str | None = None,
                 max_tokens: int | None = None, threads: int | None = None,
                 calibration: str | os.PathLike[str] | None = None):
        tokens = 0 if max_tokens is None else whole_number("max_tokens", max_tokens, 1, 2**31 - 1)
        options = word("pooling", pooling), word("precision", precision), tokens, thread_count(threads)
        self._model = open_model(lambda path, calibration: Model(path, *options, calibration), path, calibration)
        self._path = os.fspath(path)
        self._options = {"pooling": pooling, "precision": precision, "max_tokens": max_tokens, "threads": threads}
        self._calibration = calibration

    def __getstate__(self):
        calibration = None if self._calibration is None else os.path.abspath(self._calibration)
        return os.path.abspath(self._path), {**self._options, "calibration": calibration}

    def __setstate__(self, state):
        path, options = state
        self.__init__(path, **options)

    def __repr__(self) -> str:
        return (f"<Encoder {self._path!r}: {self.similarity_name}, {self.get_sentence_embedding_dimension()} dimensions, at "
                f"most {self.max_seq_length} tokens>")

    @property
    def max_seq_length(self) -> int:
        """Number of tokens that longer sentences are cut to."""
        return self._model.max_tokens

    def encode(self, sentences: str | Iterable[str], batch_size: int | None = None,
               show_progress_bar: bool | None = None, *, prompt: str | None = None,
               prompt_name: str | None = None) -> Embeddings:
        """Returns the embeddings of the sentences; of one str those of one sentence.

        They are those of `gausscse encode`, with the same bits in any list. `batch_size` changes neither bits nor speed: it
        is there for programs that were written for sentence-transformers. `show_progress_bar=True` draws a bar on standard
        error. Warns of sentences that were cut. Raises TypeError for a dict, a table and a set. Ctrl-C ends it with
        KeyboardInterrupt.

        `prompt` is put before every sentence, or the text that the model's folder calls `prompt_name`; by default its usual
        one. Raises ValueError for an unknown name, and for both.
        """
        if prompt is not None and prompt_name is not None:
            raise ValueError("prompt and prompt_name: give one of them")
        return self._embedded(texts(sentences), show_progress_bar, None if prompt is None else word("prompt", prompt),
                              word("prompt_name", prompt_name))

    def _embedded(self, given: list[str], show_progress_bar=None, prompt=None, prompt_name="") -> Embeddings:
        with progress_bar(show_progress_bar, "Sentences", len(given)) as move:
            rows, notes, used = self._model.embed(given, move, prompt, prompt_name)
            if move:
                move(len(given))
        for text in notes:
            warn(text)
        return self._embeddings(rows, used)

    def _checked(self, sentences) -> list[str]:
        return texts(sentences)

    def _log_length_ratios(self, first, second) -> list[float]:
        if isinstance(first, Embeddings) or isinstance(second, Embeddings):
            return []
        lengths = [np.array([max(len(text), 1) for text in side], np.float64) for side in (first, second)]
        return np.log(lengths[1] / lengths[0]).tolist()
