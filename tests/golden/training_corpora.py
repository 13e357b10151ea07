"""Small made-up corpora for whole trainings, and the token ids of their sentences."""

import csv
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "training"
CLS, SEP, FIRST_WORD = 2, 3, 5
MAX_TOKENS = 12
LABELS = ["entailment", "neutral", "contradiction"]


def make_corpora(generator):
    """31 triples and 24 pairs of words w0 ... w54; some sentences are longer than MAX_TOKENS."""

    def sentence():
        return " ".join(f"w{generator.randrange(55)}" for _ in range(generator.randrange(2, 14)))

    triples = [tuple(sentence() for _ in range(3)) for _ in range(31)]
    labels = ["entailment"] * 9 + ["neutral"] * 8 + ["contradiction"] * 7
    generator.shuffle(labels)
    return triples, [(label, sentence(), sentence()) for label in labels]


def make_pairs(generator):
    """25 labelled pairs; one is said twice, and one, which is no example, has no label."""
    pairs = [(generator.choice(LABELS), *(" ".join(f"w{generator.randrange(55)}" for _ in range(generator.randrange(2, 14)))
                                          for _ in range(2))) for _ in range(24)]
    pairs.insert(20, pairs[3])
    pairs.insert(8, ("-", *pairs[5][1:]))
    return pairs


def make_premises(generator):
    """Labelled pairs of few premises, one behind the other as in SNLI; the last four are no entailments, so that the
    last batch of seven has no anchor. Of two premises, which are the same tokens, the words behind the last token that
    is taken differ."""
    def sentence(words=None):
        return " ".join(f"w{generator.randrange(55)}" for _ in range(words or generator.randrange(2, 14)))

    long = sentence(11)
    pairs = []
    for number in range(8):
        premise = long + f" w{number}" if number in (2, 3) else sentence()
        for _ in range(generator.randrange(3, 6)):
            pairs.append((generator.choice(["entailment", "entailment", *LABELS]), premise, sentence()))
    pairs = pairs[:28]
    premise = sentence()
    return pairs + [(label, premise, sentence()) for label in ("neutral", "contradiction", "neutral", "neutral")]


def write_pairs(file, pairs):
    lines = [json.dumps({"gold_label": label, "sentence1": p, "sentence2": h, "pairID": str(i)})
             for i, (label, p, h) in enumerate(pairs)]
    (FOLDER / file).write_text("\n".join(lines) + "\n")


def write_corpora(triples, pairs, premises, dev):
    FOLDER.mkdir(exist_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(55)]
    (FOLDER / "vocab.txt").write_text("\n".join(words) + "\n")
    words = ["<s>", "<pad>", "</s>", "[UNK]"] + [f"w{i}" for i in range(55)] + ["<mask>"]
    (FOLDER / "mpnet_vocab.txt").write_text("\n".join(words) + "\n")
    with open(FOLDER / "train.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("sent0", "sent1", "hard_neg"), *triples])
    write_pairs("pairs.jsonl", pairs)
    write_pairs("premises.jsonl", premises)
    write_pairs("dev.jsonl", dev)


def tokens_of(sentence, backbone=None):
    cls, sep, first_word = (0, 2, 4) if backbone == "tiny-mpnet" else (CLS, SEP, FIRST_WORD)
    words = [first_word + int(word[1:]) for word in sentence.split()]
    return [cls, *words[: MAX_TOKENS - 2], sep]
