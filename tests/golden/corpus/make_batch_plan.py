"""Writes batch_plan.json: shuffles of a batch plan, computed from the definition alone.

    python make_batch_plan.py

Philox4x32-10 (Salmon et al. 2011), draws below a bound by multiplication with rejection (Lemire 2019), Fisher-Yates
from the end. The stream of an epoch is 0x73687566 * 2^32 + epoch.
"""

import json
import pathlib

WORD = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & WORD, (p0 >> 32) ^ c[3] ^ k[1], p0 & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


def draws(seed, stream):
    count = 0
    while True:
        yield from philox([count & WORD, count >> 32, stream & WORD, stream >> 32], [seed & WORD, seed >> 32])
        count += 1


def below(words, bound):
    while True:
        product = next(words) * bound
        if product & WORD >= (1 << 32) % bound:
            return product >> 32


def shuffle(size, seed, epoch):
    words = draws(seed, (0x73687566 << 32) | epoch)
    order = list(range(size))
    for left in range(size, 1, -1):
        other = below(words, left)
        order[left - 1], order[other] = order[other], order[left - 1]
    return order


def main():
    cases = [(1, 0, 0), (2, 5, 1), (10, 0, 0), (10, 0, 1), (10, 1, 0), (257, 2**63 + 12345, 7)]
    plans = [{"triples": n, "seed": s, "epoch": e, "order": shuffle(n, s, e)} for n, s, e in cases]
    path = pathlib.Path(__file__).parent / "batch_plan.json"
    path.write_text("[\n" + ",\n".join(json.dumps(plan) for plan in plans) + "\n]\n")


if __name__ == "__main__":
    main()
