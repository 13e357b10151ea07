"""Files that a call leaves: a report, its table, the launches of each step, and the programs' output, in a few small files."""

import io
import json
import os
import tarfile

import summary

# A machine with a GPU may hand back few files, and none that is large.
MOST_FILES, MOST_BYTES = 8, 16 << 20
# Limit of each program's output; the archive of all of it is smaller than the sum.
SAID_BYTES = 1 << 18


def write_whole(path, data):
    """Other names than `path` never stay, whenever the call is ended."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    os.replace(partial, path)


def write_report(report, folder):
    """Called after every part, so that a call that is ended leaves what was measured."""
    write_whole(folder / f"gpu_checks_{report['call']}.json", (json.dumps(report, indent=1) + "\n").encode())
    write_whole(folder / f"table_{report['call']}.txt", summary.table(report).encode())


def write_said(work, folder):
    """The last part of each program's output, of all programs in one archive."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path in sorted([*work.glob("*.out"), *work.glob("*.err")]):
            with open(path, "rb") as file:
                file.seek(max(0, path.stat().st_size - SAID_BYTES))
                text = file.read()
            entry = tarfile.TarInfo(path.name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    write_whole(folder / "said.tar.gz", data.getvalue())


def check(folder):
    """Returns the fault of the files in the folder, or None."""
    files = [path for path in folder.iterdir()]
    large = [path.name for path in files if path.stat().st_size > MOST_BYTES]
    if len(files) > MOST_FILES:
        return f"{len(files)} files are left, more than {MOST_FILES}"
    return f"{', '.join(large)}: more than {MOST_BYTES >> 20} MiB" if large else None
