"""Broken and missing pieces while a client works: harm is denied, reading is not, the message says what to do."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, read, say, write


@scenario(broken="[[gate\n", without_gates="[project]\n", empty="")
def a_waypost_toml_changed_in_mid_turn_loosens_nothing(t, config):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n").meanwhile(lambda: t.project.write("waypost.toml", config)),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))


@scenario
def a_broken_waypost_toml_denies_changes_to_a_new_conversation_and_allows_reading(t):
    t.project.initialise()
    t.project.write("waypost.toml", "[[gate\n")
    with t.claude() as claude:
        claude.turn("Add a file.",
                    read("app.txt").works("one"),
                    write("new.txt", "new\n").denied("waypost.toml"))


@scenario
def a_missing_key_denies_changes_with_a_remedy_and_allows_reading(t):
    t.project.initialise()
    for key in t.xdg("config").rglob("*"):
        if key.is_file():
            key.unlink()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    read("app.txt").works("one"),
                    write("new.txt", "new\n").denied("key", "waypost doctor"),
                    bash("waypost doctor").fails("key"))
