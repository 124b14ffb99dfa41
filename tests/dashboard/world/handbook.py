"""The project `handbook`: research, what other programs left, and everything that can be wrong with records."""

import json

from .hostile import IMAGE
from .ordinary import ordinary
from .story import Part

CONFIG = """[project]

[[gate]]
id = "spelling"
level = "should"
before = ["stop"]
proof = { ran = "./check.sh*", fresh = "tree" }
message = "Run the spell checker."
"""
SESSIONS = (
    ("2026-11-02T09:00:00Z", "How do others number their chapters?", "research", "completed"),
    ("2026-11-04T10:30:00Z", "A chapter about incidents", "quick", "completed"),
    ("2026-11-09T16:00:00Z", "Which tools do teams really use?", "research", "spec"),
    ("2026-11-12T08:00:00Z", "Translate the first part", "quick", "build"),
    ("2026-11-16T13:00:00Z", "Pictures without text in them", "none", "paused"),
    ("2026-11-19T09:40:00Z", "Mend the dead links", "none", "completed"),
)
LEGACY = {"session_id": "2026-02-21_old-chapters_ie6tea", "version": "2.0", "topic": "Old chapters of another tool",
          "created_at": "2026-02-21T10:00:00.000Z", "updated_at": "2026-02-22T10:00:00.000Z", "status": "active",
          "session_type": "full", "current_phase": "plan", "phase_history": {"spec_started_at": "2026-02-21T10:00:00.000Z"},
          "goals": ["Keep what is there"], "open_questions": [IMAGE], "key_decisions": [], "working_dir": "/elsewhere",
          "git": {"branch": "main", "worktree": None, "base_branch": "main"}, "commits": [], "artifacts": {"spec": "spec.md"}}


def make(home):
    """Makes it."""
    project = home.project("handbook", CONFIG, {"src/chapter1.txt": "one\n"}, trusted=False)
    part = Part(project)
    for number, (at, title, workflow, until) in enumerate(SESSIONS):
        ordinary(part, number, at, title, workflow, until)
    legacy(part)
    of_an_unknown_key(part, home)
    damaged(part)
    unenforced(part)
    return part


def legacy(part):
    """A session folder of another program."""
    folder = part.project.folder_of(LEGACY["session_id"])
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps(LEGACY, indent=2))
    (folder / "spec.md").write_text("# Old chapters\n\n## Goals\n\n- Keep what is there\n")


def of_an_unknown_key(part, home):
    """A published copy that somebody with another key signed."""
    other = home.__class__(home.folder / "colleague", home.binary)
    clone = other.project("clone", CONFIG)
    session = clone.start("The glossary, by a colleague", "--workflow", "research", at="2026-11-14T09:00:00Z")
    part.sessions["unverified"] = session
    clone.folder_of(session).rename(part.project.folder_of(session))


def damaged(part):
    """A session of whose records one is not what was written."""
    story = part.story("damaged", "Index of all figures", "--workflow", "none", at="2026-11-18T15:00:00Z")
    for number in range(4):
        story.note("note", f"Figure {number} is numbered")
    log = part.project.store / "sessions" / story.id / "events.jsonl"
    records = bytearray(log.read_bytes())
    records[len(records) // 2] ^= 1
    log.write_bytes(records)


def unenforced(part):
    """A linked work tree that Waypost was taken out of while a session is open there."""
    tree = part.project.worktree("typography")
    elsewhere = Part(tree)
    tree.waypost("init", "--harness", "claude-code", at="2026-11-18T16:00:00Z")
    elsewhere.story("unenforced", "Better typography", "--workflow", "none", at="2026-11-18T16:05:00Z")
    tree.waypost("init", "--remove", at="2026-11-18T17:00:00Z")
    part.joined(elsewhere)
