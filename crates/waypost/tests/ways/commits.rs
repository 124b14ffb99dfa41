//! Commits, however they are made: refused, or found by facts.

use serde_json::json;

use crate::play::{
    Came, Outcome, Play, Way, aside, begun, by_script, by_script_whole, call, edited, is_held,
    must, prompt, set_up,
};

const TOPIC: &str = "git checkout -q -b topic; echo t > src/t.txt; git add -A; git commit -qm t; git checkout -q main";

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "`git commit`, in any spelling: `git -C .`, `sh -c '…'`, `VAR=x git …`, a second command",
        real: "commit.a_commit_is_denied_until_the_checks_ran",
        play: Play::Own(plain),
    },
    Way {
        title: "a commit by a subagent",
        real: "commit.a_subagent_cannot_commit_before_the_checks_ran_either",
        play: Play::Own(by_a_subagent),
    },
    Way {
        title: "a commit by a script",
        real: "ways.a_commit_by_a_script_is_refused_by_git",
        play: Play::Refused("git commit -qam x"),
    },
    Way {
        title: "a commit by make",
        real: "commit.a_commit_by_a_makefile_is_refused_by_git_until_the_checks_ran",
        play: Play::Refused(
            "printf 'release:\\n\\t@git commit -qam made\\n' > ~/Makefile; make -f ~/Makefile release",
        ),
    },
    Way {
        title: "a commit by a program such as `npm version`",
        real: "",
        play: Play::Refused(
            "mkdir -p ~/bin; printf '#!/bin/sh\\ngit commit -qam 1.0.1 && git tag v1.0.1\\n' > ~/bin/npm; \
             chmod +x ~/bin/npm; PATH=~/bin:$PATH npm version patch",
        ),
    },
    Way {
        title: "a commit by an interpreter: `subprocess.run(['git', 'commit', …])`",
        real: "",
        play: Play::Refused(
            "python3 -c \"import subprocess as s; s.run(['git', 'commit', '-qam', 'x'], check=True)\"",
        ),
    },
    Way {
        title: "an alias of git's: `git ci`",
        real: "",
        play: Play::Refused("git config alias.ci 'commit -q'; git ci -am x"),
    },
    Way {
        title: "`git commit --no-verify` in a script",
        real: "ways.a_commit_without_hooks_of_git_is_refused_or_found",
        play: Play::Refused("git commit -q --no-verify -am x"),
    },
    Way {
        title: "plumbing: `git commit-tree` and `git update-ref`",
        real: "ways.a_commit_by_plumbing_is_refused_by_git",
        play: Play::Refused(
            "git add -A; git update-ref refs/heads/main $(git commit-tree -p HEAD -m x $(git write-tree))",
        ),
    },
    Way {
        title: "another branch, left at once",
        real: "",
        play: Play::Refused("git checkout -q -B side; git commit -qam x; git checkout -q main"),
    },
    Way {
        title: "`git fast-import`",
        real: "",
        play: Play::Found(
            "",
            "printf 'blob\\nmark :1\\ndata 2\\n9\\ncommit refs/heads/imported\\ncommitter A <a@x> 1700000000 +0000\\ndata 1\\nx\\nfrom refs/heads/main\\nM 644 :1 src/lib.txt\\n' | git fast-import --quiet; git checkout -q imported",
        ),
    },
    Way {
        title: "an amended commit",
        real: "",
        play: Play::Refused("git commit -qa --amend --no-edit"),
    },
    Way {
        title: "a push into this repository from a clone of it",
        real: "",
        play: Play::Refused(
            "rm -rf ~/c; git clone -q . ~/c; cp src/lib.txt ~/c/src/; git -C ~/c -c core.hooksPath=/dev/null commit -qam x; git -C ~/c push -q origin HEAD:late",
        ),
    },
    Way {
        title: "git without hooks, in a script: `git -c core.hooksPath=/dev/null commit`",
        real: "ways.a_commit_past_git_s_hook_is_found_at_the_stop",
        play: Play::Found(
            "",
            "echo 2 > src/lib.txt; git -c core.hooksPath=/dev/null commit -qam x",
        ),
    },
    Way {
        title: "`git config core.hooksPath` elsewhere, in a script, and a commit",
        real: "",
        play: Play::Own(hooks_path),
    },
    Way {
        title: "a merge with a change of its own",
        real: "ways.a_merge_with_a_change_of_its_own_is_found",
        play: Play::Found(
            TOPIC,
            "git merge -q --no-ff --no-commit topic; echo e > src/evil.txt; git add -A; git commit -qm m",
        ),
    },
    Way {
        title: "a cherry-pick",
        real: "ways.a_cherry_pick_is_found",
        play: Play::Found(
            TOPIC,
            "git -c core.hooksPath=/dev/null commit -q --allow-empty -m ahead; git cherry-pick topic",
        ),
    },
    Way {
        title: "a revert",
        real: "",
        play: Play::Found("echo 2 > src/lib.txt; git commit -qam two", "git revert --no-edit HEAD"),
    },
    Way {
        title: "`git am` of a patch",
        real: "",
        play: Play::Found(
            "echo 2 > src/lib.txt; git commit -qam x; git format-patch -q -1 -o ~/patches; git reset -q --hard HEAD~1",
            "git am -q ~/patches/*.patch",
        ),
    },
    Way {
        title: "a rebase that changes a commit",
        real: "",
        play: Play::Found(
            "echo 2 > src/lib.txt; git commit -qam two",
            "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1; echo 3 > src/lib.txt; \
             git commit -qa --amend --no-edit; GIT_EDITOR=true git rebase --continue",
        ),
    },
    Way {
        title: "a ref that only looks fetched: `git update-ref refs/remotes/…` and a reset to it",
        real: "",
        play: Play::Found(
            "",
            "echo 2 > src/lib.txt; git add -A; c=$(git commit-tree $(git write-tree) -p HEAD -m x); \
             git update-ref refs/remotes/origin/main $c; git reset -q --hard origin/main",
        ),
    },
    Way {
        title: "an unproven commit that is pushed at once, and fetched again",
        real: "",
        play: Play::Found(
            "git clone -q --bare . ~/origin.git; git remote add origin ~/origin.git; git fetch -q",
            "echo 2 > src/lib.txt; git -c core.hooksPath=/dev/null commit -qam own; git push -q origin main; git fetch -q",
        ),
    },
    Way {
        title: "committing staged content while other content was tested",
        real: "ways.staged_content_that_was_not_tested_is_named",
        play: Play::Own(staged),
    },
    Way {
        title: "a commit that no branch leads to: a detached HEAD and a tag",
        real: "",
        play: Play::Own(detached),
    },
    Way {
        title: "the same, with a branch put there in a later turn",
        real: "",
        play: Play::Own(kept_by_a_tag),
    },
    Way {
        title: "committing in a clone elsewhere, and pushing from there",
        real: "",
        play: Play::Own(elsewhere),
    },
];

fn plain() -> Outcome {
    let env = edited();
    for line in [
        "git commit -qam x",
        "git -C . commit -qam x",
        "cd . && git commit -qam x",
        "git add . ; git commit -qm x",
        "GIT_AUTHOR_NAME=Me git commit -qam x",
        "sh -c 'git commit -qam x'",
        "git -c core.hooksPath=/dev/null commit -qam x",
        "git commit --no-verify -qam x",
        "true && (git commit -qam x)",
    ] {
        must(env.before_bash(line, "c").denied().is_some(), format!("not denied: {line}"))?;
    }
    Ok(crate::play::DENIED)
}

fn by_a_subagent() -> Outcome {
    let env = edited();
    let mut fields = call("Bash", &json!({"command": "git commit -qam x"}));
    fields["agent_id"] = json!("a1");
    must(env.hook("PreToolUse", &fields).denied().is_some(), "not denied")?;
    Ok(crate::play::DENIED)
}

fn hooks_path() -> Outcome {
    let env = edited();
    by_script_whole(&env, "git config core.hooksPath /dev/null; git commit -qam x")?;
    must(is_held(&env), "the stop is not held")?;
    let told = crate::play::told(&env, &["doctor"]);
    must(told.contains("told to look for hooks elsewhere"), told)?;
    Ok(Came::Stopped(
        "found at the stop, which is held; `doctor` tells that git looks elsewhere for hooks",
    ))
}

fn staged() -> Outcome {
    let env = begun();
    env.edit("src/lib.txt", "staged\n");
    env.git(&["add", "-A"]);
    env.edit("src/lib.txt", "tested\n");
    env.bash("./check.sh", "run");
    let before = env.git(&["rev-parse", "HEAD"]);
    env.bash("git commit -qm x", "commit");
    must(env.git(&["rev-parse", "HEAD"]) == before, "git did not refuse it")?;
    env.git_unasked(&["commit", "-q", "-m", "x"]);
    let held = env.stop().held().unwrap_or_default();
    must(held.contains("src/lib.txt"), format!("not named: {held}"))?;
    Ok(Came::Stopped("refused by git; without git's hook the file is named, and the stop is held"))
}

fn detached() -> Outcome {
    let env = begun();
    by_script_whole(
        &env,
        "git checkout -q --detach; echo 2 > src/lib.txt; git commit -qam x; git tag v1; git checkout -q main",
    )?;
    must(!is_held(&env), "it is held already")?;
    by_script_whole(&env, "git branch late v1")?;
    must(is_held(&env), "a branch that leads to it is not held for")?;
    Ok(Came::Stopped("nobody is held while no branch leads to it; once one does, the stop is held"))
}

fn kept_by_a_tag() -> Outcome {
    let env = begun();
    by_script_whole(
        &env,
        "git checkout -q --detach; echo 2 > src/lib.txt; git commit -qam x; git tag v1; git checkout -q main",
    )?;
    must(!is_held(&env), "it is held already")?;
    prompt(&env);
    by_script_whole(&env, "git branch late v1")?;
    must(is_held(&env), "it is not held")?;
    Ok(Came::Stopped(
        "a tag that came to be in the conversation makes nothing old: the stop is held",
    ))
}

fn elsewhere() -> Outcome {
    let env = set_up();
    aside(
        &env,
        "git clone -q --bare . ~/origin.git; git remote add origin ~/origin.git; git fetch -q",
    )?;
    env.begin();
    by_script(
        &env,
        "git clone -q ~/origin.git ~/copy; cd ~/copy; echo 2 > src/lib.txt; git commit -qam x; git push -q origin main",
    )?;
    must(
        env.git(&["ls-remote", "origin", "main"]) != env.git(&["rev-parse", "main"]),
        "not pushed",
    )?;
    must(!is_held(&env), "it is held after all")?;
    Ok(Came::Missed(
        "another repository is nobody's business, and a program of your own can always work in one; `waypost ci` asks where the work arrives",
    ))
}
