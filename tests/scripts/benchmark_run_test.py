#!/usr/bin/env python3
"""Tests benchmarks/run.sh with peers that print given numbers: turns, ratios, and rows of what does not run."""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

PEERS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/peers"
sys.path.insert(0, str(PEERS))
import run  # noqa: E402
import tables  # noqa: E402

# Stands in for the Python of an environment: its first argument is the script.
FAKE_PYTHON = f"""#!{sys.executable}
import json, pathlib, sys
script, words = pathlib.Path(sys.argv[1]).name, sys.argv[2:]
log = pathlib.Path(__file__).resolve().parents[2] / "log"
with open(log, "a") as file:
    print(script, *words, file=file)
times = log.read_text().count(" ".join([script, *words]) + chr(10))
def encoded(rate, cosine=1.0):
    print("a line before the last")
    print(json.dumps({{"sentences": 4, "threads": 2, "processor_seconds": 4.0,
                      "sentences_per_second": rate, "whole_process_sentences_per_second": rate / 2,
                      "cosine_mean": cosine, "cosine_least": cosine}}))
if script == "distinct_sentences.py":
    print("a" + chr(10) + "b")
elif script == "machine.py":
    print("a machine")
elif script == "export_onnx.py":
    pathlib.Path(words[1]).write_text("graph")
elif script == "gausscse_runs.py" and words[0] == "encode":
    encoded({{"fp32": 10.0, "bf16": 100.0 * times}}[words[words.index("--precision") + 1]])
elif script == "gausscse_runs.py" and words[0] == "tokens":
    print(json.dumps({{"sentences": 9, "sentences_per_second": 60, "first_pass_per_second": 20, "ids": "same"}}))
elif script == "sentence_transformers_peer.py":
    if "--vectors" in words:
        pathlib.Path(words[words.index("--vectors") + 1]).write_text("vectors")
    encoded(50.0, 0.9999)
elif script == "openvino_peer.py":
    encoded(80.0 if "bf16" in words else 8.0, 0.99988)
elif script == "tokens_peer.py":
    rate, ids = (20, "other") if "gigatoken" in words else (30, "same")
    print(json.dumps({{"sentences": 9, "sentences_per_second": rate, "first_pass_per_second": 10, "ids": ids}}))
else:
    sys.exit("not known: " + script)
"""


def write(path, text, executable=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)


class RunTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for name in ("torch", "inference", "tokenizers"):
            write(self.folder / "env" / name / "bin" / "python", FAKE_PYTHON, executable=True)
            requirements = (PEERS / f"requirements-{name}.txt").read_text()
            write(self.folder / "env" / name / "installed.txt", requirements)
        # A file in its place: this environment cannot be made.
        write(self.folder / "env" / "tokenizers-candidate", "")
        write(self.folder / "build" / "gausscse", "#!/bin/sh\necho '--precision TEXT:{fp32,bf16}'\n", executable=True)
        write(self.folder / "model" / "model.safetensors", "")
        for name in ("triples/a.csv", "snli_1.0/snli_1.0_dev.jsonl", "snli_1.0/snli_1.0_test.jsonl"):
            write(self.folder / "data" / name, "")

    def run_measures(self, only, *words, flags=("avx512_bf16",)):
        """Returns the rows of the tables: {program: cells}, and the whole text."""
        arguments = ["run.sh", "--output", str(self.folder / "out"), "--environments", str(self.folder / "env"),
                     "--only", only, *words]  # fmt: skip
        for name in ("build", "model", "data"):
            arguments += [f"--{name}", str(self.folder / name)]
        with mock.patch.object(sys, "argv", arguments), mock.patch.object(run, "processor_flags", lambda: set(flags)), \
                mock.patch("sys.stdout"), mock.patch("sys.stderr"):  # fmt: skip
            run.main()
        text = (self.folder / "out" / "table.md").read_text()
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
        return {cells[0]: cells[1:] for cells in lines}, text

    def test_ratios_are_medians_of_rounds_in_turns(self):
        rows, text = self.run_measures("encode")
        self.assertEqual(rows["program"][:2] + rows["program"][-2:],
                         ["sentences/s", "rounds", "gausscse fp32 / it", "gausscse bf16 / it"])  # fmt: skip
        # 100, 200, 300 in three rounds.
        self.assertEqual(rows["gausscse bf16"][:3], ["200", "100 to 300", "100"])
        self.assertEqual(rows["OpenVINO bf16"], ["80", "80 to 80", "40", "0.99988", "0.99988", "0.12", "2.50"])
        self.assertEqual(rows["sentence-transformers fp32"][-3:], ["0.99990", "0.20", "4.00"])
        self.assertIn("- gausscse bf16: 2.50 times the fastest peer, OpenVINO bf16.", text)
        self.assertIn("- gausscse fp32: 0.12 times the fastest peer, OpenVINO bf16; 0.20 times the fastest with fp32, "
                      "sentence-transformers fp32.", text)  # fmt: skip
        lines = [json.loads(line) for line in (self.folder / "out" / "results.jsonl").read_text().splitlines()]
        rounds = [line["round"] for line in lines if line["who"] == "gausscse bf16"]
        self.assertEqual(rounds, [1, 2, 3])
        self.assertEqual([line["who"] for line in lines if line["round"] == 2][:2], ["gausscse fp32", "gausscse bf16"])

    def test_what_does_not_run_is_a_row_with_the_reason(self):
        # An exception may be followed by other words.
        failing = FAKE_PYTHON.replace('elif script == "export_onnx.py":', """elif script == "export_onnx.py":
    print("Traceback:\\nRuntimeError: no such operator: here", file=sys.stderr)
    sys.exit("Location: there")""")
        (self.folder / "env" / "torch" / "bin" / "python").write_text(failing)
        rows, _ = self.run_measures("encode,tokens_bpe", "--rounds", "1")
        start = "does not run: "
        reasons = {who: cells[0][len(start) :] for who, cells in rows.items() if cells[0].startswith(start)}
        candidate = reasons.pop("tokenizers, release candidate")
        self.assertEqual(reasons, {
            "gausscse int8": "this build has no --precision int8",
            "OpenVINO fp32": "model.onnx cannot be made: no such operator: here",
            "OpenVINO bf16": "model.onnx cannot be made: no such operator: here",
        })  # fmt: skip
        self.assertIn("cannot be installed", candidate)

    def test_a_processor_without_the_instructions_is_a_reason(self):
        rows, _ = self.run_measures("encode", "--rounds", "1", flags=("avx2",))
        self.assertEqual(rows["OpenVINO bf16"][0], "does not run: the processor has none of avx512_bf16, amx_bf16")
        self.assertEqual(rows["OpenVINO fp32"][0], "8")

    def test_other_ids_are_marked(self):
        rows, text = self.run_measures("tokens_bpe", "--rounds", "1")
        self.assertEqual(rows["tokenizers, release"], ["30", "30 to 30", "10", "2.00"])
        self.assertEqual(rows["gigatoken (other ids)"][-1], "3.00")
        self.assertIn("- gausscse: 2.00 times the fastest peer, tokenizers, release.", text)

    def test_programs_are_chosen_by_their_names(self):
        rows, _ = self.run_measures("encode", "--rounds", "1", "--programs", "gausscse,bf16")
        self.assertNotIn("OpenVINO fp32", rows)
        self.assertEqual(set(rows) - {"program"} - {"---"},
                         {"gausscse fp32", "gausscse bf16", "gausscse int8", "sentence-transformers bf16", "OpenVINO bf16"})

    def test_processor_time_makes_the_rates(self):
        rows, text = self.run_measures("encode", "--rounds", "1", "--clock", "processor")
        # Four sentences in four seconds of processor time of two threads.
        self.assertEqual({rows[who][0] for who in ("gausscse bf16", "OpenVINO fp32", "OpenVINO bf16")}, {"2"})
        self.assertIn("- gausscse fp32: 1.00 times the fastest peer", text)
        result = {"batch_size": 8, "steps": 3, "threads": 2, "processor_seconds": 12.0, "triples_per_second": 1.0}
        tables.by_processor_time(result)
        self.assertEqual(result["triples_per_second"], 4.0)

    def test_our_own_failure_fails_the_run(self):
        without = FAKE_PYTHON.replace('words[0] == "tokens"', "False")
        (self.folder / "env" / "torch" / "bin" / "python").write_text(without)
        with self.assertRaises(SystemExit) as failure:
            self.run_measures("tokens_bpe", "--rounds", "1")
        self.assertEqual(str(failure.exception), "run.sh: tokens_bpe, gausscse: not known: gausscse_runs.py")


if __name__ == "__main__":
    unittest.main()
