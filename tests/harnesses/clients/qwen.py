"""Qwen Code: hooks and servers are in the project's `.qwen/settings.json`; the user brought a model of their own."""

import json

from harness.dialect import Call
from harness.request import NEXT

from .client import Client, json_lines, node

SETTINGS = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
            # It would ask the model after turns what to remember.
            "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}


class QwenCode(Client):
    """`qwen`, with one prompt."""

    NAME = "qwen"
    PACKAGE = "@qwen-code/qwen-code"

    @classmethod
    def prepare(cls, place):
        folder = place.home / ".qwen"
        folder.mkdir(exist_ok=True)
        settings = folder / "settings.json"
        if not settings.exists():
            settings.write_text(json.dumps(SETTINGS))

    def environment(self):
        return {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": f"{self.place.model.url}/v1", "OPENAI_MODEL": "scripted"}

    def command(self, prompt):
        program = self.modules / self.PACKAGE / "cli.js"
        resumed = ["--resume", self.session_id] if self.session_id else []
        return [str(node(self.place.programs)), str(program), "--yolo", *resumed, "--output-format", "stream-json", prompt]

    def session_in(self, output):
        return next((line["session_id"] for line in json_lines(output) if "session_id" in line), None)

    def call(self, step, folder):
        said = step.input
        match step.tool:
            case "Bash":
                return Call("run_shell_command",
                            {"command": said["command"], "description": "Scripted.", "is_background": False})
            case "Read":
                return Call("read_file", {"file_path": str(folder / said["file_path"])})
            case "Write":
                return Call("write_file", {"file_path": str(folder / said["file_path"]), "content": said["content"]})
            case "Edit":
                return Call("edit", {"file_path": str(folder / said["file_path"]), "old_string": said["old_string"],
                                     "new_string": said["new_string"]})
        return Call(step.tool, said)

    def came_of(self, step, is_error, text):
        """What a hook denies is told as any other result: it is known by the next step that it names."""
        if NEXT in text and "\nExit Code: " not in text:
            return "denied"
        failed = "\nExit Code: " in text and "\nExit Code: 0\n" not in text
        return "fails" if failed else super().came_of(step, is_error, text)

    def is_feedback(self, text):
        """A turn that is held goes on with the reason as if the user had written it, and no word of the client's."""
        return bool(text)
