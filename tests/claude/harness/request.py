"""Reads the part of a client's request that scenarios ask about."""

from abc import ABC, abstractmethod

from .manner import Manner

NEXT = "Next: "
DOES_NOT_COUNT = "Waypost: this does not count"


class Request(ABC):
    """One request of a client to the model."""

    agent = None  # the subagent that asks, by the id that the client gave it

    def __init__(self, body):
        self.body = body
        self.manner = Manner()

    @property
    @abstractmethod
    def is_main_loop(self):
        """Whether an agent asks what to do next, and not its client for a title or a summary."""

    @abstractmethod
    def results(self):
        """(is_error, text) of each tool result since the model's last answer, oldest first."""

    @abstractmethod
    def new_words(self):
        """All text since the model's last answer: prompts, hook feedback, context that hooks added."""

    def last_result(self):
        """(is_error, text) of the newest tool result; a missing one reads as an error that says so."""
        return next(reversed(self.results()), (True, "(the request carries no tool result)"))

    def next_step(self):
        """The command that Waypost's words name as the next step, or one that fails and says why."""
        return self.named_step() or "echo 'no next step was named'; false"

    def named_step(self):
        """The command that Waypost's words name as the next step, or quote in it, if they name one."""
        steps = [line.strip().removeprefix(NEXT) for line in self.new_words().splitlines() if NEXT in line]
        return next((command for step in steps for command in (*_quoted(step), step)), None)

    def advised_step(self):
        """The run that Waypost's words advise where they tell that another one does not count."""
        return self.named_step() if DOES_NOT_COUNT in self.new_words() else None


def after_the_last(entries, is_of_the_model):
    """What came since the model's last answer."""
    start = len(entries)
    while start and not is_of_the_model(entries[start - 1]):
        start -= 1
    return entries[start:]


def _quoted(line):
    return line.split("`")[1::2]
