"""Looks at what two rehearsed calls left: gpu_checks_reports.py ARCHIVE REHEARSED_1 REHEARSED_2."""

import collections
import csv
import json
import pathlib
import re
import sys
import tempfile
import unittest

ARCHIVE, FIRST, SECOND = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
sys.path.insert(0, str(ARCHIVE))
sys.dont_write_bytecode = True

import corpus  # noqa: E402
import kept  # noqa: E402
import sizes  # noqa: E402
import step_profile  # noqa: E402


def report_of(folder, call):
    report = json.loads((folder / f"gpu_checks_{call}.json").read_text(encoding="utf-8"))
    return report, {part["name"]: part for part in report["parts"]}


class Calls(unittest.TestCase):
    def test_every_part_ran(self):
        for folder, call in ((FIRST, 1), (SECOND, 2)):
            report, parts = report_of(folder, call)
            self.assertEqual((report["format"], report["call"], report["passed"]), ("gausscse-gpu-checks/3", call, True))
            self.assertTrue(report["machine"]["rehearsed"])
            self.assertRegex(report["machine"]["libtorch"], r"^2\.")
            self.assertRegex(report["program"], r"^gausscse ")
            left_out = [name for name, part in parts.items() if part["state"] != "passed"]
            self.assertEqual(left_out, [] if call == 1 else ["memcheck of gpu_encoder_test"])
        _, first = report_of(FIRST, 1)
        _, second = report_of(SECOND, 2)
        tests = {name: part["figures"] for name, part in {**first, **second}.items() if re.fullmatch(r"gpu_\w+_test", name)}
        self.assertEqual(set(tests), {"gpu_encoder_test", "gpu_objective_test", "gpu_nccl_test", "gpu_training_test"})
        # All but one, of builds without NCCL.
        for name, figures in tests.items():
            self.assertEqual(figures["skipped"], figures["tests"] - (1 if name == "gpu_nccl_test" else 0), name)
            self.assertGreater(figures["skipped"], 0, name)

    def test_trainings_have_rates(self):
        _, first = report_of(FIRST, 1)
        _, second = report_of(SECOND, 2)
        trainings = {**first, **second}
        for name, batch, micro_batch in (("minilm batch 4", 4, 0), ("minilm batch 8, growing segments", 8, 0),
                                         ("minilm batch 8 by micro-batches", 8, 2)):  # fmt: skip
            figures = trainings[f"training {name}"]["figures"]
            self.assertEqual((figures["batch"], figures["micro_batch"]), (batch, micro_batch))
            triples, tokens = figures["examples_per_second"], figures["tokens_per_second"]
            self.assertGreater(triples, 0)
            self.assertAlmostEqual(figures["step_milliseconds"] * triples / (1e3 * batch), 1, delta=2e-3)
            # Six layers: 12 weights of 384 x 384, and two products with the sentence's tokens; two operations each, three
            # times.
            of_tokens = 6 * (12 * 384**2 + 2 * 384 * tokens / (3 * triples)) * 2 * 3 * tokens
            self.assertAlmostEqual(figures["model_tflops"] / (of_tokens / 1e12), 1, delta=2e-3)
            self.assertNotIn("model_flop_utilisation", figures)

    def test_second_call_has_its_figures(self):
        _, parts = report_of(SECOND, 2)
        figures = parts["kernels of 2 triples"]["figures"]
        cases = {case["case"]: case for case in figures["cases"]}
        self.assertEqual((figures["triples"], figures["rates"]["triples"]), (2, 2))
        for kernel in sizes.TIMED_KERNELS:
            self.assertTrue(any(name.startswith(f"{kernel}/bert-base/bf16") for name in cases), kernel)
        self.assertTrue(any(name.startswith("product/bert-base/") for name in cases))
        # AdamW reads four arrays and writes three, of 1,000 float32 values here.
        self.assertEqual(cases["adamw/110M"]["bytes"], 28000)
        self.assertEqual(parts["encoding"]["figures"]["sentences"], 50)
        ranks = parts["training two ranks"]["figures"]
        self.assertEqual((ranks["ranks"], ranks["gpus"]), (2, 0))
        for exchange in ("gather", "ring"):
            self.assertGreaterEqual(ranks[f"losses_apart_{exchange}"], 0)
            self.assertLess(ranks[f"losses_apart_{exchange}"], 1e-5)


class Profiles(unittest.TestCase):
    """The stand-in's launches take 1,000 ns, move 2,000 bytes and execute 3,000 instructions each."""

    COUNTS = {"nvjet_tst_128x64_64x8_1x2_h_bz_coopA_TNT": 150, "add_partial_sums_kernel": 36, "add_layer_norm_kernel": 25,
              "add_layer_norm_backward_kernel": 25, "attention_short_kernel": 24, "bias_gelu_kernel": 12,
              "gelu_backward_kernel": 12, "vectorized_elementwise_kernel": 3, "round_to_bfloat16_kernel": 1,
              "softmax_kernel": 1, "sum_of_squares_kernel": 1, "adamw_kernel": 1}  # fmt: skip

    def test_a_step_is_summed_by_kernel(self):
        _, parts = report_of(FIRST, 1)
        for batch in (64, 512):
            figures = parts[f"profile of batch {batch}"]["figures"]
            self.assertEqual({row["kernel"]: row["launches"] for row in figures["kernels"]}, self.COUNTS)
            # The slowest first.
            counts = [row["launches"] for row in figures["kernels"]]
            self.assertEqual(counts, sorted(counts, reverse=True))
            for row in [*figures["kernels"], figures["step"]]:
                count = self.COUNTS[row["kernel"]] if "kernel" in row else sum(self.COUNTS.values())
                self.assertEqual(row["launches"], count)
                self.assertAlmostEqual(row["milliseconds"], count * 1e-3)
                self.assertAlmostEqual(row["megabytes"], count * 2e-3)
                self.assertAlmostEqual(row["million_instructions"], count * 3e-3)
            with open(FIRST / f"launches_{batch}.csv", encoding="utf-8", newline="") as file:
                lines = list(csv.DictReader(file))
            self.assertEqual(len(lines), sum(self.COUNTS.values()))
            self.assertEqual([lines[-1]["nanoseconds"], lines[-1]["bytes"], lines[-1]["instructions"]], ["1000", "2000", "3000"])
            self.assertIn("adamw_kernel", lines[-1]["kernel"])
            table = (FIRST / "table_1.txt").read_text(encoding="utf-8")
            self.assertRegex(table, rf"a step of {batch} triples under ncu\n.*\n  all +291 +0\.291 +1 +1\n  nvjet\w+ +150 +0\.150 ")

    def test_units_are_read(self):
        header = ('"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n')
        def row(number, kernel, metric, unit, value):
            return f'"{number}","{kernel}","(1, 1, 1)","(2, 1, 1)","{metric}","{unit}","{value}"\n'
        text = "==PROF== Connected\n" + header
        for number, kernel in enumerate(("adamw_kernel<float>(int)", "k<1, (bool)0>(T *)", "adamw_kernel<float>(int)")):
            text += row(number, kernel, "gpu__time_duration.sum", "usecond", "1.5")
            text += row(number, kernel, "dram__bytes.sum", "Mbyte", "2,000.25")
            text += row(number, kernel, "smsp__inst_executed.sum", "inst", "1,234")
        step = step_profile.one_step(step_profile.read_launches(text))
        self.assertEqual([step_profile.base_name(launch.kernel) for launch in step], ["k", "adamw_kernel"])
        self.assertEqual((step[0].nanoseconds, step[0].bytes, step[0].instructions), (1500.0, 2000.25e6, 1234.0))
        with self.assertRaisesRegex(step_profile.NoStep, "no whole step"):
            step_profile.one_step(step_profile.read_launches(text)[:2])
        with self.assertRaisesRegex(step_profile.NoStep, "unit 'hour'"):
            step_profile.read_launches(text.replace("usecond", "hour"))
        self.assertEqual(step_profile.read_launches("==ERROR== no permission\n"), [])

    def test_names_are_cut(self):
        for kernel, name in (("void gausscse::kernels::cuda::k<T1, 2>(const T1 *)", "k"), ("gemm_x", "gemm_x"),
                             ("void at::native::(anonymous namespace)::CatArray<x>(int)", "CatArray")):  # fmt: skip
            self.assertEqual(step_profile.base_name(kernel), name)


class Corpus(unittest.TestCase):
    def test_lengths_are_those_of_nli(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            texts = corpus.write_corpus(folder, 400)
            words = (folder / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
            pairs = [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]
        self.assertEqual((len(words), len(set(words))), (30522, 30522))
        self.assertEqual((len(texts), len(set(texts))), (1200, 1200))
        self.assertEqual({word for text in texts for word in text.split()} - set(words), set())
        tokens = [2 + len(text.split()) for text in texts]
        self.assertEqual(sum(tokens), 17 * 1200)
        self.assertEqual((min(tokens), max(tokens)), (6, 50))
        self.assertTrue(0.02 <= sum(count > 32 for count in tokens) / 1200 <= 0.13)
        labels = collections.Counter((pair["sentence1"], pair["gold_label"]) for pair in pairs)
        self.assertEqual((len(pairs), len(labels), set(labels.values())), (800, 800, {1}))

    def test_it_holds_the_largest_batch_twice(self):
        for call in [*sizes.MEASURED.calls.values(), *sizes.REHEARSED.calls.values()]:
            batches = [what.batch for what in [*call.trainings.values(), *(profile.training for profile in call.profiles)]]
            self.assertGreaterEqual(call.triples(), 2 * max(batches))
            self.assertLess(call.triples(), 2 * max(max(batches), call.ranks.batch if call.ranks else 0) + 20)
        self.assertEqual(sizes.MEASURED.calls[2].triples(), 16400)

    def test_no_other_number_of_triples_is_written(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(ValueError, "30 triples"):
            corpus.write_corpus(pathlib.Path(folder), 30)


class Sizes(unittest.TestCase):
    def test_steps_are_left_behind_the_first_ones(self):
        for steps, warm_up in ((1, 1), (2, 3), (1, -1)):
            with self.assertRaisesRegex(ValueError, "no step is left"):
                sizes.Training("bert-base", 64, steps, warm_up=warm_up)

    def test_calls_measure_what_the_page_has(self):
        first, second = sizes.MEASURED.calls[1], sizes.MEASURED.calls[2]
        steps = {(what.architecture, what.batch, bool(what.environment)): what.steps for what in first.trainings.values()}
        self.assertEqual(steps, {("bert-base", 64, False): 40, ("bert-base", 4, False): 40, ("bert-base", 512, False): 40,
                                 ("bert-large", 512, False): 16, ("bert-base", 512, True): 40})  # fmt: skip
        self.assertEqual([(of.batch, of.training.architecture, of.training.batch) for of in first.profiles],
                         [(64, "bert-base", 64), (512, "bert-base", 512)])  # fmt: skip
        # The launches that ncu looks at are over before the training is.
        for of in first.profiles:
            self.assertGreater(of.training.steps * step_profile.LAUNCHES, step_profile.SKIPPED + step_profile.MEASURED)
        self.assertEqual(second.kernels, [64, 512])
        self.assertEqual([(what.batch, what.micro_batch) for what in second.trainings.values()], [(64, 0), (8192, 512)])


class Kept(unittest.TestCase):
    def test_many_or_large_files_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for number in range(8):
                (folder / str(number)).write_bytes(b"x")
            self.assertIsNone(kept.check(folder))
            (folder / "8").write_bytes(b"x")
            self.assertIn("9 files", kept.check(folder))
            (folder / "8").unlink()
            with open(folder / "7", "wb") as file:
                file.truncate((16 << 20) + 1)
            self.assertIn("7: more than 16 MiB", kept.check(folder))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
