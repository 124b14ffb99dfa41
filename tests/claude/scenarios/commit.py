"""`git commit` stands behind the same gate as the end of a turn."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, say, write


@scenario(plain="git commit -qm Add",
          other_folder="git -C . commit -qm Add",
          after_cd="cd . && git commit -qm Add",
          after_another_command="git add . ; git commit -qm Add",
          with_variable="GIT_AUTHOR_NAME=Me git commit -qm Add",
          through_a_shell="sh -c 'git commit -qm Add'")
def a_commit_is_denied_until_the_checks_ran(t, commit):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file and commit it.",
                    write("new.txt", "new\n"),
                    bash("git add new.txt"),
                    bash(commit).denied(MESSAGE, NEXT_STEP),
                    bash("./check.sh"),
                    bash(commit),
                    say("Done."))
    assert t.project.commits()[0] == "Add", t.project.commits()


@scenario(echoed="echo git commit", searched="git log --oneline --grep 'git commit'", shown="git show --stat")
def words_about_a_commit_are_not_a_commit(t, command):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(command),
                    bash("./check.sh"),
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
