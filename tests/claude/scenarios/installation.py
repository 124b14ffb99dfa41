"""`waypost init`, its way back, and a repository that never saw it."""

import json

from harness.project import snapshot
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write

SETTINGS = ".claude/settings.local.json"
OWN_SETTINGS = '{\n    "permissions": {"allow": ["Bash(ls)"]},\n  "hooks": {"Stop": []}\n}'


@scenario
def init_twice_equals_once(t):
    t.project.waypost("init", "--harness", "claude-code")
    once = t.project.snapshot(), snapshot(t.xdg("config"))
    t.project.waypost("init", "--harness", "claude-code")
    assert (t.project.snapshot(), snapshot(t.xdg("config"))) == once


@scenario(without_settings=None, with_own_settings=OWN_SETTINGS)
def init_remove_restores_every_file(t, settings):
    if settings:
        t.project.write(SETTINGS, settings)
    before = restorable(t.project)
    t.project.waypost("init", "--harness", "claude-code")
    assert restorable(t.project) != before
    t.project.waypost("verify", "--all")
    t.project.waypost("init", "--remove")
    assert restorable(t.project) == before
    t.integrity = 2  # the project is set up no more: no command looks at its streams


@scenario
def init_remove_keeps_what_the_user_changed_later(t):
    t.project.write(SETTINGS, OWN_SETTINGS)
    t.project.waypost("init", "--harness", "claude-code")
    settings = json.loads(t.project.read(SETTINGS))
    settings["model"] = "opus"
    t.project.write(SETTINGS, json.dumps(settings))
    t.project.waypost("verify", "--all")
    t.project.waypost("init", "--remove")
    left = json.loads(t.project.read(SETTINGS))
    assert left == {**json.loads(OWN_SETTINGS), "model": "opus"}, left
    t.integrity = 2  # the project is set up no more: no command looks at its streams


@scenario
def after_init_remove_nothing_is_held(t):
    t.project.initialise()
    t.project.waypost("init", "--remove")
    with t.claude() as claude:
        claude.turn("Add a file.", write("new.txt", "new\n"), say("Done."))
        assert not claude.hook_runs("Stop")


@scenario
def a_repository_never_initialised_is_left_alone(t):
    settings = t.registration_made_elsewhere()
    before = t.project.snapshot()
    with t.claude(settings=settings) as claude:
        claude.turn("Change app.txt there and back.",
                    read("app.txt"),
                    edit("app.txt", "one", "two"),
                    edit("app.txt", "two", "one"),
                    bash("git commit --dry-run || true"),
                    say("Done."))
    runs = [run for event in ("SessionStart", "PreToolUse", "PostToolUse", "Stop") for run in claude.hook_runs(event)]
    assert len(runs) > 8, "the hooks did not run"
    assert not any(run["stdout"] or run["stderr"] for run in runs), runs
    after = t.project.snapshot()
    assert after == before, set(after.items()) ^ set(before.items())
    assert not [kind for kind in ("config", "data", "state", "cache") if t.xdg(kind).exists()]


def restorable(project):
    """What `init --remove` promises to restore: all but git's own files, of which it may have touched `info/`."""
    return {name: file for name, file in project.snapshot().items()
            if name.startswith(".git/info/") or not name.startswith(".git/")}
