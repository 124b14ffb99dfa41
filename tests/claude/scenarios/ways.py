"""Ways around that no other file plays: each is stopped or seen, as docs/ways-around.md says."""

from pathlib import Path

from harness.project import GATE, MESSAGE, NEXT_STEP
from harness.registry import way
from harness.steps import bash, in_background, isolated_subagent, next_step, read, say, write


def on_topic(t):
    """A branch beside the one that is checked out, each with a commit of its own."""
    t.project.git("checkout", "-q", "-b", "topic")
    t.project.write("topic.txt", "topic\n")
    t.project.commit_all("Topic")
    t.project.git("checkout", "-q", "main")
    t.project.write("main.txt", "main\n")
    t.project.commit_all("Main")


def found(t, lines):
    """A script commits in a way that git's hook does not refuse: the stop finds it, and proving it releases."""
    with t.claude() as claude:
        claude.turn("Bring it in.",
                    write(f"{t.env['TMPDIR']}/script.sh", f"set -e\n{lines}\n"),
                    bash("sh $TMPDIR/script.sh"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))
    assert any(commit.get("unproven") for commit in t.project.events("commit_added"))


def refused(t, lines):
    """A script commits, and git refuses it until the checks ran."""
    before = len(t.project.commits())
    with t.claude() as claude:
        claude.turn("Release it.",
                    write("new.txt", "new\n"),
                    write(f"{t.env['TMPDIR']}/script.sh", f"set -e\n{lines}\n"),
                    bash("sh $TMPDIR/script.sh").fails(MESSAGE, NEXT_STEP),
                    bash(f"test $(git rev-list --count HEAD) = {before}"),
                    bash("./check.sh"),
                    bash("sh $TMPDIR/script.sh"),
                    say("Done."))
    assert len(t.project.commits()) == before + 1


@way
def what_an_agent_says_of_a_run_is_no_run(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("waypost evidence record tests-pass status=0 || true"),
                    bash("waypost gate satisfy tests-pass --note 'all green' || true"),
                    say("All tests pass.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))


@way
def a_run_that_executed_no_test_is_no_run(t):
    t.project.write("test_app.py", "import unittest\n")
    t.project.write(".gitignore", "__pycache__/\n")
    t.project.initialise(GATE.replace("./check.sh*", "python -m unittest"))
    test = "import unittest\n\n\nclass Test(unittest.TestCase):\n    def test_it(self):\n        pass\n"
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("python3 -m unittest || [ $? = 5 ]"),
                    say("Done.").held(MESSAGE),
                    bash("rm test_app.py"),
                    write("test_app.py", test),
                    bash("python3 -m unittest"),
                    say("Done."))


@way
def content_swapped_around_the_run_in_one_line_is_seen(t):
    t.project.initialise()
    with t.claude() as claude:
        for number, line in enumerate(("git stash -qu && ./check.sh && git stash pop -q",
                                       "sed -i s/two/one/ app.txt && ./check.sh && sed -i s/one/two/ app.txt")):
            claude.turn("Change app.txt.",
                        bash(f"echo two {number} > app.txt"),
                        bash(line),
                        say("Done.").held(MESSAGE, NEXT_STEP),
                        bash(NEXT_STEP),
                        say("Done."))


@way
def a_read_past_the_end_of_the_file_is_no_read(t):
    t.project.initialise('[[gate]]\nid = "read-first"\nbefore = ["edit"]\nproof = { read = "notes/todo.txt" }\n')
    past = read("notes/todo.txt")
    past.input.update(offset=900, limit=1)
    with t.claude() as claude:
        claude.turn("Add a file.",
                    past,
                    write("new.txt", "new\n").denied("Next: read notes/todo.txt"),
                    read("notes/todo.txt"),
                    write("new.txt", "new\n"),
                    say("Done."))


@way
def an_edit_of_the_check_itself_is_recorded(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Make it pass.",
                    read("check.sh"),
                    write("check.sh", "#!/bin/sh\nexit 0\n"),
                    bash("./check.sh"),
                    say("Done."))
    assert "check.sh" in str(t.project.events("edit_observed"))


@way
def a_commit_by_a_script_is_refused_by_git(t):
    t.project.initialise()
    refused(t, "git add -A; git commit -qm Add")


@way
def a_commit_without_hooks_of_git_is_refused_or_found(t):
    t.project.initialise()
    refused(t, "git add -A; git commit -q --no-verify -m Add")


@way
def a_commit_by_plumbing_is_refused_by_git(t):
    t.project.initialise()
    refused(t, "git add -A; git update-ref refs/heads/main $(git commit-tree -p HEAD -m Add $(git write-tree))")


@way
def a_commit_past_git_s_hook_is_found_at_the_stop(t):
    t.project.initialise()
    found(t, "echo two > app.txt; git -c core.hooksPath=/dev/null commit -qam Two")


@way
def a_merge_with_a_change_of_its_own_is_found(t):
    t.project.initialise()
    on_topic(t)
    found(t, "git merge -q --no-ff --no-commit topic; echo more > more.txt; git add -A; git commit -qm Merge")


@way
def a_cherry_pick_is_found(t):
    t.project.initialise()
    on_topic(t)
    found(t, "git cherry-pick topic")


@way
def staged_content_that_was_not_tested_is_named(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Commit it.",
                    bash("echo staged > app.txt && git add app.txt && echo tested > app.txt"),
                    bash("./check.sh"),
                    bash("git commit -qm Staged").fails("app.txt"),
                    bash("git add app.txt && git commit -qm Tested"),
                    say("Done."))
    assert "Staged" not in t.project.commits()


@way
def an_edit_in_a_second_work_tree_is_asked_for_there(t):
    t.project.initialise()
    second = t.project.worktree(t.out / "second")
    with t.claude() as claude:
        claude.turn("Change it there.",
                    read(str(second.root / "app.txt")),
                    write(str(second.root / "app.txt"), "two\n"),
                    bash("./check.sh"),
                    say("Done.").held(MESSAGE, f"cd {second.root} && {NEXT_STEP}"),
                    next_step().works("3 checks passed"),
                    say("Done."))


@way
def a_commit_in_a_second_work_tree_is_judged_there(t):
    t.project.initialise()
    second = t.project.worktree(t.out / "second")
    with t.claude() as claude:
        claude.turn("Change it there.",
                    bash("./check.sh"),
                    read(str(second.root / "app.txt")),
                    write(str(second.root / "app.txt"), "two\n"),
                    bash("git -C ../second commit -qam Two").denied(MESSAGE, str(second.root)),
                    bash("cd ../second && git commit -qam Two").denied(MESSAGE),
                    bash("cd ../second && ./check.sh"),
                    bash(f"git -C {second.root} commit -qam Two"),
                    say("Done."))
    assert second.commits()[0] == "Two"


@way
def a_subagent_in_its_own_work_tree_is_held_there(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Let somebody add a file elsewhere.",
                    isolated_subagent(bash("touch new.txt"),
                                      say("Added.").held(MESSAGE),
                                      bash("./check.sh"),
                                      say("It is added.")),
                    say("Done."))


@way
def an_edit_that_git_was_told_not_to_see_is_seen(t):
    t.project.initialise()
    with t.claude() as claude:
        for flag, text in (("assume-unchanged", "two"), ("skip-worktree", "three")):
            claude.turn("Change app.txt.",
                        bash("./check.sh"),
                        bash(f"git update-index --{flag} app.txt && echo {text} > app.txt"),
                        bash("git status --short").works(lacks="app.txt"),
                        bash("git commit --allow-empty -qm x").denied(MESSAGE, "app.txt"),
                        say("Done.").held(MESSAGE, "app.txt"),
                        bash(NEXT_STEP),
                        say("Done."))


@way
def private_ignore_rules_that_changed_are_named(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Hide it.",
                    bash("./check.sh"),
                    bash("echo hidden.txt >> .git/info/exclude && echo x > hidden.txt"),
                    bash("git commit --allow-empty -qm x").denied(MESSAGE, "info/exclude"),
                    bash(NEXT_STEP),
                    say("Done."))


@way
def the_client_s_settings_are_edited_by_no_agent(t):
    t.project.initialise()
    home = Path(t.env["HOME"]) / ".claude"
    quiet = '{"disableAllHooks":true}'
    with t.claude() as claude:
        claude.turn("Silence it.",
                    *[write(str(file), quiet).denied("agents may not change")
                      for file in (home / "settings.json", home / "plugins/installed_plugins.json")],
                    bash(f"echo '{quiet}' > .claude/settings.json").denied("Waypost"),
                    bash("sed -i s/waypost/true/ .claude/settings.local.json").denied("Waypost"),
                    say("I cannot."))
    assert not (home / "settings.json").exists()


@way
def a_client_without_hooks_is_told_as_unenforced(t):
    t.project.initialise()
    off = t.out / "off.json"
    off.write_text('{"disableAllHooks":true}')
    with t.claude(settings=off) as claude:
        claude.turn("Change it.", bash("echo two > app.txt"), say("Done."))
    t.project.waypost("start", "--objective", "see it")
    assert "UNENFORCED: 1 conversation" in t.project.run("sh", "-c", "waypost status 2>&1; true").stdout


@way
def people_s_words_are_denied_to_agents(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Approve it.",
                    *[bash(line).denied("is for people") for line in (
                        "waypost gate approve tests-pass",
                        "nohup waypost gate pause &",
                        "w=waypost; $w mode disabled",
                        "echo 'waypost init --remove' | sh")],
                    write(f"{t.env['TMPDIR']}/unseen.sh", "way=waypost; $way gate approve tests-pass; $way mode disabled\n"),
                    bash("sh $TMPDIR/unseen.sh").fails("is for people"),
                    say("I cannot."))
    assert not t.project.events("gate_marked")


@way
def a_background_task_that_never_ends_postpones_and_settles_nothing(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    in_background(f"until [ -e {over} ]; do sleep 0.1; done"),
                    say("Something is running."))
        claude.turn("Commit it.",
                    bash("git add . && git commit -qm Add").denied(MESSAGE),
                    write("other.txt", "new\n"),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))
        claude.woken(over.touch, say("It is over."))  # the client does not leave before


@way
def what_is_owed_stays_after_clearing(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file, and stop without the checks.",
                    write("new.txt", "new\n"),
                    *[say("Done.").held(MESSAGE) for _ in range(3)],
                    say("Done."))
        claude.command("/clear")
        claude.turn("Hello.",
                    bash("git add . && git commit -qm Add").denied(MESSAGE),
                    bash(NEXT_STEP),
                    bash("git add . && git commit -qm Add"),
                    say("Done."))


@way
def waypost_s_files_are_deleted_by_no_agent(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Free yourself.",
                    *[bash(line).denied("Waypost") for line in (
                        "rm -rf .git/waypost",
                        "cd .git && rm -rf waypost",
                        "git clean -fdx",
                        "find . -name waypost.toml -delete",
                        "rm -rf .git/hooks",
                        "mv .claude elsewhere")],
                    say("I cannot."))


@way
def a_checkout_without_the_configuration_keeps_the_gates(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Change it where it began.",
                    bash("git checkout -q HEAD~1"),
                    write("new.txt", "new\n"),
                    bash("git add new.txt && git commit -qm Add").denied(MESSAGE),
                    bash(NEXT_STEP),
                    say("Done."))
