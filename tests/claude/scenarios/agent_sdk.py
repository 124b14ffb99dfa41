"""Programs on the Agent SDK: held with the recipes of docs/agent-sdk.md, and seen to be unenforced without them."""

import json

from harness.project import MESSAGE, NEXT_STEP, SOURCES, objects
from harness.registry import scenario
from harness.sdk import Sdk
from harness.steps import bash, mcp, say, write

NO_SETTINGS = {"python": ('setting_sources=["user", "project", "local"]', "setting_sources=[]"),
               "node": ('settingSources: ["user", "project", "local"]', "settingSources: []")}
UNSAID = {"python": ('    setting_sources=["user", "project", "local"],\n', ""),
          "node": ('  settingSources: ["user", "project", "local"],\n', "")}
SERVER = {"python": ('setting_sources=[]', 'setting_sources=[], mcp_servers={"waypost": {"command": "waypost", "args": ["mcp"]}}'),
          "node": ("settingSources: []", 'settingSources: [], mcpServers: { waypost: { command: "waypost", args: ["mcp"] } }')}


UNKEPT = ("settingSources", "persistSession: false, settingSources")
FOLDER = json.dumps(str(SOURCES / "plugins/waypost"))
PLUGIN = {"python": ("setting_sources=[]", f'setting_sources=[], plugins=[{{"type": "local", "path": {FOLDER}}}]'),
          "node": ("settingSources: []", f'settingSources: [], plugins: [{{ type: "local", path: {FOLDER} }}]')}


def changed(program, *changes):
    for old, new in changes:
        assert old in program, (old, program)
        program = program.replace(old, new)
    return program


def held_once():
    """What an agent goes through whose own run counts."""
    return (write("new.txt", "new\n"),
            bash("git add -A && git commit -qm one").denied(MESSAGE),
            say("Done.").held(MESSAGE, NEXT_STEP),
            bash("./check.sh").works("3 checks passed"),
            bash("git add -A && git commit -qm one"),
            say("Done."))


@scenario(python="python", node="node")
def with_settings_a_program_is_held(t, language):
    t.project.initialise()
    sdk = Sdk(t, language)
    told = sdk.turn(sdk.example("settings"), *held_once(), sees=["Waypost keeps this session"])
    assert "Done." in told, told
    assert t.project.commits()[0] == "one"
    assert "UNENFORCED" not in t.project.waypost("status").stdout


@scenario(python="python", node="node")
def with_callbacks_a_program_without_settings_is_held_and_seen(t, language):
    t.project.initialise()
    sdk = Sdk(t, language)
    sdk.turn(sdk.example("callback"),
             *held_once()[:-1],
             mcp("waypost", "session_brief").works("new.txt"),
             say("Done."))
    assert t.project.commits()[0] == "one"
    assert "UNENFORCED" not in t.project.waypost("status").stdout


@scenario(python="python", node="node")
def where_the_sources_are_not_said_this_version_reads_all_settings(t, language):
    t.project.initialise()
    sdk = Sdk(t, language)
    sdk.turn(changed(sdk.example("settings"), UNSAID[language]), *held_once())


@scenario(python=("python", ()), node=("node", ()), without_transcript=("node", (UNKEPT,)))
def without_settings_and_callbacks_it_is_unenforced_and_told(t, case):
    """Also where the client keeps no transcript: then the tools that it called tell of it."""
    language, more = case
    t.project.initialise()
    sdk = Sdk(t, language)
    program = changed(sdk.example("settings"), NO_SETTINGS[language], SERVER[language], *more)
    sdk.turn(program,
             write("new.txt", "new\n"),
             mcp("waypost", "session_start", objective="Do it unseen"),
             # What git itself calls knows of no conversation, and holds all the same.
             bash("git add -A && git commit -qm one").fails("Waypost holds this commit"),
             say("Done."))
    for command in ("status", "list", "brief"):
        told = t.project.waypost(command)
        assert "UNENFORCED: 1 conversation" in told.stdout + told.stderr, command
    [one] = t.project.status()["lapses"]["unenforced"]
    assert one["harness"] == "claude-code", one
    board = json.loads(t.project.waypost("watch", "--once", "--json").stdout)
    assert [one for one in objects(board) if one.get("state") == "unenforced"], board


@scenario(python="python", node="node")
def with_the_plugin_a_program_without_settings_is_held(t, language):
    t.project.initialise()
    sdk = Sdk(t, language)
    sdk.turn(changed(sdk.example("settings"), NO_SETTINGS[language], PLUGIN[language]), *held_once())
    assert "UNENFORCED" not in t.project.waypost("status").stdout
