"""Texts that are put before sentences."""
import json
import pickle
import shutil

import numpy as np
import pytest

import gausscse
from conftest import ROOT, run

SENTENCES = ["w1 w2", "w3"]


@pytest.fixture(scope="module")
def prompted(tmp_path_factory):
    """A folder of sentence-transformers with two prompts."""
    folder = tmp_path_factory.mktemp("prompts") / "model"
    shutil.copytree(ROOT / "tests/golden/weights/tiny-bert", folder)
    shutil.copy(ROOT / "tests/golden/training/vocab.txt", folder / "vocab.txt")
    (folder / "1_Pooling").mkdir()
    modules = [{"path": path, "type": f"sentence_transformers.models.{name}"}
               for path, name in (("", "Transformer"), ("1_Pooling", "Pooling"))]
    for name, value in (("modules.json", modules), ("1_Pooling/config.json", {"pooling_mode": "mean"}),
                        ("config_sentence_transformers.json", {"prompts": {"query": "w5 ", "passage": "w6 w7 "}})):
        (folder / name).write_text(json.dumps(value))
    return folder


def rows(embeddings):
    return np.asarray(embeddings)


def test_prompts_stand_before_sentences(prompted):
    encoder = gausscse.Encoder(prompted)
    plain = rows(encoder.encode(SENTENCES))
    queries = rows(encoder.encode([f"w5 {sentence}" for sentence in SENTENCES]))
    assert not np.array_equal(plain, queries)
    assert np.array_equal(rows(encoder.encode(SENTENCES, prompt_name="query")), queries)
    assert np.array_equal(rows(encoder.encode(SENTENCES, prompt="w5 ")), queries)
    assert np.array_equal(rows(encoder.encode(SENTENCES, prompt="")), plain)
    # Only that call has it.
    assert np.array_equal(rows(encoder.encode(SENTENCES)), plain)
    with pytest.raises(ValueError, match="no prompt \"qury\", did you mean \"query\""):
        encoder.encode(SENTENCES, prompt_name="qury")
    assert np.array_equal(rows(encoder.encode(SENTENCES)), plain)
    with pytest.raises(ValueError, match="give one of them"):
        encoder.encode(SENTENCES, prompt="w5 ", prompt_name="query")
    with pytest.raises(TypeError, match="prompt is 5"):
        encoder.encode(SENTENCES, prompt=5)
    assert np.array_equal(rows(pickle.loads(pickle.dumps(encoder)).encode(SENTENCES, prompt_name="query")), queries)


def test_the_folder_s_usual_prompt_is_taken(prompted, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(prompted, folder)
    config = folder / "config_sentence_transformers.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "default_prompt_name": "passage"}))
    encoder, bare = gausscse.Encoder(folder), gausscse.Encoder(prompted)
    expected = rows(bare.encode(SENTENCES, prompt_name="passage"))
    assert np.array_equal(rows(encoder.encode(SENTENCES)), expected)
    assert np.array_equal(rows(encoder.encode(SENTENCES, prompt="")), rows(bare.encode(SENTENCES)))
    # Rows of either prompt are of one model.
    assert encoder.similarity(encoder.encode(SENTENCES, prompt_name="query"), encoder.encode(SENTENCES)).shape == (2, 2)


@pytest.mark.parametrize("options, words", [({}, []), ({"prompt": ""}, ["--prompt", ""]), ({"prompt": "w8 "}, ["--prompt", "w8 "]),
                                            ({"prompt_name": "query"}, ["--prompt-name", "query"])])
def test_files_name_the_prompt_as_those_of_the_program(prompted, tmp_path, options, words):
    """The folder has a usual prompt, which stands in the file unless another one does, or none."""
    folder = shutil.copytree(prompted, tmp_path / "model")
    config = folder / "config_sentence_transformers.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "default_prompt_name": "passage"}))
    (tmp_path / "in.txt").write_text("".join(text + "\n" for text in SENTENCES))
    run("encode", folder, tmp_path / "in.txt", tmp_path / "program.npz", *words)
    encoder = gausscse.Encoder(folder)
    encoder.encode(SENTENCES, prompt="w9 ")
    encoder.encode(SENTENCES, **options).save(tmp_path / "own.npz")
    program, own = (gausscse.Embeddings.load(tmp_path / name) for name in ("program.npz", "own.npz"))
    assert own._description == program._description
    assert own._description.get("prompt", "") == options.get("prompt", "w5 " if "prompt_name" in options else "w6 w7 ")


def test_rows_behind_different_prompts_are_not_concatenated(prompted):
    encoder = gausscse.Encoder(prompted)
    plain, queries = encoder.encode(SENTENCES), encoder.encode(SENTENCES, prompt_name="query")
    for parts in ([plain, queries], [queries, plain]):
        with pytest.raises(ValueError, match="have the prompts '', 'w5 ': embed all behind one"):
            gausscse.Embeddings.concatenate(parts)
    assert gausscse.Embeddings.concatenate([queries, queries[:1]])._description == queries._description
    arrays = gausscse.Embeddings(rows(plain))
    assert gausscse.Embeddings.concatenate([queries, arrays])._description == {}
