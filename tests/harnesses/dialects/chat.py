"""The OpenAI chat completions API."""

import json

from harness.dialect import Call, Dialect, events
from harness.request import Request, after_the_last

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}


class Chat(Dialect):
    """As clients speak it that let their users bring a model of their own."""

    def is_question(self, path):
        return path == "/v1/chat/completions"

    def request(self, path, headers, body):
        return _Request(body, _agent(headers))

    def answer(self, request, said, number):
        body = {"id": f"chatcmpl-{number:010}", "created": 0, "model": request.body.get("model")}
        message, reason = _message(said, number)
        if not request.body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return "application/json", json.dumps(
                {**body, "object": "chat.completion", "choices": [choice], "usage": USAGE})
        return "text/event-stream", events(*_stream(body, message, reason), named=False) + "data: [DONE]\n\n"


class _Request(Request):
    def __init__(self, body, agent):
        super().__init__(body)
        self.agent = agent

    @property
    def is_main_loop(self):
        return bool(self.body.get("tools"))

    def results(self):
        return [(False, _text(message.get("content"))) for message in self._new_messages()
                if message.get("role") == "tool"]

    def new_words(self):
        return "\n".join(_text(message.get("content")) for message in self._new_messages())

    def _new_messages(self):
        return after_the_last(self.body.get("messages") or [], lambda message: message.get("role") == "assistant")


def _agent(headers):
    """The subagent that asks: OpenCode says which, Copilot no more than that it is one, others nothing."""
    if headers.get("x-parent-session-id"):
        return headers.get("x-session-id")
    kind = headers.get("x-interaction-type")
    return kind if kind == "conversation-subagent" else None


def _text(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or [])


def _message(said, number):
    if not isinstance(said, Call):
        return {"role": "assistant", "content": said.text}, "stop"
    function = {"name": said.name, "arguments": json.dumps(said.arguments)}
    call = {"index": 0, "id": f"call_{number:010}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def _stream(body, message, reason):
    """The chunks of a message: all of it, why it ended, and what it cost."""
    chunk = {**body, "object": "chat.completion.chunk"}
    yield {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {**chunk, "choices": [], "usage": USAGE}
