"""The script of a turn: what the model answers, and what must come of each answer.

A step is one answer of the model. Its outcome is what the client reports back in the next request (a tool's result,
a stop that was held) or that it reports nothing (the turn ended, the client was killed). Every step has exactly one
expected outcome, so an unexpected denial or hold is a failure even where the scenario says nothing about it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace


class UnexpectedOutcome(Exception):
    """What came of a step is not what the scenario expects."""


@dataclass(frozen=True)
class Outcome:
    """What a step must lead to. `kind` is one of works, fails, denied, held, ends, dies."""

    kind: str
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One answer of the model: a tool call, or words that end the turn."""

    outcome: Outcome
    words: str = ""
    tool: str = ""
    input: dict = field(default_factory=dict)
    obeys: bool = False
    agent: tuple["Step", ...] = ()
    lasting: bool = False  # the agent goes on when the turn is over
    aside: Callable | None = None
    heard: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()

    def meanwhile(self, action):
        """Somebody else does something just before the client gets this answer."""
        return replace(self, aside=action)

    def works(self, *contains, lacks=()):
        """The tool runs and does not report an error."""
        return self._leads_to("works", contains, lacks)

    def fails(self, *contains, lacks=()):
        """The tool itself reports an error; no hook stood in its way."""
        return self._leads_to("fails", contains, lacks)

    def denied(self, *contains, lacks=()):
        """The PreToolUse hook stops the call, and the model reads these words."""
        return self._leads_to("denied", contains, lacks)

    def held(self, *contains, lacks=()):
        """The Stop hook does not let the turn end, and the model reads these words."""
        return self._leads_to("held", contains, lacks)

    def hears(self, *contains, lacks=()):
        """Beside what came of it, the model reads these words, and none of those that it `lacks`."""
        return replace(self, heard=contains, unheard=(lacks,) if isinstance(lacks, str) else tuple(lacks))

    def kills_the_client(self):
        """The client dies before it can report anything."""
        return self._leads_to("dies", (), ())

    @property
    def is_last_request(self):
        """No request may follow this step within its turn."""
        return self.outcome.kind in ("ends", "dies")

    def answering(self, request):
        """This step, with what it takes out of the request that it answers."""
        if not self.obeys:
            return self
        return replace(self, input={**self.input, "command": request.next_step()})

    def check(self, request):
        """Compares the request that followed this step with the expected outcome."""
        kind, seen = self.seen_in(request)
        if kind != self.outcome.kind:
            raise UnexpectedOutcome(f"{self}: expected {self.outcome.kind}, but it {kind}:\n{seen}")
        for text in self.outcome.contains:
            if text not in seen:
                raise UnexpectedOutcome(f"{self} {kind}, but without {text!r}:\n{seen}")
        for text in self.outcome.lacks:
            if text in seen:
                raise UnexpectedOutcome(f"{self} {kind}, but with {text!r}:\n{seen}")

        for text in self.heard:
            if text not in request.new_words():
                raise UnexpectedOutcome(f"{self}: the model did not hear {text!r}:\n{request.new_words()}")
        for text in self.unheard:
            if text in request.new_words():
                raise UnexpectedOutcome(f"{self}: the model heard {text!r}:\n{request.new_words()}")

    def seen_in(self, request):
        """What came of this step, and the words that tell it."""
        if self.tool:
            is_error, text = request.last_result()
            return request.manner.came_of(self, is_error, text), text
        text = request.new_words()
        return ("held" if request.manner.is_feedback(text) else "continues"), text

    def _leads_to(self, kind, contains, lacks):
        lacks = (lacks,) if isinstance(lacks, str) else tuple(lacks)
        return replace(self, outcome=Outcome(kind, tuple(contains), lacks))

    def __str__(self):
        if not self.tool:
            return f"say({self.words!r})"
        shown = next(iter(self.input.values()), "")
        return f"{self.tool}({shown})"


def say(words):
    """The model has nothing more to do: the turn ends, unless the scenario says it is held."""
    return Step(Outcome("ends"), words=words)


def bash(command):
    """A shell command, as the model would run it."""
    return Step(Outcome("works"), tool="Bash", input={"command": command, "description": "Scripted."})


def next_step():
    """The shell command that Waypost just named as the next step, taken by its word."""
    return replace(bash("(the next step)"), obeys=True)


def in_background(command):
    """A shell command that the client does not wait for."""
    call = {"command": f"echo $$ > $TMPDIR/task && {command}", "description": "Scripted.", "run_in_background": True}
    return Step(Outcome("works", ("running in background",)), tool="Bash", input=call)


def wait_for_background():
    """A shell command that ends after the one `in_background`, so that the client knows that one to be over."""
    return bash("until [ -s $TMPDIR/task ]; do sleep 0.1; done; "
                "while kill -0 $(cat $TMPDIR/task) 2>/dev/null; do sleep 0.1; done")


def read(path):
    """A file read with the client's own tool; relative paths start where the client was started."""
    return Step(Outcome("works"), tool="Read", input={"file_path": path})


def write(path, content):
    """A new file written with the client's own tool."""
    return Step(Outcome("works"), tool="Write", input={"file_path": path, "content": content})


def edit(path, old, new):
    """A replacement with the client's own tool, which insists on an earlier `read` of the file."""
    return Step(Outcome("works"), tool="Edit", input={"file_path": path, "old_string": old, "new_string": new})


def subagent(*steps, kind="general-purpose"):
    """A subagent that answers with these steps, the last of which is what it says to the main loop."""
    call = {"description": "Scripted.", "prompt": "Go.", "subagent_type": kind, "run_in_background": False}
    return Step(Outcome("works", (steps[-1].words,)), tool="Agent", input=call, agent=steps)


def background_subagent(*steps, kind="general-purpose"):
    """A subagent that the client does not wait for."""
    call = {"description": "Scripted.", "prompt": "Go.", "subagent_type": kind, "run_in_background": True}
    return Step(Outcome("works", ("Async agent launched",)), tool="Agent", input=call, agent=steps, lasting=True)


def teammate(name, *steps):
    """One that works beside the agent, in a client with a terminal and teams."""
    call = {"description": "Scripted.", "prompt": "Go.", "subagent_type": "general-purpose", "name": name}
    return Step(Outcome("works", ("Spawned successfully",)), tool="Agent", input=call, agent=steps, lasting=True)


def isolated_subagent(*steps, kind="general-purpose"):
    """A subagent in a work tree of its own."""
    step = subagent(*steps, kind=kind)
    return replace(step, input={**step.input, "isolation": "worktree"})


def loaded(*names):
    """Tools of the client's own that it only offers when they were looked up."""
    return Step(Outcome("works"), tool="ToolSearch", input={"query": f"select:{','.join(names)}"})


def tool(name, /, **arguments):
    """A call of a tool of the client's own."""
    return Step(Outcome("works"), tool=name, input=arguments)


def mcp(server, tool, **arguments):
    """A call of an MCP server's tool."""
    return Step(Outcome("works"), tool=f"mcp__{server}__{tool}", input=arguments)
