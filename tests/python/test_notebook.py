"""Runs the notebook from its first to its last cell."""
import os

import nbclient
import nbformat
import pytest

from conftest import PROGRAM, ROOT


def test_the_notebook_runs(monkeypatch):
    if not (ROOT / "models/minilm").is_dir():
        pytest.skip("no MiniLM: scripts/fetch_minilm.sh brings it")
    monkeypatch.setenv("GAUSSCSE_PROGRAM", os.path.abspath(PROGRAM))
    notebook = nbformat.read(ROOT / "docs/notebooks/data-to-search.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    printed = "".join(output.get("text", "") for cell in notebook.cells if cell.cell_type == "code"
                      for output in cell.outputs)
    assert "the premise is recognised in" in printed
