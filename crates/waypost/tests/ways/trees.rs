//! Several work trees of one repository.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv};

use crate::play::{
    Came, DENIED, Outcome, Play, Way, begun, by_script_whole, must, second_tree, set_up,
};

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "editing in a second work tree, and stopping in the first",
        real: "ways.an_edit_in_a_second_work_tree_is_asked_for_there",
        play: Play::Own(edit_there),
    },
    Way {
        title: "a run in the work tree that did not change",
        real: "",
        play: Play::Own(run_here),
    },
    Way {
        title: "a script that edits in a second work tree",
        real: "",
        play: Play::Own(script_there),
    },
    Way {
        title: "`git -C ../second commit`, `cd ../second && git commit`, `--git-dir … --work-tree …`",
        real: "ways.a_commit_in_a_second_work_tree_is_judged_there",
        play: Play::Own(commit_there),
    },
    Way {
        title: "a script that commits in a second work tree",
        real: "",
        play: Play::Own(script_commits_there),
    },
    Way {
        title: "a subagent in a work tree of its own",
        real: "ways.a_subagent_in_its_own_work_tree_is_held_there",
        play: Play::Own(subagent_there),
    },
    Way { title: "a work tree inside of the work tree", real: "", play: Play::Own(inside) },
    Way {
        title: "a new repository in the place of this one: `git init && git commit`",
        real: "",
        play: Play::Lines(&[
            "git init -q; git commit -qam x",
            "cd . && git init -q . && git commit -qam x",
        ]),
    },
];

fn write_in(env: &TestEnv, tree: &Path, extra: &Value) -> HookAnswer {
    let file = tree.join("src/lib.txt");
    let mut fields = json!({"cwd": tree, "tool_name": "Write", "tool_use_id": "w",
        "tool_input": {"file_path": file, "content": "there\n"}, "tool_response": {}});
    fields.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    env.hook("PreToolUse", &fields);
    fs::write(file, "there\n").unwrap();
    env.hook("PostToolUse", &fields)
}

fn edit_there() -> Outcome {
    let env = begun();
    let second = second_tree(&env);
    write_in(&env, &second, &json!({}));
    let held = env.stop().held().unwrap_or_default();
    must(held.contains(&format!("cd {} && waypost run", second.display())), held)?;
    env.bash("cd ../second && ./check.sh", "there");
    must(env.stop().held().is_none(), "a run there does not release")?;
    Ok(Came::Stopped("the stop is held, and the message says where to run"))
}

fn run_here() -> Outcome {
    let env = begun();
    let second = second_tree(&env);
    write_in(&env, &second, &json!({}));
    env.bash("./check.sh", "here");
    must(env.stop().held().is_some(), "it counts")?;
    Ok(Came::Stopped("it counts where the content is the same; the stop is held"))
}

fn script_there() -> Outcome {
    let env = begun();
    second_tree(&env);
    by_script_whole(&env, "cd ../second; echo x > src/lib.txt")?;
    must(env.stop().held().is_none(), "it is held after all")?;
    let commit = env.before_bash("git -C ../second commit -qam x", "commit");
    must(commit.denied().is_some(), "a commit of it is not denied")?;
    Ok(Came::Stopped(
        "the stop does not look where no line went; a commit of it is denied, refused by git or found",
    ))
}

fn commit_there() -> Outcome {
    let env = begun();
    let second = second_tree(&env);
    env.bash("./check.sh", "here");
    fs::write(second.join("src/lib.txt"), "there\n").unwrap();
    for line in [
        "git -C ../second commit -qam x",
        "cd ../second && git commit -qam x",
        "(cd ../second; git add -A; git commit -qm x)",
        "git --git-dir=.git/worktrees/second --work-tree=../second commit -qam x",
    ] {
        must(env.before_bash(line, "c").denied().is_some(), format!("not denied: {line}"))?;
    }
    Ok(DENIED)
}

fn script_commits_there() -> Outcome {
    let env = begun();
    let second = second_tree(&env);
    let tip = || env.git(&["rev-parse", "second"]);
    let before = tip();
    let script = "cd ../second; echo x > src/lib.txt; git commit -qam x";
    crate::play::by_script(&env, script)?;
    must(tip() == before, "git did not refuse it")?;
    by_script_whole(&env, &script.replace("git commit", "git -c core.hooksPath=/dev/null commit"))?;
    let held = env.stop().held().unwrap_or_default();
    must(held.contains(&second.display().to_string()), format!("not held there: {held}"))?;
    Ok(Came::Stopped("refused by git; past its hook it is found, and the stop is held"))
}

fn subagent_there() -> Outcome {
    let env = begun();
    let second = second_tree(&env);
    let by = json!({"agent_id": "a1", "agent_type": "general"});
    let event = |name: &str| {
        env.hook(
            name,
            &json!({"cwd": second, "agent_id": "a1", "agent_type": "general",
            "stop_hook_active": false}),
        )
    };
    event("SubagentStart");
    write_in(&env, &second, &by);
    must(event("SubagentStop").held().is_some(), "its end is not held")?;
    must(env.stop().held().is_some(), "whom it works for is not held")?;
    Ok(Came::Stopped("its own end is held, and the stop of whom it works for"))
}

fn inside() -> Outcome {
    let env = set_up();
    env.git_unasked(&["worktree", "add", "-q", ".claude/worktrees/inner", "-b", "inner"]);
    env.begin();
    write_in(&env, &env.project().join(".claude/worktrees/inner"), &json!({}));
    env.bash("./check.sh", "here");
    must(env.stop().held().is_some(), "a run around it counts")?;
    Ok(Came::Stopped("a run around it says nothing of it; the stop is held"))
}
