#!/usr/bin/env python3
"""Prints the test metrics of a trained model next to those of its backbone and of what needs no model.

demo_table.py TRAINED.json TEST.jsonl [--check]

TRAINED.json is that of `gausscse train --json`, with an NLI task `test`, whose pairs TEST.jsonl holds. With --check the exit
code is 1 unless the trained model is above all others in every column.
"""
import json
import sys

columns = [("accuracy", "accuracy %"), ("auprc", "AUPRC %"), ("direction_sim", "direction by sim %"),
           ("direction_var", "by variance %")]
meaning = ("Accuracy and AUPRC show how well sim(hypothesis || premise) finds the entailed pairs among all pairs.\n"
           "Direction is the share of entailed pairs whose premise is recognised.")


def figures_of(path):
    """Metrics of the task `test`, trained and of the backbone."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    for tasks, of in ((report["tasks"], "task"), (report.get("backbone", {}), "backbone in a task")):
        if "test" not in tasks:
            sys.exit(f"demo_table.py: {path} has no {of} called test, but {', '.join(tasks)}")
    # A metric that does not exist is null.
    return tuple({name: value for name, value in report[tasks]["test"].items() if value is not None}
                 for tasks in ("tasks", "backbone"))  # fmt: skip


def entailed_share(path):
    with open(path, encoding="utf-8") as file:
        labels = [json.loads(line)["gold_label"] for line in file]
    return labels.count("entailment") / len(labels)


def main():
    trained, backbone = figures_of(sys.argv[1])
    share = entailed_share(sys.argv[2])
    rows = {
        "trained": trained,
        "backbone, by the cosine": backbone,
        "the larger class, any order": {"accuracy": max(share, 1 - share), "auprc": share},
        "the longer one is the premise": {key: trained["direction_length"] for key, _ in columns[2:]},
    }
    width = max(map(len, rows))
    print(" " * width + "".join(f"  {title}" for _, title in columns))
    for name, row in rows.items():
        cells = (f"{100 * row[key]:.2f}" if key in row else "-" for key, _ in columns)
        print(name.ljust(width) + "".join(f"  {cell:>{len(title)}}" for cell, (_, title) in zip(cells, columns)))
    print(meaning)
    if "--check" not in sys.argv[3:]:
        return
    worse = [f"{title} is not above that of {name}" for key, title in columns for name, row in rows.items()
             if name != "trained" and key in row and not trained[key] > row[key]]
    if worse:
        sys.exit("demo_table.py: training did not help: " + "; ".join(worse))


if __name__ == "__main__":
    main()
