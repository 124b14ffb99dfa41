"""An honest agent at work: it follows a plain script, and does the one step that is named where something holds it.

What it is told counts, not what the scenario knows: where a denial or a hold names no step, it is lost.
"""

from dataclasses import dataclass

from .steps import UnexpectedOutcome, bash

PATIENCE = 6  # holds after which nobody would go on


@dataclass(frozen=True)
class Hold:
    """Something stood in the agent's way: a call was denied or a stop was held, and what the work tree held then."""

    kind: str
    content: str
    words: str


class HonestAgent:
    """A script like any other for the model, with as many answers as it takes."""

    kills_the_client = False

    def __init__(self, steps, content, heeds_advice=True):
        """`content` tells what the work tree holds, so that two holds can be compared.

        Without `heeds_advice` it only does what it is told where it is held, not what is said beside a result.
        """
        self.turns = self.calls = 0
        self.holds = []
        self._heeds_advice = heeds_advice
        self._plain, self._queue, self._content, self._played = tuple(steps), list(steps), content, None

    @property
    def has_begun(self):
        return self._played is not None

    @property
    def extra_turns(self):
        """Answers of the model beyond those of the plain script."""
        return self.turns - len(self._plain)

    @property
    def extra_calls(self):
        """Tool calls beyond those of the plain script."""
        return self.calls - sum(bool(step.tool) for step in self._plain)

    @property
    def held_twice(self):
        """Two holds for the same content."""
        return len({hold.content for hold in self.holds}) < len(self.holds)

    def story(self):
        """What it was told where it was held."""
        return "\n".join(hold.words for hold in self.holds)

    def next(self, request):
        """The step that answers a request, after a look at what became of the step before."""
        if self._played:
            self._queue[:0] = self._what_is_left_of(self._played, request)
        if not self._queue:
            raise UnexpectedOutcome(f"no step is left to answer:\n{request.new_words()}")
        self._played = self._queue.pop(0)
        self.turns += 1
        self.calls += bool(self._played.tool)
        return self._played

    def unfinished(self):
        """Why this is not played to its end, or None."""
        return f"it ended after {self._played}, before {self._queue[0]}" if self._queue else None

    def _what_is_left_of(self, step, request):
        kind, words = step.seen_in(request)
        if kind in ("denied", "held"):
            self._note(Hold(kind, self._content(), words))
            return [_named_step(request, words), step]
        step.check(request)
        advised = request.advised_step() if self._heeds_advice else None
        return [bash(advised)] if advised and self._has_made_its_last_edit() else []

    def _has_made_its_last_edit(self):
        """Whoever changed nothing, or is going to change more and to test that, needs no run of what there is now."""
        return any(map(_edits, self._plain)) and not any(map(_edits, self._queue))

    def _note(self, hold):
        self.holds.append(hold)
        if len(self.holds) > PATIENCE:
            raise UnexpectedOutcome(f"it was held {len(self.holds)} times, last with:\n{hold.words}")


def _edits(step):
    return step.tool in ("Edit", "Write")


def _named_step(request, words):
    named = request.named_step()
    if not named:
        raise UnexpectedOutcome(f"it was held, but no next step is named:\n{words}")
    return bash(named)
