"""Steps being played: which answer comes next, and whether the one before led to what it had to."""

from .steps import UnexpectedOutcome


class Script:
    """The steps of one turn of the main loop, or of one subagent."""

    def __init__(self, steps=(), sees=(), lasting=False, is_patient=False):
        """`lasting`: it goes on when the turn is over. `is_patient`: whatever comes after its end is answered again."""
        self._queue, self._sees, self._played = list(steps), tuple(sees), None
        self.lasting, self._is_patient = lasting, is_patient

    @property
    def has_begun(self):
        return self._played is not None

    def next(self, request):
        """The step that answers a request, after a look at what became of the step before."""
        if self._played is None:
            self._check_opening(request)
        elif self._is_patient and not self._queue:
            return self._played
        elif self._played.is_last_request:
            raise UnexpectedOutcome(f"it was to end with {self._played}, but:\n{request.new_words()}")
        else:
            self._played.check(request)
        if not self._queue:
            raise UnexpectedOutcome(f"no step is left to answer:\n{request.new_words()}")
        self._played = self._queue.pop(0).answering(request)
        return self._played

    @property
    def kills_the_client(self):
        """Nothing comes after the step that is played, since there is no client any more."""
        return self._played is not None and self._played.outcome.kind == "dies"

    def unfinished(self):
        """Why this is not played to its end, or None."""
        if self._queue:
            return f"it ended after {self._played}, before {self._queue[0]}"
        if self._played and not self._played.is_last_request:
            return f"it ended after {self._played}, which was to be {self._played.outcome.kind}"
        return None

    def _check_opening(self, request):
        for text in self._sees:
            if text not in request.new_words():
                raise UnexpectedOutcome(f"the first request lacks {text!r}:\n{request.new_words()}")
