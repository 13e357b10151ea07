#!/usr/bin/env python3
"""Opens with mteb's own classes what `gausscse eval --mteb-json` writes, and compares the figures with those of its report.
Needs numpy, pydantic and mteb 2.26 (scripts/setup.sh --tests); ends with 77, which ctest calls skipped, where they are missing.

    python tests/golden/check_mteb_results.py build/cpu/gausscse
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mteb_without_torch  # noqa: E402

WORDS = [f"w{i}" for i in range(300)]
SIMILARITIES = ("similarity", "cosine", "manhattan", "euclidean", "dot")


def sentence(draw):
    return " ".join(draw.choice(WORDS) for _ in range(draw.randint(3, 9)))


def write_inputs(folder):
    """Word vectors, as many pairs as the STS benchmark's test set has, NLI pairs, and the tasks."""
    draw = random.Random(3)
    (folder / "vectors.txt").write_text(
        "".join(word + "".join(f" {draw.gauss(0, 1):.5f}" for _ in range(10)) + "\n" for word in WORDS))
    (folder / "sts-test.csv").write_text("".join(
        f"g\tf\ty\t{i}\t{draw.randint(0, 50) / 10}\t{sentence(draw)}\t{sentence(draw)}\n" for i in range(1379)))
    (folder / "nli.jsonl").write_text("".join(
        json.dumps({"gold_label": draw.choice(("entailment", "neutral", "contradiction")), "sentence1": sentence(draw),
                    "sentence2": sentence(draw)}) + "\n" for _ in range(200)))
    (folder / "tasks.yaml").write_text("tasks:\n  stsb: {kind: sts, files: sts-test.csv}\n"
                                       "  nli: {kind: nli, files: nli.jsonl}\n")


def measure(program, folder):
    subprocess.run([program, "eval", folder / "vectors.txt", "--tasks", folder / "tasks.yaml",
                    "--json", folder / "report.json", "--mteb-json", folder / "results",
                    "--mteb-model", "lab/vectors", "--mteb-task", "stsb=STSBenchmark", "--mteb-task", "nli=OurPairs"],
                   check=True, env={**os.environ, "GAUSSCSE_CACHE": str(folder / "cache")})
    return json.loads((folder / "report.json").read_text())


def equal(a, b):
    assert abs(a - b) <= 1e-6, (a, b)


def check_results(folder, report):
    from mteb.cache import ResultCache
    from mteb.models.model_meta import ModelMeta
    from mteb.results.task_result import TaskResult, _read_run_settings_from_file

    revision, = (folder / "results" / "lab__vectors").iterdir()
    for task in ("STSBenchmark", "OurPairs"):
        file = revision / f"{task}.json"
        from_file = TaskResult.from_disk(file, load_historic_data=False)
        found = ResultCache(folder).load_task_result(task, "lab/vectors", revision.name, raise_if_not_found=True)
        assert found == from_file
        assert found.task_name == task and found.mteb_version and found.evaluation_time >= 0 and found.date
        assert found.eval_splits == ["test"] and found.hf_subsets == ["default"] and found.languages == ["eng"]
        # mteb writes what it read as it was, but for our version.
        found.to_disk(folder / "again.json")
        again, written = json.loads((folder / "again.json").read_text()), json.loads(file.read_text())
        written.pop("gausscse_version")
        assert again == written, (again, written)

    sts, = json.loads((revision / "STSBenchmark.json").read_text())["scores"]["test"]
    of_sts = {"pearson", "spearman"} | {f"{name}_{figure}" for name in ("cosine", "manhattan", "euclidean")
                                        for figure in ("pearson", "spearman")}
    assert of_sts | {"main_score", "hf_subset", "languages", "mteb_version"} == set(sts), sorted(sts)
    equal(sts["main_score"], report["tasks"]["stsb"]["spearman"])
    pairs, = json.loads((revision / "OurPairs.json").read_text())["scores"]["test"]
    of_pairs = {f"{name}_{figure}" for name in SIMILARITIES
                for figure in ("accuracy", "accuracy_threshold", "f1", "f1_threshold", "precision", "recall", "ap")}
    of_pairs |= {f"max_{figure}" for figure in ("accuracy", "f1", "precision", "recall", "ap")}
    assert of_pairs | {"main_score", "hf_subset", "languages", "mteb_version"} == set(pairs), sorted(pairs)
    assert pairs["main_score"] == pairs["max_ap"] == max(pairs[f"{name}_ap"] for name in SIMILARITIES)

    described = json.loads((revision / "model_meta.json").read_text())
    described.pop("is_cross_encoder")
    meta = ModelMeta(**described)
    assert (meta.name, meta.revision, meta.embed_dim, meta.n_parameters) == ("lab/vectors", revision.name, 10, 3000)
    assert meta.model_name_as_path() == "lab__vectors" and meta.similarity_fn_name.value == "cosine"
    settings = _read_run_settings_from_file(revision / "run_settings.jsonl")
    assert {entry["task"] for entry in settings} == {"STSBenchmark", "OurPairs"}


def main():
    program, = sys.argv[1:]
    mteb_without_torch.prepare()
    try:
        import mteb.results.task_result  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: mteb cannot be imported ({error}): scripts/setup.sh --tests installs it")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        check_results(folder, measure(program, folder))
    print("mteb reads the results as they were written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
