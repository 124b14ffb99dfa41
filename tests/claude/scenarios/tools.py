"""Tools and events beyond the shell, edits and stops: monitors, tasks, teams, settings, work trees."""

import json
from pathlib import Path

from harness.project import MESSAGE
from harness.registry import scenario, way
from harness.steps import (background_subagent, bash, isolated_subagent, loaded, say, teammate, tool, write)

# Switches all hooks off, in words that nothing on the command line gives away.
SNEAK = """import json
place = "." + "claude/settings." + "local.json"
settings = json.load(open(place))
settings["disable" + "AllHooks"] = True
json.dump(settings, open(place, "w"))
"""


def monitor(command):
    return tool("Monitor", description="Scripted.", command=command, timeout_ms=60000)


def recorder(events, into):
    """Settings of a person whose own hooks keep what the client tells them."""
    command = {"type": "command", "command": f"cat >> {into}; echo >> {into}"}
    return json.dumps({"hooks": {event: [{"hooks": [command]}] for event in events}})


def recorded(place):
    return [json.loads(line) for line in Path(place).read_text().splitlines() if line]


@way
def a_monitor_is_a_command_line(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Commit it.",
                    loaded("Monitor"),
                    monitor("git commit --allow-empty -qm x").denied(MESSAGE),
                    monitor("echo x > waypost.toml").denied("waypost.toml"),
                    say("I may not."))
    assert "x" not in t.project.commits()


@way
def a_task_is_not_done_before_its_edits_are_proven(t):
    t.project.initialise()
    t.env["CLAUDE_CODE_ENABLE_TODO_TOOLS"] = "1"
    with t.claude() as claude:
        claude.turn("Do the task.",
                    loaded("TaskCreate", "TaskUpdate", "TaskList"),
                    tool("TaskCreate", subject="Add a file", description="Scripted."),
                    write("new.txt", "new\n"),
                    tool("TaskUpdate", taskId="1", status="completed").works("TaskCompleted hook feedback", MESSAGE),
                    tool("TaskList").works("[pending] Add a file"),
                    bash("./check.sh"),
                    tool("TaskUpdate", taskId="1", status="completed").works("Updated task"),
                    tool("TaskList").works("[completed] Add a file"),
                    say("Done."))


@way
def a_teammate_goes_on_until_its_edits_are_proven(t):
    t.project.initialise()
    t.env["CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"] = "1"
    proven = Path(t.env["TMPDIR"], "proven")
    t.terminal().turn(
        "Let somebody add a file.",
        teammate("worker",
                 write("new.txt", "new\n"),
                 say("Done.").held(MESSAGE),
                 bash("./check.sh"),
                 bash(f"touch {proven}"),
                 say("Done.")),
        bash(f"until [ -e {proven} ]; do sleep 0.1; done"),
        say("It is done."))


@way
def what_a_background_subagent_does_is_seen_to_its_end(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Let somebody add a file.",
                    background_subagent(bash(f"until [ -e {over} ]; do sleep 0.1; done"),
                                        write("new.txt", "new\n"),
                                        bash("./check.sh"),
                                        say("Added.")),
                    say("It is on its way."))
        claude.woken(over.touch, say("It is done."))
        assert claude.hook_runs("SubagentStop")
    started, ended = t.project.events("subagent_started"), t.project.events("subagent_ended")
    assert [one["subagent"] for one in started] == [one["subagent"] for one in ended] != [], (started, ended)


@way
def settings_that_a_call_changed_silence_no_hook(t):
    t.project.initialise()
    changed = Path(t.env["TMPDIR"], "changed")
    t.project.write(".claude/settings.json", recorder(["ConfigChange"], changed))
    t.project.commit_all("Record changes of settings")
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("sneak.py", SNEAK),
                    bash(f"python3 sneak.py; until [ -s {changed} ]; do sleep 0.1; done"),
                    write("new.txt", "new\n"),
                    say("Done.").held(MESSAGE),
                    bash("./check.sh"),
                    say("Done."))
    assert recorded(changed)[0]["source"] == "local_settings"


@scenario
def hooks_are_called_in_the_folder_of_the_work_tree(t):
    calls = Path(t.env["TMPDIR"], "calls")
    t.project.write(".claude/settings.json", recorder(["PreToolUse", "Stop", "SubagentStop"], calls))
    t.project.commit_all("Record calls")
    with t.claude() as claude:
        claude.turn("Work elsewhere.",
                    isolated_subagent(bash("touch new.txt"), say("Added.")),
                    loaded("EnterWorktree", "ExitWorktree"),
                    tool("EnterWorktree", name="side"),
                    bash("touch new.txt"),
                    say("I am elsewhere."))
        claude.turn("Come back.", tool("ExitWorktree", action="keep"), say("Here I am."))
    trees = t.project.root / ".claude/worktrees"
    seen = [(call["hook_event_name"], call.get("tool_name"), call["cwd"], call.get("agent_id"))
            for call in recorded(calls)]
    [agent] = {one[3] for one in seen if one[3]}
    isolated, side, root = str(trees / f"agent-{agent}"), str(trees / "side"), str(t.project.root)
    assert ("PreToolUse", "Bash", isolated, agent) in seen and ("SubagentStop", None, isolated, agent) in seen, seen
    assert ("PreToolUse", "EnterWorktree", root, None) in seen and ("PreToolUse", "Bash", side, None) in seen, seen
    assert [one[2] for one in seen if one[0] == "Stop"] == [side, root], seen
