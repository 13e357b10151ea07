#!/usr/bin/env python3
"""Prints the metrics of the recipes `head` and `tune` next to those of the backbone, as docs/first-run.md has it.

    gausscse train docs/examples/head.yaml --json runs/head.json
    gausscse train docs/examples/tune.yaml --json runs/tune.json
    gausscse eval MODEL --tasks docs/examples/quality_tasks.yaml --json runs/other.json
    scripts/recipes_table.py runs/head.json runs/tune.json [runs/other.json ...] [--check]

The first report has the backbone. With --check the exit code is 1 if the first model is below its backbone in an AUPRC or in
STS-B, or a direction of the last model is not above both rules: the longer sentence, or that of rarer words, is the premise.
"""
import json
import sys

SETS = ("snli", "mnli", "sick")
AUPRC = [(task, "auprc") for task in SETS]
STS = [("stsb", "spearman")]
ROWS = [
    ("AUPRC: SNLI / MNLI / SICK", AUPRC),
    ("AUPRC of the cosine with lengths", [(task, "auprc_length") for task in SETS]),
    ("AUPRC of logistic", [(task, "logistic.auprc") for task in SETS]),
    ("R@1: SNLI / SICK", [("snli_retrieval", "recall_at_1"), ("sick_retrieval", "recall_at_1")]),
    ("R@10: SNLI / SICK", [("snli_retrieval", "recall_at_10"), ("sick_retrieval", "recall_at_10")]),
    ("STS-B", STS),
    ("direction: SNLI / MNLI / SICK", [(task, "direction_sim") for task in SETS]),
    ("direction, like lengths", [(task, "direction_sim.similar_length") for task in SETS]),
    ("the longer is the premise", [(task, "direction_length") for task in SETS]),
    ("that of rarer words is it", [(task, "direction_words") for task in SETS]),
]  # fmt: skip


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def value(tasks, task, metric):
    found = tasks.get(task, {}).get(metric)
    return None if found is None else 100 * found


def cell(tasks, metrics):
    values = [value(tasks, *metric) for metric in metrics]
    return " / ".join("-" if each is None else f"{each:.2f}" for each in values)


def problems(reports):
    """Metrics in which a model is not what --check asks for."""
    head, last = reports[0], reports[-1]
    for task, metric in AUPRC + STS:
        now, before = value(head["tasks"], task, metric), value(head["backbone"], task, metric)
        # Means are rounded once more than the vectors that they are.
        if now is None or before is None or now < before - 0.02:
            yield f"head: {metric} of {task} is {now}, the backbone's {before}"
    for task in SETS:
        by_model = value(last["tasks"], task, "direction_sim")
        for rule in ("direction_length", "direction_words"):
            by_rule = value(last["tasks"], task, rule)
            if by_model is None or by_rule is None or not by_model > by_rule:
                yield f"the last model: direction_sim of {task} is {by_model}, {rule} {by_rule}"


def main():
    paths = [word for word in sys.argv[1:] if word != "--check"]
    if not paths:
        sys.exit(__doc__)
    reports = [read(path) for path in paths]
    if "backbone" not in reports[0]:
        sys.exit(f"recipes_table.py: {paths[0]} has no metrics of a backbone: train with evaluation.backbone: true")
    columns = [("backbone", reports[0]["backbone"]), *zip(paths, (report["tasks"] for report in reports))]
    table = [["", *(name for name, _ in columns)]]
    table += [[title, *(cell(tasks, metrics) for _, tasks in columns)] for title, metrics in ROWS]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    if "--check" in sys.argv[1:] and (found := list(problems(reports))):
        sys.exit("recipes_table.py: " + "; ".join(found))


if __name__ == "__main__":
    main()
