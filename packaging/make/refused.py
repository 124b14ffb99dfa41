"""Why nothing was made."""


class Refused(Exception):
    """Something that was given cannot be packaged; the message says what, and what to do."""
