"""Virtual environments of the peers: one for each file requirements-NAME.txt of this folder."""

import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


class Missing(Exception):
    """A peer that cannot run here; the text is the reason."""


def last_words(text):
    """The line of an exception, which may be followed by others, or else the last line of a program's messages."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    exceptions = [line.partition(": ")[2] for line in lines if re.match(r"[\w.]+(Error|Exception): ", line)]
    return (exceptions or lines or ["no message"])[-1]


class Environments:
    """The Pythons of the peers. Each environment is made when it is first asked for, and kept for later runs."""

    def __init__(self, folder, given):
        """`given` has Pythons that are used as they are: {name: program}."""
        self.folder, self.pythons, self.reasons = pathlib.Path(folder), dict(given), {}

    def python(self, name):
        """Returns the Python program of an environment. Throws Missing if its packages cannot be installed."""
        if name in self.reasons:
            raise Missing(self.reasons[name])
        if name not in self.pythons:
            try:
                self.pythons[name] = self._make(name)
            except Missing as missing:
                self.reasons[name] = str(missing)
                raise
        return self.pythons[name]

    def _make(self, name):
        requirements, folder = FOLDER / f"requirements-{name}.txt", self.folder / name
        python, mark = folder / "bin" / "python", folder / "installed.txt"
        # The mark is a copy of the requirements, written at the end: an environment of other packages is completed.
        if mark.exists() and mark.read_text() == requirements.read_text():
            return str(python)
        print(f"installing {requirements.name} into {folder}", file=sys.stderr)
        for command in ([sys.executable, "-m", "venv", folder],
                        [python, "-m", "pip", "install", "-q", "-r", requirements]):  # fmt: skip
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            if done.returncode != 0:
                raise Missing(f"cannot be installed: {last_words(done.stderr)}")
        mark.write_text(requirements.read_text())
        return str(python)
