"""A scripted stand-in for the model, on loopback: it answers from a turn's steps, in the dialect in which it is asked.

It never makes up an answer: a main-loop request that the script does not foresee is a failure.
"""

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .dialect import Words
from .manner import Manner
from .script import Script
from .steps import UnexpectedOutcome


class Model:
    """Plays steps, one per request of the main loop or of a subagent, and keeps what was asked and answered."""

    def __init__(self, out, dialects):
        self.failure = None
        self.log = []
        self._out, self._folder, self._manner = Path(out), Path("/"), Manner()
        self._dialects = dialects
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._main, self._agents, self._waiting = Script(), {}, []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def load(self, script, folder, manner=None):
        """Sets the script of the next turn, and in whose manner it is played: Claude Code's, if nobody's is given."""
        with self._lock:
            self._folder, self._main, self._manner = Path(folder), script, manner or Manner()

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

    def asked(self, path, headers, body):
        """(content type, body) of the answer to what was posted, or None where nothing is there."""
        dialect = next((one for one in self._dialects if one.is_question(path)), None)
        if dialect:
            return self._answered(dialect, dialect.request(path, headers, body))
        return self.told(path)

    def told(self, path):
        """(content type, body) of what no model has to be asked for, or None where nothing is there."""
        told = next((told for told in (one.about(path) for one in self._dialects) if told is not None), None)
        return None if told is None else ("application/json", json.dumps(told))

    def _answered(self, dialect, request):
        with self._lock:
            number = next(self._numbers)
            request.manner = self._manner
            self._save(number, request.body)
            return dialect.answer(request, self._said(request), number)

    def _said(self, request):
        if not request.is_main_loop:
            return Words("ok")
        try:
            step = self._play(request, self._script_of(request.agent))
        except UnexpectedOutcome as unexpected:
            self.failure = self.failure or str(unexpected)
            return Words("(the scenario has failed)")
        return self._manner.call(step, self._folder) if step.tool else Words(step.words)

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


def _handler_for(model):
    class Handler(BaseHTTPRequestHandler):
        """HTTP around one model; the client keeps its connections open."""

        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            self._send(model.asked(self._asked_path(), self.headers, body))

        def do_GET(self):
            self._send(model.told(self._asked_path()))

        do_HEAD = do_GET

        def log_message(self, *_):
            """Quiet: the model keeps its own log."""

        def _asked_path(self):
            return self.path.partition("?")[0]

        def _send(self, answer):
            kind, text = answer or ("application/json", json.dumps({"type": "error"}))
            data = text.encode()
            self.send_response(200 if answer else 404)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            try:
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # a client that was killed does not wait for its answer

    return Handler
