"""Sentence embeddings that are Gaussians: similarity with a direction, search by entailment, and a probability.

>>> import gausscse
>>> model = gausscse.Encoder("runs/first/model")                              # doctest: +SKIP
>>> model.similarity(["An animal sleeps."], ["A cat sleeps on a chair."])     # doctest: +SKIP
array([[0.74]], dtype=float32)

The element is sim(a || b): it is large where b entails a. The package computes on CPUs, beside any PyTorch.
"""

import atexit

from . import _gausscse
from ._build import VERSION as __version__
from ._comparisons import Hit, Scores
from ._embeddings import Embeddings
from ._encoder import Encoder, split
from ._head import Head
from ._results import read_result, read_study

# Before the interpreter ends, as threads that compute must not come back to it later.
atexit.register(_gausscse.end_computations)

__all__ = ["Embeddings", "Encoder", "Head", "Hit", "Scores", "__version__", "read_result", "read_study", "split"]
