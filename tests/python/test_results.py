"""Files of results as tables: values that the test writes itself."""
import pytest

import gausscse

h5py = pytest.importorskip("h5py")
pytest.importorskip("pandas")


@pytest.fixture
def result(tmp_path):
    with h5py.File(tmp_path / "result.h5", "w") as file:
        file.attrs["format"] = "gausscse-result/3"
        file["configuration"] = "format: gausscse-trial/2\n"
        for position, (state, step) in enumerate([("last", 80), ("best", 40)]):
            group = file.create_group(f"states/{state}")
            group.attrs.update(step=step, position=1 - position)
            task = group.create_group("tasks/snli")
            task.attrs.update(position=0, development=0, kind="nli", remark="")
            task.create_group("figures").attrs.update(accuracy=0.5 + position / 4, pairs=300.0)
            task["figure_names"], task["figure_units"] = ["accuracy", "pairs"], ["fraction", "count"]
        curve = file.create_group("curves/dev")
        curve.attrs["position"] = 0
        curve["step"], curve["accuracy"] = [0, 40], [0.25, 0.75]
        curve["figure_names"], curve["figure_units"] = ["accuracy"], ["fraction"]
        for name in ("step", "loss", "learning_rate", "gradient_norm", "examples_per_second", "tokens_per_second"):
            file[f"training/{name}"] = [0, 1]
    return tmp_path


def test_read_result(result):
    table = gausscse.read_result(result)
    assert table.values.tolist() == [["best", 40, "snli", "nli", False, "accuracy", "fraction", 0.75],
                                     ["best", 40, "snli", "nli", False, "pairs", "count", 300.0],
                                     ["last", 80, "snli", "nli", False, "accuracy", "fraction", 0.5],
                                     ["last", 80, "snli", "nli", False, "pairs", "count", 300.0]]
    assert table.attrs["configuration"] == "format: gausscse-trial/2\n"
    curves = gausscse.read_result(result / "result.h5", table="curves")
    assert curves.values.tolist() == [["dev", 0, "accuracy", "fraction", 0.25], ["dev", 40, "accuracy", "fraction", 0.75]]
    assert gausscse.read_result(result, table="training").loss.tolist() == [0, 1]


def test_tasks_of_a_result_are_in_its_order(result):
    with h5py.File(result / "result.h5", "a") as file:
        states = [file["states/last/tasks"], file["states/best/tasks"]]
        for position, (group, name) in enumerate([(tasks, "dev") for tasks in states] + [(file["curves"], "another")]):
            file.copy(file["states/last/tasks/snli"] if position < 2 else file["curves/dev"], group, name)
            group[name].attrs.update(position=1, development=1)
        file["curves/another/figure_names"][...] = ["accuracy"]
        file["curves/another/figure_units"][...] = ["count"]
    table = gausscse.read_result(result)
    assert table.task.tolist() == ["snli", "snli", "dev", "dev"] * 2
    assert table.development.tolist() == [False, False, True, True] * 2
    curves = gausscse.read_result(result, table="curves")
    assert curves.task.tolist() == ["dev", "dev", "another", "another"]
    assert curves.unit.tolist() == ["fraction", "fraction", "count", "count"]
    with h5py.File(result / "result.h5", "a") as file:
        del file["curves"]
    assert gausscse.read_result(result, table="curves").columns.tolist() == ["task", "step", "metric", "unit", "value"]


def test_a_result_of_the_format_before_is_read(result):
    now = [gausscse.read_result(result, table=table) for table in ("metrics", "curves", "training")]
    for version in (2, 3, 4, 1):
        with h5py.File(result / "result.h5", "a") as file:
            file.attrs["format"] = f"gausscse-result/{version}"
        for table, expected in zip(("metrics", "curves", "training"), now):
            if version in (2, 3):
                assert gausscse.read_result(result, table=table).equals(expected)
                continue
            with pytest.raises(ValueError, match=f"format is 'gausscse-result/{version}', not one of gausscse-result/3, "
                                                 "gausscse-result/2"):
                gausscse.read_result(result, table=table)


def write_index(path):
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "gausscse-index/1"
        trials = file.create_group("trials")
        for name in ("identity", "stage", "status"):
            trials[name] = [f"{name}1", f"{name}2"]
        trials["seed"], trials["seconds"], trials["axis_names"] = [3, 4], [1.5, 2.5], ["loss"]
        trials["axes/loss"] = ["ent", "ent+con"]
        # By position, not by name.
        for task, metric, values in (("snli", "auprc", [0.125, 0.25]), ("snli", "accuracy", [0.5, 0.75]), ("dev", "loss", [3, 4])):
            file[f"figures/{task}/{metric}"] = values
            file["figures"][task].attrs["position"] = {"snli": 0, "dev": 1}[task]
            file["figures"][task][metric].attrs["position"] = {"auprc": 0, "accuracy": 1, "loss": 0}[metric]


def test_read_study(tmp_path):
    write_index(tmp_path / "index.h5")
    table = gausscse.read_study(tmp_path)
    assert table.attrs["axes"] == ["loss"]
    assert table.iloc[1].to_dict() == {"identity": "identity2", "stage": "stage2", "status": "status2", "seed": 4,
                                       "seconds": 2.5, "loss": "ent+con", "snli.auprc": 0.25, "snli.accuracy": 0.75,
                                       "dev.loss": 4}
    assert table["snli.accuracy"].tolist() == [0.5, 0.75] and table["snli.auprc"].tolist() == [0.125, 0.25]
    assert table.columns[-3:].tolist() == ["snli.auprc", "snli.accuracy", "dev.loss"]


def test_other_files_are_refused(tmp_path, result):
    with pytest.raises(FileNotFoundError, match="no such file"):
        gausscse.read_result(tmp_path / "none.h5")
    with pytest.raises(FileNotFoundError, match="gausscse index"):
        gausscse.read_study(tmp_path)
    (tmp_path / "text").write_text("no HDF5")
    with pytest.raises(ValueError, match="HDF5"):
        gausscse.read_result(tmp_path / "text")
    with pytest.raises(ValueError, match="'metrics'"):
        gausscse.read_result(result, table="all")
    write_index(tmp_path / "index.h5")
    with h5py.File(tmp_path / "index.h5", "a") as file:
        file.attrs["format"] = "gausscse-index/2"
    with pytest.raises(ValueError, match="format is 'gausscse-index/2', not one of gausscse-index/1$"):
        gausscse.read_study(tmp_path)
