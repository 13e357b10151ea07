#!/usr/bin/env python3
"""Checks that pages of `gausscse report` are well-formed, hold nothing that runs or is fetched, and can be read aloud.

    page_rules.py PAGE.html...

Prints the faults, a line each, and ends with 1 where there is one.
"""

import html.parser
import sys
import xml.etree.ElementTree

# All that the pages are made of: another element is one that came from somebody's text.
ELEMENTS = set("html head meta title style body header main nav section h1 h2 h3 p ul li a dl dt dd div span strong small "
               "details summary pre table caption thead tbody tr th td figure figcaption bdi "
               "svg g path text desc".split())
ATTRIBUTES = set("lang charset name content http-equiv class id href aria-label aria-hidden role tabindex scope colspan "
                 "rowspan style open viewBox d x y transform stroke-dasharray".split())


class Rules(html.parser.HTMLParser):
    """Elements as a browser's parser sees them; XML's alone would not notice an end of `style` within it."""

    def __init__(self):
        super().__init__()
        self.problems, self.ids, self.links, self.level = [], [], [], 0
        self.in_table, self.texts = [], []

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in ELEMENTS:
            self.problems.append(f"an element {tag}")
        for name, value in attributes:
            if name.lower() not in {known.lower() for known in ATTRIBUTES}:
                self.problems.append(f"an attribute {name} of {tag}")
            if "url(" in (value or "") or "javascript:" in (value or ""):
                self.problems.append(f"{name}={value!r} of {tag}")
        if "id" in values:
            self.ids.append(values["id"])
        if "href" in values:
            self.links.append(values["href"])
        if tag in ("h1", "h2", "h3"):
            level = int(tag[1])
            if level > self.level + 1:
                self.problems.append(f"{tag} behind h{self.level}")
            self.level = level
        if tag == "th" and "scope" not in values:
            self.problems.append("a th without scope")

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.problems.append("a comment")


def problems_of(text):
    problems = []
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        return [f"not well-formed: {error}"]
    rules = Rules()
    rules.feed(text)
    rules.close()
    problems += sorted(set(rules.problems))
    if len(rules.ids) != len(set(rules.ids)):
        problems.append("an id twice")
    problems += [f"a link to {link!r}" for link in rules.links if link[:1] != "#" or link[1:] not in rules.ids]
    style = root.find("head/style").text
    if "url(" in style or "@import" in style or "http" in style:
        problems.append("the style fetches something")
    policy = root.find("head/meta[@http-equiv='Content-Security-Policy']")
    if policy is None or not policy.get("content").startswith("default-src 'none';"):
        problems.append("no policy that forbids fetching")
    for figure in root.iter("figure"):
        if figure.find("figcaption") is None:
            problems.append("a figure without a title")
    for svg in root.iter("svg"):
        if svg.get("aria-hidden") != "true" and (svg.find("title") is None or not svg.findtext("desc")):
            problems.append("a picture without title or description")
    controls = [c for c in "".join(rules.texts) if ord(c) < 32 and c not in "\t\n" or 0x202A <= ord(c) <= 0x202E]
    if controls:
        problems.append(f"characters {sorted(set(controls))!r}")
    return problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wrong = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for problem in problems_of(file.read()):
                print(f"{path}: {problem}")
                wrong = True
    # The rules themselves: each of these must be seen.
    good = ('<html><head><meta http-equiv="Content-Security-Policy" content="default-src \'none\';"/><style>a {}</style></head>'
            "<body><h1>x</h1>%s</body></html>")
    assert problems_of(good % "") == [], problems_of(good % "")
    for bad in ("<script>x</script>", '<p onclick="x">x</p>', '<a href="http://x">x</a>', "<h3>x</h3>", "<p>", "<th>x</th>",
                '<p id="a">x</p><p id="a">x</p>', "<p>\u202e</p>", '<img src="x"/>', "<figure>x</figure>", "<svg>x</svg>",
                '<p style="background: url(x)">x</p>'):
        assert problems_of(good % bad), bad
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
