#!/usr/bin/env python3
"""The tables of benchmarks/run.sh: reads its JSON lines, prints medians over the rounds and ratios as Markdown.

A line is {"round", "measure", "who", "result"}; `result` is what a script of this folder printed. A line with "reason"
in place of "result" is a program that did not run. A ratio is ours over the peer's, the median of the rounds' ratios,
such that more is better for gausscse.

--clock processor computes rates from processor time: those that the programs would have with all of the threads'
cores for themselves. That is the clock for a machine that does other work as well.
"""

import argparse
import dataclasses
import json
import statistics

TRAINING = {"triples/s": "triples_per_second", "memory, MB": "peak_memory_mb"}
TOKENS = {"second pass, sentences/s": "sentences_per_second", "first pass": "first_pass_per_second",
          "`gausscse tokenize`": "whole_process_sentences_per_second"}  # fmt: skip


@dataclasses.dataclass
class Measure:
    """A table: its title, columns {heading: key of results}, and in its first column the value of the ratios."""

    title: str
    columns: dict
    same: str = ""  # key whose value must be that of ours


MEASURES = {
    "encode": Measure("Encode {sentences} distinct sentences of SNLI test, MiniLM, mean pooling", {
        "sentences/s": "sentences_per_second", "whole process": "whole_process_sentences_per_second",
        "memory, MB": "peak_memory_mb", "cosine, mean": "cosine_mean", "least": "cosine_least"}),
    "train_64": Measure("Training, batch {batch_size}, {precision}", TRAINING),
    "train_512": Measure("Training, batch {batch_size}, {precision}", TRAINING),
    "tokens_wordpiece": Measure("Tokens of {sentences} sentences, WordPiece, one thread", TOKENS, same="ids"),
    "tokens_bpe": Measure("Tokens of {sentences} sentences, byte-level BPE, one thread", TOKENS, same="ids"),
}  # fmt: skip


def is_ours(who):
    return who.split(",")[0].split(" ")[0] == "gausscse"


def read_lines(path):
    """({measure: {who: {round: result}}}, {measure: {who: reason}}), in the order of the file."""
    runs, reasons = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            results = runs.setdefault(line["measure"], {}).setdefault(line["who"], {})
            if "result" in line:
                results[line["round"]] = line["result"]
            else:
                reasons.setdefault(line["measure"], {})[line["who"]] = line["reason"]
    return runs, reasons


def by_processor_time(result):
    """Replaces the rates of a result by those of its threads' processor time."""
    for items, rate, seconds in (("sentences", "sentences_per_second", "processor_seconds"),
                                 ("sentences", "whole_process_sentences_per_second", "whole_process_processor_seconds"),
                                 ("triples", "triples_per_second", "processor_seconds")):  # fmt: skip
        if rate in result and seconds in result:
            count = result["batch_size"] * result["steps"] if items == "triples" else result[items]
            result[rate] = count * result["threads"] / result[seconds]


def significant(value):
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def number_text(key, values):
    if key.startswith("cosine"):
        return f"{statistics.median(values):.5f}"
    if key.endswith("_mb"):
        return f"{max(values):.0f}"
    return significant(statistics.median(values))


def ratio(key, ours, theirs):
    """Median over the rounds that both have; None without one."""
    ratios = [ours[number][key] / theirs[number][key]
              for number in sorted(ours.keys() & theirs.keys()) if key in ours[number] and key in theirs[number]]
    return statistics.median(ratios) if ratios else None


def ratios_of(measure, programs):
    """{(ours, peer): ratio by the first column}"""
    rate = next(iter(measure.columns.values()))
    return {(us, peer): ratio(rate, ours, theirs)
            for us, ours in programs.items() if is_ours(us) and ours
            for peer, theirs in programs.items() if not is_ours(peer) and theirs}  # fmt: skip


def ratio_text(value):
    return "" if value is None else f"{value:.2f}"


def table(name, programs, reasons):
    """Lines of Markdown."""
    measure = MEASURES[name]
    results = [result for runs in programs.values() for result in runs.values()]
    if results:
        yield f"**{measure.title.format(**results[0])}**\n"
    rate = next(iter(measure.columns.values()))
    ours = [who for who in programs if is_ours(who) and programs[who]]
    shown = {heading: key for heading, key in measure.columns.items() if any(key in result for result in results)}
    first, *others = shown or measure.columns
    heading = ["program", first, "rounds", *others, *(f"{who} / it" for who in ours)]
    yield f"| {' | '.join(heading)} |"
    yield "|---" * len(heading) + "|"
    ratios = ratios_of(measure, programs)
    expected = {result[measure.same] for who in ours for result in programs[who].values()} if measure.same else set()
    for who, runs in programs.items():
        if not runs:
            yield f"| {who} | does not run: {reasons[who]} |" + " |" * (len(heading) - 2)
            continue
        values = [result[rate] for result in runs.values()]
        is_same = not expected or all(result[measure.same] in expected for result in runs.values())
        note = "" if is_same else f" (other {measure.same})"
        cells = [who + note, number_text(rate, values), f"{significant(min(values))} to {significant(max(values))}"]
        for other in others:
            known = [result[shown[other]] for result in runs.values() if shown[other] in result]
            cells.append(number_text(shown[other], known) if known else "")
        cells += [ratio_text(ratios.get((us, who))) for us in ours]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield from fastest(measure, programs, ratios)


def fastest(measure, programs, ratios):
    """Lines with the ratio of each of ours to the fastest peer, and to the fastest of the same kind: what follows our
    name, such as a precision."""
    rate = next(iter(measure.columns.values()))
    peers = {who: statistics.median(result[rate] for result in runs.values())
             for who, runs in programs.items() if runs and not is_ours(who)}  # fmt: skip
    ours = [who for who, runs in programs.items() if runs and is_ours(who)]
    for us in ours if peers else ():
        best = max(peers, key=peers.get)
        line = f"- {us}: {ratio_text(ratios[us, best])} times the fastest peer, {best}"
        kind = us.removeprefix("gausscse").strip(", ")
        alike = {who: value for who, value in peers.items() if kind and kind in who}
        if alike and best not in alike:
            best = max(alike, key=alike.get)
            line += f"; {ratio_text(ratios[us, best])} times the fastest with {kind}, {best}"
        yield line + "."
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", help="results.jsonl of benchmarks/run.sh")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    settings = parser.parse_args()
    runs, reasons = read_lines(settings.lines)
    if settings.clock == "processor":
        for programs in runs.values():
            for results in programs.values():
                for result in results.values():
                    by_processor_time(result)
    for name in MEASURES:
        if name in runs:
            print("\n".join(table(name, runs[name], reasons.get(name, {}))))


if __name__ == "__main__":
    main()
