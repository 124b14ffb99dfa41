"""The Anthropic Messages API."""

import json

from .dialect import Call, Dialect, events
from .request import Request, after_the_last

USAGE = {"input_tokens": 1000, "output_tokens": 50, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
# What the real client asks for when it compacts a conversation.
SUMMARY = "Your task is to create a detailed summary of the conversation"


class Anthropic(Dialect):
    """As Claude Code speaks it."""

    def is_question(self, path):
        return path == "/v1/messages"

    def request(self, path, headers, body):
        return _Request(body, headers.get("x-claude-code-agent-id"))

    def answer(self, request, said, number):
        message = _message(request.body, number, _content(said, number))
        if not request.body.get("stream"):
            return "application/json", json.dumps(message)
        return "text/event-stream", events(*_stream(message))

    def about(self, path):
        return {"input_tokens": 1000} if path == "/v1/messages/count_tokens" else None


class _Request(Request):
    def __init__(self, body, agent):
        super().__init__(body)
        self.agent = agent

    @property
    def is_main_loop(self):
        """Titles are asked for without offering tools, the summary of a compaction with words of its own."""
        return bool(self.body.get("tools")) and SUMMARY not in self.new_words()

    def results(self):
        blocks = (block for message in self._new_messages() for block in _blocks(message))
        return [(bool(block.get("is_error")), _text(block.get("content")))
                for block in blocks if block.get("type") == "tool_result"]

    def new_words(self):
        return "\n".join(_text(message.get("content")) for message in self._new_messages())

    def _new_messages(self):
        return after_the_last(self.body.get("messages") or [], lambda message: message.get("role") == "assistant")


def _blocks(message):
    content = message.get("content")
    return content if isinstance(content, list) else []


def _text(content):
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "tool_result":
            parts.append(_text(block.get("content")))
    return "\n".join(parts)


def _content(said, number):
    if isinstance(said, Call):
        return {"type": "tool_use", "id": f"toolu_scripted{number:010}", "name": said.name, "input": said.arguments}
    return {"type": "text", "text": said.text}


def _message(body, number, content):
    stop_reason = "tool_use" if content["type"] == "tool_use" else "end_turn"
    return {"id": f"msg_scripted{number:010}", "type": "message", "role": "assistant", "model": body.get("model"),
            "content": [content], "stop_reason": stop_reason, "stop_sequence": None, "usage": USAGE}


def _stream(message):
    """The server-sent events of a message with one content block."""
    block = message["content"][0]
    if block["type"] == "text":
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "usage": USAGE,
           "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}}
    yield {"type": "message_stop"}
