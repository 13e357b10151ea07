"""Comparison of embeddings, the common part of models of sentences and heads of vectors."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arguments import checked_risk, path_text, real_number, warn, whole_number, word
from ._build import VERSION
from ._embeddings import Embeddings, Sentences


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


def open_model(open_it: Callable[[str, str], Any], path: str | os.PathLike[str],
               calibration: str | os.PathLike[str] | None) -> Any:
    """Returns `open_it(path, calibration)` of str, where an empty calibration is none, and warns of what it found.

    Raises FileNotFoundError where a path does not exist.
    """
    path, calibration = path_text("path", path), path_text("calibration", calibration or "")
    try:
        model = open_it(path, calibration)
    except ValueError as error:
        if all(map(os.path.exists, (path, calibration or path))):
            raise
        raise FileNotFoundError(str(error)) from None
    for text in model.warnings:
        warn(text)
    return model


class Comparisons:
    """Similarities, searches and probabilities of a model.

    Where `Embeddings` are asked for, a model also takes what it makes them of: `Encoder` strings, `Head` vectors.
    """

    @property
    def similarity_name(self) -> str:
        """The name of a similarity of Gaussians (docs/similarities.md), or `cosine`."""
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

    def _checked(self, sentences):
        """Returns the sentences or vectors in a form that can be read more than once."""
        raise NotImplementedError

    def _embedded(self, checked) -> Embeddings:
        raise NotImplementedError

    def _embeddings(self, rows, prompt: str = "") -> Embeddings:
        description = {key: text for key, text in self._model.description(VERSION).items() if key != "prompt"}
        if prompt:
            description["prompt"] = prompt
        return Embeddings._of_rows(rows, self.is_gaussian, description)

    def _given(self, sentences):
        return sentences if isinstance(sentences, Embeddings) else self._checked(sentences)

    def _log_length_ratios(self, first, second) -> list[float]:
        """Returns ln(second / first) of the lengths in code points; empty where they are not known."""
        return []

    def _rows(self, sentences) -> np.ndarray:
        given = self._given(sentences)
        embeddings = given if isinstance(given, Embeddings) else self._embedded(given)
        if embeddings._rows.shape[1] != self._model.width or embeddings._is_gaussian != self.is_gaussian:
            raise ValueError(f"{embeddings!r} are not those of this model, whose have "
                             f"{self.get_sentence_embedding_dimension()} dimensions"
                             f"{' of mean and log-variance' if self.is_gaussian else ''}")
        made_by, own = embeddings._description, self._model.description(VERSION)
        if made_by and own and made_by.get("model_hash", own["model_hash"]) != own["model_hash"]:
            raise ValueError(f"{embeddings!r} are of another model ({made_by.get('model')!r}), or of this one with other "
                             "settings: embed the sentences by this model")
        return embeddings._rows

    def similarity(self, embeddings1: Sentences, embeddings2: Sentences) -> np.ndarray:
        """Returns a matrix whose element [i, j] is sim(a_i || b_j), with a the first argument and b the second.

        It is large where b_j entails a_i. The order of the arguments matters: `similarity(b, a)` is another matrix, not
        only the transposed one. Some similarities have no direction, such as `wasserstein` and `cosine`.
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
        if not 0 <= real_number("tolerance", tolerance) <= 1:
            raise ValueError(f"tolerance is {tolerance}: give a number from 0 to 1")
        if risk is not None:
            self._check_calibration()
            risk = checked_risk(risk)
        sentences1, sentences2 = self._given(sentences1), self._given(sentences2)
        first, second = self._row_pairs(sentences1, sentences2)
        forward = self._model.similarity_pairwise(second, first)
        backward = self._model.similarity_pairwise(first, second)
        if risk is None:
            return Scores(forward, backward, self._model.verdicts(forward.tolist(), backward.tolist(), tolerance))
        answers = self._answers(first, second, self._log_length_ratios(sentences1, sentences2), calibrator, risk)
        probability, verdict, direction = map(list, zip(*answers)) if answers else ([], [], [])
        has_direction = all(text is not None for text in direction)
        return Scores(forward, backward, verdict, np.array(probability, np.float64), direction if has_direction else None)

    def _answers(self, first, second, log_length_ratios, calibrator, risk):
        answers, warning = self._model.answers(first, second, log_length_ratios, word("calibrator", calibrator), risk)
        if warning:
            warn(warning)
        return answers

    def _row_pairs(self, sentences1, sentences2):
        first, second = self._rows(sentences1), self._rows(sentences2)
        _check_pairs(first, second)
        return first, second

    def search(self, queries: Sentences, corpus: Sentences, top_k: int = 10, direction: str = "entails", *,
               risk: float | None = None, calibrator: str | None = None) -> list[list[Hit]]:
        """Returns for each query the `top_k` most similar sentences of the corpus, the best first.

        `direction` is `"entails"` for sentences that entail the query, `"entailed-by"` for those that it entails, and
        `"both"` for those of the same meaning. The search is exact and gives the rows of `gausscse search`. Of a large
        corpus give the Embeddings, so that it is embedded once.

        With a calibration of hits, by `calibration=FILE` of the model, the best hit of each query has the probability that
        it is right. With `risk`, such as 0.05, it also has the verdict `"found"` or `"abstains"`, and at most this share of
        the hits that are found is wrong. `calibrator` is `"logistic"` by default, of a calibration of pairs `"platt"`. Warns
        of hits and of a corpus unlike those of the calibration. Raises ValueError for a risk without a calibration of hits.
        """
        top = whole_number("top_k", top_k, 1, 2**63 - 1)
        if risk is not None:
            risk = checked_risk(risk)
            if not self._model.has_hit_calibration:
                raise ValueError("risk needs a calibration of hits: `gausscse eval MODEL --retrieval NAME=SET --save-calibration "
                                 "FILE` fits one, and calibration=FILE opens the model with it")
        found, notes = self._model.search(self._rows(queries), self._rows(corpus), top, word("direction", direction),
                                          word("calibrator", calibrator), risk or 0.0)
        for text in notes:
            warn(text)
        return [[Hit(*hit) for hit in hits] for hits in found]

    @property
    def is_calibrated(self) -> bool:
        """True if there is a calibration of pairs that was fitted to this model's weights."""
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
        sentences1, sentences2 = self._given(sentences1), self._given(sentences2)
        pairs = self._row_pairs(sentences1, sentences2)
        answers = self._answers(*pairs, self._log_length_ratios(sentences1, sentences2), calibrator, 0.0)
        return np.array([probability for probability, _, _ in answers], np.float64)

    def confidence_at_risk(self, risk: float, calibrator: str = "platt") -> float | None:
        """Returns the confidence max(P, 1 - P) from which on at most the share `risk` of answers is wrong.

        None if no confidence keeps this promise. Raises ValueError without a calibration.
        """
        self._check_calibration()
        return self._model.confidence_at_risk(checked_risk(risk), word("calibrator", calibrator))


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

    `corpus_id` is its number in the corpus, from 0, and `score` the similarity that orders the hits. `log_var_difference` is its
    mean log-variance minus that of the query, None if embeddings have none. `probability` is that of the entailment that was
    searched for, and by a calibration of hits that the best hit is right, None for the others; None without a calibration.
    `verdict` of the best hit is `"found"` or `"abstains"` if the search was given a risk, else None.
    """

    corpus_id: int
    score: float
    query_given_row: float
    row_given_query: float
    log_var_difference: float | None
    probability: float | None
    verdict: str | None = None


def _check_pairs(first, second):
    if len(first) != len(second):
        raise ValueError(f"the pairs have {len(first)} first and {len(second)} second sentences: give as many of each")
