"""The checks' corpus: premises with an entailment and a contradiction each, sentences as long as those of NLI.

Words mean nothing, and each is one token. Every number below follows from the two tables of lengths, so that a training
whose log reports other numbers did not read this corpus.
"""

import json
import random

# Tokens of a sentence with [CLS] and [SEP], each value equally often. Premises have 26 tokens on average and hypotheses
# 12.5, which makes 17 tokens a sentence, and 8 % of the sentences are longer than 32, as in NLI (2 to 13 %).
PREMISE_TOKENS = (8, 10, 12, 14, 15, 17, 18, 20, 21, 23, 25, 26, 28, 30, 32, 36, 40, 45, 50, 50)
HYPOTHESIS_TOKENS = (6, 7, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 15, 15, 16, 18, 19, 22)
TOKENS_OF_A_TRIPLE = (sum(PREMISE_TOKENS) + 2 * sum(HYPOTHESIS_TOKENS)) // len(PREMISE_TOKENS)
SENTENCES_OF_A_TRIPLE = 3

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = 30522 - len(SPECIAL_TOKENS)  # BERT's vocabulary
FREQUENT_WORDS = 20  # a third of a text's words
SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnprstvwxyz" for vowel in "aeiou"]


def triples_for(batches):
    """Triples of a corpus in which the largest of these batches fits twice; a multiple of the tables' length."""
    length = len(PREMISE_TOKENS)
    return -(-2 * max(batches) // length) * length


def word(number):
    """One word for each number below a million."""
    count = len(SYLLABLES)
    return SYLLABLES[number // count**2] + SYLLABLES[number // count % count] + SYLLABLES[number % count]


class Sentences:
    """Draws sentences, no two of which are equal."""

    def __init__(self, words, seed):
        self.words, self.random, self.drawn = words, random.Random(seed), set()

    def draw(self, tokens):
        while True:
            limits = [FREQUENT_WORDS if self.random.random() < 1 / 3 else self.words for _ in range(tokens - 2)]
            text = " ".join(word(int(self.random.random() * limit)) for limit in limits)
            if text not in self.drawn:
                self.drawn.add(text)
                return text


def write_corpus(folder, triples, words=WORDS, seed=1):
    """Writes train.jsonl, in SNLI's layout, and model/vocab.txt with so many words. Returns the sentences."""
    length = len(PREMISE_TOKENS)
    if triples % length:
        raise ValueError(f"{triples} triples are no multiple of {length}")
    sentences = Sentences(words, seed)
    texts = []
    with open(folder / "train.jsonl", "w", encoding="utf-8") as file:
        for i in range(triples):
            premise = sentences.draw(PREMISE_TOKENS[i % length])
            texts.append(premise)
            for label, step in (("entailment", 3), ("contradiction", 7)):
                hypothesis = sentences.draw(HYPOTHESIS_TOKENS[i * step % length])
                texts.append(hypothesis)
                file.write(json.dumps({"gold_label": label, "sentence1": premise, "sentence2": hypothesis}) + "\n")
    (folder / "model").mkdir()
    lines = [*SPECIAL_TOKENS, *(word(number) for number in range(words))]
    (folder / "model" / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return texts
