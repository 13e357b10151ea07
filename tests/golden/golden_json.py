"""JSON of golden files: each array or object that holds only numbers and texts is on one line."""

import json


def text_of(value, indent=""):
    """Returns the text of a value, without a line end; its further lines begin with one blank more than `indent`."""
    values = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(each, (dict, list)) for each in values):
        return json.dumps(value)
    parts = [text_of(each, indent + " ") for each in values]
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {part}" for key, part in zip(value, parts)]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + "\n" + ",\n".join(f"{indent} {part}" for part in parts) + "\n" + indent + last


def write(file, value):
    file.write_text(text_of(value) + "\n")
