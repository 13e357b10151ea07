"""Embeddings of sentences as arrays of numpy."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Union

import numpy as np


class Embeddings:
    """Embeddings of n sentences.

    `mean` and `log_var` are C-contiguous float32 arrays [n, dimension]. `log_var` is None for a model that is not Gaussian;
    `mean` is then the embedding, and `numpy.asarray` of the embeddings is the same array. Those of Gaussians are copies that
    cannot be written to: other values make another object, `Embeddings(mean, log_var)`.

    >>> two = Embeddings(np.zeros((2, 3)), np.ones((2, 3)))
    >>> len(two), two.mean.dtype.name, two[1].log_var.tolist()
    (2, 'float32', [[1.0, 1.0, 1.0]])
    """

    def __init__(self, mean: np.ndarray, log_var: np.ndarray | None = None):
        parts = [np.asarray(part, np.float32) for part in ((mean,) if log_var is None else (mean, log_var))]
        if any(part.ndim != 2 or part.shape != parts[0].shape for part in parts):
            raise ValueError("mean and log_var are not arrays [sentences, dimension] of one shape: "
                             + ", ".join(str(part.shape) for part in parts))
        self._rows, self._is_gaussian = np.concatenate(parts, axis=1), log_var is not None

    @classmethod
    def _of_rows(cls, rows: np.ndarray, is_gaussian: bool) -> Embeddings:
        embeddings = cls.__new__(cls)
        embeddings._rows, embeddings._is_gaussian = rows, is_gaussian
        return embeddings

    @property
    def _dimension(self) -> int:
        return self._rows.shape[1] // 2 if self._is_gaussian else self._rows.shape[1]

    def _copied(self, columns):
        part = self._rows[:, columns].copy()
        part.flags.writeable = False
        return part

    @cached_property
    def mean(self) -> np.ndarray:
        return self._copied(slice(self._dimension)) if self._is_gaussian else self._rows

    @cached_property
    def log_var(self) -> np.ndarray | None:
        return self._copied(slice(self._dimension, None)) if self._is_gaussian else None

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        if self._is_gaussian:
            raise TypeError(f"{self!r} have a mean and a log-variance: give .mean or .log_var")
        return np.array(self.mean, dtype, copy=True) if copy else np.asarray(self.mean, dtype)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int | slice | np.ndarray) -> Embeddings:
        """Returns the embeddings of some sentences; an int gives those of one."""
        if index is None or isinstance(index, tuple):
            raise IndexError(f"the index of embeddings is {index!r}: give one of sentences, and take dimensions of .mean")
        rows = self._rows[[index]] if isinstance(index, (int, np.integer)) else self._rows[index]
        return Embeddings._of_rows(np.ascontiguousarray(rows), self._is_gaussian)

    def __repr__(self) -> str:
        kind = "Gaussian" if self._is_gaussian else "plain"
        return f"<{len(self)} {kind} embeddings of {self._dimension} dimensions>"


Sentences = Union[str, Iterable[str], np.ndarray, Embeddings]
