"""Sentence embeddings that are Gaussians: similarity with a direction, search by entailment, and a probability.

>>> import gausscse
>>> model = gausscse.Encoder("runs/first/model")                              # doctest: +SKIP
>>> model.similarity(["An animal sleeps."], ["A cat sleeps on a chair."])     # doctest: +SKIP
array([[0.74]], dtype=float32)

The element is sim(a || b): it is large where b entails a. The package computes on CPUs, with the LibTorch that it was
built with.
"""

import atexit

from . import _libtorch

_libtorch.refuse_another()

from . import _gausscse  # noqa: E402
from ._build import VERSION as __version__  # noqa: E402
from ._comparisons import Hit, Scores  # noqa: E402
from ._embeddings import Embeddings  # noqa: E402
from ._encoder import Encoder, split  # noqa: E402
from ._head import Head  # noqa: E402
from ._results import read_result, read_study  # noqa: E402

_libtorch.guard_imports()
# Before the interpreter ends, as threads that compute must not come back to it later.
atexit.register(_gausscse.end_computations)

__all__ = ["Embeddings", "Encoder", "Head", "Hit", "Scores", "__version__", "read_result", "read_study", "split"]
