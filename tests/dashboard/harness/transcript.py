"""What a client keeps of its conversation, in the form of Claude Code's files."""

import hashlib
import json


class Transcript:
    """A file of lines, as the client writes it while the conversation goes on."""

    def __init__(self, file, folder, conversation, branch):
        self._file, self._lines = file, 0
        self._common = {"isSidechain": False, "userType": "external", "entrypoint": "cli", "cwd": folder,
                        "sessionId": conversation, "version": "2.1.325", "gitBranch": branch}
        self.model = "claude-opus-5-5"

    def subagent(self, name, model):
        """The file of a subagent's own conversation."""
        file = self._file.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
        own = Transcript(file, self._common["cwd"], self._common["sessionId"], self._common["gitBranch"])
        own._common |= {"isSidechain": True, "agentId": name}
        own.model = model
        return own

    def prompted(self, time, text):
        """Somebody writes a prompt."""
        self._write(time, "user", {"role": "user", "content": text})

    def said(self, time, text, tokens=1200):
        """The agent says something."""
        self._answer(time, {"type": "text", "text": text}, tokens)

    def called(self, time, call, tool, given, tokens=400):
        """The agent calls a tool."""
        self._answer(time, {"type": "tool_use", "id": call, "name": tool, "input": given}, tokens)

    def returned(self, time, call, text, failed=False):
        """The call is over."""
        result = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
        self._write(time, "user", {"role": "user", "content": [result]})

    def _answer(self, time, block, tokens):
        read = 18_000 + 900 * self._lines
        usage = {"input_tokens": 300 + tokens // 4, "output_tokens": tokens, "cache_read_input_tokens": read,
                 "cache_creation_input_tokens": 2_000,
                 "cache_creation": {"ephemeral_5m_input_tokens": 1_500, "ephemeral_1h_input_tokens": 500}}
        self._write(time, "assistant", {"id": f"msg_{self._id()}", "type": "message", "role": "assistant",
                                        "model": self.model, "content": [block], "usage": usage})

    def _write(self, time, kind, message):
        self._file.parent.mkdir(parents=True, exist_ok=True)
        line = {"parentUuid": None, "type": kind, "message": message, "uuid": self._id(), "timestamp": time, **self._common}
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self._lines += 1

    def _id(self):
        return hashlib.sha256(f"{self._file} {self._lines}".encode()).hexdigest()[:24]
