"""Broken and missing pieces while a client works: harm is denied, reading is not, the message says what to do."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, read, say, write


@scenario
def a_missing_key_denies_changes_with_a_remedy_and_allows_reading(t):
    t.project.initialise()
    key, aside = t.xdg("config") / "key", t.out / "key"
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n").meanwhile(lambda: key.rename(aside)).denied("no key", "waypost init"),
                    read("app.txt").works("one"),
                    bash("touch new.txt").denied("no key"),
                    bash("waypost doctor").fails("key"),
                    write("new.txt", "new\n").meanwhile(lambda: aside.rename(key)),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))


@scenario
def a_damaged_stream_denies_changes_with_a_remedy_and_allows_reading(t):
    t.project.initialise()
    t.integrity = 3
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    write("other.txt", "new\n").meanwhile(lambda: damage(t.project)).denied("waypost repair"),
                    read("app.txt").works("one"),
                    bash("waypost verify --all").fails("record 1"),
                    bash("touch other.txt").denied("waypost repair"),
                    say("I cannot go on.").held("waypost repair"),
                    say("A human has to look."))


def damage(project):
    """Puts something else in the place of a session's first record."""
    for stream in (project.root / ".git/waypost/sessions").glob("*/events.jsonl"):
        first, _, rest = stream.read_text().partition("\n")
        stream.write_text(f"{first[:100]}\n{rest}")
