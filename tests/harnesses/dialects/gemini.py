"""The Gemini API."""

import json

from harness.dialect import Call, Dialect, events
from harness.request import Request, after_the_last

USAGE = {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050}
STREAM, WHOLE = ":streamGenerateContent", ":generateContent"


class Gemini(Dialect):
    """As Gemini CLI speaks it."""

    def is_question(self, path):
        return path.startswith("/v1beta/models/") and path.endswith((STREAM, WHOLE))

    def request(self, path, headers, body):
        return _Request(body, path.endswith(STREAM))

    def answer(self, request, said, number):
        answer = {"candidates": [{"index": 0, "finishReason": "STOP",
                                  "content": {"role": "model", "parts": [_part(said, number)]}}],
                  "usageMetadata": USAGE, "modelVersion": "scripted", "responseId": f"{number:010}"}
        if not request.is_streamed:
            return "application/json", json.dumps(answer)
        return "text/event-stream", events(answer, named=False)

    def about(self, path):
        return {"totalTokens": 1000} if path.endswith(":countTokens") else None


class _Request(Request):
    def __init__(self, body, is_streamed):
        super().__init__(body)
        self.is_streamed = is_streamed

    @property
    def is_main_loop(self):
        return bool(self.body.get("tools"))

    def results(self):
        found = (part["functionResponse"].get("response") or {} for part in self._new_parts() if "functionResponse" in part)
        return [("error" in response, _text(response)) for response in found]

    def new_words(self):
        return "\n".join(part.get("text") or _text((part.get("functionResponse") or {}).get("response") or {})
                         for part in self._new_parts())

    def _new_parts(self):
        contents = after_the_last(self.body.get("contents") or [], lambda content: content.get("role") == "model")
        return [part for content in contents for part in content.get("parts") or []]


def _text(response):
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in response.values())


def _part(said, number):
    if isinstance(said, Call):
        return {"functionCall": {"id": f"call_{number:010}", "name": said.name, "args": said.arguments}}
    return {"text": said.text}
