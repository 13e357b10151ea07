"""Embeddings as arrays, and those of a model that is not Gaussian."""
import pickle

import numpy as np
import pytest

import gausscse
from conftest import ROOT, run

WORDS = {"a": [1, 0, 0], "cat": [0, 3, 0], "dog": [0, 2, 1], "sleeps": [-1, 0, 2]}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Returns a file of word vectors, whose sentences have the mean of their words' vectors."""
    path = tmp_path_factory.mktemp("vectors") / "words.txt"
    path.write_text("".join(f"{word} {' '.join(map(str, values))}\n" for word, values in WORDS.items()))
    return path


@pytest.fixture
def gaussians():
    mean, log_var = np.random.default_rng(1).standard_normal((2, 6, 5)).astype(np.float32)
    return gausscse.Embeddings(mean, log_var), mean, log_var


@pytest.mark.parametrize("index", [slice(None, None, 2), slice(5, 1, -2), slice(-3, None), [4, 0, 4], np.array([1, 3]),
                                   np.arange(6) % 3 == 0])
def test_an_index_takes_the_rows_that_numpy_takes(gaussians, index):
    embeddings, mean, log_var = gaussians
    assert np.array_equal(embeddings[index].mean, mean[index])
    assert np.array_equal(embeddings[index].log_var, log_var[index])
    plain = gausscse.Embeddings(mean)[index]
    assert np.array_equal(plain.mean, mean[index]) and plain.mean.flags.c_contiguous and plain.log_var is None


@pytest.mark.parametrize("index", [2, -1, np.int64(2), np.int32(-1), np.uint8(3)])
def test_a_number_takes_one_row(gaussians, index):
    embeddings, mean, log_var = gaussians
    one = embeddings[index]
    assert len(one) == 1 and np.array_equal(one.mean, mean[[index]]) and np.array_equal(one.log_var, log_var[[index]])


@pytest.mark.parametrize("index", [6, -7, (0, 1), (slice(None), slice(2)), None])
def test_an_index_that_takes_no_rows_is_refused(gaussians, index):
    with pytest.raises(IndexError):
        gaussians[0][index]


def test_arrays_are_contiguous_and_those_of_gaussians_are_not_written_to(gaussians):
    embeddings, mean, log_var = gaussians
    for part, expected in ((embeddings.mean, mean), (embeddings.log_var, log_var)):
        assert part.flags.c_contiguous and part.dtype == np.float32 and np.array_equal(part, expected)
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0
    assert embeddings.mean is embeddings.mean
    again = pickle.loads(pickle.dumps(embeddings))
    assert np.array_equal(again.mean, mean) and np.array_equal(again.log_var, log_var)
    assert repr(again) == repr(embeddings) == "<6 Gaussian embeddings of 5 dimensions>"
    assert repr(gausscse.Embeddings(mean)) == "<6 plain embeddings of 5 dimensions>"


def test_numpy_takes_plain_embeddings_as_an_array(gaussians):
    embeddings, mean, _ = gaussians
    plain = gausscse.Embeddings(mean)
    assert plain.mean.flags.c_contiguous and np.array_equal(np.asarray(plain), mean)
    assert np.shares_memory(np.asarray(plain), plain.mean) and not np.shares_memory(np.array(plain), plain.mean)
    assert np.asarray(plain, np.float64).dtype == np.float64
    with pytest.raises(TypeError, match=r"<6 Gaussian embeddings of 5 dimensions> have a mean and a log-variance: give \.mean"):
        np.asarray(embeddings)


def test_a_model_that_is_not_gaussian(vectors):
    model = gausscse.Encoder(vectors)
    sentences = ["a cat", "dog sleeps", "a dog a cat"]
    expected = np.array([np.mean([WORDS[word] for word in text.split()], axis=0) for text in sentences])
    embeddings = model.encode(sentences)
    np.testing.assert_allclose(np.asarray(embeddings), expected, rtol=1e-6)
    assert model.get_sentence_embedding_dimension() == 3 and not model.is_gaussian and model.similarity_name == "cosine"
    unit = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(model.similarity(sentences, sentences[:2]), unit @ unit[:2].T, atol=1e-6)
    hits = model.search(sentences[2], embeddings[:2], top_k=2)[0]
    np.testing.assert_allclose([hit.score for hit in hits], np.sort(unit[:2] @ unit[2])[::-1], atol=1e-6)
    assert [hit.log_var_difference for hit in hits] == [None, None]
    assert repr(model) == f"<Encoder {str(vectors)!r}: cosine, 3 dimensions, at most {model.max_seq_length} tokens>"


def test_embeddings_of_another_width_or_kind_are_refused(encoder, vectors):
    width = encoder.get_sentence_embedding_dimension()
    assert encoder.encode("It rains.").mean.shape == (1, width)
    same = gausscse.Embeddings(*np.zeros((2, 3, width)))
    assert encoder.similarity(same, same).shape == (3, 3)
    plain_of_two_parts = gausscse.Embeddings(np.zeros((3, 2 * width)))
    other_width = gausscse.Embeddings(*np.zeros((2, 3, width - 1)))
    for wrong in (plain_of_two_parts, other_width, gausscse.Embeddings(np.zeros((3, width)))):
        for refused in (lambda: encoder.similarity(wrong, same), lambda: encoder.similarity(same, wrong),
                        lambda: encoder.search(same, wrong), lambda: encoder.score(wrong, same)):
            with pytest.raises(ValueError, match=f"are not those of this model, whose have {width} dimensions of mean and"):
                refused()
    gaussians_of_half = gausscse.Embeddings(*np.zeros((2, 3, 2)))
    plain = gausscse.Encoder(vectors)
    with pytest.raises(ValueError, match="whose have 3 dimensions$"):
        plain.similarity(gaussians_of_half, "a cat")


SENTENCES = ["It rains.", "A cat sleeps on a chair.", "", "A dog runs."]


def same(one, other):
    return one._is_gaussian == other._is_gaussian and np.array_equal(one._rows, other._rows)


@pytest.mark.parametrize("suffix", ["h5", "npz", "safetensors"])
def test_files_are_those_of_the_program(encoder, model, tmp_path, suffix):
    (tmp_path / "in.txt").write_text("".join(text + "\n" for text in SENTENCES))
    written, saved = tmp_path / f"written.{suffix}", tmp_path / f"saved.{suffix}"
    run("encode", model, tmp_path / "in.txt", written)
    embeddings = encoder.encode(SENTENCES)
    assert same(gausscse.Embeddings.load(written), embeddings)
    embeddings.save(saved)
    again = gausscse.Embeddings.load(str(saved))
    assert same(again, embeddings) and again._description == embeddings._description
    if suffix != "npz":
        return
    # The program knows the model of the file, and appends to it.
    run("encode", model, tmp_path / "in.txt", saved, "--append")
    both = gausscse.Embeddings.load(saved)
    assert same(both, gausscse.Embeddings.concatenate([embeddings, gausscse.Embeddings.load(written)]))
    found = run("search", model, saved, tmp_path / "in.txt", "--top", 1)
    assert [int(line.split("\t")[2]) for line in found.splitlines()] == [hits[0].corpus_id
                                                                        for hits in encoder.search(SENTENCES, both, top_k=1)]
    with np.load(saved) as arrays:
        assert np.array_equal(arrays["mean"][:4], embeddings.mean)
        assert np.array_equal(arrays["log_var"][4:], embeddings.log_var)


def test_plain_embeddings_are_saved_as_an_array_of_numpy(gaussians, tmp_path):
    embeddings, mean, _ = gaussians
    plain = gausscse.Embeddings(np.tile(mean, (3000, 1)))  # more rows than are written or read at once
    plain[::2].save(tmp_path / "plain.npy")
    assert np.array_equal(np.load(tmp_path / "plain.npy"), plain.mean[::2])
    assert same(gausscse.Embeddings.load(tmp_path / "plain.npy"), plain[::2])
    np.save(tmp_path / "other.npy", mean)
    with pytest.warns(UserWarning, match="unchecked") as caught:
        assert np.array_equal(gausscse.Embeddings.load(tmp_path / "other.npy").mean, mean)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="npy"):
        embeddings.save(tmp_path / "gaussian.npy")


def test_what_a_user_made_is_not_replaced(gaussians, tmp_path):
    embeddings, mean, log_var = gaussians
    path = tmp_path / "mine.npz"
    embeddings[:2].save(path)
    with pytest.raises(ValueError, match=r"path .*mine\.npz is there already: give another path, or overwrite=True to replace it"):
        embeddings.save(path)
    assert len(gausscse.Embeddings.load(path)) == 2
    embeddings.save(path, overwrite=True)
    assert same(gausscse.Embeddings.load(path), embeddings)
    with pytest.raises(ValueError, match=r"embeddings are not written as \"\.csv\""):
        embeddings.save(tmp_path / "mine.csv")
    with pytest.raises(TypeError, match="path is 3"):
        embeddings.save(3)
    for wrong in (tmp_path / "none.npz", tmp_path / "none" / "x.h5"):
        with pytest.raises(FileNotFoundError, match="path is .*none"):
            gausscse.Embeddings.load(wrong)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="damaged|changed"):
        gausscse.Embeddings.load(path)


def test_parts_are_concatenated_in_their_order(encoder, gaussians):
    embeddings, mean, log_var = gaussians
    plain = gausscse.Embeddings(mean)
    joined = gausscse.Embeddings.concatenate(part for part in (embeddings[4:], embeddings[:0], embeddings[:4]))
    order = [4, 5, 0, 1, 2, 3]
    assert np.array_equal(joined.mean, mean[order]) and np.array_equal(joined.log_var, log_var[order])
    assert np.array_equal(gausscse.Embeddings.concatenate([plain, plain]).mean, np.concatenate([mean, mean]))
    for parts, message in (([], "there are no embeddings"), ([plain, embeddings], "cannot be concatenated"),
                           ([plain, gausscse.Embeddings(mean[:, 1:])], "cannot be concatenated")):
        with pytest.raises(ValueError, match=message):
            gausscse.Embeddings.concatenate(parts)
    with pytest.raises(TypeError, match="a part is array"):
        gausscse.Embeddings.concatenate([mean])


def test_embeddings_of_another_model_are_refused(encoder, model):
    other = gausscse.Encoder(model, max_tokens=7)
    texts = ["It rains.", "A cat sleeps."]
    own, foreign = encoder.encode(texts), other.encode(texts)
    with pytest.raises(ValueError, match="of different models"):
        gausscse.Embeddings.concatenate([own, foreign])
    for refused in (lambda: encoder.similarity(own, foreign[:1]), lambda: other.search(own, foreign)):
        with pytest.raises(ValueError, match="are of another model"):
            refused()
    # Arrays name no model.
    arrays = gausscse.Embeddings(foreign.mean, foreign.log_var)
    assert encoder.similarity(own, arrays).shape == (2, 2)
    assert gausscse.Embeddings.concatenate([own, arrays])._description == {}
    assert gausscse.Embeddings.concatenate([own, own[:1]])._description == own._description != {}


def test_an_encoder_is_pickled_by_its_path(model, tmp_path, monkeypatch):
    folder = tmp_path / "link"
    folder.symlink_to(model)
    monkeypatch.chdir(tmp_path)
    encoder = gausscse.Encoder("link", max_tokens=5, precision="fp32", threads=1)
    text = pickle.dumps(encoder)
    assert len(text) < 1000
    monkeypatch.chdir("/")
    with pytest.warns(UserWarning, match="cut"):
        expected = encoder.encode("A cat sleeps on a chair.")
    again = pickle.loads(text)
    assert again.max_seq_length == 5 and str(folder) in repr(again)
    with pytest.warns(UserWarning, match="cut"):
        assert same(again.encode("A cat sleeps on a chair."), expected)
    folder.unlink()
    with pytest.raises(FileNotFoundError, match="link"):
        pickle.loads(text)


def test_a_pickled_encoder_keeps_its_calibration(model, hits, monkeypatch):
    monkeypatch.chdir(hits.parent)
    text = pickle.dumps(gausscse.Encoder(model, calibration=hits.name))
    monkeypatch.chdir("/")
    assert pickle.loads(text)._model.has_hit_calibration
    assert not pickle.loads(pickle.dumps(gausscse.Encoder(model)))._model.has_hit_calibration


def test_a_pickled_encoder_keeps_all_options():
    path = ROOT / "models/minilm"
    if not path.is_dir():
        pytest.skip("no MiniLM: scripts/fetch_minilm.sh brings it")
    options = {"pooling": "first_token", "precision": "fp32", "max_tokens": 9, "threads": 2, "calibration": None}
    with pytest.warns(UserWarning, match="the pooling of .* itself is mean"):
        encoder = gausscse.Encoder(path, **options)
    assert encoder.__getstate__() == (str(path), options)
