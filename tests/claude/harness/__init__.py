"""Drives the real Claude Code, offline, against a scripted model, with the real waypost binary as its hook.

Nothing here knows what Waypost decides: scenarios say what must be seen, the harness only plays and looks.
"""
