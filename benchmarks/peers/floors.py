"""Floors: the time that a measure's matmuls alone would take, by the rates that benchmark_products measured.

A layer of hidden size h and intermediate size f has 4 h^2 + 2 h f weights. A token needs two operations for each of
them in the forward, and twice as many again in the backward. With the first token as the sentence's vector the last
layer computes keys and values of all tokens, and everything else of first tokens only.
"""

import statistics

HIDDEN, LAYERS, INTERMEDIATE = 384, 6, 1536  # MiniLM
LAYER_WEIGHTS = 4 * HIDDEN**2 + 2 * HIDDEN * INTERMEDIATE


def forward_operations(tokens, sentences, first_token):
    """Operations of the matmuls by weights; those of the attention's scores are left out."""
    if not first_token:
        return 2 * LAYERS * LAYER_WEIGHTS * tokens
    of_all_tokens = (LAYERS - 1) * LAYER_WEIGHTS + 2 * HIDDEN**2
    return 2 * (of_all_tokens * tokens + (LAYER_WEIGHTS - 2 * HIDDEN**2) * sentences)


def rates_of(runs):
    """{precision: median of each rate}"""
    rates = {}
    for precision, results in runs.get("products", {}).items():
        for key in {key for result in results.values() for key, value in result.items() if isinstance(value, float)}:
            values = [result[key] for result in results.values()]
            # A busy machine only slows: the largest value is nearest to the machine's.
            rates.setdefault(precision, {})[key] = max(values)
    return rates


def measured(runs):
    """Yields (title, precision, operations per item, items per second, name of the rate)."""
    for who, results in runs.get("encode", {}).items():
        if who.startswith("gausscse") and results and "tokens" in next(iter(results.values())):
            some = next(iter(results.values()))
            operations = forward_operations(some["tokens"], some["sentences"], False) / some["sentences"]
            rate = statistics.median(result["sentences_per_second"] for result in results.values())
            yield f"encode, {who}, a sentence", who.split()[-1], operations, rate, "forward"
    for name in ("train_64", "train_512"):
        for who, results in runs.get(name, {}).items():
            if who.startswith("gausscse") and results and "tokens_per_triple" in next(iter(results.values())):
                some = next(iter(results.values()))
                operations = 3 * forward_operations(some["tokens_per_triple"], 3, some["pooling"] == "first_token")
                rate = statistics.median(result["triples_per_second"] for result in results.values())
                yield (f"training, batch {some['batch_size']}, {some['pooling'].replace('_', ' ')}, a triple",
                       some["precision"], operations, rate, "training")  # fmt: skip


def tables(runs):
    """Lines of Markdown: the rates of matmuls alone, and the floors by them."""
    rates = rates_of(runs)
    if not rates:
        return
    yield "**Matmuls of MiniLM's layers alone, GFLOP/s (int8: GOP/s) of all threads**\n"
    names = ("instructions", "forward", "training", "libtorch_forward", "libtorch_training")
    yield ("| precision | peak of the instructions | gausscse, forward | forward and backward "
           "| LibTorch, forward | forward and backward |")  # fmt: skip
    yield "|---" * 6 + "|"
    for precision, rate in rates.items():
        yield f"| {precision} | {' | '.join(f'{rate[name] / 1e9:.0f}' if rate.get(name) else '' for name in names)} |"
    yield "\n**Floors: milliseconds measured, and of the matmuls alone**\n"
    yield "| what | measured | matmuls alone, by gausscse | part | at the instructions' peak | part |"
    yield "|---" * 6 + "|"
    for title, precision, operations, rate, kind in measured(runs):
        cells = [title, f"{1000 / rate:.3f}"]
        for name in (kind, "instructions"):
            value = rates.get(precision, {}).get(name)
            floor = operations / value if value else None
            cells += [f"{1000 * floor:.3f}", f"{100 * floor * rate:.0f} %"] if floor else ["", ""]
        yield f"| {' | '.join(cells)} |"
    yield ""
