"""Several work trees, a monorepo, submodules, other repositories: held where the edit is, released by the messages."""

from pathlib import Path

from harness.project import MESSAGE, NEXT_STEP, Project
from harness.registry import scenario
from harness.steps import (background_subagent, bash, in_background, isolated_subagent, loaded, next_step, say,
                           subagent, tool, write)

QUIETLY = ("init", "--harness", "claude-code", "--no-git-hooks")
PACKAGES = "[project]\n" + "".join(f"""
[[gate]]
id = "{name}-passes"
before = ["stop", "commit"]
folder = "{name}"
when = {{ paths = "{name}/**" }}
proof = {{ ran = "./check.sh", fresh = "tree" }}
message = "Check package {name}."
""" for name in ("a", "b"))
A_CHECK = "#!/bin/sh\necho 2 checks passed\n"


def second_of(t, name="second"):
    t.project.initialise()
    return t.project.worktree(t.out / name)


def goes_to(tree):
    """How the next step begins where the agent is in another work tree."""
    return f"cd {tree.root} && {NEXT_STEP}"


@scenario
def an_edit_in_a_second_work_tree_is_held_there_by_absolute_path_and_by_cd(t):
    second = second_of(t)
    with t.claude() as claude:
        for number, change in enumerate((write(str(second.root / "new.txt"), "new\n"),
                                         bash(f"cd {second.root} && touch other.txt"),
                                         bash(f"sed -i s/one/two/ {second.root}/app.txt"))):
            claude.turn(f"Change {number}.",
                        change,
                        say("Done.").held(MESSAGE, f"Next: {goes_to(second)}"),
                        bash("./check.sh"),
                        say("Done.").held(goes_to(second)),
                        next_step().works("3 checks passed"),
                        say("Done."))


@scenario
def an_edit_after_entering_a_work_tree_is_held_and_released_in_it(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Work elsewhere.",
                    loaded("EnterWorktree", "ExitWorktree"),
                    tool("EnterWorktree", name="side"),
                    bash("touch new.txt"),
                    say("Done.").held(MESSAGE, f"Next: {NEXT_STEP}", lacks="cd "),
                    bash(f"cd {t.project.root} && ./check.sh"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Commit it.",
                    bash("touch more.txt && git add -A"),
                    bash("git commit -qm More").denied(MESSAGE, f"Next: {NEXT_STEP}", lacks="cd "),
                    next_step().works("3 checks passed"),
                    bash("git commit -qm More"),
                    say("Done."))
        claude.turn("Come back.", tool("ExitWorktree", action="keep"), say("Here I am."))
    assert "More" in [commit["message"] for commit in t.project.events("commit_added")]


@scenario
def leaving_or_removing_a_work_tree_is_no_dead_end(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Try it elsewhere, then come back.",
                    loaded("EnterWorktree", "ExitWorktree"),
                    tool("EnterWorktree", name="side"),
                    bash("touch new.txt"),
                    tool("ExitWorktree", action="keep"),
                    say("Back.").held(MESSAGE, f"cd {t.project.root}/.claude/worktrees/side && {NEXT_STEP}"),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Try it again, and throw it away.",
                    tool("EnterWorktree", name="other"),
                    bash("touch new.txt"),
                    tool("ExitWorktree", action="remove", discard_changes=True),
                    say("Done."))
        claude.turn("And by hand.",
                    bash("git worktree add -q $TMPDIR/third -b third && touch $TMPDIR/third/new.txt"),
                    bash("git worktree remove --force $TMPDIR/third"),
                    say("Done."))


@scenario
def a_subagent_in_its_own_work_tree_is_held_at_its_end_and_its_parent_is_free(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Let someone do it.",
                    isolated_subagent(bash("touch new.txt"),
                                      say("Added.").held(MESSAGE, f"Next: {NEXT_STEP}"),
                                      bash(f"cd {t.project.root} && ./check.sh"),
                                      say("Added.").held(MESSAGE),
                                      next_step().works("3 checks passed"),
                                      say("Added and checked.")),
                    say("Done."))


@scenario
def a_subagents_commit_in_its_own_work_tree_waits_for_a_run_there(t):
    t.project.initialise()
    commit = "git add -A && git commit -qm Add"
    with t.claude() as claude:
        claude.turn("Let someone do it.",
                    bash("./check.sh"),
                    isolated_subagent(bash("touch new.txt"),
                                      bash(commit).denied(MESSAGE, f"Next: {NEXT_STEP}"),
                                      next_step().works("3 checks passed"),
                                      bash(commit),
                                      say("Committed.")),
                    say("Done."))
    assert "Add" in [commit["message"] for commit in t.project.events("commit_added")]


@scenario
def a_commit_in_a_second_work_tree_waits_for_a_run_there(t):
    second = second_of(t)
    with t.claude() as claude:
        for number, commit in enumerate((f"git -C {second.root} commit -qm Add",
                                         f"cd {second.root} && git commit -qm Add")):
            claude.turn("Add a file there and commit it.",
                        write(str(second.root / f"{number}.txt"), "new\n"),
                        bash(f"git -C {second.root} add -A"),
                        bash("./check.sh"),
                        bash(commit).denied(MESSAGE, f"Next: {goes_to(second)}"),
                        next_step().works("3 checks passed"),
                        bash(commit),
                        say("Done."))
    assert second.commits().count("Add") == 2, second.commits()
    assert [commit["message"] for commit in t.project.events("commit_added")].count("Add") == 2


def packages(t):
    for package in ("a", "b"):
        t.project.write(f"{package}/check.sh", A_CHECK)
        (t.project.root / package / "check.sh").chmod(0o755)
    t.project.initialise(PACKAGES)


@scenario
def a_package_of_a_monorepo_is_asked_for_its_own_checks_in_its_work_tree(t):
    packages(t)
    second = t.project.worktree(t.out / "second")
    with t.claude() as claude:
        claude.turn("Change a there.",
                    write(str(second.root / "a/new.txt"), "new\n"),
                    say("Done.").held("Check package a.", str(second.root), lacks="Check package b."),
                    next_step().works("2 checks passed"),
                    say("Done."))
        claude.turn("Change b there.",
                    bash(f"cd {second.root}/b && touch new.txt"),
                    say("Done.").held("Check package b.", lacks="Check package a."),
                    next_step().works("2 checks passed"),
                    say("Done."))
        claude.turn("Change b here.",
                    bash("touch b/new.txt b/more.txt"),
                    say("Done.").held("Check package b.", lacks=("Check package a.", str(second.root))),
                    next_step().works("2 checks passed"),
                    say("Done."))
        claude.turn("Change nothing that is checked.", bash("touch free.txt"), say("Done."))
        t.project.commit_all("By a person")
        second.commit_all("By a person, too")
        claude.turn("Commit a in both.",
                    bash(f"touch a/one.txt {second.root}/a/two.txt; git add a; git -C {second.root} add a"),
                    bash("git commit -qm One").denied("Check package a.", lacks=("Check package b.", str(second.root))),
                    next_step().works("2 checks passed"),
                    bash("git commit -qm One"),
                    bash(f"git -C {second.root} commit -qm Two").denied("Check package a.", lacks="Check package b."),
                    next_step().works("2 checks passed"),
                    bash(f"git -C {second.root} commit -qm Two"),
                    say("Done."))


@scenario
def a_script_that_commits_one_package_is_asked_for_that_one_alone(t):
    packages(t)
    (t.project.root / ".git/hooks/reference-transaction").unlink(missing_ok=True)
    script = t.out / "release.sh"
    script.write_text("touch a/new.txt; git add a; git commit -qm Release\n")
    with t.claude() as claude:
        claude.turn("Release it.",
                    bash(f"sh {script}"),
                    say("Done.").held("Check package a.", lacks="Check package b."),
                    next_step().works("2 checks passed"),
                    say("Done."))


def with_submodule(t):
    library = Project.create(t.out / "library", t.env)
    t.project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    t.project.initialise()
    return Project(t.project.root / "lib", t.env)


@scenario
def a_submodule_is_part_of_the_work_tree_around_it(t):
    inner = with_submodule(t)
    with t.claude() as claude:
        claude.turn("Change the library.",
                    write("lib/app.txt", "two\n"),
                    say("Done.").held(MESSAGE, "lib"),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Commit it, then the link.",
                    bash("git -C lib commit -qam Inner"),
                    bash("git add lib && git commit -qm Outer"),
                    say("Done."))
        claude.turn("Change and commit it at once.",
                    bash("cd lib && echo three > app.txt && git commit -qam Inner1"),
                    say("Done.").held(MESSAGE, f"Next: {goes_to(t.project)}", "lib/app.txt"),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Change it, then commit it.",
                    bash(f"cd {t.project.root} && echo four > lib/app.txt"),
                    bash("git -C lib commit -qam Unproven").denied(MESSAGE, f"Next: {NEXT_STEP}"),
                    next_step().works("3 checks passed"),
                    bash("git -C lib commit -qam Inner2 && git commit -qam Outer2"),
                    say("Done."))
        claude.turn("Hide an edit in it.",
                    bash("cd lib && git update-index --assume-unchanged app.txt && echo five > app.txt"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))
    assert inner.commits()[:3] == ["Inner2", "Inner1", "Inner"], inner.commits()
    assert t.project.commits()[:2] == ["Outer2", "Outer"], t.project.commits()


@scenario
def another_repository_holds_nobody(t):
    t.project.initialise()
    other = Project.create(Path(t.env["HOME"], "other"), t.env)
    with t.claude() as claude:
        claude.turn("Commit elsewhere.",
                    bash("touch new.txt"),
                    bash("cd ~/other && touch mine.txt && git add -A && git commit -qm Other"),
                    bash("git -C ~/other commit -q --allow-empty -m Again"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Only elsewhere.",
                    write(str(other.root / "more.txt"), "more\n"),
                    bash("cd ~/other && git add -A && git commit -qm More"),
                    say("Done."))
    assert other.commits()[:3] == ["More", "Again", "Other"], other.commits()


@scenario
def a_commit_by_a_script_is_told_at_once_held_at_the_stop_and_released(t):
    t.project.waypost(*QUIETLY)
    t.project.initialise()
    (t.project.root / ".git/hooks/reference-transaction").unlink(missing_ok=True)
    script = t.out / "release.sh"
    script.write_text("echo $1 > app.txt; git commit -qam 'Release: waypost run it'\n")
    with t.claude() as claude:
        claude.turn("Release it.",
                    bash(f"sh {script} two"),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Release it again.",
                    bash(f"sh {script} three"),
                    say("Done.").held(MESSAGE, "app.txt"),
                    next_step().works("3 checks passed"),
                    say("Done."))
    commits = [commit["unproven"] for commit in t.project.events("commit_added")]
    assert commits == [["app.txt"], ["app.txt"]], commits


@scenario
def what_a_script_commits_in_a_second_work_tree_is_held_with_its_place(t):
    second = second_of(t)
    (t.project.root / ".git/hooks/reference-transaction").unlink(missing_ok=True)
    script = t.out / "release.sh"
    script.write_text(f"cd {second.root}; echo two > app.txt; git commit -qam Release\n")
    with t.claude() as claude:
        claude.turn("Release it there.",
                    bash(f"sh {script}"),
                    say("Done.").held(MESSAGE, goes_to(second)),
                    next_step().works("3 checks passed"),
                    say("Done."))


@scenario
def an_old_background_task_postpones_nothing(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Start the server, then add a file.",
                    in_background(f"until [ -e {over} ]; do sleep 0.1; done"),
                    bash("touch new.txt"),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.woken(over.touch, say("It is over."))


@scenario
def a_check_in_the_background_that_failed_holds_the_turn_after_it(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Break it.",
                    bash("echo broken > app.txt"),
                    in_background(f"until [ -e {over} ]; do sleep 0.1; done; ./check.sh"),
                    say("The checks run."))
        claude.woken(over.touch,
                     say("They failed.").held(MESSAGE),
                     bash("echo mended > app.txt"),
                     bash(NEXT_STEP).works("3 checks passed"),
                     say("Done."))


@scenario
def a_background_agent_is_asked_at_its_end(t):
    t.project.initialise()
    go = Path(t.env["TMPDIR"], "go")
    with t.claude() as claude:
        claude.turn("Let someone do it meanwhile.",
                    background_subagent(bash(f"touch new.txt; until [ -e {go} ]; do sleep 0.1; done"),
                                        say("Added.").held(MESSAGE, f"Next: {NEXT_STEP}"),
                                        next_step().works("3 checks passed"),
                                        say("Added and checked.")),
                    say("It works."))
        claude.woken(go.touch, say("Done."))


@scenario
def after_clear_the_next_conversation_in_that_work_tree_is_held(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Add a file.",
                    bash("touch new.txt"),
                    in_background(f"until [ -e {over} ]; do sleep 0.1; done"),
                    say("It runs."))
        claude.command("/clear")
        over.touch()
        claude.turn("What is here?",
                    say("A file.").held(MESSAGE, f"Next: {NEXT_STEP}"),
                    next_step().works("3 checks passed"),
                    say("Done."))


@scenario
def work_trees_with_spaces_and_without_ascii_are_reached_by_the_named_step(t):
    t.project.initialise()
    second = Project(t.out / "zweiter Baum ü'", t.env)
    t.project.git("worktree", "add", "--quiet", "-b", "second", str(second.root))
    with t.claude() as claude:
        claude.turn("Change it there.",
                    write(str(second.root / "new.txt"), "new\n"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))


@scenario
def a_conversation_in_a_linked_work_tree_is_held_for_the_main_one_too(t):
    second = second_of(t)
    with t.claude(folder=second.root) as claude:
        claude.turn("Change the main one.",
                    write(str(t.project.root / "new.txt"), "new\n"),
                    subagent(bash(f"cd {t.project.root} && touch by-subagent.txt"),
                             say("Added.").held(MESSAGE, goes_to(t.project)),
                             next_step().works("3 checks passed"),
                             say("Added and checked.")),
                    say("Done."))


@scenario
def after_clear_in_an_entered_work_tree_the_next_conversation_is_held_for_it(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Work elsewhere.",
                    loaded("EnterWorktree", "ExitWorktree"),
                    tool("EnterWorktree", name="side"),
                    bash("touch new.txt"),
                    in_background(f"until [ -e {over} ]; do sleep 0.1; done"),
                    say("It runs."))
        claude.command("/clear")
        over.touch()
        claude.turn("What is here?",
                    say("A file.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))


@scenario
def an_agent_in_a_subfolder_is_told_a_step_that_works_there(t):
    t.project.initialise()
    with t.claude(folder=t.project.root / "notes") as claude:
        claude.turn("Change it.",
                    write("new.txt", "new\n"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))
        claude.turn("Change it and stay somewhere.",
                    bash("mkdir -p deep/er && cd deep/er && touch x.txt"),
                    bash("pwd").works("notes/deep/er"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))
