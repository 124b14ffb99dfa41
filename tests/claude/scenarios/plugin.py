"""Waypost as a plugin of Claude Code: its hook, tools, commands and skills, alone and beside settings."""

import json
import shutil
from collections import Counter
from pathlib import Path

from harness.project import GATE, MESSAGE, NEXT_STEP, SOURCES, Project, objects
from harness.registry import scenario
from harness.steps import bash, mcp, next_step, read, say, subagent, write

PLUGIN = SOURCES / "plugins/waypost"
LOADED = ("--plugin-dir", PLUGIN)
SERVER = "plugin_waypost_waypost"
REVIEWED = """[project]

[[gate]]
id = "reviewed"
before = ["commit"]
proof = { verdict = "approve", agent = "security", fresh = "tree" }
"""
AGENTS = {"security": {"description": "Looks.", "prompt": "Look."}}
APPROVES = {"agent": "security", "decision": "approve", "confidence": 0.9, "reasoning": "No new inputs."}
EVERY = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
NOT_INSTALLED = "which is not installed here"


def without_settings(project, config=GATE):
    """A project that uses Waypost, of which the client's settings say nothing."""
    project.initialise(config)
    shutil.rmtree(project.root / ".claude")
    (project.root / ".mcp.json").unlink()


def held_once():
    """A turn that is denied, held, and let go."""
    return (write("new.txt", "new\n"),
            bash("git add -A && git commit -qm one").denied(MESSAGE),
            say("Done.").held(MESSAGE, NEXT_STEP),
            next_step().works("3 checks passed"),
            say("Done."))


def kinds(project):
    """How many records of each kind there are, but for those of usage: the client writes transcripts when it likes."""
    history = json.loads(project.waypost("history", "--json").stdout)
    found = Counter(event["type"] for event in objects(history) if "type" in event)
    return found - Counter(usage_counted=found["usage_counted"])


def own_tools(claude):
    """The tools of Waypost's that the client has, by the names of their servers."""
    begun = next(event for event in claude.events if event.get("subtype") == "init")
    return {name.split("__")[1] for name in begun["tools"] if "waypost" in name}


@scenario
def the_validator_has_nothing_to_say_of_the_plugin_and_the_list_of_plugins(t):
    for place in (PLUGIN, SOURCES):
        seen = t.project.run(t.client_program, "plugin", "validate", "--strict", str(place)).stdout
        assert "Validation passed" in seen, seen


@scenario
def a_plugin_alone_denies_holds_and_serves(t):
    without_settings(t.project)
    with t.claude(args=LOADED) as claude:
        claude.turn("Add a file.",
                    *held_once()[:-1],
                    mcp(SERVER, "session_brief").works("new.txt"),
                    mcp(SERVER, "requirement_status").works("tests-pass"),
                    say("Done."),
                    sees=["Waypost keeps this session"])
        claude.turn("/waypost:status", say("All is well."), sees=["tests-pass", "Tell the user where the session stands"])
        claude.turn("/waypost:brief", say("I go on."), sees=["Waypost keeps this session", "go on with the next step"])
        claude.turn("/waypost:gates", say("I see."), sees=["# Working under Waypost"])
        for phase in ("spec", "plan", "build", "docs"):
            claude.turn(f"/waypost:{phase}", say("I see."), sees=[f"# The phase `{phase}`"])
    assert own_tools(claude) == {SERVER}, own_tools(claude)
    assert "UNENFORCED" not in t.project.waypost("status").stdout


@scenario
def the_verdict_of_a_subagent_through_the_plugin_s_server_is_its_own(t):
    without_settings(t.project, REVIEWED)
    with t.claude(args=(*LOADED, "--agents", json.dumps(AGENTS))) as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("git add -A && git commit -qm one").denied("security has given no verdict"),
                    subagent(read("new.txt"),
                             mcp(SERVER, "verdict_record", **APPROVES).works('"provenance":"observed"', '"counts":true'),
                             say("Fine."), kind="security"),
                    bash("git add -A && git commit -qm one"),
                    say("Done."))


@scenario
def beside_settings_everything_is_recorded_once(t):
    t.project.initialise()
    alone = Project.create(t.out / "alone", t.env)
    alone.initialise()
    with t.claude(args=LOADED) as both:
        both.turn("Add a file.", *held_once())
    with t.claude(folder=alone.root) as settings:
        settings.turn("Add a file.", *held_once())
    assert kinds(t.project) == kinds(alone), (kinds(t.project), kinds(alone))
    assert kinds(alone)["conversation_attached"] == 1, kinds(alone)
    assert own_tools(both) == own_tools(settings) == {"waypost"}, (own_tools(both), own_tools(settings))
    runs = both.hook_runs("Stop")
    assert len(runs) == 2 * len(settings.hook_runs("Stop")), "the plugin's hook was not called"


@scenario(local="user,project", nothing="")
def where_the_client_leaves_those_settings_out_the_plugin_does_the_work(t, sources):
    t.project.initialise()
    with t.claude(args=(*LOADED, f"--setting-sources={sources}")) as claude:
        claude.turn("Add a file.", *held_once())
    assert kinds(t.project)["conversation_attached"] == 1, kinds(t.project)


@scenario
def installed_from_its_list_it_works_and_doctor_knows_of_it(t):
    for words in (("marketplace", "add", str(SOURCES)), ("install", "waypost@waypost")):
        t.project.run(t.client_program, "plugin", *words)
    t.project.waypost("init", "--harness", "claude-code")
    assert not (t.project.root / ".claude/settings.local.json").exists(), "it is registered by the plugin already"
    assert not (t.project.root / ".mcp.json").exists(), "so is its server"
    t.project.write("waypost.toml", GATE)
    t.project.commit_all("Configure Waypost")
    with t.claude() as claude:
        claude.turn("Add a file.", *held_once())
    told = t.project.waypost("doctor").stdout
    assert "plugin" in told and "a forbidden write was denied" in told, told


@scenario
def without_the_program_nothing_is_denied_and_the_start_says_how_to_install_it(t):
    without_settings(t.project)
    path = ":".join(folder for folder in t.env["PATH"].split(":") if not Path(folder, "waypost").exists())
    with t.claude(args=LOADED, env={"PATH": path}) as claude:
        claude.turn("Add a file.", write("new.txt", "new\n"), bash("git add -A && git commit -qm one"), say("Done."))
    told = [run["stdout"] for event in EVERY for run in claude.hook_runs(event) if run["stdout"]]
    assert len(told) == 1 and NOT_INSTALLED in told[0], told
    assert told == [run["stdout"] for run in claude.hook_runs("SessionStart")], told
    elsewhere = Project.create(t.out / "elsewhere", t.env)
    with t.claude(folder=elsewhere.root, args=LOADED, env={"PATH": path}) as claude:
        claude.turn("Add a file.", write("new.txt", "new\n"), say("Done."))
    assert not [run for event in EVERY for run in claude.hook_runs(event) if run["stdout"] or run["stderr"]]


@scenario
def in_a_project_that_does_not_use_waypost_the_plugin_says_and_leaves_nothing(t):
    before = t.project.snapshot()
    with t.claude(args=LOADED) as claude:
        claude.turn("Look.", bash("git commit --dry-run || true"), say("Done."))
    runs = [run for event in EVERY for run in claude.hook_runs(event)]
    assert len(runs) >= 4, "the hooks did not run"
    assert not any(run["stdout"] or run["stderr"] for run in runs), runs
    assert own_tools(claude) == set(), own_tools(claude)
    assert t.project.snapshot() == before
    assert not [kind for kind in ("config", "data", "state", "cache") if t.xdg(kind).exists()]
