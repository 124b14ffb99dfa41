"""Codex: speaks the Responses API, edits by patches and reads through the shell."""

import json
import re
import shlex
import subprocess

from harness.dialect import Call

from .client import Client, json_lines

CONFIG = """model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
apps = false

[projects."{folder}"]
trust_level = "trusted"
"""
# A client on a busy machine is to wait for a command, and not to go on while it runs.
PATIENCE_MS = 30000
# How a command or a patch ended, and what the answer of a server begins with.
STATUS = re.compile(r"^(?:Process exited with code|Exit code:) (\d+)$", re.MULTILINE)
OF_A_SERVER = "Wall time: "


class Codex(Client):
    """`codex exec`, which reads hooks and servers from the project's `.codex/`."""

    NAME = "codex"
    PACKAGE = "@openai/codex"
    FEEDBACK = ("<hook_prompt",)
    DENIAL = "blocked by PreToolUse hook"

    @classmethod
    def prepare(cls, place):
        folder = place.home / ".codex"
        folder.mkdir(exist_ok=True)
        config = folder / "config.toml"
        if not config.exists():
            config.write_text(CONFIG.format(url=place.model.url, folder=place.project.root))

    def environment(self):
        return {"SCRIPTED_KEY": "scripted", "RUST_LOG": "error"}

    def command(self, prompt):
        resumed = ["resume", self.session_id] if self.session_id else []
        return [self.program(self.place), "exec", *resumed, "--json", "--skip-git-repo-check", prompt]

    def session_in(self, output):
        return next((line["thread_id"] for line in json_lines(output) if line["type"] == "thread.started"), None)

    @classmethod
    def approve(cls, place):
        """The user looks through the hooks of the project with `/hooks`, and trusts each of them as Codex shows it."""
        with (place.home / ".codex" / "config.toml").open("a") as config:
            for hook in cls._hooks(place):
                config.write(f'\n[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n')

    @classmethod
    def _hooks(cls, place):
        """The hooks of the project, with all that Codex knows of them."""
        asked = (("initialize", {"clientInfo": {"name": "scripted", "version": "0"}, "capabilities": {"experimentalApi": True}}),
                 ("hooks/list", {"cwds": [str(place.project.root)]}))
        with subprocess.Popen([cls.program(place), "app-server"], cwd=place.project.root, env=place.shared_env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            for number, (method, params) in enumerate(asked):
                server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
                server.stdin.flush()
                told = next(line for line in map(json.loads, server.stdout) if line.get("id") == number)
            server.kill()
        return [hook for folder in told["result"]["data"] for hook in folder["hooks"]]

    @classmethod
    def program(cls, place):
        """The native program itself."""
        return str(next(cls.installed(place.programs).glob("@openai/codex-linux-*/vendor/*/bin/codex")))

    def call(self, step, folder):
        said = step.input
        match step.tool:
            case "Bash":
                return _shell(said["command"])
            case "Read":
                return _shell(f"cat {shlex.quote(said['file_path'])}")
            case "Write":
                return _patch(f"*** Add File: {said['file_path']}", _lines("+", said["content"]))
            case "Edit":
                return _patch(f"*** Update File: {said['file_path']}", "@@", _lines("-", said["old_string"]),
                              _lines("+", said["new_string"]))
        _, server, tool = step.tool.split("__", 2)
        return Call(f"mcp__{server}.{tool}", said)

    def came_of(self, step, is_error, text):
        if self.DENIAL in text:
            return "denied"
        status = STATUS.search(text)
        failed = status.group(1) != "0" if status else not text.startswith(OF_A_SERVER)
        return "fails" if failed else "works"


def _shell(command):
    return Call("exec_command", {"cmd": command, "yield_time_ms": PATIENCE_MS})


def _patch(*lines):
    return Call("apply_patch", {"input": "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])})


def _lines(sign, text):
    return "\n".join(sign + line for line in text.splitlines())
