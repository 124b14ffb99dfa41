"""`git commit` stands behind the same gate as the end of a turn."""

from harness.project import MESSAGE, NEXT_STEP
from harness.protocol import waypost
from harness.registry import scenario, way
from harness.steps import bash, say, subagent, write

CHANGES = "echo left: $(git status --porcelain | wc -l)"


def changes(t):
    return t.project.git("status", "--porcelain").stdout


@way
def a_commit_is_denied_until_the_checks_ran(t):
    commits = ("git commit -qm Add",
               "git -C . commit -qm Add",
               "cd . && git commit -qm Add",
               "git add . ; git commit -qm Add",
               "GIT_AUTHOR_NAME=Me git commit -qm Add",
               "sh -c 'git commit -qm Add'")
    t.project.initialise()
    with t.claude() as claude:
        for number, commit in enumerate(commits):
            claude.turn("Add a file and commit it.",
                        write(f"{number}.txt", "new\n"),
                        bash("git add ."),
                        bash(commit).denied(MESSAGE, NEXT_STEP),
                        bash("./check.sh"),
                        bash(commit),
                        say("Done."))
    assert t.project.commits().count("Add") == len(commits), t.project.commits()


@scenario
def words_about_a_commit_are_not_a_commit(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("echo git commit"),
                    bash("git log --oneline --grep 'git commit'"),
                    bash("git show --stat"),
                    bash("./check.sh"),
                    say("Done."))


@way
def a_subagent_cannot_commit_before_the_checks_ran_either(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Let someone add a file and commit it.",
                    subagent(write("new.txt", "new\n"),
                             bash("git add . && git commit -qm Add").denied(MESSAGE, NEXT_STEP),
                             bash("./check.sh"),
                             bash("git add . && git commit -qm Add"),
                             say("It is committed.")),
                    say("Done."))


@scenario
def committing_does_not_make_the_run_stale(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file and commit it.",
                    write("new.txt", "new\n"),
                    bash("./check.sh"),
                    bash("git add new.txt && git commit -qm Add"),
                    say("Done."))
        claude.turn("Put it into one commit.", bash("git commit --amend -qm Squashed"), say("Done."))
    assert t.project.commits()[0] == "Squashed", t.project.commits()


@scenario
def a_commit_leaves_nothing_behind_while_the_session_is_published(t):
    t.project.initialise("[project]\n")
    with t.claude() as claude:
        claude.turn("Build it, and commit twice.",
                    waypost("workflow_start", workflow="quick").works("plan"),
                    write("one.txt", "one\n"),
                    bash("git add -A && git commit -qm One"),
                    bash(CHANGES).works("left: 0"),
                    write("two.txt", "two\n"),
                    bash("git add -A"),
                    waypost("session_init_build", checkpoints_total=1),
                    bash("git commit -qm Two"),
                    bash(CHANGES).works("left: 0"),
                    waypost("session_add_commit", sha="HEAD", message="Two").works('"sha"'),
                    say("Done."))
    assert not changes(t), changes(t)
    [session] = t.project.sessions()
    folder = f"agents/sessions/{session['session_id']}"
    assert f"{folder}/spec.md" in t.project.git("ls-files").stdout, "the folder is in the first commit"


@scenario
def without_a_workflow_no_commit_has_anything_of_a_session(t):
    t.project.initialise("[project]\n")
    with t.claude() as claude:
        claude.turn("Add a file and commit it.",
                    waypost("session_start", objective="Add a file"),
                    write("one.txt", "one\n"),
                    bash("git add -A && git commit -qm One"),
                    say("Done."))
    assert "agents/" not in t.project.git("ls-files").stdout
    assert not changes(t), changes(t)


@way
def a_commit_by_a_makefile_is_refused_by_git_until_the_checks_ran(t):
    t.project.initialise()
    head = t.project.git("rev-parse", "HEAD").stdout
    with t.claude() as claude:
        claude.turn("Release it.",
                    write("new.txt", "new\n"),
                    write("Makefile", "release:\n\t@git add . && git commit -qm Add\n"),
                    bash("make release").fails(MESSAGE, NEXT_STEP),
                    bash("git rev-parse HEAD").works(head.strip()),
                    bash("./check.sh"),
                    bash("make release"),
                    say("Done."))
    assert t.project.commits().count("Add") == 1, t.project.commits()
