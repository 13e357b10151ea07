#!/usr/bin/env python3
"""Checks comments of C++ files, and documentation texts of Python's, against the style in CONTRIBUTING.md, as far as a program
can.

    check_comments.py [ROOT]    a source tree; that of this script by default

A documentation comment (///) or text must not begin with a bare question word or fragment, such as "What", "Whether", "Where" or
"Of", and no comment may use the words of FORBIDDEN. No sentence may begin with a clause that only follows a verb, as in
"Returns what" or "Does the same". No sentence of a comment may have more than MOST_WORDS words; lines that are indented by two
blanks are code or a table, unless they continue an item of a list. Text between backticks is code: it passes, and counts as
one word.
"""

import ast
import pathlib
import re
import sys

from check_layers import read_layers, source_files

OTHER_FOLDERS = ("benchmarks", "demo", "fuzz", "tests")
PYTHON_FOLDERS = ("python", "scripts")
BEGINNING = re.compile(r"(What|Which|Whether|How|Who|Whose|That|Those|Of|Where|When|In which|By which|Whatever|Whichever"
                       r"|Whoever)\b", re.I)
FORBIDDEN = re.compile(r"\b(tells?|told|telling|beside|anew|heeds?|whatever|whichever|whoever|stands? for|is to be had)\b", re.I)
CLAUSE = re.compile(r"([A-Z][a-z]+s (what|how|that of|those of)|(Returns|Adds|Computes|Finds|Receives) (where|which|whose)"
                    r"|(Returns|Does|Computes|Gives) the same)\b")
MOST_WORDS = 40
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`\"(\[])")
ITEM = re.compile(r"\s*([-*]|\d+\.)\s")
CODE = re.compile(r"`[^`]*`")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"|(?<!\d)\'(?:[^\'\\]|\\.)\'')
COMMENT = re.compile(r"//(/<?)?(?:\s(.*))?$")


def comments_in(text):
    """Returns the number, kind ("" for //, "/" for ///, "/<" for ///<) and text of each line with a comment."""
    for number, line in enumerate(text.splitlines(), 1):
        found = COMMENT.search(STRING.sub(lambda string: "_" * len(string[0]), line))
        if found:
            yield number, found[1] or "", line[found.start(2):] if found[2] else "", not line[:found.start()].strip()


def paragraphs_in(text):
    """Returns the paragraphs of the comments of a file, each as line and text, with "X" for code between backticks."""
    paragraphs, last, item, fenced = [], -1, False, False
    for number, kind, words, alone in comments_in(text):
        follows = alone and last == number - 1
        fenced = fenced != words.strip().startswith("```") if follows else words.strip().startswith("```")
        is_item = bool(ITEM.match(words))
        item = is_item or (item and follows)
        if fenced or words.strip().startswith("```") or not words.strip() or (words.startswith("  ") and not item):
            last, item = -1 if not fenced else number, False
            continue
        if follows and not is_item and paragraphs:
            paragraphs[-1][1] += " " + words.strip()
        else:
            paragraphs.append([number, words.strip()])
        last = number if alone else -1
    return [(number, CODE.sub("X", words)) for number, words in paragraphs]


def sentence_faults_in(text):
    """Returns line and fault of each paragraph with a sentence that breaks a rule."""
    for number, words in paragraphs_in(text):
        for sentence in SENTENCE_END.split(words):
            count = sum(bool(re.search(r"\w", word)) for word in sentence.split())
            if found := CLAUSE.match(sentence):
                yield number, f'a sentence begins with "{found[0]}": name the result by a noun, with its unit or shape'
            elif count > MOST_WORDS:
                yield number, f'the sentence "{sentence[:40]}..." has {count} words: split it, below 25 where you can'


def python_faults_in(text):
    """Returns line and fault of each documentation text of a Python file that breaks a rule."""
    for node in ast.walk(ast.parse(text)):
        words = ast.get_docstring(node) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) else None
        sentences = SENTENCE_END.split(CODE.sub("X", words or ""))
        if found := BEGINNING.match(sentences[0]) or next(filter(None, map(CLAUSE.match, sentences)), None):
            yield node.body[0].lineno, f'the text has a sentence that begins with "{found[0]}": name the value or the result'


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
    yield from sentence_faults_in(text)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    tops = {folder.split("/")[0] for folder in read_layers(root)} | set(OTHER_FOLDERS)
    files = source_files(root, sorted(tops))
    programs = sorted(path.relative_to(root).as_posix() for top in sorted(tops | set(PYTHON_FOLDERS))
                      for path in (root / top).rglob("*.py"))
    faults = [f"{file}:{number}: {fault}" for check, checked in ((faults_in, files), (python_faults_in, programs))
              for file in checked for number, fault in check((root / file).read_text(encoding="utf-8"))]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(1)
    if not files:
        sys.exit(f"{root}: no source files: nothing is checked")
    print(f"comments: {len(files) + len(programs)} files")


if __name__ == "__main__":
    main()
