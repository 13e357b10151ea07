"""Reads the measurements of each kernel by Nsight Compute (ncu), and finds one step of training in it."""

import csv
import dataclasses
import re

# In one pass: a kernel runs once.
METRICS = {"gpu__time_duration.sum": "nanoseconds", "dram__bytes.sum": "bytes", "smsp__inst_executed.sum": "instructions"}
# Factors to nanoseconds and bytes; ncu is asked for these units, and older ones print others nevertheless.
UNITS = {"": 1, "nsecond": 1, "ns": 1, "usecond": 1e3, "us": 1e3, "msecond": 1e6, "ms": 1e6, "second": 1e9, "byte": 1,
         "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "inst": 1}  # fmt: skip
# A step's launches are those behind one call of this kernel, up to the next call.
LAST_OF_A_STEP = "adamw_kernel"
# Launches of a step of bert-base, at least: a trace on a pretended GPU has about 387.
LAUNCHES = 330
# Launches that are measured: a step of up to 700 launches lies whole among them.
SKIPPED, MEASURED = 5 * LAUNCHES, 1400


class NoStep(Exception):
    """Why no step could be read."""


@dataclasses.dataclass
class Launch:
    kernel: str
    grid: str
    block: str
    nanoseconds: float = 0.0
    bytes: float = 0.0
    instructions: float = 0.0


def options(log):
    """Arguments of ncu. Caches stay as the kernel before left them, and clocks as they are: times as in a training."""
    return ["--clock-control", "none", "--cache-control", "none", "--target-processes", "all",
            "--launch-skip", SKIPPED, "--launch-count", MEASURED, "--metrics", ",".join(METRICS),
            "--csv", "--print-units", "base", "--print-kernel-base", "demangled", "--log-file", log]  # fmt: skip


def read_launches(text):
    """Launches in their order, of ncu's CSV: a line for each launch and metric, behind lines that begin with ==."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(lines):
        launch = launches.setdefault(row["ID"], Launch(row["Kernel Name"], row["Grid Size"], row["Block Size"]))
        name = METRICS.get(row["Metric Name"])
        if name is None:
            continue
        if row["Metric Unit"] not in UNITS:
            raise NoStep(f"{row['Metric Name']} has the unit {row['Metric Unit']!r}")
        setattr(launch, name, float(row["Metric Value"].replace(",", "")) * UNITS[row["Metric Unit"]])
    return list(launches.values())


def one_step(launches):
    """The launches of the first whole step."""
    ends = [i for i, launch in enumerate(launches) if LAST_OF_A_STEP in launch.kernel]
    if len(ends) < 2:
        raise NoStep(f"{len(launches)} launches were measured, and {LAST_OF_A_STEP} is {len(ends)} times among them: no "
                     "whole step")  # fmt: skip
    return launches[ends[0] + 1 : ends[1] + 1]


def base_name(kernel):
    """Without return type, namespaces, arguments of the template and parameters."""
    name = re.sub(r"\(anonymous namespace\)::", "", kernel)
    name = re.split(r"[<(]", name.removeprefix("void "), maxsplit=1)[0]
    return name.rsplit("::", 1)[-1].strip()


def summed(launches):
    """Launches, milliseconds, megabytes and millions of instructions of these launches together."""
    return {
        "launches": len(launches),
        "milliseconds": round(sum(launch.nanoseconds for launch in launches) / 1e6, 6),
        "megabytes": round(sum(launch.bytes for launch in launches) / 1e6, 6),
        "million_instructions": round(sum(launch.instructions for launch in launches) / 1e6, 6),
    }


def by_kernel(step):
    """Returns the sums of the whole step and of each kernel, the slowest first."""
    kernels = {}
    for launch in step:
        kernels.setdefault(base_name(launch.kernel), []).append(launch)
    rows = [{"kernel": name, **summed(launches)} for name, launches in kernels.items()]
    rows.sort(key=lambda row: -row["milliseconds"])
    return {"step": summed(step), "kernels": rows}


def write_launches(step, path):
    """One line for each launch of the step."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["kernel", "grid", "block", "nanoseconds", "bytes", "instructions"])
        for launch in step:
            writer.writerow([launch.kernel[:400], launch.grid, launch.block, f"{launch.nanoseconds:.0f}",
                             f"{launch.bytes:.0f}", f"{launch.instructions:.0f}"])  # fmt: skip
