"""The JSON API, asked all that its description allows and much that it does not."""

import os
import subprocess
import sys
from pathlib import Path

from harness.pages import Pages
from harness.registry import alone, scenario

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@alone
def nothing_that_is_asked_or_done_breaks_the_server(t):
    with t.own() as own:
        probe(t, own.server, "--max-examples", "12")
        assert own.server.value("/api/openapi.json")["openapi"] == "3.1.0"


@scenario
def no_question_about_what_is_there_breaks_the_server(t):
    """The same about sessions that exist, where questions get further."""
    session = Pages(t.world, t.server).session("long").split("/")
    client = t.world.shop.clients[0].conversation
    known = {"path.project": session[2], "path.session": session[4], "path.conversation": client}
    lines = ["[parameters]", *(f'"{name}" = "{value}"' for name, value in known.items())]
    (t.out / "schemathesis.toml").write_text("\n".join(lines) + "\n")
    probe(t, t.server, "--include-method", "GET", "--max-examples", "6")


def probe(t, server, *options):
    """Lets schemathesis ask; what it finds is the failure."""
    program = Path(sys.executable).with_name("schemathesis")
    done = subprocess.run([program, "run", f"{server.url}/api/openapi.json", "--header",
                           f"Authorization: Bearer {server.token}", "--checks", CHECKS, "--seed", "20261119",
                           "--phases", "examples,coverage,fuzzing", "--no-color", *options],
                          cwd=t.out, capture_output=True, text=True, env={**os.environ, "HOME": str(t.out)})
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
