r"""Compares token ids with those of the `tokenizers` library, over whole corpora and over text made to be difficult.

    python tests/golden/compare_tokenizers.py --program build/cpu/gausscse --data ../shared/data --minilm models/minilm
    python tests/golden/compare_tokenizers.py --program build/cpu/gausscse

The tokenizers are those of BERT and RoBERTa under --data, with its corpora; without, the small ones of the goldens. The
program is called as `PROGRAM tokenize DIR IN.txt --max-tokens N` and prints the ids of each line; a carriage return
before the line feed belongs to the line's end. Prints a line per tokenizer and text, and ends with exit code 1 if any
sentence differs, with 77 (skipped) where the library is missing.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"

try:
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
except ImportError:
    print("SKIPPED: no Python package tokenizers; scripts/setup.sh installs it")
    sys.exit(77)

BATCH = 20000


def corpus_sentences(data):
    """Every distinct sentence of the corpora, as bytes without line feeds."""
    texts = set()
    for path in sorted(data.glob("**/*.jsonl")):
        for line in path.open(encoding="utf-8"):
            pair = json.loads(line)
            texts.update((pair["sentence1"], pair["sentence2"]))
    for path in sorted(data.glob("triples/*.csv")):
        for row in csv.reader(path.open(encoding="utf-8", newline="")):
            texts.update(row)
    for pattern in ("SICK/*.txt", "sts/**/*.txt", "sts/**/*.csv"):
        for path in sorted(data.glob(pattern)):
            for line in path.read_bytes().decode("utf-8", "replace").split("\n"):
                texts.add(line)
                texts.update(line.split("\t"))
    return sorted(text.encode() for text in texts if "\n" not in text)


def code_point_lines(every=1):
    """Code points but the line feed, each on its own, within a word, beside a digit, a symbol, a space and a mark."""
    for code_point in range(0, 0x110000, every):
        if code_point == 0x0A:
            continue
        if 0xD800 <= code_point <= 0xDFFF:
            c = chr(code_point).encode("utf-8", "surrogatepass")
            yield b"a" + c + b"b " + c
        else:
            c = chr(code_point)
            yield f"{c} a{c}B {c}{c} 1{c}, {c}e\u0301{c}\u0323\u0301 '{c}s  {c}".encode()


def random_lines(count, seed):
    """Strings over pools of characters that are treated in some special way, and random bytes."""
    pools = [
        [chr(c) for c in range(0x20, 0x7F)],
        list("etaoin shrdlu ETAOIN 0123456789"),
        list("     \t\r\x0b\x0c\x1c\x85\xa0\u1680\u2003\u2028\u202f\u3000"),
        [chr(c) for c in range(0x300, 0x370)] + list("\u0591\u05b0\u064b\u0f71\u302e\u1d165\u3099"),
        [chr(c) for c in range(0xC0, 0x250)] + [chr(c) for c in range(0x1E00, 0x2000)],
        [chr(c) for c in range(0x4E00, 0x4E80)] + [chr(c) for c in range(0xF900, 0xF980)] + list("\u3041\u30a2\uff21"),
        [chr(c) for c in range(0xAC00, 0xAC80)] + [chr(c) for c in range(0x1100, 0x1180)],
        list("\U0001f469\u200d\u2764\ufe0f\U0001f468\U0001f3fd\U0001f1e9\U0001f1ea\u20e3#*1"),
        [chr(c) for c in range(0x20)] + list(
            "\x7f\x80\x9f\xad\u200b\u200c\u200e\u2060\ufeff\ufffd\ufffe\ue000\U000f0000"),
        ["[SEP]", "[CLS]", "[MASK]", "[UNK]", "[PAD]",
         "<s>", "</s>", "<mask>", " <mask>  ", "<pad>", "[sep]", "<", "["],
        ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'", "''", "##", "##ing", "..."],
        list("\u0130\u0131\u03a3\u03c2\u1e9e\xdf\u01c5\ufb01\u2126\u212b\u00c5\u1fd3\u0390"),
        [chr(c) for c in range(0x590, 0x700)] + [chr(c) for c in range(0x900, 0x980)] +
        [chr(c) for c in range(0xE00, 0xE80)],
    ]
    draw = random.Random(seed)
    for _ in range(count):
        kind = draw.random()
        if kind < 0.15:
            yield bytes(draw.choice((draw.randrange(256), draw.randrange(0x80, 0x100), 0x61))
                        for _ in range(draw.randrange(30))).replace(b"\n", b"")
            continue
        if kind < 0.2:
            yield "".join(chr(draw.choice((draw.randrange(0xD800), draw.randrange(0xE000, 0x110000))))
                          for _ in range(draw.randrange(20))).replace("\n", "").encode()
            continue
        chosen = draw.sample(pools, draw.randrange(1, 4))
        text = "".join(draw.choice(draw.choice(chosen)) for _ in range(draw.randrange(40))).encode()
        if draw.random() < 0.1 and text:  # cut within a character
            at = draw.randrange(len(text))
            text = text[:at] + text[at + 1:]
        yield text.replace(b"\n", b"")


def long_lines(longest=100000):
    for length in (47, 48, 49, 50, 99, 100, 101, 200, 5000, 100000):
        if length > longest:
            break
        for unit in ("a", "ab", "e\u0301", "\u4e2d", "1", "!", " ", "\u00e9", "\U0001f600", "the", "-\u200d", "ing "):
            text = (unit * length)[:length]
            yield text.encode()
            yield ("x " + text + " y").encode()
    yield b""
    yield b" "
    yield b"\xff" * 300


def bert_reference(folder, lowercase, strip_accents, chinese):
    reference = Tokenizer(models.WordPiece.from_file(str(folder / "vocab.txt"), unk_token="[UNK]"))
    reference.normalizer = normalizers.BertNormalizer(True, chinese, strip_accents, lowercase)
    reference.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"]
    reference.add_special_tokens([AddedToken(s, normalized=False, special=True) for s in specials])
    reference.post_processor = processors.BertProcessing(
        ("[SEP]", reference.token_to_id("[SEP]")), ("[CLS]", reference.token_to_id("[CLS]")))
    return reference


def roberta_reference(folder, add_prefix_space):
    reference = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    reference.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    specials = ["<s>", "</s>", "<unk>", "<pad>"]
    reference.add_special_tokens([AddedToken(s, normalized=False, special=True) for s in specials])
    reference.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False, special=True)])
    reference.post_processor = processors.RobertaProcessing(
        ("</s>", reference.token_to_id("</s>")), ("<s>", reference.token_to_id("<s>")), True, add_prefix_space)
    return reference


def golden_cases(work):
    """The same, of the small tokenizers of the goldens: tokenizer.json, and the files before it of the plain ones."""
    for path in sorted((pathlib.Path(__file__).parent / "tokenizer").glob("*.json")):
        text = json.dumps(json.loads(path.read_text(encoding="utf-8"))["tokenizer"])
        folder = work / path.stem
        folder.mkdir()
        (folder / "tokenizer.json").write_text(text)
        reference = Tokenizer.from_str(text)
        yield path.stem + " tokenizer.json", folder, reference
        folder = work / (path.stem + "-files")
        folder.mkdir()
        if path.stem == "bert_uncased":
            vocabulary = reference.get_vocab()
            (folder / "vocab.txt").write_text("".join(t + "\n" for t in sorted(vocabulary, key=vocabulary.get)))
            yield "bert_uncased vocab.txt", folder, bert_reference(folder, True, None, True)
        elif path.stem == "roberta":
            reference.model.save(str(folder))
            vocabulary = json.loads((folder / "vocab.json").read_text())
            vocabulary["<mask>"] = len(vocabulary)
            (folder / "vocab.json").write_text(json.dumps(vocabulary))
            yield "roberta merges.txt", folder, roberta_reference(folder, False)


def tokenizer_cases(data, work):
    """Name, folder to open, and the reference tokenizer that it should equal."""
    bert = data / "tokenizers" / "bert-base-uncased"
    roberta = data / "tokenizers" / "roberta-base"
    yield "bert tokenizer.json", bert, Tokenizer.from_file(str(bert / "tokenizer.json"))
    yield "roberta tokenizer.json", roberta, Tokenizer.from_file(str(roberta / "tokenizer.json"))

    def folder(name, sources, config):
        path = work / name
        path.mkdir()
        for source in sources:
            shutil.copyfile(source, path / source.name)
        if config is not None:
            (path / "tokenizer_config.json").write_text(json.dumps(config))
        return path

    path = folder("bert-vocab", [bert / "vocab.txt"], None)
    yield "bert vocab.txt", path, bert_reference(path, True, None, True)
    path = folder("bert-cased", [bert / "vocab.txt"], {"do_lower_case": False, "tokenizer_class": "BertTokenizer"})
    yield "bert vocab.txt, cased", path, bert_reference(path, False, None, True)
    path = folder("bert-accents", [bert / "vocab.txt"],
                  {"do_lower_case": True, "strip_accents": False, "tokenize_chinese_chars": False})
    yield "bert vocab.txt, accents kept", path, bert_reference(path, True, False, False)
    path = folder("roberta-merges", [roberta / "vocab.json", roberta / "merges.txt"], None)
    yield "roberta merges.txt", path, roberta_reference(path, False)
    path = folder("roberta-space", [roberta / "vocab.json", roberta / "merges.txt"], {"add_prefix_space": True})
    yield "roberta merges.txt, prefix space", path, roberta_reference(path, True)


def compare(program, name, folder, reference, text_name, lines, max_tokens, work):
    """Number of sentences and how many of them differ."""
    reference.no_padding()
    reference.enable_truncation(max_tokens)
    path = work / "lines.txt"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    process = subprocess.Popen([program, "tokenize", str(folder), str(path), "--max-tokens", str(max_tokens)],
                               stdout=subprocess.PIPE, text=True)
    differing = 0
    for first in range(0, len(lines), BATCH):
        batch = lines[first:first + BATCH]
        expected = reference.encode_batch([line.removesuffix(b"\r").decode("utf-8", "replace") for line in batch])
        for line, encoding in zip(batch, expected):
            ids = [int(i) for i in process.stdout.readline().split()]
            if ids != encoding.ids:
                differing += 1
                if differing <= 5:
                    print(f"  differs: {line!r}\n    expected {encoding.ids}\n    got      {ids}")
    rest = process.stdout.read()
    if process.wait() != 0 or rest:
        sys.exit(f"{program} failed on {name}: exit code {process.returncode}, {len(rest)} characters too many")
    print(f"{name}; {text_name}; max {max_tokens}: {len(lines)} sentences, {differing} differ", flush=True)
    return len(lines), differing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--minilm", type=pathlib.Path, help="an unpacked MiniLM model folder")
    parser.add_argument("--only", default="", help="part of the name of the tokenizers to compare")
    parser.add_argument("--random-lines", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1, help="of the random lines")
    parser.add_argument("--code-points-every", type=int, default=1)
    parser.add_argument("--longest", type=int, default=100000, help="characters of the lines of one word")
    arguments = parser.parse_args()

    difficult = [*random_lines(arguments.random_lines, arguments.seed), *long_lines(arguments.longest)]
    code_points = list(code_point_lines(arguments.code_points_every))
    texts = [("difficult text", difficult, 12), ("difficult text", difficult, 1000000),
             ("code points", code_points, 1000000)]
    if arguments.data:
        corpora = corpus_sentences(arguments.data)
        texts += [("corpora", corpora, 64), ("corpora", corpora, 1000000)]
    total = wrong = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        cases = list(tokenizer_cases(arguments.data, work) if arguments.data else golden_cases(work))
        if arguments.minilm and (arguments.minilm / "tokenizer.json").exists():
            cases.append(("minilm tokenizer.json", arguments.minilm,
                          Tokenizer.from_file(str(arguments.minilm / "tokenizer.json"))))
        for name, folder, reference in cases:
            if arguments.only not in name:
                continue
            for text_name, lines, max_tokens in texts:
                compared, differing = compare(arguments.program, name, folder, reference, text_name, lines,
                                              max_tokens, work)
                total += compared
                wrong += differing
    print(f"{total} sentences compared, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
