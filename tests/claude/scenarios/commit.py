"""`git commit` stands behind the same gate as the end of a turn."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, say, subagent, write


@scenario
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


@scenario
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
