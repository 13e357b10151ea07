#!/usr/bin/env python3
"""The table of benchmarks/run.sh: reads its JSON lines, prints medians over the rounds and ratios as Markdown.

A line is {"round", "measure", "who", "result"}; `result` is what a script of this folder printed. A ratio is the
median of the rounds' ratios, ours over the peer's, such that more is better for gausscse.
"""

import argparse
import json
import statistics

RATE, ENCODE_RATE, SECONDS = "triples_per_second", "sentences_per_second", "seconds"
# measure: (title, figure, more is better, {peer: ratio to reach}, the settings under which it is to be reached)
MEASURES = {
    "train_64": ("training, batch {batch_size}, {precision}, triples/s", RATE, True,
                 {"sentence-transformers": 3, "released program": 4}, {"batch_size": 64}),
    "train_512": ("training, batch {batch_size}, {precision}, triples/s", RATE, True,
                  {"released program": 12}, {"batch_size": 512}),
    "loss": ("loss alone, n {n}, d {d}, float32, s", SECONDS, False,
             {"released formula": 30, "released formula, huge pages": 30}, {"n": 512, "d": 384}),
    "encode": ("encode {sentences} sentences, {precision}, sentences/s", ENCODE_RATE, True,
               {"sentence-transformers": 2}, {}),
    "transfer": ("transfer task {tasks}, {mode}, {width} dimensions, s", SECONDS, False, {}, {}),
}  # fmt: skip
OURS = "gausscse"


def read_lines(path):
    """{measure: {who: {round: result}}}, in the order of the file."""
    runs = {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            runs.setdefault(line["measure"], {}).setdefault(line["who"], {})[line["round"]] = line["result"]
    return runs


def significant(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def memory(results):
    for key in ("extra_mb", "peak_memory_mb"):
        values = [result[key] for result in results.values() if key in result]
        if values:
            return f"{max(values):.0f}{' above inputs' if key == 'extra_mb' else ''}"
    return ""


def table_rows(runs):
    for measure, (title, figure, more_is_better, goals, goal_settings) in MEASURES.items():
        measured = runs.get(measure, {})
        ours = measured.get(OURS, {})
        for who, results in measured.items():
            values = [result[figure] for result in results.values()]
            spread = f"{significant(min(values))} to {significant(max(values))}"
            ratio = ""
            common = ours.keys() & results.keys()
            if who != OURS and common:
                ratios = [ours[number][figure] / results[number][figure] for number in common]
                ratio = f"{statistics.median(r if more_is_better else 1 / r for r in ratios):.2f}"
            settings = next(iter(results.values()))
            has_goal = who in goals and all(settings[name] == value for name, value in goal_settings.items())
            goal = str(goals[who]) if has_goal else ""
            median = significant(statistics.median(values))
            yield title.format(**settings), who, median, spread, memory(results), ratio, goal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", help="results.jsonl of benchmarks/run.sh")
    runs = read_lines(parser.parse_args().lines)
    print("| what | program | median | rounds | memory, MB | gausscse is better by | to reach |")
    print("|---|---|---|---|---|---|---|")
    for row in table_rows(runs):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
