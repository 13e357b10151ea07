"""Lists of sentences: what every call takes as one, and what it refuses."""
import collections.abc
import typing
import warnings

import numpy as np
import pytest
from test_encoder import A, B

import gausscse


class Table:
    """Stand-in for a DataFrame where there is no pandas: iteration goes through the names of columns."""

    ndim = 2

    def keys(self):
        return ["text", "label"]

    def __iter__(self):
        return iter(self.keys())


class Group:
    """A mapping by its methods alone, such as a group of h5py."""

    def keys(self):
        return ["text"]

    def __iter__(self):
        return iter(self.keys())


def table():
    try:
        import pandas
    except ImportError:
        return Table()
    return pandas.DataFrame({"text": A, "label": [1, 2, 3, 4]})


WRONG = [
    (table(), r'are a (DataFrame|Table) of 2 dimensions: give one column of it, such as table\["text"\]'),
    (Table(), "are a Table of 2 dimensions"),
    (np.array([A, B]), "are a ndarray of 2 dimensions"),
    (np.array("a"), "are a ndarray of 0 dimensions"),
    ({"text": A}, r"are a dict, whose keys are not its content: give list\(x.values\(\)\)"),
    (Group(), "are a Group, whose keys"),
    (set(A), "are a set, which has no order: give a list"),
    (frozenset(A), "are a frozenset"),
    (b"text", "are bytes: give str"),
    (bytearray(b"text"), "are bytearray"),
    ([b"text"], r"sentence 0 \(from 0\) is not a str but bytes"),
    (["a", None], r"sentence 1 \(from 0\) is not a str but NoneType"),
    (3, "the sentences are 3: give a list of str"),
    (None, "the sentences are None"),
]


@pytest.mark.parametrize("wrong, message", WRONG, ids=lambda value: "" if isinstance(value, str) else type(value).__name__)
def test_what_is_no_list_of_sentences_is_refused_by_every_call(encoder, wrong, message):
    calls = [encoder.encode]
    pairs = [encoder.similarity, encoder.similarity_pairwise, encoder.score, encoder.search]
    for call in pairs + ([encoder.probability] if encoder.is_calibrated else []):
        calls += [lambda x, call=call: call(x, A), lambda x, call=call: call(A, x)]
    for call in calls:
        with pytest.raises(TypeError, match=message):
            call(wrong)


class Series:
    """Stand-in for a Series of pandas: one dimension, values in turn, and keys."""

    ndim = 1

    def __init__(self, values):
        self.values = values

    def keys(self):
        return range(len(self.values))

    def __iter__(self):
        return iter(self.values)


def columns():
    """Returns functions of a list that give it as another list of sentences."""
    found = [tuple, iter, lambda texts: (text for text in texts), np.array, lambda texts: np.array(texts, object), Series,
             lambda texts: dict.fromkeys(texts).keys(), lambda texts: map(str, texts)]
    try:
        import pandas
    except ImportError:
        return found
    return [*found, pandas.Series, pandas.Index, lambda texts: pandas.DataFrame({"text": texts}, index=[7, 5, 3, 1])["text"]]


@pytest.mark.parametrize("given", columns())
def test_any_column_of_sentences_is_taken_by_every_call(encoder, given):
    a, b = encoder.encode(A), encoder.encode(B)
    assert np.array_equal(encoder.encode(given(A)).mean, a.mean)
    assert np.array_equal(encoder.similarity(given(A), given(B)), encoder.similarity(a, b))
    assert np.array_equal(encoder.similarity_pairwise(given(A), given(B)), encoder.similarity_pairwise(a, b))
    assert encoder.search(given(A), given(B)) == encoder.search(A, B)
    assert encoder.score(given(A), given(B)).verdict == encoder.score(A, B).verdict
    if encoder.is_calibrated:
        # The logistic calibrator takes the lengths of the sentences as well.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = encoder.probability(A, B, "logistic")
            assert np.array_equal(encoder.probability(given(A), given(B), "logistic"), expected)
            assert np.array_equal(encoder.score(given(A), given(B), risk=0.4, calibrator="logistic").probability, expected)


def test_types_are_those_that_are_taken():
    taken = typing.get_type_hints(gausscse.Encoder.encode)["sentences"]
    assert typing.get_args(taken) == (str, collections.abc.Iterable[str])
    assert collections.abc.Iterable[str] in typing.get_args(typing.get_type_hints(gausscse.Encoder.search)["corpus"])
