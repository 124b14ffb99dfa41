"""A client with its agent: a process of its own that calls the hook, and keeps a transcript, as Claude Code does."""

import json
import subprocess
import sys
from pathlib import Path

from .clock import Clock
from .place import NOW
from .transcript import Transcript

PROCESS = Path(__file__).with_name("client_process.py")


class Answer:
    """What the hook said."""

    def __init__(self, told):
        self.status, self.stdout, self.stderr = told["status"], told["stdout"], told["stderr"]
        assert self.status in (0, 2), f"the hook ended with {self.status}: {self.stderr}"
        self.value = json.loads(self.stdout) if self.stdout.strip() else {}

    @property
    def denied(self):
        """Why a call was denied, if it was."""
        told = self.value.get("hookSpecificOutput", {})
        return told.get("permissionDecisionReason") if told.get("permissionDecision") == "deny" else None

    @property
    def held(self):
        """Why a stop was held, if it was."""
        return self.value.get("reason") if self.value.get("decision") == "block" else None


class Client:
    """A client in a work tree. Inputs have the form of those that were recorded of the real one."""

    def __init__(self, project, conversation, clock=None):
        self.project, self.conversation = project, conversation
        self.clock = clock or Clock(NOW)
        self._step = 20 if clock else 0  # what happens now happens now
        self._calls = 0
        self._process = subprocess.Popen([sys.executable, "-I", "-B", str(PROCESS), project.home.binary],
                                         cwd=project.root, env=project.home.at(None), text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in str(project.root))
        self.transcript = project.home.folder / ".claude/projects" / name / f"{conversation}.jsonl"
        branch = project.git("branch", "--show-current").strip()
        self.kept = Transcript(self.transcript, str(project.root), conversation, branch)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """The process ends, without a word to the hook."""
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    def hook(self, event, **fields):
        """An event of the client; gives what the hook answered."""
        self._pass()
        told = {"session_id": self.conversation, "transcript_path": str(self.transcript), "cwd": str(self.project.root),
                "permission_mode": "acceptEdits", "hook_event_name": event, **fields}
        return Answer(self._ask({"hook": told}))

    def begin(self, prompt="go", source="startup"):
        """The conversation begins, and gets a prompt."""
        self.hook("SessionStart", source=source)
        return self.prompt(prompt)

    def prompt(self, text):
        """Somebody writes a prompt."""
        said = self.hook("UserPromptSubmit", prompt=text)
        self.kept.prompted(str(self.clock), text)
        return said

    def say(self, text):
        """The agent says something."""
        self._pass()
        self.kept.said(str(self.clock), text)

    def before(self, tool, given, of=None):
        """The agent asks to call a tool."""
        self._calls += 1
        said = self.hook("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=self._call(), **(of or {}))
        self.kept.called(str(self.clock), self._call(), tool, given)
        if said.denied:
            self.kept.returned(str(self.clock), self._call(), f"PreToolUse:{tool} hook error: {said.denied}", failed=True)
        return said

    def after(self, tool, given, answer, printed="", of=None):
        """The call is over."""
        said = self.hook("PostToolUse", tool_name=tool, tool_input=given, tool_use_id=self._call(), tool_response=answer,
                         duration_ms=40, **(of or {}))
        self.kept.returned(str(self.clock), self._call(), printed or "ok")
        return said

    def call(self, tool, given, answer, of=None):
        """The agent calls a tool that nothing stands before."""
        said = self.before(tool, given, of)
        return said if said.denied else self.after(tool, given, answer, str(answer), of)

    def edit(self, path, text, of=None):
        """The agent changes a file. Gives what was said before it."""
        file = str(self.project.root / path)
        given = {"file_path": file, "content": text}
        said = self.before("Write", given, of)
        if not said.denied:
            self.project.write(path, text)
            self.after("Write", given, {"type": "create", "filePath": file, "content": text}, f"wrote {path}", of)
        return said

    def bash(self, line):
        """The agent runs a command line, for real. Gives what was said before it, or at the end if it ran."""
        given = {"command": line}
        said = self.before("Bash", given)
        if said.denied:
            return said
        ran = self._ask({"bash": line})
        if ran["status"] == 0:
            answer = {"stdout": ran["stdout"], "stderr": ran["stderr"], "interrupted": False, "isImage": False}
            return self.after("Bash", given, answer, ran["stdout"])
        told = f"Exit code {ran['status']}\n{ran['stdout']}"
        self.kept.returned(str(self.clock), self._call(), told, failed=True)
        return self.hook("PostToolUseFailure", tool_name="Bash", tool_input=given, tool_use_id=self._call(), error=told,
                         is_interrupt=False)

    def prints(self, line):
        """What a command line prints that the agent runs without a word to the hook."""
        return self._ask({"bash": line})["stdout"]

    def subagent(self, name, kind, prompt, answer, model="claude-haiku-5-5"):
        """A subagent is given work, and does it."""
        given = {"description": prompt[:30], "prompt": prompt, "subagent_type": kind}
        self.before("Agent", given)
        of, own = {"agent_id": name, "agent_type": kind}, self.kept.subagent(name, model)
        self.hook("SubagentStart", **of)
        own.prompted(str(self.clock), prompt)
        self.call("Read", {"file_path": str(self.project.root / "README.md")}, {"type": "text"}, of)
        own.said(str(self.clock), answer)
        self.hook("SubagentStop", stop_hook_active=False, last_assistant_message=answer, background_tasks=[], **of)
        self.after("Agent", given, {"status": "completed", "agentId": name, "agentType": kind, "totalTokens": 31_200,
                                    "totalDurationMs": 52_000, "content": [{"type": "text", "text": answer}]}, answer)

    def stop(self, words="Done."):
        """The agent wants to end its turn."""
        self._pass()
        self.kept.said(str(self.clock), words)
        return self.hook("Stop", stop_hook_active=False, last_assistant_message=words, background_tasks=[],
                         session_crons=[])

    def end(self):
        """The conversation is over, and the client with it."""
        self.hook("SessionEnd", reason="other")
        self.close()

    def _pass(self):
        self.clock.tick(self._step)

    def _call(self):
        return f"toolu_{self.conversation[:8]}_{self._calls}"

    def _ask(self, what):
        asked = {**what, "cwd": str(self.project.root), "env": self.project.home.at(str(self.clock))}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
