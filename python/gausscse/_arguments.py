"""Checks of arguments, whose messages name the argument, and warnings at the line that called the package."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from collections.abc import Mapping

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn(text: str) -> None:
    """Warns at the line outside of the package that called it."""
    level, frame = 1, sys._getframe()
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def whole_number(name: str, value, least: int, most: int) -> int:
    """Returns a whole number of Python or numpy. Raises TypeError for another value, ValueError outside of the limits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: give a whole number from {least} to {most}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}: give a whole number from {least} to {most}")
    return number


def thread_count(threads: int | None) -> int:
    """Returns the number of threads; of the cores that the process may use by default."""
    most = 4096
    return min(len(os.sched_getaffinity(0)), most) if threads is None else whole_number("threads", threads, 1, most)


def real_number(name: str, value) -> float:
    """Returns the value as a float. Raises TypeError if it is no number."""
    if isinstance(value, str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} is {value!r}: give a number")
    return float(value)


def checked_risk(risk) -> float:
    """Returns a risk. Raises ValueError unless it is over 0 and under 1."""
    number = real_number("risk", risk)
    if not 0 < number < 1:
        raise ValueError(f"risk is {risk}: give a number over 0 and under 1")
    return number


def word(name: str, value: str | None) -> str:
    """Returns a text, which is empty for None. Raises TypeError if it is no str, ValueError if it is not Unicode."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}: give a str")
    return _unicode(name, value)


def path_text(name: str, value: str | bytes | os.PathLike) -> str:
    """Returns a path as text. Raises TypeError if it is none, ValueError if no file can have it."""
    try:
        text = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: give the path of a file or folder") from None
    if "\0" in text:
        raise ValueError(f"{name} is {text!r}: the path holds a null character: give the path of a file or folder")
    return _unicode(name, text)


def _unicode(name, text):
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} is {text!r}, which cannot be written as UTF-8 ({error.reason}): give other characters") from None
    return text


def texts(sentences) -> list[str]:
    """Returns sentences as a list; one str is one sentence.

    Raises TypeError for what is no list of str, and for what Python would go through by its keys or in no order: a table, a
    dict, a set.
    """
    if isinstance(sentences, str):
        sentences = [sentences]
    kind = type(sentences).__name__
    dimensions = getattr(sentences, "ndim", None)
    if dimensions not in (None, 1):
        raise TypeError(f"the sentences are a {kind} of {dimensions} dimensions: give one column of it, such as table[\"text\"]")
    if isinstance(sentences, Mapping) or (dimensions is None and hasattr(sentences, "keys")):
        raise TypeError(f"the sentences are a {kind}, whose keys are not its content: give list(x.values()) or one value")
    if isinstance(sentences, (set, frozenset)):
        raise TypeError(f"the sentences are a {kind}, which has no order: give a list")
    if isinstance(sentences, (bytes, bytearray, memoryview)):
        raise TypeError(f"the sentences are {kind}: give str, such as x.decode()")
    try:
        found = list(sentences)
    except TypeError:
        if hasattr(sentences, "__iter__"):
            raise
        raise TypeError(f"the sentences are {sentences!r}: give a list of str") from None
    for i, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"sentence {i} (from 0) is not a str but {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"sentence {i} (from 0) cannot be written as UTF-8: {error.reason}") from None
    return found
