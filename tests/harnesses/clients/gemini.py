"""Gemini CLI: hooks and servers are in the project's `.gemini/settings.json`."""

import json

from harness.dialect import Call

from .client import Client, json_lines, node

SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}}
TRUST = "TRUST_FOLDER"


class GeminiCli(Client):
    """`gemini -p`, in a folder that the user trusts."""

    NAME = "gemini"
    PACKAGE = "@google/gemini-cli"
    DENIAL = "Tool execution blocked: "

    @classmethod
    def prepare(cls, place):
        folder = place.home / ".gemini"
        folder.mkdir(exist_ok=True)
        settings = folder / "settings.json"
        if not settings.exists():
            settings.write_text(json.dumps(SETTINGS))
            (folder / "trustedFolders.json").write_text(json.dumps({str(place.project.root): TRUST}))

    def environment(self):
        return {"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": self.place.model.url}

    def command(self, prompt):
        program = self.modules / self.PACKAGE / "bundle" / "gemini.js"
        resumed = ["--resume", self.session_id] if self.session_id else []
        return [str(node(self.place.programs)), str(program), "--yolo", "--model", "gemini-2.5-pro", *resumed,
                "--output-format", "stream-json", "--prompt", prompt]

    def session_in(self, output):
        return next((line["session_id"] for line in json_lines(output) if line["type"] == "init"), None)

    def call(self, step, folder):
        said = step.input
        match step.tool:
            case "Bash":
                return Call("run_shell_command", {"command": said["command"], "description": "Scripted."})
            case "Read":
                return Call("read_file", {"file_path": said["file_path"]})
            case "Write":
                return Call("write_file", {"file_path": said["file_path"], "content": said["content"]})
            case "Edit":
                return Call("replace", {"file_path": said["file_path"], "instruction": "Scripted.",
                                        "old_string": said["old_string"], "new_string": said["new_string"]})
        _, server, tool = step.tool.split("__", 2)
        return Call(f"mcp_{server}_{tool}", said)

    def came_of(self, step, is_error, text):
        return "fails" if "\nExit Code: " in text else super().came_of(step, is_error, text)

    def is_feedback(self, text):
        """A turn that is held goes on with the reason as if the user had written it, and no word of the client's."""
        return bool(text)

    @staticmethod
    def told_of_a_run(command, output):
        return {"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": command},
                "tool_response": {"llmContent": f"Output: {output}", "returnDisplay": output}}
