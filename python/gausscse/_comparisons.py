"""What models of sentences and heads of vectors have in common: embeddings, and how they are compared."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np


class Embeddings:
    """Embeddings of n sentences.

    `mean` and `log_var` are float32 arrays [n, dimension]. `log_var` is None for a model that is not Gaussian; `mean` is
    then the embedding.

    >>> two = Embeddings(np.zeros((2, 3)), np.ones((2, 3)))
    >>> len(two), two.mean.dtype.name, two[1].log_var.tolist()
    (2, 'float32', [[1.0, 1.0, 1.0]])
    """

    def __init__(self, mean: np.ndarray, log_var: np.ndarray | None = None):
        parts = [np.asarray(part, np.float32) for part in ((mean,) if log_var is None else (mean, log_var))]
        if any(part.ndim != 2 or part.shape != parts[0].shape for part in parts):
            raise ValueError("mean and log_var are not arrays [sentences, dimension] of one shape: "
                             + ", ".join(str(part.shape) for part in parts))
        self._set(np.concatenate(parts, axis=1), log_var is not None)

    @classmethod
    def _of_rows(cls, rows: np.ndarray, is_gaussian: bool) -> Embeddings:
        embeddings = cls.__new__(cls)
        embeddings._set(rows, is_gaussian)
        return embeddings

    def _set(self, rows, is_gaussian):
        dimension = rows.shape[1] // 2 if is_gaussian else rows.shape[1]
        self._rows = rows
        self.mean = rows[:, :dimension]
        self.log_var = rows[:, dimension:] if is_gaussian else None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int | slice | np.ndarray) -> Embeddings:
        """Returns the embeddings of some sentences; an int gives those of one."""
        rows = self._rows[[index]] if isinstance(index, (int, np.integer)) else self._rows[index]
        return Embeddings._of_rows(np.ascontiguousarray(rows), self.log_var is not None)

    def __repr__(self) -> str:
        kind = "Gaussian" if self.log_var is not None else "plain"
        return f"<{len(self)} {kind} embeddings of {self.mean.shape[1]} dimensions>"


Sentences = Union[str, Sequence[str], np.ndarray, Embeddings]


@contextlib.contextmanager
def progress_bar(is_shown: bool | None, name: str, total: int | None = None) -> Iterator[Callable[..., None] | None]:
    """Gives a function of the number that is done, and of the total, which draws a bar on standard error; or None."""
    if not is_shown:
        yield None
        return
    from tqdm.auto import tqdm
    with tqdm(total=total, desc=name, file=sys.stderr) as bar:

        def move(done, of=total):
            bar.total = of
            bar.update(done - bar.n)

        yield move


def thread_count(threads: int | None) -> int:
    """Returns the number of threads; of the cores that the process may use by default."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}: give at least 1")
    return threads or len(os.sched_getaffinity(0))


def open_model(path: str, open_it: Callable[[], Any]) -> Any:
    """Returns what `open_it` opens, and warns of what it found. Raises FileNotFoundError where `path` does not exist."""
    try:
        model = open_it()
    except ValueError as error:
        if os.path.exists(path):
            raise
        raise FileNotFoundError(str(error)) from None
    for text in model.warnings:
        warnings.warn(text, stacklevel=3)
    return model


class Comparisons:
    """Similarities, searches and probabilities of a model.

    Where `Embeddings` are asked for, a model also takes what it makes them of: `Encoder` strings, `Head` vectors.
    """

    @property
    def similarity_name(self) -> str:
        """`per_dimension`, `joint` or `wasserstein` (of Gaussians), or `cosine`."""
        return self._model.similarity_name

    @property
    def is_gaussian(self) -> bool:
        """True if an embedding is a mean and a log-variance."""
        return self._model.is_gaussian

    @property
    def threshold(self) -> float | None:
        """Smallest similarity that counts as entailment; None if the training chose none."""
        return self._model.threshold

    def get_sentence_embedding_dimension(self) -> int:
        """Returns the number of dimensions of a mean."""
        return self._model.width // 2 if self.is_gaussian else self._model.width

    def _embedded(self, sentences) -> Embeddings:
        raise NotImplementedError

    def _log_length_ratios(self, first, second) -> list[float]:
        """Returns ln(second / first) of the lengths in code points; empty where they are not known."""
        return []

    def _rows(self, sentences) -> np.ndarray:
        embeddings = sentences if isinstance(sentences, Embeddings) else self._embedded(sentences)
        if embeddings._rows.shape[1] != self._model.width or (embeddings.log_var is not None) != self.is_gaussian:
            raise ValueError(f"{embeddings!r} are not those of this model, whose have "
                             f"{self.get_sentence_embedding_dimension()} dimensions"
                             f"{' of mean and log-variance' if self.is_gaussian else ''}")
        return embeddings._rows

    def similarity(self, embeddings1: Sentences, embeddings2: Sentences) -> np.ndarray:
        """Returns a matrix whose element [i, j] is sim(a_i || b_j), with a the first argument and b the second.

        It is large where b_j entails a_i. The order of the arguments matters: `similarity(b, a)` is another matrix, not
        only the transposed one. Similarities of `wasserstein` and `cosine` have no direction.
        """
        return self._model.similarity(self._rows(embeddings1), self._rows(embeddings2))

    def similarity_pairwise(self, embeddings1: Sentences, embeddings2: Sentences) -> np.ndarray:
        """Returns sim(a_i || b_i) of each pair, in the order of arguments of `similarity`."""
        return self._model.similarity_pairwise(*self._row_pairs(embeddings1, embeddings2))

    def score(self, sentences1: Sentences, sentences2: Sentences, *, tolerance: float = 1e-6, risk: float | None = None,
              calibrator: str = "platt") -> Scores:
        """Returns both similarities and the verdict of each pair of a first and a second sentence, as `gausscse score`.

        `forward` is sim(second || first), large where the first entails the second; `backward` is sim(first || second).
        Similarities that differ by at most `tolerance` count as equal.

        With `risk`, such as 0.05, the verdict is `"entailed"`, `"not entailed"` or `"abstains"`, and at most this share of the
        answers is wrong; `probability` and `direction` are those of `gausscse score --probability --risk`. Raises ValueError
        without a calibration, and for a risk that is not over 0 and under 1.
        """
        if risk is not None:
            self._check_calibration()
            if not 0 < risk < 1:
                raise ValueError(f"risk is {risk}: give a number over 0 and under 1")
        first, second = self._row_pairs(sentences1, sentences2)
        forward = self._model.similarity_pairwise(second, first)
        backward = self._model.similarity_pairwise(first, second)
        if risk is None:
            return Scores(forward, backward, self._model.verdicts(forward.tolist(), backward.tolist(), tolerance))
        answers = self._model.answers(first, second, self._log_length_ratios(sentences1, sentences2), calibrator, risk)
        probability, verdict, direction = map(list, zip(*answers)) if answers else ([], [], [])
        has_direction = all(text is not None for text in direction)
        return Scores(forward, backward, verdict, np.array(probability, np.float64), direction if has_direction else None)

    def _row_pairs(self, sentences1, sentences2):
        first, second = self._rows(sentences1), self._rows(sentences2)
        _check_pairs(first, second)
        return first, second

    def search(self, queries: Sentences, corpus: Sentences, top_k: int = 10, direction: str = "entails") -> list[list[Hit]]:
        """Returns for each query the `top_k` most similar sentences of the corpus, the best first.

        `direction` is `"entails"` for sentences that entail the query, `"entailed-by"` for those that it entails, and
        `"both"` for those of the same meaning. The search is exact and gives the rows of `gausscse search`. Of a large
        corpus give the Embeddings, so that it is embedded once.
        """
        if top_k < 1:
            raise ValueError(f"top_k is {top_k}: give at least 1")
        found = self._model.search(self._rows(queries), self._rows(corpus), top_k, direction)
        return [[Hit(*hit, self._model.hit_probability(*hit[2:], direction)) for hit in hits] for hits in found]

    @property
    def is_calibrated(self) -> bool:
        """True if the model folder has a `calibration.json` that was fitted to this model's weights."""
        return self._model.is_calibrated

    def _check_calibration(self):
        if self._model.calibration_problem:
            raise ValueError(self._model.calibration_problem)
        if not self.is_calibrated:
            raise ValueError("this model has no calibration.json, so that it gives no probabilities: a training with an "
                             "nli task that chooses a threshold writes it")

    def probability(self, sentences1: Sentences, sentences2: Sentences, calibrator: str = "platt") -> np.ndarray:
        """Returns P(the first entails the second) of each pair, float64.

        `calibrator` is `"platt"`, `"logistic"` or `"isotonic"`. The logistic one also uses the lengths of the sentences; of
        Embeddings it does not know them and takes the mean ratio of its training pairs. Raises ValueError without a
        calibration.
        """
        self._check_calibration()
        pairs = self._row_pairs(sentences1, sentences2)
        answers = self._model.answers(*pairs, self._log_length_ratios(sentences1, sentences2), calibrator, 0.0)
        return np.array([probability for probability, _, _ in answers], np.float64)

    def confidence_at_risk(self, risk: float, calibrator: str = "platt") -> float | None:
        """Returns the confidence max(P, 1 - P) from which on at most the share `risk` of answers is wrong.

        None if no confidence keeps this promise. Raises ValueError without a calibration.
        """
        self._check_calibration()
        return self._model.confidence_at_risk(risk, calibrator)


@dataclass(frozen=True)
class Scores:
    """Similarities of pairs, float32 [n]: `forward` is sim(second || first), `backward` sim(first || second).

    `verdict` is the verdict on each pair in the words of `gausscse score`. `probability`, float64 [n], and `direction` are
    None unless `score` was given a risk; `direction` is also None for a similarity without one.
    """

    forward: np.ndarray
    backward: np.ndarray
    verdict: list[str]
    probability: np.ndarray | None = None
    direction: list[str] | None = None


@dataclass(frozen=True)
class Hit:
    """Sentence of a corpus that a search found.

    `corpus_id` is its number in the corpus, from 0, and `score` the similarity that orders the hits.
    `log_var_difference` is its mean log-variance minus that of the query. `probability` is that of the entailment that was
    searched for; None for a model without calibration.
    """

    corpus_id: int
    score: float
    query_given_row: float
    row_given_query: float
    log_var_difference: float
    probability: float | None


def _check_pairs(first, second):
    if len(first) != len(second):
        raise ValueError(f"the pairs have {len(first)} first and {len(second)} second sentences: give as many of each")
