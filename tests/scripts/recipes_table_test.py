"""Tests scripts/recipes_table.py on made-up reports: recipes_table_test.py SCRIPT."""

import copy
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()

BACKBONE = {"snli": {"auprc": 0.5}, "mnli": {"auprc": 0.25}, "sick": {"auprc": 0.625}, "stsb": {"spearman": 0.75},
            "snli_retrieval": {"recall_at_1": 0.125, "recall_at_10": 0.375}}  # fmt: skip
HEAD = copy.deepcopy(BACKBONE)
for task, by_model, by_length in (("snli", 0.875, 0.75), ("mnli", 0.8125, 0.8), ("sick", 0.9, 0.7)):
    HEAD[task].update(direction_sim=by_model, direction_length=by_length, direction_words=by_length - 0.0625)


class Table(unittest.TestCase):
    def run_on(self, *reports, check=True):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, report in enumerate(reports):
                paths.append(pathlib.Path(folder) / f"{number}.json")
                paths[-1].write_text(json.dumps(report), encoding="utf-8")
            words = [sys.executable, SCRIPT, *paths, *(["--check"] if check else [])]
            return subprocess.run(words, capture_output=True, text=True)

    def test_cells_are_those_of_the_reports(self):
        run = self.run_on({"tasks": HEAD, "backbone": BACKBONE})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        rows = {line[:29].strip(): line[29:].split("  ") for line in run.stdout.splitlines()[1:]}
        self.assertEqual([text.strip() for text in rows["AUPRC: SNLI / MNLI / SICK"] if text],
                         ["50.00 / 25.00 / 62.50", "50.00 / 25.00 / 62.50"])
        self.assertEqual([text.strip() for text in rows["direction: SNLI / MNLI / SICK"] if text],
                         ["- / - / -", "87.50 / 81.25 / 90.00"])
        self.assertIn("12.50 / -", run.stdout)

    def test_every_loss_is_found(self):
        for task, metric, value in (("snli", "auprc", 0.4997), ("mnli", "auprc", 0.2), ("sick", "auprc", 0.6),
                                    ("stsb", "spearman", 0.7)):  # fmt: skip
            worse = copy.deepcopy(HEAD)
            worse[task][metric] = value
            self.assertEqual(self.run_on({"tasks": worse, "backbone": BACKBONE}, check=False).returncode, 0)
            run = self.run_on({"tasks": worse, "backbone": BACKBONE})
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"head: {metric} of {task} is", run.stderr)
            # What counts of later models is their direction.
            again = self.run_on({"tasks": HEAD, "backbone": BACKBONE}, {"tasks": worse, "backbone": BACKBONE})
            self.assertEqual(again.returncode, 0)

    def test_directions_are_those_of_the_last_model(self):
        for task, rule in itertools.product(("snli", "mnli", "sick"), ("direction_length", "direction_words")):
            worse = copy.deepcopy(HEAD)
            worse[task][rule] = worse[task]["direction_sim"]
            run = self.run_on({"tasks": HEAD, "backbone": BACKBONE}, {"tasks": worse, "backbone": BACKBONE})
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"the last model: direction_sim of {task} is", run.stderr)
            self.assertEqual(self.run_on({"tasks": worse, "backbone": BACKBONE}, {"tasks": HEAD, "backbone": {}}).returncode, 0)

    def test_a_report_without_a_backbone_is_refused(self):
        run = self.run_on({"tasks": HEAD})
        self.assertEqual(run.returncode, 1)
        self.assertIn("0.json has no metrics of a backbone", run.stderr)


if __name__ == "__main__":
    unittest.main()
