"""Operators that change one place of C++ text, as someone who errs would.

    comparison           < <=   > >=   == !=
    sign                 + -   += -=   -x x
    factor               * /   *= /=   % /
    logic                && ||   !x x   true false
    constant             3 4   0.5 (0.5 * 2)   0.0 1.0
    argument order       f(a, b) f(b, a), each pair of neighbours
    removed call         f(a); {}
    removed assignment   a.b = c; {}

Only code is changed: no comment, text, directive, type, parameter list or declaration without a value. The tree's
clang-format puts spaces on both sides of a binary operator and on no other one, which distinguishes `a < b` from `vector<int>`.
"""

import re
import typing

from cpp_tokens import Token, closing, tokens_of


class Change(typing.NamedTuple):
    """`new` in place of the text from `begin` to `end`."""

    begin: int
    end: int
    operator: str
    new: str


BINARY = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "sign": {"+": "-", "-": "+", "+=": "-=", "-=": "+="},
    "factor": {"*": "/", "/": "*", "*=": "/=", "/=": "*=", "%": "/"},
    "logic": {"&&": "||", "||": "&&"},
}
# Names that are followed by parentheses without being called, and calls to which the order means nothing or little.
NOT_CALLED = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignof", "alignas", "decltype", "noexcept"}
SYMMETRIC = {"min", "max", "swap", "concat"}
# Statements that begin with one of these are neither calls nor assignments.
NO_CHAIN = NOT_CALLED | {"auto", "else", "do", "throw", "goto", "break", "continue", "case", "default", "delete", "using"}
NO_EFFECT = {"reserve"}
MACRO = re.compile(r"[A-Z][A-Z0-9_]+")  # a check of what cannot be: no test finds that one is missing
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="}


def changes_of(text: str) -> list[Change]:
    """Returns all changes of a file's text, in the order of places."""
    tokens = tokens_of(text)
    changes = []
    for i, token in enumerate(tokens):
        if not token.code:
            continue
        changes += binary_changes(text, tokens, i)
        changes += unary_changes(text, tokens, i)
        changes += constant_changes(token)
        changes += order_changes(text, tokens, i)
        changes += removals(tokens, i)
    return sorted(changes)


def is_spaced(text: str, token: Token) -> bool:
    return text[token.begin - 1].isspace() and text[token.end : token.end + 1].isspace()


def binary_changes(text: str, tokens: list[Token], i: int) -> typing.Iterator[Change]:
    token = tokens[i]
    joins_text = any(near.kind == "string" for near in tokens[i - 1 : i + 2])  # or names of folders
    if not is_spaced(text, token):
        return
    for operator, pairs in BINARY.items():
        if token.text in pairs and not (joins_text and operator in ("sign", "factor")):
            yield Change(token.begin, token.end, operator, pairs[token.text])


def unary_changes(text: str, tokens: list[Token], i: int) -> typing.Iterator[Change]:
    token = tokens[i]
    if token.text == "!":
        yield Change(token.begin, token.end, "logic", "")
    ends_value = tokens[i - 1].kind != "mark" or tokens[i - 1].text in (")", "]", "}")
    if token.text == "-" and not text[token.end].isspace() and (not ends_value or tokens[i - 1].text == "return"):
        yield Change(token.begin, token.end, "sign", "")


def constant_changes(token: Token) -> typing.Iterator[Change]:
    if token.text in ("true", "false"):
        yield Change(token.begin, token.end, "logic", "false" if token.text == "true" else "true")
    if token.kind != "number":
        return
    if whole := re.fullmatch(r"(0|[1-9][\d']*)([uUlLzZ]*)", token.text):
        new = str(int(whole[1].replace("'", "")) + 1) + whole[2]
    elif re.fullmatch(r"0[xXbB][\da-fA-F']+[uUlLzZ]*", token.text):
        new = f"({token.text} + 1)"
    elif zero := re.fullmatch(r"0?\.0?([fFlL]?)", token.text):
        new = "1.0" + zero[1]
    elif re.fullmatch(r"[\d'.]+([eE][+-]?\d+)?[fFlL]?", token.text):
        new = f"({token.text} * 2)"
    else:  # a literal of a user's
        return
    yield Change(token.begin, token.end, "constant", new)


def arguments_of(text: str, tokens: list[Token], i: int) -> list[list[Token]]:
    """Returns the arguments in the bracket at `i`; empty where it holds no arguments."""
    end = closing(tokens, i)
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[i + 1 : end]:
        depth += (token.text in "([{") - (token.text in ")]}")
        if not text[token.begin - 1].isspace() and set(token.text) <= {"<", ">"}:  # of a template's arguments
            depth += token.text.count("<") - token.text.count(">")
        if depth == 0 and token.text == ";":
            return []
        if depth == 0 and token.text == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments if all(arguments) else []


def declares(text: str, argument: list[Token]) -> bool:
    """Returns whether it declares a parameter, such as `int a` or `const T& b`."""
    for token, after in zip(argument, argument[1:]):
        refers = token.text in ("&", "*", "&&") and not text[token.begin - 1].isspace() and text[token.end].isspace()
        if refers or (token.kind == after.kind == "name" and token.text not in ("new", "sizeof", "not")):
            return True
    return argument[0].text == "const"


def order_changes(text: str, tokens: list[Token], i: int) -> typing.Iterator[Change]:
    before, token = tokens[i - 1], tokens[i]
    calls = before.end == token.begin and before.kind == "name" and before.text not in NOT_CALLED | SYMMETRIC
    calls = calls or (before.end == token.begin and before.text == ">" and not text[before.begin - 1].isspace())
    if not (token.text == "(" and calls) and not (token.text == "{" and (calls or before.text == "return")):
        return
    arguments = arguments_of(text, tokens, i)
    if MACRO.fullmatch(before.text) or any(declares(text, argument) for argument in arguments):
        return
    for one, other in zip(arguments, arguments[1:]):
        first, second = (text[argument[0].begin : argument[-1].end] for argument in (one, other))
        texts = [all(token.kind == "string" for token in argument) for argument in (one, other)]
        # A lambda, the value of a named member, and the two ends of a container.
        ordered = {"[", "."} & {one[0].text, other[0].text} or second.endswith("end()")
        if first != second and texts[0] == texts[1] and not ordered:
            between = text[one[-1].end : other[0].begin]
            yield Change(one[0].begin, other[-1].end, "argument order", second + between + first)


def removals(tokens: list[Token], i: int) -> typing.Iterator[Change]:
    token = tokens[i]
    starts = tokens[i - 1].text in (";", "{", "}", ")", "else")
    if not token.in_body or not starts or token.kind != "name" or token.text in NO_CHAIN or MACRO.fullmatch(token.text):
        return
    j, opened = i + 1, 0
    while j < len(tokens):
        if tokens[j].text in ("(", "["):
            opened = j
            j = closing(tokens, j) + 1
            if j == 0:
                return
        elif tokens[j].text in ("::", ".", "->") and tokens[j + 1].kind == "name":
            j += 2
        else:
            break
    called = tokens[opened - 1].text if opened else ""
    if j < len(tokens) and tokens[j].text == ";" and tokens[j - 1].text == ")" and called not in NO_EFFECT:
        yield Change(token.begin, tokens[j].end, "removed call", "{}")
    if j < len(tokens) and tokens[j].text in ASSIGNMENTS:
        while j < len(tokens) and tokens[j].text != ";":
            j = closing(tokens, j) + 1 if tokens[j].text in ("(", "[", "{") else j + 1
            if j == 0 or (j < len(tokens) and tokens[j].text in (")", "]", "}")):  # an argument, or in a `for`
                return
        yield Change(token.begin, tokens[j].end, "removed assignment", "{}")
