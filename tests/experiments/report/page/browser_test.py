#!/usr/bin/env python3
"""Pages of `gausscse report` in a headless Chromium: no error in its console, nothing fetched, as wide as the window at
360 and 1280 pixels with everything unfolded, light and dark as the reader has it, and with tests unfolded on paper.

    browser_test.py PAGE.html...

Ends with 77, which means skipped, where there is no Chromium.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# Tells the page around of what a reader cannot see, once all is laid out.
# Its own script may run; all else that the page's policy forbids still is, and is told of.
PROBE = """<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"/>
<script>
const fetched = [];
document.addEventListener('securitypolicyviolation', event => fetched.push(event.blockedURI));
window.addEventListener('error', event => tell({error: event.message}));
function tell(what) { parent.postMessage(JSON.stringify(what), '*'); }
window.addEventListener('load', () => {
  document.querySelectorAll('details').forEach(element => { element.open = true; });
  const root = document.documentElement, wide = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.scroll, pre, svg') && !element.matches('.scroll, pre, svg')) continue;
    const box = element.getBoundingClientRect();
    if (box.right > root.clientWidth + 1 || box.left < -1) wide.push(element.tagName + '.' + element.className);
  }
  const style = element => getComputedStyle(element);
  tell({window: innerWidth, width: root.scrollWidth, wide: wide.slice(0, 5), scripts: document.scripts.length,
        fetched: fetched,
        background: style(document.body).backgroundColor, ink: style(document.body).color,
        plots: document.querySelectorAll('svg.plot').length,
        flat: [...document.querySelectorAll('svg.plot')].filter(svg => svg.getBoundingClientRect().height < 100).length});
});
</script>"""

FRAME = """<!DOCTYPE html><meta charset="utf-8"><title>x</title><body><script>
const told = [];
window.addEventListener('message', event => {
  told.push(JSON.parse(event.data));
  document.title = JSON.stringify(told);
});
</script><iframe src="%s" style="width: 360px; height: 800px; border: 0"></iframe>
<iframe src="%s" style="width: 1280px; height: 800px; border: 0"></iframe></body>"""

WIDTHS = (360, 1280)


def chromium_in_path():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    return None


def run_chromium(program, page, profile, *options):
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync",
               "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "--enable-logging=stderr",
               "--virtual-time-budget=20000", "--window-size=1400,900", *options, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout, done.stderr


def dump(program, page, profile, *options):
    """The document after its scripts, and what Chromium said."""
    return run_chromium(program, page, profile, "--dump-dom", *options)


def printed_pages(program, page, folder):
    """The number of sheets of paper."""
    pdf = folder / "printed.pdf"
    run_chromium(program, page, folder / "profile", f"--print-to-pdf={pdf}")
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))


def unfolds_tests_on_paper(program, path, folder):
    """With the style of a real page: closed details of the class `printed` are printed, others are not."""
    style = re.search(r"<style>.*?</style>", path.read_text(encoding="utf-8"), re.DOTALL).group()
    pages = {}
    for kind in ("printed", "other"):
        page = folder / f"details-{kind}.html"
        page.write_text(f'<!DOCTYPE html><html><head><meta charset="utf-8"/><title>x</title>{style}</head><body>'
                        f'<details class="{kind}"><summary>x</summary>' + "<p>line</p>" * 200 + "</details></body></html>",
                        encoding="utf-8")
        pages[kind] = printed_pages(program, page, folder)
    return check(pages["other"] == 1 and pages["printed"] > 3, "sheets of paper of folded parts:", pages)


def console_lines(errors):
    return [line for line in errors.splitlines() if "CONSOLE" in line]


def probe(program, page, folder, scheme):
    """Returns the page's numbers in windows of both widths."""
    text = page.read_text(encoding="utf-8")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy"[^>]*/>', text).group()
    probed = folder / f"probed-{page.stem}.html"
    probed.write_text(text.replace(policy, PROBE), encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(FRAME % (probed.as_uri(), probed.as_uri()), encoding="utf-8")
    document, errors = dump(program, frame, folder / "profile", f"--blink-settings=preferredColorScheme={scheme}")
    title = re.search(r"<title>(.*?)</title>", document, re.DOTALL).group(1)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        title = title.replace(entity, character)
    told = json.loads(title) if title != "x" else []
    windows = {seen.get("window"): seen for seen in told}
    assert set(windows) == set(WIDTHS), f"{page}: the probe said {told}; {errors[-1000:]}"
    return windows


def check(what, *say):
    if not what:
        print("wrong:", *say)
    return bool(what)


def problems_in(program, page, folder):
    right = True
    _, errors = dump(program, page, folder / "profile")
    right &= check(not console_lines(errors), page, console_lines(errors)[:3])
    for scheme, background, ink in ((1, "rgb(255, 255, 255)", "rgb(27, 31, 36)"),
                                    (0, "rgb(20, 23, 26)", "rgb(232, 234, 237)")):
        for width, seen in probe(program, page, folder, scheme).items():
            where = f"{page.name} at {width}, {'light' if scheme else 'dark'}:"
            right &= check(seen["width"] <= width, where, "the page is", seen["width"], "wide:", seen["wide"])
            right &= check(not seen["wide"], where, "beyond the window:", seen["wide"])
            right &= check(seen["scripts"] == 1, where, seen["scripts"], "scripts, one is the test's")
            right &= check(not seen["fetched"], where, "fetched:", seen["fetched"])
            right &= check((seen["background"], seen["ink"]) == (background, ink), where, seen["background"], seen["ink"])
            right &= check(seen["plots"] >= 20 and seen["flat"] == 0, where, seen["plots"], "plots,", seen["flat"], "flat")
    return right


def sees_what_is_wrong(program, folder):
    """A page with all that the test looks for must be seen as one."""
    page = folder / "bad.html"
    page.write_text('<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="x"/></head><body>'
                    '<script>console.error("no")</script><img src="missing.png" alt=""/>'
                    '<div style="width: 2000px">x</div></body></html>', encoding="utf-8")
    _, errors = dump(program, page, folder / "profile")
    seen = probe(program, page, folder, 1)[360]
    return (check(any('"no"' in line or "no" in line for line in console_lines(errors)), "the console is not seen") and
            check(seen["width"] >= 2000 and seen["wide"], "the width is not seen", seen) and
            check(seen["fetched"], "what is fetched is not seen", seen) and check(seen["scripts"] == 2, "scripts are not seen"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = chromium_in_path()
    if not program:
        print("SKIPPED: no Chromium in PATH (scripts/setup.sh --tests installs it)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        right = sees_what_is_wrong(program, folder)
        right &= unfolds_tests_on_paper(program, pathlib.Path(sys.argv[1]), folder)
        for path in sys.argv[1:]:
            right &= problems_in(program, pathlib.Path(path).resolve(), folder)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
