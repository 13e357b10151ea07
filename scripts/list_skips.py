#!/usr/bin/env python3
"""Lists the skips in a run of ctest: whole tests, and cases inside GoogleTest programs.

    list_skips.py JUNIT.xml [ALLOWED]

ALLOWED holds a regular expression a line, each for "test: reason" of skips that depend on the machine (a test is a
program here, not its cases); with it, a skip that none of them matches is an error, exit code 1.
"""

import re
import sys
import xml.etree.ElementTree

CASE = re.compile(r"\[ RUN      \] (\S+)\n((?:(?!\[ RUN      \]).)*?)\[  SKIPPED \] \1", re.DOTALL)


def one_line(text):
    return " ".join(text.split())


def skips_of(case):
    """The skips of one test of ctest: its name, that of the case (empty: the whole test) and the reason."""
    name = case.get("name")
    output = case.findtext("system-out") or ""
    marked = case.find("skipped")
    if marked is not None or case.get("status") != "run":
        skipped = re.search(r"SKIPPED: (.*)", output)
        reason = skipped.group(1) if skipped else output or (marked.get("message") if marked is not None else "did not run")
        return [(name, "", one_line(reason))]
    found = [(test, re.sub(r"^\S*: Skipped", "", one_line(text)).strip()) for test, text in CASE.findall(output)]
    # Ranks may write into each other's lines: what is in a summary is not overlooked.
    for test in re.findall(r"^\[  SKIPPED \] (\S+)$", output, re.MULTILINE):
        if test not in [known for known, _ in found]:
            found.append((test, "no reason found in its output"))
    return sorted({(name, test, reason) for test, reason in found})


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    suite = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
    # A test that failed is no skip; ctest has reported it.
    skips = [skip for case in suite.iter("testcase") if case.get("status") != "fail" for skip in skips_of(case)]
    for name, test, reason in skips:
        print(f"skipped: {name} {test}".rstrip() + f": {reason}")
    if len(sys.argv) == 2:
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        allowed = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    refused = [(name, test, reason) for name, test, reason in skips
               if not any(re.search(pattern, f"{name}: {reason}") for pattern in allowed)]
    for name, test, reason in refused:
        print(f"{sys.argv[2]} does not allow to skip {name} {test}: {reason}", file=sys.stderr)
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
