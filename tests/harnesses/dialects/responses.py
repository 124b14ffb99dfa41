"""The OpenAI Responses API."""

import json

from harness.dialect import Call, Dialect, events
from harness.request import Request, after_the_last

USAGE = {"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 0},
         "output_tokens": 50, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1050}
OF_THE_MODEL = ("function_call", "custom_tool_call", "reasoning")
SUMMARY = "CONTEXT CHECKPOINT COMPACTION"


class Responses(Dialect):
    """As Codex speaks it."""

    def is_question(self, path):
        return path == "/v1/responses"

    def request(self, path, headers, body):
        return _Request(body, headers.get("x-openai-subagent") and headers.get("thread-id"))

    def answer(self, request, said, number):
        response = {"id": f"resp_{number:010}", "object": "response", "created_at": 0, "status": "completed",
                    "model": request.body.get("model"), "output": [_item(request, said, number)], "error": None,
                    "incomplete_details": None, "usage": USAGE}
        if not request.body.get("stream"):
            return "application/json", json.dumps(response)
        return "text/event-stream", events(*_stream(response))


class _Request(Request):
    def __init__(self, body, agent):
        super().__init__(body)
        self.agent = agent

    @property
    def is_main_loop(self):
        return bool(self.body.get("tools")) and SUMMARY not in self.new_words()

    def results(self):
        outputs = (item for item in self._new_items() if item.get("type", "").endswith("_output"))
        return [(False, _text(item.get("output"))) for item in outputs]

    def new_words(self):
        return "\n".join(_text(item.get("content") or item.get("output")) for item in self._new_items())

    def takes_text(self, tool):
        """Whether a tool is offered that takes a text instead of arguments."""
        return any(one.get("name") == tool and one.get("type") == "custom" for one in self.body.get("tools") or [])

    def _new_items(self):
        return after_the_last(self.body.get("input") or [], _is_of_the_model)


def _is_of_the_model(item):
    return item.get("role") == "assistant" or item.get("type") in OF_THE_MODEL


def _text(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or [])


def _item(request, said, number):
    """What the model says as an item of its output; a tool of a server is called `server.tool`."""
    if not isinstance(said, Call):
        text = {"type": "output_text", "text": said.text, "annotations": []}
        return {"type": "message", "id": f"msg_{number:010}", "role": "assistant", "status": "completed",
                "content": [text]}
    call = {"call_id": f"call_{number:010}", "status": "completed"}
    if request.takes_text(said.name):
        return {**call, "type": "custom_tool_call", "id": f"ctc_{number:010}", "name": said.name,
                "input": said.arguments["input"]}
    namespace, _, name = said.name.rpartition(".")
    of_a_server = {"namespace": namespace} if namespace else {}
    return {**call, **of_a_server, "type": "function_call", "id": f"fc_{number:010}", "name": name,
            "arguments": json.dumps(said.arguments)}


def _stream(response):
    """The server-sent events of a response with one item."""
    item = response["output"][0]
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}}
    if item["type"] == "message":
        yield {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": item["id"],
               "delta": item["content"][0]["text"]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}
