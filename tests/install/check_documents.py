#!/usr/bin/env python3
"""Checks the pages of an installed program: every relative link leads to a file, and to a heading if it names one; and
every library in lib/gausscse has the text of its licence in share/doc/gausscse/licenses.

    check_documents.py FOLDER      what `cmake --install` or the archive's folder has
"""

import pathlib
import re
import sys

# Folder of the licence, by how a library's name begins.
LICENSES = {"libtorch": "libtorch", "libc10": "libtorch", "libshm": "libtorch", "libcaffe2": "libtorch", "libgomp": "libgomp",
            "libarrow": "arrow", "libparquet": "arrow", "libcu": "nvidia_*", "libnv": "nvidia_*", "libnccl": "nvidia_*",
            "libgausscse": "."}


def anchors_of(page):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def dead_links(folder):
    """Yields pages with those of their links that lead nowhere."""
    for page in sorted(folder.rglob("*.md")):
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
                yield f"{page.relative_to(folder)}: {link}"


def without_license(folder):
    """Yields the libraries that have no licence."""
    documents = folder / "share/doc/gausscse"
    for library in sorted((folder / "lib/gausscse").iterdir()):
        of_library = [place for begin, place in LICENSES.items() if library.name.startswith(begin)]
        if of_library == ["."]:
            texts = [documents / "LICENSE"]
        else:
            texts = [text for place in of_library for text in (documents / "licenses").glob(f"{place}/*")]
        if not any(text.is_file() and text.stat().st_size > 500 for text in texts):
            yield library.name


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = len(list((folder / "share/doc/gausscse").rglob("*.md")))
    libraries = len(list((folder / "lib/gausscse").iterdir()))
    assert pages > 30 and libraries > 3, (pages, libraries)
    problems = [f"dead link in {link}" for link in dead_links(folder / "share/doc/gausscse")]
    problems += [f"{name} has no licence in share/doc/gausscse/licenses" for name in without_license(folder)]
    print("\n".join(problems) or f"{pages} pages, {libraries} libraries")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
