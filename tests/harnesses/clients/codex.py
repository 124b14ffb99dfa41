"""Codex: speaks the Responses API, edits by patches and reads through the shell."""

import hashlib
import json
import shlex

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
        program = next(self.modules.glob("@openai/codex-linux-*/vendor/*/bin/codex"))
        resumed = ["resume", self.session_id] if self.session_id else []
        return [str(program), "exec", *resumed, "--json", "--skip-git-repo-check", prompt]

    def session_in(self, output):
        return next((line["thread_id"] for line in json_lines(output) if line["type"] == "thread.started"), None)

    @classmethod
    def approve(cls, place):
        """The user looks through the hooks of the project with `/hooks`, and trusts each of them as it is."""
        path = place.project.root / ".codex" / "hooks.json"
        with (place.home / ".codex" / "config.toml").open("a") as config:
            for key, digest in _hooks(path):
                config.write(f'\n[hooks.state."{key}"]\ntrusted_hash = "{digest}"\n')

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
        works = ("Process exited with code 0", "Success. Updated the following files", "Wall time")
        return "works" if any(words in text for words in works) and "exited with code" not in _failure(text) else "fails"


def _failure(text):
    return text.replace("exited with code 0", "")


def _shell(command):
    return Call("exec_command", {"cmd": command, "yield_time_ms": PATIENCE_MS})


def _patch(*lines):
    return Call("apply_patch", {"input": "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])})


def _lines(sign, text):
    return "\n".join(sign + line for line in text.splitlines())


def _hooks(path):
    """(key, hash) of every hook in a file, as Codex writes them down when its user trusts them."""
    for event, groups in json.loads(path.read_text())["hooks"].items():
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")
        for place, group in enumerate(groups):
            for number, hook in enumerate(group["hooks"]):
                whole = {**{key: group[key] for key in ("matcher",) if key in group}, "event_name": name,
                         "hooks": [{"async": False, **hook}]}
                canonical = json.dumps(whole, sort_keys=True, separators=(",", ":"))
                yield f"{path}:{name}:{place}:{number}", f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"
