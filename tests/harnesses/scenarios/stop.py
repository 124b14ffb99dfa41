"""The end of a turn: who is held, what releases, and that nobody is held for ever."""

from clients import ALL
from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write
from place import BRIEF


@scenario(**ALL)
def a_brief_is_there_at_the_start_and_an_edit_is_held_until_a_run_that_the_hook_saw(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   say("Done.").held(MESSAGE, NEXT_STEP),
                   bash("./check.sh"),
                   say("Done."),
                   sees=[BRIEF])
    assert t.runs() == [("observed", 0)], t.runs()
    assert t.attached() == [(client.NAME, agent.session_id)], t.attached()


@scenario(**ALL)
def a_run_that_failed_does_not_release_and_the_next_step_does(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Break it.",
                   read("app.txt").works("one"),
                   edit("app.txt", "one", "broken"),
                   bash("./check.sh").fails(),
                   say("Done.").held(MESSAGE, NEXT_STEP),
                   bash("printf 'two\\n' > app.txt"),
                   bash(NEXT_STEP),
                   say("Done."))
    assert t.runs()[-1] == ("verified", 0), t.runs()


@scenario(**ALL)
def a_loop_of_holds_ends_by_the_bound_of_waypost(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   say("Done.").held(MESSAGE),
                   say("Really done.").held(MESSAGE),
                   say("I am done.").held(MESSAGE),
                   say("I stop here."))
    violations = t.project.events("violation_recorded")
    assert [violation["gate"] for violation in violations] == ["tests-pass"], violations
