"""Scoped requirements of `.claude/requirements.yaml` beside Waypost: a day with them, and with the skills they name."""

from harness.registry import scenario
from harness.steps import bash, say, subagent, tool, write

REQUIREMENTS = r"""version: "1.0"
enabled: true
requirements:
  protected_branch:
    enabled: true
    type: guard
    guard_type: protected_branch
    protected_branches: [master, main]
    message: "Leave {branch} first."
  commit_plan:
    enabled: true
    type: blocking
    scope: session
    trigger_tools: [Edit, Write, MultiEdit]
    auto_resolve_skill: requirements-framework:arch-review
    message: "No plan yet. Execute /{auto_resolve_skill}."
    checklist: ["The commits are planned"]
  pre_commit_review:
    enabled: true
    type: blocking
    scope: single_use
    trigger_tools:
      - tool: Bash
        command_pattern: "git\\s+commit"
    satisfied_by_skill: requirements-framework:pre-commit
    message: "Review before each commit."
  verification_evidence:
    enabled: true
    type: blocking
    scope: session
    stop_only: true
    message: "Verify before you finish."
"""


def skill(name):
    """A skill of the project, used by the agent."""
    return tool("Skill", skill=name)


def furnish(t):
    """A project with requirements in force, and the skills that they name."""
    t.project.write(".claude/requirements.yaml", REQUIREMENTS)
    for name in ("arch-review", "pre-commit", "verification-before-completion"):
        t.project.write(f".claude/skills/{name}/SKILL.md",
                        f"---\nname: {name}\ndescription: {name} of this project\n---\nDo it.\n")
    t.project.initialise("[project]\n")


@scenario
def a_day_with_requirements_goes_as_their_own_framework_has_it(t):
    furnish(t)
    with t.claude() as planning:
        planning.turn("Plan the login.",
                      write("login.txt", "new\n").denied("Leave main first.", lacks="{branch}"),
                      bash("git switch -qc feature/login"),
                      write("login.txt", "new\n").denied("No plan yet. Execute /", "The commits are planned",
                                                         lacks="{auto_resolve_skill}"),
                      bash("echo new > login.txt").denied("commit_plan"),
                      write("docs/plans/login.md", "# Plan\n"),
                      skill("arch-review"),
                      write("login.txt", "new\n"),
                      say("Done.").held("Verify before you finish."),
                      say("It passes the second time."))
        planning.turn("Commit it.",
                      bash("git add . && git commit -qm Login").denied("Review before each commit."),
                      skill("pre-commit"),
                      bash("git add . && git commit -qm Login"),
                      bash("echo more >> login.txt && git commit -qam More").denied("Review before each commit."),
                      subagent(skill("pre-commit"), skill("verification-before-completion"), say("Reviewed.")),
                      bash("echo more >> login.txt && git commit -qam More"),
                      say("Done."))
    assert t.project.commits()[:2] == ["More", "Login"], t.project.commits()
    with t.claude() as next_one:
        next_one.turn("Go on, shortly after.",
                      write("login.txt", "carried over\n"),
                      say("Done."))
    t.project.waypost("verify", "--all")


@scenario
def whoever_switched_the_requirements_off_is_let_alone_by_them(t):
    furnish(t)
    t.env["CLAUDE_SKIP_REQUIREMENTS"] = "1"
    with t.claude() as claude:
        claude.turn("Add a file.", write("login.txt", "new\n"), say("Done."))
