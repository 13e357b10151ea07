"""Runs the Python blocks of README.md, docs/python.md and docs/grounding.md, one after another, where the README's model is
trained. A block ```text shows what the block before it prints; digits may differ, as results depend on the processor.
"""
import contextlib
import io
import os
import pathlib
import re

import pytest

from conftest import ROOT
from test_results import write_index


def without_digits(text):
    return re.sub(r"\d+", "#", text).split()


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/grounding.md"])
@pytest.mark.skipif("GAUSSCSE_MODEL" in os.environ, reason="the pages show the README's model")
def test_a_page_prints_what_it_shows(model, hits, monkeypatch, page):
    root = pathlib.Path(model).parents[1]
    (root / "results").mkdir(exist_ok=True)
    write_index(root / "results" / "index.h5")
    monkeypatch.chdir(root)
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", (ROOT / page).read_text(),
                        re.MULTILINE | re.DOTALL)
    assert blocks and all(shown for _, shown in blocks)
    names = {}
    for code, shown in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, page, "exec"), names)
        assert without_digits(printed.getvalue()) == without_digits(shown), printed.getvalue()
