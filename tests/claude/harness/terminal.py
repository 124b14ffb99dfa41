"""The real Claude Code with a terminal of its own, as a person starts it: teams are only there.

Nobody reads its screen: what must hold is what the model is asked, as everywhere else.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import termios
import time
from pathlib import Path

from .client import TURN_LIMIT_SECONDS, ClientFailure
from .script import Script

SIZE = struct.pack("HHHH", 50, 160, 0, 0)
WHO_ARE_YOU, A_TERMINAL = b"\x1b[c", b"\x1b[?62;c"


class Terminal:
    """A client that plays one turn and is killed when all of its scripts are over."""

    def __init__(self, executable, model, folder, env, out):
        self._executable, self._model, self._folder = executable, model, folder
        self._env, self._out = {**env, "TERM": "xterm-256color"}, out

    def turn(self, prompt, *steps):
        """One prompt of the user, and the model's answers to it and to what comes after it."""
        self._be_known()
        self._model.log.append(f"{self._folder}: {prompt}")
        self._model.load(Script(steps, is_patient=True), self._folder)
        self._out.mkdir(parents=True)
        child, screen = pty.fork()
        if not child:
            os.chdir(self._folder)
            os.execve(self._executable, [self._executable, "--dangerously-skip-permissions", prompt], self._env)
        fcntl.ioctl(screen, termios.TIOCSWINSZ, SIZE)
        try:
            self._watch(screen)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(screen)

    def _watch(self, screen):
        deadline = time.monotonic() + TURN_LIMIT_SECONDS
        with (self._out / "screen").open("wb") as record:
            while problem := self._model.unfinished(at_last=True):
                if self._model.failure or time.monotonic() > deadline:
                    raise ClientFailure(problem)
                if select.select([screen], [], [], 0.05)[0]:
                    try:
                        seen = os.read(screen, 65536)
                    except OSError as gone:
                        raise ClientFailure(f"the client died, and {problem}") from gone
                    record.write(seen)
                    if WHO_ARE_YOU in seen:
                        os.write(screen, A_TERMINAL)

    def _be_known(self):
        """What a client asks of somebody who starts it for the first time is answered."""
        known = {
            "hasCompletedOnboarding": True, "theme": "dark", "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [self._env["ANTHROPIC_API_KEY"][-20:]], "rejected": []},
            "projects": {str(self._folder): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }
        Path(self._env["CLAUDE_CONFIG_DIR"], ".claude.json").write_text(json.dumps(known))
