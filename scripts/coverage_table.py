#!/usr/bin/env python3
"""coverage_table.py LINES.csv LEAST: what gcovr counted, as a table by folder and a list of the files that tests reach
least. Exit code 1 where less than LEAST % of all lines are reached."""

import csv
import sys


def share(reached, lines):
    return 100.0 * reached / lines if lines else 100.0


def main():
    path, least = sys.argv[1], float(sys.argv[2])
    files = []
    with open(path, newline="") as table:
        for row in csv.DictReader(table):
            files.append((row["filename"], int(row["line_covered"]), int(row["line_total"])))
    if not files:
        sys.exit(f"coverage_table.py: {path} has no files: was the preset coverage built and were its tests run?")
    folders = {}
    for name, reached, lines in files:
        folder = name.split("/")[0]
        before = folders.get(folder, (0, 0))
        folders[folder] = (before[0] + reached, before[1] + lines)
    folders["all"] = (sum(reached for _, reached, _ in files), sum(lines for _, _, lines in files))
    print("| folder | lines | reached | % |\n|---|---|---|---|")
    for folder, (reached, lines) in folders.items():
        print(f"| {folder} | {lines:,} | {reached:,} | {share(reached, lines):.1f} |")
    print("\nlines that no test reaches, by file:")
    for name, reached, lines in sorted(files, key=lambda file: file[1] - file[2])[:20]:
        print(f"{lines - reached:6} of {lines:5}  {name}")
    reached, lines = folders["all"]
    if share(reached, lines) < least:
        sys.exit(f"coverage_table.py: {share(reached, lines):.1f} % of all lines are reached, which is under {least:.0f} %")


if __name__ == "__main__":
    main()
