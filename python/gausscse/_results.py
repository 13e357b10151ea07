"""Files of results as tables of pandas, which is imported when the first is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from ._arguments import path_text

if TYPE_CHECKING:
    import pandas


def _open(path):
    import h5py

    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read as HDF5: {error}") from None


def _check_format(file, path, known):
    found = file.attrs.get("format", "none")
    found = found.decode() if isinstance(found, bytes) else found
    if found not in known:
        raise ValueError(f"{path}: its format is {found!r}, not one of {', '.join(known)}")


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _by_position(group):
    return sorted(group.items(), key=lambda item: int(item[1].attrs.get("position", 0)))


def read_result(path: str | os.PathLike[str], table: Literal["metrics", "curves", "training"] = "metrics") -> pandas.DataFrame:
    """Returns a table of `result.h5`; `path` is the file, or the folder of a run or trial that holds it.

    - `"metrics"`: a row for each metric of each task and state, with columns state, step, task, kind, development, metric,
      unit and value. Fractions are of 1.
    - `"curves"`: a row for each metric of each measurement during training: task, step, metric, unit, value.
    - `"training"`: a row for each step: step, loss, learning_rate, gradient_norm, examples_per_second, tokens_per_second.

    `attrs["configuration"]` of the table is the trial as YAML. Raises FileNotFoundError, and ValueError for another file.
    """
    import pandas

    path = path_text("path", path)
    file_path = os.path.join(path, "result.h5") if os.path.isdir(path) else path
    readers = {"metrics": _metrics, "curves": _curves, "training": _training}
    if table not in tuple(readers):
        raise ValueError(f"table is {table!r}: give one of {', '.join(map(repr, readers))}")
    with _open(file_path) as file:
        _check_format(file, file_path, ("gausscse-result/3", "gausscse-result/2"))
        frame = pandas.DataFrame(**readers[table](file))
        frame.attrs["configuration"] = _text(file["configuration"][()])
    return frame


def _names_and_units(group):
    return zip(group["figure_names"].asstr()[:], group["figure_units"].asstr()[:])


def _metrics(file):
    columns = ["state", "step", "task", "kind", "development", "metric", "unit", "value"]
    rows = [(state_name, int(state.attrs["step"]), task_name, _text(task.attrs["kind"]), bool(task.attrs["development"]),
             metric, unit, float(task["figures"].attrs[metric]))
            for state_name, state in _by_position(file["states"]) for task_name, task in _by_position(state["tasks"])
            for metric, unit in _names_and_units(task)]
    return {"data": rows, "columns": columns}


def _curves(file):
    rows = [(task, int(step), metric, unit, float(value))
            for task, curve in _by_position(file.get("curves", {})) for metric, unit in _names_and_units(curve)
            for step, value in zip(curve["step"][:], curve[metric][:])]
    return {"data": rows, "columns": ["task", "step", "metric", "unit", "value"]}


def _training(file):
    columns = ["step", "loss", "learning_rate", "gradient_norm", "examples_per_second", "tokens_per_second"]
    return {"data": {name: file["training"][name][:] for name in columns}}


def read_study(folder: str | os.PathLike[str]) -> pandas.DataFrame:
    """Returns the trials of a study, a row each, from `index.h5` in its results folder.

    Columns are identity, stage, status, seed and seconds, each axis of the study under its name, and each metric as
    `task.metric`, NaN where the trial is not done. `attrs["axes"]` of the table names the axes. Raises FileNotFoundError
    without an index: `gausscse index RESULTS` writes it, `gausscse run` does so at its end.
    """
    import pandas

    folder = path_text("folder", folder)
    path = os.path.join(folder, "index.h5")
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file: `gausscse index {folder}` writes it")
    with _open(path) as file:
        _check_format(file, path, ("gausscse-index/1",))
        trials = file["trials"]
        axes = list(trials["axis_names"].asstr()[:])
        columns = {name: trials[name].asstr()[:] for name in ("identity", "stage", "status")}
        columns |= {name: trials[name][:] for name in ("seed", "seconds")}
        columns |= {axis: trials["axes"][axis].asstr()[:] for axis in axes}
        columns |= {f"{task}.{metric}": values[:] for task, metrics in _by_position(file["figures"])
                    for metric, values in _by_position(metrics)}
        frame = pandas.DataFrame(columns)
        frame.attrs["axes"] = axes
    return frame
