"""Time and memory of this process, the same way in every peer. MB are 2^20 bytes."""

import json
import pathlib
import statistics
import time

STATUS = pathlib.Path("/proc/self/status")
CLEAR_REFS = pathlib.Path("/proc/self/clear_refs")


def _status_mb(key):
    for line in STATUS.read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"{STATUS} has no {key}: this needs Linux")


def memory_mb():
    """Resident memory now."""
    return _status_mb("VmRSS")


def peak_memory_mb():
    """Largest resident memory since the start, or since reset_peak_memory()."""
    return _status_mb("VmHWM")


def reset_peak_memory():
    CLEAR_REFS.write_text("5")


def seconds_of(action, finish=lambda: None):
    """`finish` waits for what the action left to a device."""
    finish()
    begin = time.perf_counter()
    action()
    finish()
    return time.perf_counter() - begin


def time_steps(step, batches, warm_up, count, finish=lambda: None):
    """Calls step(batch) for `warm_up` batches, then for `count` more; returns the seconds of each of the latter. `finish`
    waits for what a step left to a device."""
    batches = iter(batches)
    seconds = []
    for number in range(warm_up + count):
        begin = time.perf_counter()
        # Fetching the batch belongs to the step: it is where sentences are tokenised.
        batch = next(batches, None)
        if batch is None:
            raise SystemExit(f"the data end after {number} steps; {warm_up} + {count} were asked for")
        step(batch)
        finish()
        if number >= warm_up:
            seconds.append(time.perf_counter() - begin)
    return seconds


def rate_report(seconds, items_a_step, unit):
    """Rate over all timed steps, and of the median step, which one slow step does not move."""
    return {
        "steps": len(seconds),
        f"{unit}_per_second": round(items_a_step * len(seconds) / sum(seconds), 3),
        f"{unit}_per_second_median_step": round(items_a_step / statistics.median(seconds), 3),
        "peak_memory_mb": round(peak_memory_mb(), 1),
    }


def print_line(report):
    print(json.dumps(report), flush=True)
