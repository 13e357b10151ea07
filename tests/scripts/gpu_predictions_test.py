"""Tests the predictions of benchmarks/gpu, and that docs/developers have it: gpu_predictions_test.py BENCHMARKS_GPU PAGE..."""

import pathlib
import sys
import unittest

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

import predictions  # noqa: E402
import run_kernels  # noqa: E402
import runs  # noqa: E402


class Page(unittest.TestCase):
    """The pages have the predictions that the checks compare with."""

    def test_predictions_are_the_page_s(self):
        page = "\n".join(pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[2:])
        for group in predictions.GROUPS:
            cells = [group.name]
            for column in (0, 1):
                instructions = group.instructions[column]
                cells += [f"{group.milliseconds[column]:g}", f"{group.floor_milliseconds[column]:g}",
                          "" if instructions is None else f"{instructions:,}"]  # fmt: skip
            self.assertIn(f"| {' | '.join(cells)} |".replace("|  |", "| |"), page)
        for batch, (middle, low, high) in predictions.STEP.items():
            self.assertIn(f"| step of {batch} triples | {middle:g} ({low:g} to {high:g}) |", page)
        low, high = predictions.HOST_MILLISECONDS
        self.assertIn(f"| step of 4 triples, bound by the host | {low:g} to {high:g} |", page)
        self.assertIn(f"| step of 512 triples, bert-large | {predictions.LARGE_STEP_MILLISECONDS:g} |", page)
        for row in [*runs.run_rows(), *runs.study_rows()]:
            self.assertTrue(f"\n{row}\n" in page, row)
        for text in (runs.evaluation_text(), runs.start_and_end_text()):
            self.assertTrue(text in " ".join(page.split()), text)
        for text in ("run.sh OUT --call 1", "run.sh OUT --call 2"):
            self.assertIn(text, page)


class Rates(unittest.TestCase):
    """Work that is not in machine code takes as long in steps of other sizes as the rows of 64 and 512 triples say."""

    def test_they_follow_from_the_steps_of_the_page(self):
        rows = {group.name: group.milliseconds for group in predictions.GROUPS}
        small = [rows["column sums, copies, all others"][i] + rows["weight gradients: zeros"][i] - 0.15 for i in (0, 1)]
        for i, triples in enumerate(predictions.BATCHES):
            step = run_kernels.step_of("BERT-base", triples)
            products = 1e3 * run_kernels.product_seconds(step.product_flops, step.layers)
            self.assertAlmostEqual(products, rows["matrix products"][i], delta=0.02 * products)
            all_of_it = 1e3 * run_kernels.step_seconds(step, lambda launches: 0, 4.3e12)
            self.assertAlmostEqual(all_of_it - products, small[i], delta=0.03)

    def test_an_evaluation_is_the_sum_of_its_parts(self):
        parts = run_kernels.evaluation_of("BERT-base", lambda launches: 1e-3 * len(launches), 4e12)
        # Three kernels, of all tokens and of first tokens, in each of three batches.
        others = 36 * 4e-6 + (30 * 55000 * 768 + 4 * 24.57e6) / 4e12
        self.assertAlmostEqual(parts.kernels, 3 * (6e-3 + others / 3), delta=1e-6)
        self.assertAlmostEqual(parts.seconds, parts.products + parts.kernels + parts.pairs + parts.copies + parts.metrics)
        # 12 layers of 768 columns and 165,000 tokens, nearly; the last one has fewer.
        self.assertAlmostEqual(parts.products, 165000 * 24 * 768**2 * 11.4 / 641e12 + 150 * 7.1e-6, delta=0.002)


class Runs(unittest.TestCase):
    """The paper's runs, of steps and evaluations that take known times."""

    def setUp(self):
        self.kept = dict(vars(predictions))
        predictions.GRID_STEPS = {"BERT-base": (1.0, 2.0, 3.0, 4.0), "BERT-large": (10.0, 20.0, 30.0, 40.0)}
        predictions.EVALUATION_SECONDS = {"BERT-base": 0.5, "BERT-large": 1.5}
        predictions.START_AND_END_SECONDS = {"BERT-base": (10.0, 8.0, 20.0), "BERT-large": (30.0, 25.0, 60.0)}
        predictions.HOST_MILLISECONDS, predictions.ERROR = (2.0, 4.0), 0.25

    def tearDown(self):
        vars(predictions).update(self.kept)

    def test_steps_and_evaluations_are_counted(self):
        # Three epochs, whose last batches that are not full are left out; an evaluation before the first step.
        self.assertEqual([runs.steps(batch) for batch in (16, 32, 64, 128)], [51675, 25836, 12918, 6459])
        self.assertEqual([runs.evaluations(batch) for batch in (16, 32, 64, 128)], [517, 259, 130, 65])

    def test_a_step_takes_no_less_than_the_host(self):
        self.assertEqual(runs.step_milliseconds("BERT-base", 16), (3.0, 2.0, 4.0))
        self.assertEqual(runs.step_milliseconds("BERT-base", 128), (4.0, 3.0, 5.0))
        # Twice as many layers, twice as many launches.
        self.assertEqual(runs.step_milliseconds("BERT-large", 16), (10.0, 7.5, 12.5))

    def test_parts_of_a_run_are_added_up(self):
        likely, least, most = runs.run_seconds("BERT-large", 64)
        self.assertAlmostEqual(likely, 12918 * 0.030 + 130 * 1.5 + 30)
        self.assertAlmostEqual(least, 12918 * 0.0225 + 130 * 1.5 * 0.75 + 25)
        self.assertAlmostEqual(most, 12918 * 0.0375 + 130 * 1.5 * 1.25 + 60)
        of_grid = sum(runs.run_seconds(backbone, batch)[0] for backbone in predictions.GRID_STEPS for batch in (16, 32, 64, 128))
        of_choice = sum(runs.run_seconds(backbone, 32)[0] for backbone in predictions.GRID_STEPS)
        self.assertAlmostEqual(runs.study_hours(32)[0], (3 * of_grid + 20 * of_choice) / 3600)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
