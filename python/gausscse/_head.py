"""A head for vectors of sentences as a class: arrays of numpy in and out."""

from __future__ import annotations

import difflib
import json
import os

import numpy as np

from ._arguments import path_text, thread_count, warn, whole_number
from ._comparisons import Comparisons, open_model, progress_bar
from ._embeddings import Embeddings
from ._gausscse import HeadModel

_TRAINING = ("epochs", "batch_size", "learning_rate", "warmup_ratio", "weight_decay", "schedule", "seed", "clip_norm", "epsilon",
             "micro_batch")
_OBJECTIVE = ("temperature", "loss", "similarity", "with_simcse")
_HEAD = ("mean", "scale", "log_var", "log_var_width", "init", "log_var_start")
_DATA = ("order", "last_batch")
_SETTINGS = (*_TRAINING, *_OBJECTIVE, *_HEAD, *_DATA)


def _trial(examples: np.ndarray, steps: int | None, settings: dict) -> str:
    """Returns the trial of these settings, as JSON, which is YAML."""
    for name in settings:
        if name not in _SETTINGS:
            near = difflib.get_close_matches(name, _SETTINGS, 1)
            raise TypeError(f"{name!r} is no setting of Head.fit: " +
                            (f"did you mean {near[0]!r}?" if near else f"give one of {', '.join(_SETTINGS)}"))
    if examples.shape[1:] == (2,):
        settings = {"loss": "ent+rev"} | settings
    given = {name: value for name, value in ({"max_steps": steps} | settings).items() if value is not None}

    def chosen(names):
        return {name: given[name] for name in names if name in given}

    files = {"vectors": "vectors", "texts": "texts"}
    kind = "entailment_pairs" if examples.shape[1:] == (2,) else "triples"
    return json.dumps({"format": "gausscse-trial/2", "recipe": "head",
                       "model": {"backbone": files} | ({"head": chosen(_HEAD)} if chosen(_HEAD) else {}),
                       "objective": {"kind": "gaussian_contrastive"} | chosen(_OBJECTIVE),
                       "data": {"train": "examples.csv", "examples": kind} | chosen(_DATA),
                       "training": {"parameters": "head"} | chosen((*_TRAINING, "max_steps")), "output": "head"},
                      default=_plain)


def _plain(value):
    """Returns a number of numpy as one of Python."""
    if not isinstance(value, np.generic):
        raise TypeError(f"a setting of Head.fit is {value!r}: give a number, a str or a bool")
    return value.item()


def _vectors(vectors) -> np.ndarray:
    array = np.asarray(vectors)
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise ValueError(f"vectors are an array {list(array.shape)} of {array.dtype}: give numbers [n, width], a row for each "
                         "sentence")
    # A number beyond float32 becomes infinite, which is refused with its place.
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, np.float32)


def _examples(triples) -> np.ndarray:
    array = np.asarray(triples)
    if array.ndim != 2 or array.shape[1] not in (2, 3) or array.dtype.kind not in "iu":
        raise ValueError(f"triples are an array {list(array.shape)} of {array.dtype}: give whole numbers [m, 3], rows of the "
                         "premise, the entailed and the contradicted sentence, or [m, 2] without the last")
    return np.ascontiguousarray(array, np.int64)


class Head(Comparisons):
    """A head that makes Gaussians of sentence vectors of any encoder or service.

    `Head.fit` trains one, `Head.open` opens a folder. A call, `head(vectors)`, returns `Embeddings`; `similarity`, `search` and
    the other methods take these, or vectors. It has the bits of `gausscse apply`.
    """

    def __init__(self, model: HeadModel):
        self._model = model

    def __repr__(self) -> str:
        return f"<Head: {self.similarity_name}, {self.get_sentence_embedding_dimension()} dimensions>"

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, threads: int | None = None,
             calibration: str | os.PathLike[str] | None = None) -> Head:
        """Opens the folder that `save` or a training on given vectors wrote, or the folder of that run.

        `calibration` is a file as that of `Encoder`.
        """
        count = thread_count(threads)
        return cls(open_model(lambda path, calibration: HeadModel(path, count, calibration), path, calibration))

    @classmethod
    def fit(cls, vectors: np.ndarray, triples: np.ndarray, *, steps: int | None = None, threads: int | None = None,
            show_progress_bar: bool | None = None, **settings) -> Head:
        """Trains a head as `gausscse train` does with the same vectors and examples, to rounding.

        - `vectors`: float32 [n, width], a row for each sentence.
        - `triples`: whole numbers [m, 3], rows of the premise, a sentence that it entails and one that it contradicts; or
          [m, 2] without the last, for which `loss` is `"ent+rev"` unless it is given.
        - `steps`: steps of the training (`training.max_steps`); by default those of `epochs` passes, five.
        - `settings`: keys of a trial (docs/trial_keys.md) by their last name, with the defaults of the recipe `head`. They
          are epochs, batch_size, learning_rate, warmup_ratio, weight_decay, schedule, seed, clip_norm, epsilon and micro_batch of
          the training; temperature, loss, similarity and with_simcse of the objective; mean, scale, log_var, log_var_width,
          init and log_var_start of the head; order and last_batch of the data.

        `head.losses` has the loss of each step. Raises ValueError for wrong arrays and settings, with the place. Ctrl-C ends it
        with KeyboardInterrupt.
        """
        steps = None if steps is None else whole_number("steps", steps, 1, 10**9)
        rows, examples = _vectors(vectors), _examples(triples)
        trial = _trial(examples, steps, settings)
        with progress_bar(show_progress_bar, "Steps") as move:
            model = HeadModel.fit(rows, examples, trial, thread_count(threads), move)
        for text in model.warnings:
            warn(text)
        return cls(model)

    def __getstate__(self):
        raise TypeError("a Head is not pickled: save it, and give its folder to Head.open in the other process")

    @property
    def losses(self) -> np.ndarray:
        """Loss of each step of `fit`, float64; empty for a head that was opened."""
        return np.array(self._model.losses, np.float64)

    def __call__(self, vectors: np.ndarray) -> Embeddings:
        """Returns the embeddings of vectors [n, width], of the encoder whose vectors the head was trained on."""
        return self._embeddings(self._model.apply(_vectors(vectors)))

    def _checked(self, sentences) -> np.ndarray:
        return _vectors(sentences)

    def _embedded(self, checked) -> Embeddings:
        return self(checked)

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the folder that `Head.open` and `gausscse apply` open.

        `overwrite=True` replaces one that `save` or a training wrote. Raises OSError if it cannot be written, and ValueError
        for any other folder that is not empty.
        """
        self._model.save(path_text("folder", folder), bool(overwrite))
