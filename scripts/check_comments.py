#!/usr/bin/env python3
"""Checks comments of C++ files against the style in CONTRIBUTING.md, as far as a program can.

    check_comments.py [ROOT]    a source tree; that of this script by default

A documentation comment (///) must not begin with a bare question word or fragment, such as "What", "Whether", "Where" or
"Of", and no comment may use the words of FORBIDDEN. Text between backticks is code and passes.
"""

import pathlib
import re
import sys

from check_layers import read_layers, source_files

OTHER_FOLDERS = ("benchmarks", "demo", "fuzz", "tests")
BEGINNING = re.compile(r"(What|Which|Whether|How|Who|Whose|That|Those|Of|Where|When|In which|By which|Whatever|Whichever"
                       r"|Whoever)\b", re.I)
FORBIDDEN = re.compile(r"\b(tells?|told|telling|beside|anew|heeds?|whatever|whichever|whoever|stands? for|is to be had)\b", re.I)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"|(?<!\d)\'(?:[^\'\\]|\\.)\'')
COMMENT = re.compile(r"//(/<?)?(?:\s(.*))?$")


def comments_in(text):
    """Returns the number, kind ("" for //, "/" for ///, "/<" for ///<) and text of each line with a comment."""
    for number, line in enumerate(text.splitlines(), 1):
        found = COMMENT.search(STRING.sub(lambda string: "_" * len(string[0]), line))
        if found:
            yield number, found[1] or "", line[found.start(2):] if found[2] else "", not line[:found.start()].strip()


def faults_in(text):
    """Returns line and fault of each comment that breaks a rule."""
    last = -1
    for number, kind, words, alone in comments_in(text):
        begins = kind == "/<" or kind == "/" and (last != number - 1 or not alone)
        last = number if kind and alone else -1
        if begins and (found := BEGINNING.match(words)):
            yield number, f'the comment begins with "{found[0]}": begin with a noun for a class or value, with a verb for a function'
        if found := FORBIDDEN.search(re.sub(r"`[^`]*`", "", words)):
            yield number, f'"{found[0]}" is not a word of this project: see "Style" in CONTRIBUTING.md'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    tops = {folder.split("/")[0] for folder in read_layers(root)} | set(OTHER_FOLDERS)
    files = source_files(root, sorted(tops))
    faults = [f"{file}:{number}: {fault}" for file in files
              for number, fault in faults_in((root / file).read_text(encoding="utf-8"))]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(1)
    if not files:
        sys.exit(f"{root}: no source files: nothing is checked")
    print(f"comments: {len(files)} files")


if __name__ == "__main__":
    main()
