"""One process of the real Claude Code, headless, kept open for several turns of one conversation."""

import json
import signal
import subprocess
import threading
import time

from .script import Script

TURN_LIMIT_SECONDS = 1800  # for what hangs, not for what is slow: machines are busy


class ClientFailure(Exception):
    """The client, or what it was seen to do, is not what the scenario expects."""


class Claude:
    """A running client. Use as a context manager, so that it ends (SessionEnd included) or is killed."""

    def __init__(self, executable, model, folder, env, out, resume=None, settings=None, bypass=True, args=()):
        self.session_id = resume
        self.events = []
        self._model, self._folder, self._changed = model, folder, threading.Condition()
        command = [executable, "-p", "--verbose", "--include-hook-events",
                   "--input-format", "stream-json", "--output-format", "stream-json"]
        command += ["--dangerously-skip-permissions"] if bypass else ["--permission-mode", "default"]
        command += ["--resume", resume] if resume else []
        command += ["--settings", str(settings)] if settings else []
        command += [str(word) for word in args]
        out.mkdir(parents=True)
        self._record = (out / "stdout.jsonl").open("w")
        self._process = subprocess.Popen(
            command, cwd=folder, env=env, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=(out / "stderr").open("w"))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            self._process.kill()
        else:
            self.close()

    def turn(self, prompt, *steps, sees=()):
        """One prompt of the user, the model's scripted answers to it, and the end of the turn.

        `sees` are texts that must stand in the first request, beside the prompt.
        """
        self.played(prompt, Script(steps, sees))

    def played(self, prompt, script):
        """One prompt of the user, and whatever answers a script has to it."""
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._play(prompt, lambda: self._send(message), script)

    def command(self, line):
        """A command of the client itself, such as `/clear`, which the model's script does not answer."""
        self._model.log.append(f"{self._folder}: {line}")
        results = self._count("result")
        self._send({"type": "user", "message": {"role": "user", "content": line}})
        self._wait(lambda: self._model.failure or self._count("result") > results or not self._reader.is_alive())
        if not self._reader.is_alive() or self._model.failure:
            raise ClientFailure(self._model.failure or f"the client died of {line}")

    def woken(self, action, *steps):
        """A turn that the client begins by itself, because `action` ends a background task of the agent."""
        self._play("(a background task ends)", action, Script(steps))

    def close(self):
        """The user leaves: the client ends by itself and fires SessionEnd."""
        if not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            status = self._process.wait(TURN_LIMIT_SECONDS)
        except subprocess.TimeoutExpired as late:
            self._process.kill()
            raise ClientFailure("the client did not end") from late
        self._reader.join()
        self._check_hooks()
        if status not in (0, -signal.SIGKILL):
            raise ClientFailure(f"the client exited with {status}")
        problem = self._model.failure or (status == 0 and self._model.unfinished(at_last=True))
        if problem:
            raise ClientFailure(problem)

    def hook_runs(self, event):
        """What the client reports about each run of the hooks of one event."""
        return [e for e in self.events if e.get("subtype") == "hook_response" and e.get("hook_event") == event]

    def notices(self):
        """What the user, and not the model, was shown by hooks."""
        return [e["content"] for e in self.events if e.get("subtype") == "informational"]

    def _play(self, title, begin, script):
        self._model.log.append(f"{self._folder}: {title}")
        self._model.load(script, self._folder)
        results = self._count("result")
        begin()
        self._wait(lambda: self._model.failure or self._count("result") > results or not self._reader.is_alive())
        self._check_end(script.kills_the_client)

    def _send(self, message):
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _check_end(self, dies):
        if not self._reader.is_alive() and not (dies and self._process.wait() == -signal.SIGKILL):
            raise ClientFailure(f"the client died with {self._process.wait()}; see its stderr")
        problem = self._model.unfinished()
        if problem:
            raise ClientFailure(problem)

    def _check_hooks(self):
        """A hook that exits with anything but 0 and 2 fails open: never, whatever the scenario."""
        for event in self.events:
            if event.get("subtype") == "hook_response" and event.get("exit_code") not in (0, 2):
                raise ClientFailure(f"a hook ended badly: {json.dumps(event)}")

    def _count(self, kind):
        return sum(1 for event in self.events if event.get("type") == kind)

    def _wait(self, done):
        deadline = time.monotonic() + TURN_LIMIT_SECONDS
        with self._changed:
            while not done():
                if time.monotonic() > deadline:
                    raise ClientFailure(f"the turn took longer than {TURN_LIMIT_SECONDS} s")
                self._changed.wait(0.05)  # the model's failure comes without an event

    def _read(self):
        for line in self._process.stdout:
            self._record.write(line.decode(errors="replace"))
            event = json.loads(line)
            with self._changed:
                self.events.append(event)
                self.session_id = event.get("session_id") or self.session_id
                self._changed.notify_all()
        self._record.close()
