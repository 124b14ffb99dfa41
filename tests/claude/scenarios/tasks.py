"""Everyday tasks of honest agents, in four kinds of projects: what Waypost costs them."""

import json
from pathlib import Path

from harness.honest import HonestAgent
from harness.registry import scenario
from harness.task import in_place
from tasks import pnpm, rust, uv, venv

KINDS = (uv.KIND, venv.KIND, pnpm.KIND, rust.KIND)

# Where a run that stands in a pipe may be rewritten, so that it counts: where the client asks for no permission, or
# where the user's own rules allow the very command that it is turned into, and the client the rest of the line.
BYPASS, RULE, RULE_IN_VAIN, ELSEWHERE = "bypass", "rule", "rule in vain", "elsewhere"
# Elsewhere, by an agent that passes over advice until it is held: a run, and what was held once more.
UNHEEDED = "elsewhere, advice unheeded"
MOST_EXTRA_TURNS = {BYPASS: 0, RULE: 0, RULE_IN_VAIN: 1, ELSEWHERE: 1, UNHEEDED: 2}
MOST_HOLDS = {BYPASS: 0, RULE: 0, RULE_IN_VAIN: 0, ELSEWHERE: 0, UNHEEDED: 1}
PLAYED_UNHEEDED = 3  # the number of one task of each kind: two of them commit, two stop
ANY_RUN = "waypost run:*"
COMMITS = ("git add:*", "git commit:*")


def cases():
    """Every task, once where Waypost may rewrite a command line, by turns for one reason or the other, and once not."""
    return {f"{kind.name}: {task.name}, {where}": (kind, task, where)
            for kind in KINDS for number, task in enumerate(kind.tasks) for where in places(task, number)}


def places(task, number):
    """Where a task is played."""
    permitted = (BYPASS, RULE_IN_VAIN) if task.needs_bypass else ((BYPASS, RULE)[number % 2],)
    return (*permitted, ELSEWHERE, *([UNHEEDED] if number == PLAYED_UNHEEDED else []))


@scenario(**cases())
def an_honest_agent(t, case):
    kind, task, where = case
    kind.set_up(t)
    by_rule = where in (RULE, RULE_IN_VAIN)
    t.project.waypost("init", "--harness", "claude-code", *(["--allow-run"] if by_rule else []))
    if task.config:
        t.project.write("waypost.toml", task.config)
        t.project.by_a_person("trust", "config")
    t.project.commit_all("Configure Waypost")
    steps = tuple(in_place(step, t.env["TMPDIR"]) for step in task.steps)
    if where != BYPASS:
        lines = (step.input["command"] for step in steps if step.tool == "Bash")
        allow(t, *COMMITS, *([] if by_rule else [ANY_RUN]), *kind.rules, *lines)
    agent = HonestAgent(steps, t.project.content, heeds_advice=where != UNHEEDED)
    with t.claude(bypass=where == BYPASS) as claude:
        claude.played(task.prompt, agent)
    rewritten = sum("updatedInput" in run["stdout"] for run in claude.hook_runs("PreToolUse"))
    t.tell(kind=kind.name, task=task.name, where=where, turns=agent.turns, extra_turns=agent.extra_turns,
           extra_calls=agent.extra_calls, holds=len(agent.holds), held_twice=agent.held_twice, rewritten=rewritten)
    check(agent, where, rewritten)


def check(agent, where, rewritten):
    """What Waypost may cost an honest agent."""
    assert not agent.held_twice, f"it was held twice for the same content:\n{agent.story()}"
    assert len(agent.holds) <= MOST_HOLDS[where], f"it was held {len(agent.holds)} times:\n{agent.story()}"
    most = MOST_EXTRA_TURNS[where]
    assert agent.extra_turns <= most, f"{agent.extra_turns} extra turns, {most} at most:\n{agent.story()}"
    permitted = where in (BYPASS, RULE)
    assert permitted or not rewritten, "a command line was rewritten that was permitted only as it was"


def allow(t, *lines):
    """The user's own permission rules: edits, and these command lines."""
    settings = Path(t.env["CLAUDE_CONFIG_DIR"]) / "settings.json"
    rules = ["Edit", "Write", *(f"Bash({line})" for line in lines)]
    settings.write_text(json.dumps({"permissions": {"allow": rules}}))
