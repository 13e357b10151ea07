"""Time and memory of this process, the same way in every peer. MB are 2^20 bytes."""

import json
import os
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


def seconds_since_start():
    """Seconds since this process was started, to a hundredth."""
    # After the name in brackets the 20th field is the start, in ticks since the machine's.
    ticks = int(pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


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
    """Calls step(batch) for `warm_up` batches, then for `count` more. Returns the seconds of each of the latter, and
    the processor time of all of them. `finish` waits for what a step left to a device."""
    batches = iter(batches)
    seconds, processor_begin = [], time.process_time()
    for number in range(warm_up + count):
        if number == warm_up:
            processor_begin = time.process_time()
        begin = time.perf_counter()
        # Fetching the batch belongs to the step: it is where sentences are tokenised.
        batch = next(batches, None)
        if batch is None:
            raise SystemExit(f"the data end after {number} steps; {warm_up} + {count} were asked for")
        step(batch)
        finish()
        if number >= warm_up:
            seconds.append(time.perf_counter() - begin)
    return seconds, time.process_time() - processor_begin


def rate_report(seconds, processor_seconds, items_a_step, unit):
    """Rate over all timed steps, of the median step, which one slow step does not move, and by processor time."""
    items = items_a_step * len(seconds)
    return {
        "steps": len(seconds),
        f"{unit}_per_second": round(items / sum(seconds), 3),
        f"{unit}_per_second_median_step": round(items_a_step / statistics.median(seconds), 3),
        "processor_seconds": round(processor_seconds, 2),
        "peak_memory_mb": round(peak_memory_mb(), 1),
    }


def print_line(report):
    print(json.dumps(report), flush=True)
