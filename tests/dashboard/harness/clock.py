"""A time that passes as it is told to."""

from datetime import datetime, timedelta, timezone


class Clock:
    """The time of a story; every step of it takes a while."""

    def __init__(self, begin):
        self._time = datetime.fromisoformat(begin.replace("Z", "+00:00")).astimezone(timezone.utc)

    def __str__(self):
        return self._time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self._time.microsecond // 1000:03}Z"

    def tick(self, seconds=40):
        """Some time passes; gives the time of then."""
        self._time += timedelta(seconds=seconds)
        return str(self)
