"""Runs programs with a time limit, their output in a file."""

import os
import signal
import subprocess
import time


def significant(value):
    """The value with four significant digits, so that a slow machine's rates are as precise as a fast one's."""
    return float(f"{value:.4g}")


class PartFailed(Exception):
    """Why a part of the checks failed, and the figures that it has nevertheless."""

    def __init__(self, why, figures=None):
        super().__init__(why)
        self.figures = figures


class Runner:
    """Programs of the archive, in one environment, all of them together within `seconds`."""

    def __init__(self, archive, output, environment, seconds):
        self.archive, self.output, self.environment = archive, output, environment
        self.end = time.monotonic() + seconds

    def program(self, name):
        return self.archive / "bin" / name

    def said(self, log):
        """Both streams of the program that was run under this name."""
        return "".join((self.output / f"{log}.{stream}").read_text(encoding="utf-8", errors="replace")
                       for stream in ("out", "err"))  # fmt: skip

    def run(self, command, log, limit, environment=None):
        """Runs `command` for at most `limit` seconds, its two streams to the files LOG.out and LOG.err of the output folder.

        Returns seconds and standard output. Throws PartFailed, with the end of what it said, where the program fails.
        """
        limit = min(limit, self.end - time.monotonic())
        if limit <= 0:
            raise PartFailed("no time was left for it")
        out, err = self.output / f"{log}.out", self.output / f"{log}.err"
        begin = time.monotonic()
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=out_file,
                stderr=err_file,
                env={**self.environment, **(environment or {})},
                start_new_session=True,
            )
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                raise PartFailed(f"took more than {limit:.0f} s") from None
            finally:
                # All that it started, too.
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        seconds = time.monotonic() - begin
        if code != 0:
            said = (last_line(err) or last_line(out) or "nothing").strip()
            raise PartFailed(f"{command[0].name} ended with {code}, see {err.name} and {out.name}; its last line: {said}")
        return seconds, out.read_text(encoding="utf-8", errors="replace")


def last_line(path):
    lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""
