"""SentencePiece's tables of replacements, as data/tokenizer/precompiled_charsmap.hpp draws them, for goldens.

    make_charsmap({"a": "X"})    # "a" becomes "X"
"""

import struct


class DoubleArray:
    """A trie laid out as the library darts-clone does: the children of unit i are at i ^ offset ^ label."""

    def __init__(self, values):
        root = {}
        for key, value in values.items():
            node = root
            for byte in key:
                node = node.setdefault(byte, {})
            node[None] = value
        self.units = [0] * 256
        self.used = [True] + [False] * 255
        self.first_free = 1
        self.place(root, 0, 0)

    def free_base(self, at, labels):
        """Finds a place for the children; an offset of 21 bits or more must have eight zeros at its end."""
        base = self.first_free
        while True:
            while (base | 255) >= len(self.units):
                self.units += [0] * 256
                self.used += [False] * 256
            offset = at ^ base
            if not any(self.used[base ^ label] for label in labels) and (offset < 1 << 21 or offset % 256 == 0):
                return base
            base += 1

    def place(self, node, at, label):
        labels = [byte or 0 for byte in node]
        base = self.free_base(at, labels)
        for byte in labels:
            self.used[base ^ byte] = True
        while self.first_free < len(self.used) and self.used[self.first_free]:
            self.first_free += 1
        offset = at ^ base
        coded = offset << 10 if offset < 1 << 21 else offset >> 8 << 10 | 1 << 9
        self.units[at] = coded | (None in node) << 8 | label
        for byte, child in node.items():
            if byte is None:
                self.units[base] = 1 << 31 | child
            else:
                self.place(child, base ^ byte, byte)


def make_charsmap(replacements):
    """The bytes of the table; keys and replacements are strings."""
    values, texts = {}, b""
    for key, text in replacements.items():
        values[key.encode()] = len(texts)
        texts += text.encode() + b"\0"
    units = DoubleArray(values).units
    return struct.pack(f"<{len(units) + 1}I", 4 * len(units), *units) + texts
