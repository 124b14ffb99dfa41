"""OpenCode: Waypost is a plugin there, and the user brought a model of their own."""

import json
import sqlite3
from pathlib import Path

from harness.dialect import Call
from harness.request import NEXT

from .client import Client, json_lines

PLUGIN_PACKAGE = "@opencode-ai/plugin"


class OpenCode(Client):
    """`opencode run`, which reads plugins from the project's `.opencode/`."""

    NAME = "opencode"
    PACKAGE = "opencode-linux-x64"

    @classmethod
    def prepare(cls, place):
        folder = _folder_of(place, "CONFIG")
        for config in (folder, place.project.root / ".opencode"):
            _installed_before(config)
        model = {"name": "scripted", "limit": {"context": 100000, "output": 4000}}
        options = {"baseURL": f"{place.model.url}/v1", "apiKey": "scripted"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": model}}
        (folder / "opencode.json").write_text(json.dumps(
            {"provider": {"scripted": provider}, "model": "scripted/scripted", "share": "disabled"}))

    def environment(self):
        return {f"OPENCODE_DISABLE_{what}": "1"
                for what in ("AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "MODELS_FETCH")}

    def command(self, prompt):
        program = self.modules / self.PACKAGE / "bin" / "opencode"
        resumed = ["--session", self.session_id] if self.session_id else []
        return [str(program), "run", *resumed, "--format", "json", prompt]

    def session_in(self, output):
        return next((line["sessionID"] for line in json_lines(output)), None)

    def call(self, step, folder):
        said = step.input
        match step.tool:
            case "Bash":
                return Call("bash", {"command": said["command"], "description": "Scripted."})
            case "Read":
                return Call("read", {"filePath": str(folder / said["file_path"])})
            case "Write":
                return Call("write", {"filePath": str(folder / said["file_path"]), "content": said["content"]})
            case "Edit":
                return Call("edit", {"filePath": str(folder / said["file_path"]), "oldString": said["old_string"],
                                     "newString": said["new_string"]})
            case "Agent":
                return Call("task", {"subagent_type": "general", "description": said["description"],
                                     "prompt": said["prompt"]})
        _, server, tool = step.tool.split("__", 2)
        return Call(f"{server}_{tool}", said)

    def came_of(self, step, is_error, text):
        """The model reads no more than a text; that a call failed stands in the client's own database.

        What a plugin throws is told as any other error: that it is a denial is known by the next step that it names.
        """
        state = self._last_call()["state"]
        if state["status"] == "error":
            return "denied" if NEXT in text else "fails"
        return "fails" if state["metadata"].get("exit") else "works"

    def is_feedback(self, text):
        """A turn that is held goes on with the reason as if the user had written it, and no word of the client's."""
        return bool(text)

    @staticmethod
    def told_of_a_run(command, output):
        """What Waypost's plugin would tell of a command that worked, apart from what all events have."""
        return {"hook_event_name": "tool.execute.after", "tool_name": "bash", "tool_input": {"command": command},
                "tool_response": {"output": output, "exit": 0, "truncated": False}, "tool_use_id": "call_made_up"}

    def _last_call(self):
        path = _folder_of(self.place, "DATA") / "opencode.db"
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            found = database.execute(
                "SELECT data FROM part WHERE json_extract(data, '$.type') = 'tool' ORDER BY id DESC LIMIT 1").fetchone()
        return json.loads(found[0])


def _folder_of(place, kind):
    return Path(place.env[f"XDG_{kind}_HOME"]) / "opencode"


def _installed_before(folder):
    """A start of the client installs this package into each of its folders, unless it is there."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    wanted = {"dependencies": {PLUGIN_PACKAGE: "*"}}
    (folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": wanted}}))
