"""Copilot CLI: hooks are in the project's `.github/hooks/`, and the user brought a model of their own."""

import re

from harness.dialect import Call

from .client import Client, json_lines

# An edit of a file that was not found there, and an answer of a server that is an error.
FAILURES = ("No match found: ", "MCP server '")


class CopilotCli(Client):
    """`copilot -p`, in a folder that the user trusts, offline by its own choice."""

    NAME = "copilot"
    PACKAGE = "@github/copilot"
    DENIAL = "Denied by preToolUse hook"

    def environment(self):
        return {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": "scripted",
                "COPILOT_PROVIDER_BASE_URL": f"{self.place.model.url}/v1", "COPILOT_PROVIDER_API_KEY": "of-the-script",
                "COPILOT_ALLOW_ALL": "true",  # allows all tools, and trusts the folder and so its hooks and servers
                "COPILOT_PKG_CACHE_HOME": str(self.modules.parent / "unpacked")}  # 235 MB, once for all scenarios

    def command(self, prompt):
        program = next(self.modules.glob("@github/copilot-linux-*/copilot"))
        resumed = ["--resume", self.session_id] if self.session_id else []
        return [str(program), *resumed, "--output-format", "json", "--prompt", prompt]

    def session_in(self, output):
        return next((line["sessionId"] for line in json_lines(output) if line["type"] == "result"), None)

    def call(self, step, folder):
        said = step.input
        match step.tool:
            case "Bash":
                return Call("bash", {"command": said["command"], "description": "Scripted."})
            case "Read":
                return Call("view", {"path": str(folder / said["file_path"])})
            case "Write":
                return _written(folder / said["file_path"], said["content"])
            case "Edit":
                return Call("edit", {"path": str(folder / said["file_path"]), "old_str": said["old_string"],
                                     "new_str": said["new_string"]})
            case "Agent":
                return Call("task", {"agent_type": "general-purpose", "name": "helper", "mode": "sync",
                                     "description": said["description"], "prompt": said["prompt"]})
        _, server, tool = step.tool.split("__", 2)
        return Call(f"{server}-{tool}", said)

    def came_of(self, step, is_error, text):
        if text.startswith(self.DENIAL):
            return "denied"
        status = re.search(r"<shellId: \d+ completed with exit code (\d+)>", text)
        failed = status.group(1) != "0" if status else text.startswith(FAILURES)
        return "fails" if failed else "works"

    def is_feedback(self, text):
        """A turn that is held goes on with the reason as if the user had written it, and no word of the client's."""
        return bool(text)

    @staticmethod
    def told_of_a_run(command, output):
        """What the hook is told of a command that worked, apart from what all events have."""
        told = f"{output}\n<shellId: 0 completed with exit code 0>"
        return {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
                "tool_result": {"result_type": "success", "text_result_for_llm": told}}


def _written(path, content):
    """A file that is there is only ever edited."""
    if not path.exists():
        return Call("create", {"path": str(path), "file_text": content})
    return Call("edit", {"path": str(path), "old_str": path.read_text(), "new_str": content})
