"""Packages on loopback, as npm, pip and the installer ask for them."""

import base64
import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Served:
    """A server of every package in some folders."""

    def __init__(self, *folders: Path) -> None:
        self.files = {path.name: path for folder in folders for path in folder.iterdir()}
        self.asked: list[str] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.asked.append(self.path)
                kind, content = served.answer(self.path)
                self.send_response(200 if kind else 404)
                self.send_header("Content-Type", kind or "text/plain")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str) -> tuple[str, bytes]:
        """The kind and content of what stands at a path; no kind where nothing does."""
        name = path.strip("/").rsplit("/", 1)[-1]
        if path.startswith("/files/") and name in self.files:
            return "application/octet-stream", self.files[name].read_bytes()
        if path.startswith("/simple/"):
            wheels = (file for file in self.files if file.startswith(f"{name}-") and file.endswith(".whl"))
            return "text/html", "".join(f'<a href="/files/{file}">{file}</a>\n' for file in wheels).encode()
        found = self.npm(name)
        return ("application/json", json.dumps(found).encode()) if found else ("", b"there is no such package\n")

    def npm(self, name: str) -> dict[str, object] | None:
        """What the registry says of a package: every version of it, the newest the last."""
        versions = {}
        for path in sorted(self.files.values()):
            about = package_json(path) if path.suffix == ".tgz" else {}
            if about.get("name") == name:
                integrity = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
                dist = {"tarball": f"{self.url}/files/{path.name}", "integrity": f"sha512-{integrity}"}
                versions[about["version"]] = about | {"dist": dist}
        return {"name": name, "dist-tags": {"latest": max(versions)}, "versions": versions} if versions else None


def package_json(path: Path) -> dict[str, str]:
    """What an npm package says of itself."""
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as tar:
        return json.load(tar.extractfile("package/package.json"))
