"""Makes tests/golden/tokenizer: what the `tokenizers` library (0.23.3) does, for the tests of data/tokenizer.

    python tests/golden/make_tokenizer.py [--data ../shared/data]
    python tests/golden/make_tokenizer.py --block 1000   # prints the properties of U+1000 to U+1FFF, as a failing test does
    python tests/golden/make_tokenizer.py --only mpnet   # what `transformers` makes of a vocab.txt
    python tests/golden/make_tokenizer.py --only modernbert
    python tests/golden/make_tokenizer.py --only unigram      # needs sentencepiece 0.2.3 and protobuf
    python tests/golden/make_tokenizer.py --only clusters     # the lines "clusters" of unicode.txt

unicode.txt        hashes of the properties of all code points, in blocks of 4096: a property, the first code point of
                   a block, and the hash of this block and of those up to the next line
sentences.txt      sentences, as hexadecimal bytes
*.json             small tokenizers, with the numbers of ids of the first sentences, and these ids one behind the other
corpora.txt        with --data: a digest of the ids of all sentences of SNLI test, for each real tokenizer
"""

import argparse
import io
import json
import pathlib
import tempfile

from charsmap import make_charsmap
from compare_tokenizers import long_lines, random_lines
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path(__file__).parent / "tokenizer"
BLOCK = 4096
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def bert_normalizer(clean=False, chinese=False, strip=False, lower=False):
    return normalizers.BertNormalizer(clean, chinese, strip, lower).normalize_str


def hexadecimal(text):
    return " ".join(f"{ord(c):X}" for c in text)


def write_lines(name, lines):
    (OUT / name).write_text("".join(line + "\n" for line in lines))


def classes_by_code_point():
    clean, chinese, strip = bert_normalizer(clean=True), bert_normalizer(chinese=True), bert_normalizer(strip=True)
    bert = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    words = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
    whole = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    whole.add_tokens([AddedToken("qq", single_word=True, normalized=False)])

    def classes(code_point):
        c = chr(code_point)
        result = ""
        if clean(f"a{c}b") == "ab":
            result += "r"  # removed
        if len(bert(f"a{c}b")) == 2:
            result += "s"  # space
        if len(bert(f"a{c}b")) == 3:
            result += "p"  # punctuation
        if chinese(c) != c:
            result += "c"  # CJK
        if strip(c) == "":
            result += "m"  # nonspacing mark
        if len(words("a" + c)) == 1:
            result += "L"
        elif len(words("1" + c)) == 1:
            result += "N"
        elif len(words("!" + c)) == 1:
            result += "O"
        else:
            result += "S"
        if 1 not in whole.encode("qq" + c).ids:
            result += "w"  # word character
        return result

    return {c: classes(c) for c in SCALARS}


def changed_by(function):
    return {c: hexadecimal(function(chr(c))) for c in SCALARS if function(chr(c)) != chr(c)}


def ranks_of_marks():
    """The class shows in how a mark is ordered next to U+0345, of class 240, the largest, and U+0334, of class 1, the
    smallest; then next to one mark of each class."""
    nfd = normalizers.NFD().normalize_str

    def swaps(first, second):
        return nfd(chr(first) + chr(second)) != chr(first) + chr(second)

    marks = [c for c in SCALARS if nfd(chr(c)) == chr(c) and (swaps(0x345, c) or swaps(c, 0x334))]
    order = []  # one mark of each class, from the smallest
    for mark in marks + [0x345, 0x334]:
        at = sum(swaps(mark, other) for other in order)
        if at == len(order) or not any(not swaps(mark, o) and not swaps(o, mark) for o in order):
            order.insert(at, mark)
    return {mark: str(sum(swaps(mark, other) for other in order)) for mark in sorted({*marks, 0x345, 0x334})}


def cluster_classes():
    """The part of a code point in grapheme clusters. A cluster of fewer than 6 bytes is replaced by what its first
    character becomes, and its other characters vanish; of a larger one each character is replaced."""
    def replacing(characters):
        return normalizers.Precompiled(make_charsmap({c: "Y" for c in characters})).normalize_str

    letter, consonant, symbol = replacing("a"), replacing("\u0915"), replacing("\u00a9")
    tests = {
        "e": lambda c: letter("a" + c) == "Y",  # extends a letter
        "l": lambda c: consonant("\u0916" + c + "\u0915\u0301").endswith("Y\u0301"),  # links consonants
        "g": lambda c: symbol(c + "\u200d\u00a9\u0301").endswith("Y\u0301"),  # a pictograph, after a joiner
    }
    classes = {}
    for first in range(0, 0x110000, 1024):
        block = [c for c in range(first, first + 1024) if not 0xD800 <= c <= 0xDFFF]
        own = replacing(chr(c) for c in block if chr(c) not in "\0a\u0301\u0915\u094d") if block else None
        for c in block:
            text = "".join(name for name, holds in tests.items() if holds(chr(c)))
            if own(chr(c) + "a") == "Y":
                text += "p"  # belongs to the letter behind it
            # A consonant behind a linked one: their cluster has 9 bytes or more, and the accent stays.
            if 3 == len(chr(c).encode()) and "e" not in text and own(chr(c) + "\u0301") == "Y" and \
                    own("\u0915\u094d" + chr(c) + "\u0301").endswith("Y\u0301"):
                text += "k"
            if text:
                classes[c] = text
    return classes


def unicode_properties():
    return {"classes": classes_by_code_point(), "lower_case": changed_by(bert_normalizer(lower=True)),
            "decomposition": changed_by(normalizers.NFD().normalize_str), "combining": ranks_of_marks(),
            "clusters": cluster_classes()}


def print_block(first):
    for name, values in unicode_properties().items():
        for c in range(first, first + BLOCK):
            if c in values:
                print(name, f"{c:X}", values[c])


def hash_lines(properties):
    lines = []
    for name, values in properties.items():
        before = None
        for first in range(0, 0x110000, BLOCK):
            text = "".join(values.get(c, "") + "\n" for c in range(first, first + BLOCK))
            hash_value = 0xCBF29CE484222325  # FNV-1a
            for byte in text.encode():
                hash_value = ((hash_value ^ byte) * 0x100000001B3) % 2**64
            if hash_value != before:
                lines.append(f"{name} {first:X} {hash_value:016x}")
            before = hash_value
    return lines


def make_unicode():
    write_lines("unicode.txt", hash_lines(unicode_properties()))


def make_clusters():
    others = [line for line in (OUT / "unicode.txt").read_text().splitlines() if not line.startswith("clusters")]
    write_lines("unicode.txt", others + hash_lines({"clusters": cluster_classes()}))


TEXT = """
A child in a red coat is playing with a small dog near the water. Two men are sitting on a bench and reading the news.
The woman isn't sleeping; she's waiting for a train, and they'll arrive at 10:45 or so. Nobody knows whether it's true!
Several people walked across the bridge while it was raining. I'd say we've seen 3 or 4 birds, don't you think?
Caf\u00e9s in M\u00fcnchen, na\u00efve fa\u00e7ade, \u0130stanbul, \u03a3\u03bf\u03c6\u03af\u03b1, \u043c\u0438\u0440, \u4e2d\u6587\u5b57,
\u65e5\u672c, \ud55c\uad6d\uc5b4.
A black cat jumps over a sleeping dog. The children are not playing outside. An old man is unhappy with the paintings.
"""


def word_piece_vocabulary(extra=()):
    trainer = trainers.WordPieceTrainer(vocab_size=520, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
                                        show_progress=False)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(True, True, False, False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    accents = [bert_normalizer(strip=True)(TEXT), bert_normalizer(lower=True)(TEXT),
               bert_normalizer(strip=True, lower=True)(TEXT)]
    tokenizer.train_from_iterator([TEXT] + accents, trainer)
    vocabulary = tokenizer.get_vocab(with_added_tokens=False)
    for token in extra:
        vocabulary.setdefault(token, len(vocabulary))
    return vocabulary


def word_piece(vocabulary, normalizer, added=(), longest=100):
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=longest))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True)
                                  for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")])
    tokenizer.add_tokens(list(added))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(t, tokenizer.token_to_id(t)) for t in ("[CLS]", "[SEP]")])
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def byte_level(vocabulary_size, prefix_space, added=()):
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.train_from_iterator([TEXT], trainers.BpeTrainer(
        vocab_size=vocabulary_size, special_tokens=specials, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False, special=True)])
    tokenizer.add_tokens(list(added))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), True, prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def modernbert():
    """Byte-level BPE with NFC, tokens for runs of spaces and BERT's special tokens behind the vocabulary."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator([TEXT], trainers.BpeTrainer(
        vocab_size=500, special_tokens=["|||IP_ADDRESS|||", "<|padding|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer = Tokenizer.from_str(json.dumps({**json.loads(tokenizer.to_str()), "added_tokens": []}))
    tokenizer.add_tokens(["|||IP_ADDRESS|||", *(" " * n for n in range(8, 1, -1)), "\u00e9 e\u0301"])
    tokenizer.add_special_tokens([AddedToken(t, lstrip=t == "[MASK]", normalized=False, special=True)
                                  for t in ("<|padding|>", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")])
    tokenizer.add_tokens(["[unused0]", "[unused1]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[(t, tokenizer.token_to_id(t)) for t in ("[CLS]", "[SEP]")])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


COMPOSED = [
    "\u00e9 e\u0301 e\u0301\u0323 \u1e69 s\u0323\u0307 s\u0307\u0323 \u212b \u2126 \u0958 \u0915\u093c", "e\u0301 \u00e9 x",
    "\u1112\u1161\u11ab\u1100\u1173\u11af \u1100 \u1161 \uac00\u11a8 \uf900 \u0344 \u0f73 a\u0315\u0300\u05ae\u0300\u0301b",
    # Pairs that compose in Unicode 9.0, and others of later versions, which stay.
    "\U00011131\U00011127 \U00011935\U00011930 \U00011382\U000113c9 \U000105d2\u0307 \U0001611e\U0001611e",
    "mail |||IP_ADDRESS|||: x  y   z [unused1]  [MASK] <|padding|>[CLS]a[SEP]",
]


def sample_sentences():
    sentences = [line.encode() for line in TEXT.split("\n")]
    sentences += [
        "  two  spaces\tand a tab ", "A\nB\r\nC \n D", "don't DON'T we'll o'clock 'tis", "\u0130I\u0131i \u1e9e\u00df",
        "[SEP]in[SEP] the [MASK] dog [sep]", "<s>in</s> the   <mask>   dog<mask>", "catalogue cat dogcat Dog-cat cat",
        "a New\u00a0York new york NEWYORK newyork",
        "\u1e9b\u0323 \u0323\u0301a \u302a\u302e\u0301", "e\u0301\u0323e\u0323\u0301",
        # Marks that strip_accents keeps, in and out of canonical order.
        "a\U0001d16d\u302e a\u302e\U0001d16d a\u302e\u0301\U0001d16d\u0316", "xx ## ##ing unknownword",
        "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468 1\U0001f3fd2", "\u4e2d\u6587\uf900\u6587",
        "  trim  me  ", "trim", "xtrimx trim, trim me trim", "\u0001\u0002a\u200bb\ufeffc\ufffdd", "", " ", "\u3000",
        "\u1c89\ua7cb\U00010d50 \U00016ea0 \U0002ebf0\U00013460\U00011bf0\u0897", "\u0378\u166d\u1734\U000111c9",
    ]
    sentences = [s if isinstance(s, bytes) else s.encode() for s in sentences]
    sentences += [b"\xff a\xc3 b\xe2\x82 \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80 \xe2\x82\xac ok"]
    sentences += list(random_lines(120, seed=7))
    sentences += [s for s in long_lines() if 90 < len(s) < 300][:60:3]
    return sentences


def make_sample(name, tokenizer, more=()):
    """`more` begins what the sentences of all tokenizers are followed by."""
    ids = [tokenizer.encode(sentence.decode("utf-8", "replace")).ids
           for sentence in sample_sentences() + [sentence.encode() for sentence in more]]
    parts = {"tokenizer": json.loads(tokenizer.to_str()), "lengths": [len(each) for each in ids], "ids": sum(ids, [])}
    (OUT / f"{name}.json").write_text(
        "{" + ",\n".join(f'"{key}": ' + json.dumps(part, separators=(",", ":")) for key, part in parts.items()) + "}\n")


def make_samples():
    more = [sentence.encode() for sentence in COMPOSED + CLUSTERS + LANGUAGES.strip().split("\n")]
    write_lines("sentences.txt", [sentence.hex() for sentence in sample_sentences() + more])
    plain = word_piece_vocabulary()
    # New capitals and their lower case, so that a wrong lower case shows in the ids.
    wide = word_piece_vocabulary([
        "\u1c8a", "\u0264", "\U00010d70", "##\u0264", "##\U00010d70", "\U00016ebb", "\u1c89", "i\u0307", "##i\u0307",
        "##\u302e\U0001d16d", "\u1e9b", "\u017f", "##\u302e", "##\u302a", "\u0378", "##\u1734",
    ])
    added = [AddedToken("New York", normalized=True), AddedToken("cat", single_word=True, normalized=True),
             AddedToken("trim", lstrip=True, rstrip=True, normalized=False),
             AddedToken("\u00c9t\u00e9", normalized=True), AddedToken("dog", single_word=True, normalized=False)]
    make_sample("bert_uncased", word_piece(plain, normalizers.BertNormalizer()))
    make_sample("bert_cased", word_piece(wide, normalizers.BertNormalizer(True, True, None, False)))
    make_sample("bert_accents", word_piece(wide, normalizers.BertNormalizer(True, False, False, True)))
    make_sample("bert_unclean", word_piece(wide, normalizers.BertNormalizer(False, True, True, True), added, longest=8))
    make_sample("bert_plain", word_piece(wide, None))
    make_sample("roberta", byte_level(700, False))
    make_sample("roberta_space", byte_level(
        420, True, [AddedToken("cat", single_word=True), AddedToken("trim", lstrip=True, rstrip=True),
                    AddedToken("dog", rstrip=True), AddedToken("New York"), AddedToken("New Yorkshire")]))


def make_mpnet():
    """As transformers reads a folder of vocab.txt and the name of the class; the vocabulary is BERT's between MPNet's
    special tokens, as the published one is."""
    from transformers import AutoTokenizer

    tokens = sorted(word_piece_vocabulary().items(), key=lambda entry: entry[1])
    tokens = ["<s>", "<pad>", "</s>", "<unk>"] + [token for token, _ in tokens] + ["<mask>"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "vocab.txt").write_text("".join(token + "\n" for token in tokens))
        (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "MPNetTokenizer"}')
        (folder / "config.json").write_text('{"model_type": "mpnet"}')
        make_sample("mpnet", AutoTokenizer.from_pretrained(folder).backend_tokenizer)


def make_modernbert():
    make_sample("modernbert", modernbert(), COMPOSED)


LANGUAGES = """
The children are playing in the garden while their father reads a book. Nobody was waiting at the station this morning.
Die Kinder spielen im Garten, w\u00e4hrend ihr Vater ein Buch liest. Niemand wartete heute Morgen am Bahnhof.
Les enfants jouent dans le jardin pendant que leur p\u00e8re lit un livre. Personne n'attendait \u00e0 la gare ce matin.
Los ni\u00f1os juegan en el jard\u00edn mientras su padre lee un libro. Nadie esperaba en la estaci\u00f3n esta ma\u00f1ana.
\u0414\u0435\u0442\u0438 \u0438\u0433\u0440\u0430\u044e\u0442 \u0432 \u0441\u0430\u0434\u0443, \u043f\u043e\u043a\u0430 \u0438\u0445 \u043e\u0442\u0435\u0446 \u0447\u0438\u0442\u0430\u0435\u0442 \u043a\u043d\u0438\u0433\u0443.
\u03a4\u03b1 \u03c0\u03b1\u03b9\u03b4\u03b9\u03ac \u03c0\u03b1\u03af\u03b6\u03bf\u03c5\u03bd \u03c3\u03c4\u03bf\u03bd \u03ba\u03ae\u03c0\u03bf.
\u5b69\u5b50\u4eec\u5728\u82b1\u56ed\u91cc\u73a9\uff0c\u7236\u4eb2\u5728\u770b\u4e66\u3002\u4eca\u5929\u65e9\u4e0a\u6ca1\u6709\u4eba\u5728\u8f66\u7ad9\u7b49\u3002
\u5b50\u4f9b\u305f\u3061\u306f\u5ead\u3067\u904a\u3093\u3067\u3044\u308b\u3002\u7236\u306f\u672c\u3092\u8aad\u3080\u3002\u30ac\u30e9\u30b9
\uc544\uc774\ub4e4\uc774 \uc815\uc6d0\uc5d0\uc11c \ub180\uace0 \uc788\ub2e4. \uc544\ubc84\uc9c0\ub294 \ucc45\uc744 \uc77d\ub294\ub2e4.
\u0e40\u0e14\u0e47\u0e01\u0e46 \u0e40\u0e25\u0e48\u0e19\u0e2d\u0e22\u0e39\u0e48\u0e43\u0e19\u0e2a\u0e27\u0e19 \u0e19\u0e49\u0e33\u0e15\u0e32
\u0628\u0644\u0639\u0628 \u0627\u0644\u0623\u0637\u0641\u0627\u0644 \u0641\u064a \u0627\u0644\u062d\u062f\u064a\u0642\u0629 \u0648\u064a\u0642\u0631\u0623 \u0648\u0627\u0644\u062f\u0647\u0645 \u0643\u062a\u0627\u0628\u0627
\u092c\u091a\u094d\u091a\u0947 \u092c\u0917\u0940\u091a\u0947 \u092e\u0947\u0902 \u0916\u0947\u0932 \u0930\u0939\u0947 \u0939\u0948\u0902\u0964
"""

# Clusters of fewer than 6 bytes and larger ones, replaced whole or not; what is white space only for some.
CLUSTERS = [
    "\u2460\u0301 \u2460\u0301\u0302 \u00aa\u0301x \u00bd\u0301 \ufb01\u0301 \u2122\u20e3 a\u2122\u0301b",
    "e\u0301 e\u0301\u0302 \u30ab\u3099 \uff76\uff9e \uff76\u3099 \u0958 \u0958\u0301 \u0915\u094d\u0958\u0301 \u0915\u093c",
    "\u1112\u1161\u11ab \u1112\u1161 \u11ab\u0301 \u1100\u1100 \u00a9\u200d\u2122\u0301 \u2605\u200d\u2122\u0301",
    "\u0600\u2460 \u0600a \u06dd\u00bd \U0001f1e9\U0001f1ea\U0001f1eb \U0001f468\u200d\U0001f469\ufe0f 1\ufe0f\u20e3",
    "\u0e19\u0e33 \u0e40\u0e47\u0e33 \ufdfa \u0675 \u0149 \u01c4 \u2f00 \uf900 \u3231 \u33a1 \u2167\u0301",
    "a\u2581b \u2581\u2581c \u2581 d\u2581", "\u2581", "a\u200bb\u200ec\ufeffd\u2060e\u00adf", "\r\nx\r \x01\x02y\x7f \x85z\u0085",
    "  <mask>  in <s>the</s> garden<pad> <unk> \u2581<mask>", "the<unk>\u4dc0\u4dc1 <unk>", "\u4dc0\u4dc1 \u4dc0in\u4dc1the\u4dc2",
    " the", "the  garden   in", "\u3000the\u00a0garden\u2003", "the garden  ", "<mask>the garden", "\t<mask>the",
]


def unigram(normalizer, pre_tokenizer, mask_is_normalized, pieces):
    tokenizer = Tokenizer(models.Unigram([("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces,
                                          ("<mask>", 0.0)], 3, False))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True)
                                  for t in ("<s>", "<pad>", "</s>", "<unk>")])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=mask_is_normalized, special=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def make_unigram():
    """Models that SentencePiece trained, in the forms of published folders: the first with SentencePiece's own table of
    replacements, the others with small ones or none."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter((LANGUAGES + TEXT).strip().split("\n")), model_writer=written, vocab_size=500,
        hard_vocab_limit=False, num_threads=1, minloglevel=2, normalization_rule_name="nmt_nfkc")
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(written.getvalue())
    pieces = [(piece.piece, piece.score) for piece in model.pieces[3:]]
    small = normalizers.Precompiled(make_charsmap(
        {"\u2460": "1", "\u00bd": "1/2", "e\u0301": "\u00e9", "A": "a", "\u00ad": "", "\t": " ", "\u3000": " "}))
    spaces = normalizers.Replace(Regex(" {2,}"), "\u2581")
    metaspace, white_space = pre_tokenizers.Metaspace, pre_tokenizers.WhitespaceSplit()
    forms = {
        "unigram": (normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap),
                    pre_tokenizers.Sequence([white_space, metaspace()]), False),
        "unigram_first": (normalizers.Sequence([small, normalizers.Strip(False, True), spaces]),
                          metaspace(prepend_scheme="first"), True),
        "unigram_never": (normalizers.Sequence([small, normalizers.Replace("the", "a  n")]),
                          pre_tokenizers.Sequence([white_space, metaspace(prepend_scheme="never")]), False),
        "unigram_nmt": (normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), spaces,
                                              normalizers.Strip(True, False)]), metaspace(), True),
        "unigram_unsplit": (small, metaspace(split=False), False),
    }
    for name, (normalizer, pre_tokenizer, mask_is_normalized) in forms.items():
        make_sample(name, unigram(normalizer, pre_tokenizer, mask_is_normalized, pieces),
                    COMPOSED + CLUSTERS + LANGUAGES.strip().split("\n"))


ALONE = {"mpnet": make_mpnet, "modernbert": make_modernbert, "unigram": make_unigram, "clusters": make_clusters}


def digest(hash_value, ids):
    """FNV-1a over 32-bit words: the ids of a sentence, then their number."""
    for value in (*ids, len(ids)):
        hash_value = ((hash_value ^ value) * 0x100000001B3) % 2**64
    return hash_value


def make_corpora(data):
    lines = []
    for name in ("bert-base-uncased", "roberta-base"):
        tokenizer = Tokenizer.from_file(str(data / "tokenizers" / name / "tokenizer.json"))
        tokenizer.enable_truncation(20)
        hash_value = 0xCBF29CE484222325
        count = tokens = 0
        for line in (data / "snli_1.0-subset" / "snli_1.0_test.jsonl").open(encoding="utf-8"):
            pair = json.loads(line)
            for encoding in tokenizer.encode_batch([pair["sentence1"], pair["sentence2"]]):
                hash_value = digest(hash_value, encoding.ids)
                tokens += len(encoding.ids)
                count += 1
        lines.append(f"{name} {count} {tokens} {hash_value:016x}")
    write_lines("corpora.txt", lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--block", type=lambda text: int(text, 16))
    parser.add_argument("--only", choices=ALONE)
    arguments = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    if arguments.block is not None:
        return print_block(arguments.block)
    if arguments.only:
        return ALONE[arguments.only]()
    make_unicode()
    make_samples()
    if arguments.data:
        make_corpora(arguments.data)


if __name__ == "__main__":
    main()
