"""Embeddings of sentences as arrays of numpy."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from typing import Union

import numpy as np

from ._arguments import path_text, warn
from ._gausscse import load_rows, save_rows


class Embeddings:
    """Embeddings of n sentences.

    `mean` and `log_var` are C-contiguous float32 arrays [n, dimension]. `log_var` is None for a model that is not Gaussian;
    `mean` is then the embedding, and `numpy.asarray` of the embeddings is the same array. Those of Gaussians are copies that
    cannot be written to: other values make another object, `Embeddings(mean, log_var)`.

    >>> two = Embeddings(np.zeros((2, 3)), np.ones((2, 3)))
    >>> len(two), two.mean.dtype.name, two[1].log_var.tolist()
    (2, 'float32', [[1.0, 1.0, 1.0]])
    """

    _description: dict[str, str] = {}  # texts of their file, by which it names the model; none of arrays

    def __init__(self, mean: np.ndarray, log_var: np.ndarray | None = None):
        parts = [np.asarray(part, np.float32) for part in ((mean,) if log_var is None else (mean, log_var))]
        if any(part.ndim != 2 or part.shape != parts[0].shape for part in parts):
            raise ValueError("mean and log_var are not arrays [sentences, dimension] of one shape: "
                             + ", ".join(str(part.shape) for part in parts))
        self._rows, self._is_gaussian = np.concatenate(parts, axis=1), log_var is not None

    @classmethod
    def _of_rows(cls, rows: np.ndarray, is_gaussian: bool, description: dict[str, str]) -> Embeddings:
        embeddings = cls.__new__(cls)
        embeddings._rows, embeddings._is_gaussian, embeddings._description = rows, is_gaussian, description
        return embeddings

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Embeddings:
        """Returns the embeddings in a file of `save`, `gausscse encode` or `gausscse apply`: HDF5, .npz, .safetensors or .npy.

        Raises ValueError for any other file, and for one that differs from its checksum. Warns if a file has none.
        """
        path = path_text("path", path)
        if not os.path.exists(path):
            raise FileNotFoundError(f"path is {path!r}: there is no such file")
        rows, is_gaussian, description, note = load_rows(path)
        if note:
            warn(note)
        return cls._of_rows(rows, is_gaussian, description)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a file as `gausscse encode` does, for `load` and for `gausscse search`, in the format of its suffix.

        Suffixes are .h5, .hdf5, .npz, .safetensors and .parquet, of plain embeddings also .npy. A file that exists is
        replaced only with `overwrite=True`. Raises ValueError for another path, OSError if it cannot be written.
        """
        save_rows(path_text("path", path), self._rows, self._is_gaussian, self._description, bool(overwrite))

    @classmethod
    def concatenate(cls, embeddings: Iterable[Embeddings]) -> Embeddings:
        """Returns the embeddings of all parts, one after the other.

        Raises ValueError for no part, and for parts of different dimensions, kinds, models or prompts.
        """
        parts = list(embeddings)
        if not parts:
            raise ValueError("there are no embeddings to concatenate")
        first = parts[0]
        for part in parts:
            if not isinstance(part, Embeddings):
                raise TypeError(f"a part is {part!r}: give a list of Embeddings")
            if part._is_gaussian != first._is_gaussian or part._dimension != first._dimension:
                raise ValueError(f"{first!r} and {part!r} cannot be concatenated")
        models = {part._description.get("model_hash") for part in parts}
        if len(models - {None}) > 1:
            raise ValueError("the embeddings are of different models, or of one with different settings: embed all by one")
        prompts = {part._description.get("prompt", "") for part in parts if part._description}
        if len(prompts) > 1:
            raise ValueError(f"the embeddings have the prompts {', '.join(map(repr, sorted(prompts)))}: embed all behind one")
        description = {} if None in models else first._description
        return cls._of_rows(np.concatenate([part._rows for part in parts]), first._is_gaussian, description)

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
        return Embeddings._of_rows(np.ascontiguousarray(rows), self._is_gaussian, self._description)

    def __repr__(self) -> str:
        kind = "Gaussian" if self._is_gaussian else "plain"
        return f"<{len(self)} {kind} embeddings of {self._dimension} dimensions>"


Sentences = Union[str, Iterable[str], np.ndarray, Embeddings]
