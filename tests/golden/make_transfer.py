"""Makes tests/golden/transfer: a folder of made-up files laid out as SentEval's data/downstream, and what SentEval's own
program computes of them, with vectors of words' hashes (vector_of below) that the tests compute, too. Needs numpy,
scikit-learn and torch; no GPU:

    git clone https://github.com/facebookresearch/SentEval    # or princeton-nlp/SimCSE, its folder SentEval
    python tests/golden/make_transfer.py SentEval
"""

import argparse
import inspect
import json
import pathlib
import random
import sys

import golden_json
import numpy
import torch
from sklearn.model_selection import StratifiedKFold

FOLDER = pathlib.Path(__file__).parent / "transfer"
WIDTH = 24
SEED, OTHER_SEED = 1111, 77
MODES = {
    "full": {"kfold": 10, "classifier": {"nhid": 0, "optim": "adam", "batch_size": 64, "tenacity": 5, "epoch_size": 4}},
    "fast": {"kfold": 5, "classifier": {"nhid": 0, "optim": "rmsprop", "batch_size": 128, "tenacity": 3, "epoch_size": 2}},
}
TASKS = ["MR", "CR", "SUBJ", "MPQA", "SST2", "SST5", "TREC", "MRPC", "SICKEntailment"]


def vector_of(words):
    """The mean of vectors whose whole numbers from -8 to 7 come from a word's hash, over 8: exact but for one division."""
    total = numpy.zeros(WIDTH, dtype=numpy.int64)
    for word in words:
        state = 2166136261
        for byte in word.encode("utf-8"):
            state = ((state ^ byte) * 16777619) & 0xFFFFFFFF
        for k in range(WIDTH):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            total[k] += (state >> 24) % 16 - 8
    return total.astype(numpy.float32) / numpy.float32(8 * max(1, len(words)))


# ---- files ----

def words_of(draw, label, classes, count):
    """Words of a small vocabulary, of which some say something of the class."""
    words = []
    for _ in range(count):
        if draw.random() < 0.3:
            meant = label if draw.random() < 0.7 else draw.randrange(classes)
            words.append(f"c{meant}w{draw.randrange(12)}")
        else:
            words.append(f"w{draw.randrange(80)}")
    return words


def sentence(draw, label, classes, longest=9):
    return " ".join(words_of(draw, label, classes, draw.randint(2, longest)))


def labels(draw, count, classes):
    drawn = [draw.randrange(classes) for _ in range(count - classes)] + list(range(classes))
    draw.shuffle(drawn)
    return drawn


def write(name, lines, encoding="utf-8", end="\n"):
    path = FOLDER / "downstream" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(line + end for line in lines).encode(encoding))


def pair(draw, label, classes):
    """Two sentences that have more words in common the higher the label is."""
    first = words_of(draw, 0, 1, draw.randint(3, 8))
    kept = [word for word in first if draw.random() < (0.35 + 0.45 * label / (classes - 1))]
    return " ".join(first), " ".join(kept + words_of(draw, 0, 1, draw.randint(1, 3)))


def make_files():
    draw = random.Random(5)
    for folder, positive, negative, counts in [
            ("MR", "rt-polarity.pos", "rt-polarity.neg", (70, 61)), ("CR", "custrev.pos", "custrev.neg", (45, 31)),
            ("SUBJ", "subj.objective", "subj.subjective", (40, 40)), ("MPQA", "mpqa.pos", "mpqa.neg", (39, 44))]:
        for name, label, count in [(positive, 1, counts[0]), (negative, 0, counts[1])]:
            lines = [sentence(draw, label, 2) for _ in range(count)]
            if folder == "CR":  # what a reader of Latin-1 must tell: characters, blanks and line ends of its own
                lines[3] += " caf\u00e9 na\u00efve"
                lines[5] = lines[5].replace(" ", "\u00a0", 1) + "  twice "
                lines[8] += "\u0085next line " + sentence(draw, label, 2)
                lines[11] += "\x0cnew page\x1cnew file"
                lines[14] = ""
                lines[17] = " \t "
            write(f"{folder}/{name}", lines, "latin-1", "\r\n" if folder == "MPQA" else "\n")
    for split, count in [("train", 140), ("dev", 30), ("test", 40)]:
        write(f"SST/binary/sentiment-{split}",
              [f"{sentence(draw, label, 2)} \u2013 caf\u00e9 \t{label}" for label in labels(draw, count, 2)])
        write(f"SST/fine/sentiment-{split}",
              [f"{label} {sentence(draw, label, 5)}" for label in labels(draw, count, 5)])
    kinds = ["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"]
    for name, count in [("train_5500.label", 150), ("TREC_10.label", 40)]:
        write(f"TREC/{name}", [f"{kinds[label]}:sub {sentence(draw, label, 6)} caf\u00e9 ?"
                               for label in labels(draw, count, 6)], "latin-1")
    for name, count in [("train", 120), ("test", 50)]:
        rows = [(label, *pair(draw, label, 2)) for label in labels(draw, count, 2)]
        write(f"MRPC/msr_paraphrase_{name}.txt", ["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"] +
              [f"{label}\t{i}\t{i + 1}\t{a}\t{b}" for i, (label, a, b) in enumerate(rows)])
    judgments = ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"]
    for name, count in [("train", 120), ("trial", 40), ("test_annotated", 50)]:
        rows = [(label, *pair(draw, label, 3)) for label in labels(draw, count, 3)]
        write(f"SICK/SICK_{name}.txt", ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"] +
              [f"{i}\t{a}\t{b}\t3.5\t{judgments[label]}" for i, (label, a, b) in enumerate(rows)])


# ---- SentEval ----

class TorchOnCpu:
    """torch, but that its GPU is the CPU."""

    def __getattr__(self, name):
        return (lambda _: torch.device("cpu")) if name == "device" else getattr(torch, name)


def import_senteval(checkout):
    sys.path.insert(0, str(checkout))
    inspect.getargspec = inspect.getfullargspec  # gone from Python, and the first of its parts is all that is used
    torch.nn.Module.cuda = torch.Tensor.cuda = lambda self: self
    torch.cuda.FloatTensor = torch.FloatTensor
    torch.set_num_threads(1)
    import senteval
    from senteval.tools import classifier
    classifier.torch = TorchOnCpu()
    return senteval, classifier.MLP


class Fits:
    """Notes of every fit of a task."""

    def __init__(self, classifier):
        self.done = []
        fit, score = classifier.fit, classifier.score
        running = []

        def recorded_score(self, x, y):
            accuracy = score(self, x, y)
            if running:
                running[-1].append(round(accuracy * len(x)))
            return accuracy

        def recorded_fit(fitted, x, y, **how):
            running.append([])
            best = fit(fitted, x, y, **how)
            layer = fitted.model[0]
            self.done.append({"decay": fitted.l2reg, "correct": running.pop(), "passes": fitted.nepoch,
                              "weights": [[round(v, 7) for v in row] + [round(b, 7)]
                                          for row, b in zip(layer.weight.tolist(), layer.bias.tolist())]})
            return best

        classifier.fit, classifier.score = recorded_fit, recorded_score


def measured(senteval, mode, task, seed):
    evaluation = senteval.engine.SE({"task_path": str(FOLDER), "usepytorch": True, "seed": seed, **MODES[mode]},
                                    lambda _, batch: numpy.vstack([vector_of(words) for words in batch]))
    result = evaluation.eval(task)
    return {key: float(result[key]) for key in ("devacc", "acc", "f1") if key in result}


def make_figures(senteval, classifier):
    fits = Fits(classifier)
    figures, traces = {}, []
    for mode, params in MODES.items():
        figures[mode] = {}
        folds = params["kfold"]
        # Numbers of fits: of nested cross-validation decay after decay of an outer fold, then that fold's last fit.
        traced = {"MR": [(0, {"outer": 0, "inner": 0}), (4 * folds, {"outer": 0})],
                  "TREC": [(i * folds + 2, {"fold": 2}) for i in range(4)] + [(4 * folds, {})],
                  "MRPC": [(folds - 1, {"fold": folds - 1})], "SST5": [(0, {})]}
        for task in TASKS:
            fits.done.clear()
            figures[mode][task] = measured(senteval, mode, task, SEED)
            traces += [{"task": task, "mode": mode, **place, **fits.done[number]}
                       for number, place in traced.get(task, [])]
            print(mode, task, figures[mode][task], len(fits.done), "fits", flush=True)
    return figures, traces


def write_other_seed(senteval):
    figures = {task: measured(senteval, "fast", task, OTHER_SEED) for task in ("CR", "TREC", "SST5")}
    golden_json.write(FOLDER / "other_seed.json", {"seed": OTHER_SEED, "figures": figures})


# ---- parts ----

def make_parts():
    permutations, folds, initial, rounded, means = [], [], [], [], []
    for seed in (0, SEED, 2**32 - 1):
        state = numpy.random.RandomState(seed)
        permutations.append({"seed": seed, "permutations": [state.permutation(n).tolist() for n in (1, 2, 9, 16, 17, 50)]})
    draw = numpy.random.RandomState(2)
    for count, classes, splits, seed in [(37, 2, 5, SEED), (103, 6, 10, SEED), (60, 3, 4, 7), (20, 2, 10, 0)]:
        drawn = draw.choice(classes, size=count, p=numpy.arange(1, classes + 1) / sum(range(1, classes + 1)))
        if min(numpy.bincount(drawn, minlength=classes)) < splits:
            drawn = numpy.concatenate([drawn, numpy.repeat(numpy.arange(classes), splits)])
        of_example = numpy.zeros(len(drawn), dtype=int)
        for fold, (_, tested) in enumerate(StratifiedKFold(splits, shuffle=True, random_state=seed).split(drawn, drawn)):
            of_example[tested] = fold
        folds.append({"labels": drawn.tolist(), "folds": splits, "seed": seed, "fold_of_example": of_example.tolist()})
    for seed, features, classes in [(SEED, WIDTH, 2), (3, 7, 6)]:
        torch.manual_seed(seed)
        layer = torch.nn.Linear(features, classes)
        initial.append({"seed": seed, "features": features, "weights": layer.weight.tolist(), "biases": layer.bias.tolist()})
    for x in [0.0, 87.125, 62.5, 0.625, 2.675, 1.005, 99.995, 33.335, 84.365] + (draw.random_sample(30) * 100).tolist():
        rounded.append([x, round(x, 2), float(round(numpy.float64(x), 2))])
    for count in (1, 2, 5, 7, 8, 10, 16, 23):
        values = draw.random_sample(count).tolist()
        means.append({"values": values, "mean": float(numpy.mean(values))})
    return {"permutations": permutations, "folds": folds, "initial_weights": initial, "rounded": rounded, "means": means}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("senteval", type=pathlib.Path, help="the checkout: the folder that holds the package senteval")
    checkout = parser.parse_args().senteval
    make_files()
    (FOLDER / "parts.json").write_text(json.dumps(make_parts()) + "\n")
    senteval, classifier = import_senteval(checkout)
    write_other_seed(senteval)
    figures, traces = make_figures(senteval, classifier)
    golden_json.write(FOLDER / "figures.json", {"width": WIDTH, "figures": figures})
    (FOLDER / "fits.json").write_text("[" + ",\n ".join(json.dumps(trace) for trace in traces) + "]\n")


if __name__ == "__main__":
    main()
