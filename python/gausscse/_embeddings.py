"""Embeddings of sentences as arrays of numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

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
