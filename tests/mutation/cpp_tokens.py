"""Tokens of C++ text, with a mark on those that compute something."""

import dataclasses
import re

# Alternatives in order of preference. Spaces end at a line's end, so that a directive is found at a line's beginning.
PATTERN = re.compile(
    r"""
    (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<space>[ \t\r]+|\n)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>(?:u8|[uUL])?(?:R"(?P<fence>[^(\s]*)\(.*?\)(?P=fence)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')\w*)
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
# Braces behind one of these hold declarations.
TYPES = {"class", "struct", "union", "enum", "namespace"}
# Statements without code begin with one of these.
BARE = {"using", "typedef", "friend", "static_assert"}


@dataclasses.dataclass
class Token:
    kind: str  # string, number, name or mark
    text: str
    begin: int
    end: int
    code: bool = False  # computes something: neither a declaration nor a parameter list
    in_body: bool = False  # lies in a function's body or in an initializer


@dataclasses.dataclass
class Brace:
    """An open brace, or the whole file."""

    declares: bool
    code: bool = False  # behind `=`, or in a constructor's list of initializers
    statement: list[str] = dataclasses.field(default_factory=list)


def tokens_of(text: str) -> list[Token]:
    """Returns the tokens of a file, without comments and directives."""
    tokens = [
        Token(match.lastgroup or "", match[0], match.start(), match.end())
        for match in PATTERN.finditer(text)
        if match.lastgroup not in ("space", "comment", "directive")
    ]
    mark_code(tokens)
    return tokens


def mark_code(tokens: list[Token]) -> None:
    """Sets `code` and `in_body` of all tokens of a file."""
    braces = [Brace(declares=True)]
    for i, token in enumerate(tokens):
        top = braces[-1]
        bare = bool(top.statement) and top.statement[0] in BARE
        token.in_body = not top.declares
        token.code = (token.in_body or top.code) and not bare
        before = tokens[i - 1].text if i else ""
        after = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.text == "{":
            braces.append(Brace(declares=opens_declarations(top.statement)))
        elif token.text == "}" and len(braces) > 1:
            braces.pop()
            if after not in (",", "{", ")", ";", ".", "]"):  # the end of a body, not of an initializer
                braces[-1].statement, braces[-1].code = [], False
        elif token.text == ";" or (token.text == ":" and before in ("public", "private", "protected")):
            top.statement, top.code = [], False
        else:
            top.statement.append(token.text)
            # Not `= 0`, `= default` behind a function, nor `operator=`.
            starts_value = token.text == "=" and before not in (")", "const", "noexcept", "override", "final", "operator")
            starts_members = token.text == ":" and before in (")", "noexcept")
            top.code = top.code or (top.declares and (starts_value or starts_members))


def opens_declarations(statement: list[str]) -> bool:
    """Returns whether the brace behind these words is that of a namespace or type."""
    words = statement[after_template(statement) :]
    return not {"(", "="} & set(words) and (bool(TYPES & set(words[:3])) or words[:1] == ["extern"])


def after_template(words: list[str]) -> int:
    """Returns the place of the first word behind `template <...>`; 0 without it."""
    if words[:1] != ["template"]:
        return 0
    depth = 0
    for i, word in enumerate(words):
        depth += word.count("<") - word.count(">") if set(word) <= {"<", ">"} else 0
        if i and depth == 0:
            return i + 1
    return len(words)


def closing(tokens: list[Token], i: int) -> int:
    """Returns the place of the token that closes the bracket at `i`; -1 where none does."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text in "([{") - (tokens[j].text in ")]}")
        if depth == 0:
            return j
    return -1
