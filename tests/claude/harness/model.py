"""A scripted stand-in for the model: the Anthropic Messages API on loopback, answering from a turn's steps.

It never makes up an answer: a main-loop request that the script does not foresee is a failure.
"""

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .request import Request
from .script import Script
from .steps import UnexpectedOutcome

USAGE = {"input_tokens": 1000, "output_tokens": 50, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


class Model:
    """Plays steps, one per request of the main loop or of a subagent, and keeps what was asked and answered."""

    def __init__(self, out):
        self.failure = None
        self.log = []
        self._out, self._folder = Path(out), Path("/")
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._main, self._agents, self._waiting = Script(), {}, []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def load(self, script, folder):
        """Sets the script of the next turn."""
        with self._lock:
            self._folder, self._main = Path(folder), script

    def unfinished(self, at_last=False):
        """Why the turn is not played to its end, or None; `at_last` asks about those that outlast a turn, too."""
        with self._lock:
            agents = (*self._agents.values(), *(self._waiting if at_last else ()))
            scripts = (self._main, *(agent for agent in agents if at_last or not agent.lasting))
            problems = (script.unfinished() for script in scripts)
            return self.failure or next(filter(None, problems), None)

    def requests(self):
        """The files of all requests so far."""
        return list(self._out.glob("*.json"))

    def answer(self, body, agent=None):
        """The message that answers a request (of a subagent, where one is named), as the API would put it."""
        request = Request(body)
        with self._lock:
            number = next(self._numbers)
            self._save(number, body)
            if not request.is_main_loop:
                return _message(body, number, {"type": "text", "text": "ok"})
            try:
                step = self._play(request, self._script_of(agent))
            except UnexpectedOutcome as unexpected:
                self.failure = self.failure or str(unexpected)
                return _message(body, number, {"type": "text", "text": "(the scenario has failed)"})
            return _message(body, number, _content(step, number, self._folder))

    def _script_of(self, agent):
        if not agent:
            return self._main
        if agent not in self._agents:
            self._agents[agent] = self._waiting.pop(0) if self._waiting else Script()
        return self._agents[agent]

    def _play(self, request, script):
        if script.has_begun:  # what opens a turn is the prompt, which is in the log, and the client's own reminders
            self.log.append(f"  <- {request.new_words().strip()}")
        step = script.next(request)
        self.log.append(f"  -> {step}")
        if step.agent:
            self._waiting.append(Script(step.agent, lasting=step.lasting))
        if step.aside:
            step.aside()
        return step

    def _save(self, number, body):
        self._out.mkdir(parents=True, exist_ok=True)
        (self._out / f"{number:03}.json").write_text(json.dumps(body, indent=1, ensure_ascii=False))


def _content(step, number, folder):
    if not step.tool:
        return {"type": "text", "text": step.words}
    call = dict(step.input)
    if "file_path" in call:
        call["file_path"] = str(folder / call["file_path"])
    return {"type": "tool_use", "id": f"toolu_scripted{number:010}", "name": step.tool, "input": call}


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


def _handler_for(model):
    class Handler(BaseHTTPRequestHandler):
        """HTTP around one model; the client keeps its connections open."""

        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            if path == "/v1/messages/count_tokens":
                return self._send("application/json", json.dumps({"input_tokens": 1000}))
            if path != "/v1/messages":
                return self._not_found()
            message = model.answer(body, self.headers.get("x-claude-code-agent-id"))
            if not body.get("stream"):
                return self._send("application/json", json.dumps(message))
            events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _stream(message))
            return self._send("text/event-stream", "".join(events))

        def do_GET(self):
            self._not_found()

        do_HEAD = do_GET

        def log_message(self, *_):
            """Quiet: the model keeps its own log."""

        def _not_found(self):
            self._send("application/json", json.dumps({"type": "error"}), status=404)

        def _send(self, kind, text, status=200):
            data = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            try:
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # a client that was killed does not wait for its answer

    return Handler
