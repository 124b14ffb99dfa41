"""Which session a conversation belongs to: what one lets rest another takes up, and two at once stay apart."""

import json

from harness.protocol import waypost
from harness.registry import scenario
from harness.steps import bash, say, write

PAUSED = {"reason": "Waiting for the review", "context": "The form is done, the tests are next"}


@scenario(by_a_tool=lambda session: waypost("session_resume", session_id=session),
          by_a_command=lambda session: bash(f"waypost resume {session}"))
def what_one_conversation_lets_rest_another_takes_up_from_its_brief_alone(t, resume):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add the form.",
                   waypost("session_start", objective="Add login"),
                   write("form.txt", "new\n"),
                   bash("./check.sh"),
                   waypost("session_pause", **PAUSED),
                   say("Paused."))
    login = session_called(t, "Add login")
    with t.claude() as second:
        second.turn("Go on with what was paused.",
                    resume(login).works(login),
                    write("tests.txt", "new\n"),
                    bash("./check.sh"),
                    say("Done."),
                    sees=("Add login", *PAUSED.values(), f"waypost resume {login}",
                          f"claude --resume {first.session_id}"))
    assert attached(t, login) == [first.session_id, second.session_id], attached(t, login)
    assert show(t, login)["lifecycle"] == "active"


@scenario
def two_sessions_at_once_in_one_work_tree_stay_apart(t):
    t.project.initialise()
    with t.claude() as one, t.claude() as other:
        one.turn("Add login.",
                 waypost("session_start", objective="Add login"),
                 write("login.txt", "new\n"),
                 bash("./check.sh"),
                 say("Done."))
        other.turn("Write docs.",
                   waypost("session_start", objective="Write docs"),
                   write("docs.txt", "new\n"),
                   bash("./check.sh"),
                   bash("git add docs.txt && git commit -qm Docs"),
                   say("Done."))
        one.turn("Commit it.",
                 bash("./check.sh"),
                 bash("git add login.txt && git commit -qm Login"),
                 say("Done."))
    for objective, client, file, commit in (("Add login", one, "login.txt", "Login"),
                                            ("Write docs", other, "docs.txt", "Docs")):
        session = session_called(t, objective)
        assert attached(t, session) == [client.session_id], (objective, attached(t, session))
        assert edited(t, session) == {file}, (objective, edited(t, session))
        commits = [found["message"].strip() for found in show(t, session)["commits"]]
        assert commits == [commit], (objective, commits)


@scenario
def what_a_person_began_is_joined_and_what_an_agent_began_is_not(t):
    t.project.initialise()
    t.project.by_a_person("start", "--objective", "Add login")
    login = session_called(t, "Add login")
    with t.claude() as joins:
        joins.turn("What is this for?", say("Login."), sees=("Add login",))
        joins.turn("Something else.", waypost("session_start", objective="Fix a typo"), say("Begun."))
        joins.turn("Once more.",
                   waypost("session_start", objective="Another").fails("Session already active"),
                   say("No."))
    with t.claude() as next_one:
        next_one.turn("What is this for?", say("Login."), sees=("Add login", "Fix a typo"))
    assert attached(t, login) == [joins.session_id, next_one.session_id]
    assert attached(t, session_called(t, "Fix a typo")) == [joins.session_id]


def session_called(t, objective):
    found = [session["session_id"] for session in t.project.sessions() if session["objective"] == objective]
    assert len(found) == 1, found
    return found[0]


def show(t, session):
    return json.loads(t.project.waypost("show", session, "--json").stdout)


def history(t, session):
    return json.loads(t.project.waypost("history", session, "--json").stdout)["events"]


def attached(t, session):
    """The conversations that joined, each once, in order."""
    joined = [entry["event"]["conversation"] for entry in history(t, session)
              if entry["event"]["type"] == "conversation_attached"]
    return list(dict.fromkeys(joined))


def edited(t, session):
    """The files whose change was recorded in it."""
    kinds = {"edit_observed": lambda event: [event["path"]], "edits_found": lambda event: event["files"]}
    return {file for entry in history(t, session) if (files := kinds.get(entry["event"]["type"]))
            for file in files(entry["event"])}
