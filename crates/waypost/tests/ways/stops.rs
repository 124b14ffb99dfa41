//! Background and stops: ending a turn with what is owed.

use serde_json::{Value, json};

use crate::play::{
    Came, HELD, Outcome, Play, Way, begun, commit_denied, edited, events, must, prompt, told,
};

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "stopping again and again, until the cap",
        real: "stop.after_three_blocks_without_progress_the_turn_ends_with_a_violation",
        play: Play::Own(cap),
    },
    Way {
        title: "a background task that never ends, started before the edit",
        real: "",
        play: Play::Own(older_task),
    },
    Way {
        title: "a background task that never ends, started after the edit",
        real: "ways.a_background_task_that_never_ends_postpones_and_settles_nothing",
        play: Play::Own(newer_task),
    },
    Way {
        title: "a background agent that edits, while the stop is asked",
        real: "tools.what_a_background_subagent_does_is_seen_to_its_end",
        play: Play::Own(background_agent),
    },
    Way {
        title: "`/clear` before stopping",
        real: "ways.what_is_owed_stays_after_clearing",
        play: Play::Own(cleared),
    },
    Way { title: "a fork of the conversation", real: "", play: Play::Own(forked) },
    Way {
        title: "a question to the user in the place of the run",
        real: "stop.a_question_is_held_once_and_the_debt_stays",
        play: Play::Own(question),
    },
    Way {
        title: "news of a background task in the place of a prompt",
        real: "stop.news_of_a_background_task_does_not_settle_an_edit_through_the_shell",
        play: Play::Own(news),
    },
    Way {
        title: "edits by a subagent, and a stop of its parent",
        real: "stop.an_edit_by_a_subagent_is_held",
        play: Play::Own(by_a_subagent),
    },
    Way {
        title: "leaving without a stop: the client is closed or killed",
        real: "",
        play: Play::Own(left),
    },
];

fn with_tasks(tasks: &Value) -> Value {
    json!({"stop_hook_active": false, "background_tasks": tasks})
}

fn cap() -> Outcome {
    let env = edited();
    for _ in 0..3 {
        must(env.stop().held().is_some(), "not held")?;
    }
    must(env.stop().held().is_none(), "held for ever")?;
    must(!events(&env, "violation_recorded").is_empty(), "no violation")?;
    must(commit_denied(&env), "the commit is not denied")?;
    Ok(Came::Seen(
        "held three times, then recorded as a violation that `status` tells; the commit stays denied",
    ))
}

fn background(env: &waypost_testkit::TestEnv) {
    let mut fields =
        crate::play::call("Bash", &json!({"command": "sleep 1000", "run_in_background": true}));
    env.hook("PreToolUse", &fields);
    fields["tool_response"] =
        json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1"});
    env.hook("PostToolUse", &fields);
}

const RUNNING: &str = r#"[{"id": "b1", "type": "shell", "status": "running"}]"#;

fn running() -> Value {
    serde_json::from_str(RUNNING).unwrap()
}

fn older_task() -> Outcome {
    let env = begun();
    background(&env);
    env.edit("src/lib.txt", "later\n");
    must(env.hook("Stop", &with_tasks(&running())).held().is_some(), "not held")?;
    Ok(Came::Stopped("it postpones nothing: the stop is held"))
}

fn newer_task() -> Outcome {
    let env = edited();
    background(&env);
    must(env.hook("Stop", &with_tasks(&running())).held().is_none(), "held")?;
    must(commit_denied(&env), "the commit is not denied")?;
    prompt(&env);
    must(env.stop().held().is_some(), "the next stop is not held")?;
    Ok(Came::Stopped(
        "this stop is allowed and noted; what is owed stays for the commit and the next stop",
    ))
}

fn background_agent() -> Outcome {
    let env = begun();
    let by = json!({"agent_id": "bg", "agent_type": "general"});
    env.hook("SubagentStart", &by);
    let mut fields =
        crate::play::call("Write", &json!({"file_path": env.project().join("src/lib.txt")}));
    fields["agent_id"] = json!("bg");
    env.hook("PreToolUse", &fields);
    env.write("src/lib.txt", "by the agent\n");
    env.hook("PostToolUse", &fields);
    let agent = json!([{"id": "bg", "type": "subagent", "status": "running"}]);
    must(env.hook("Stop", &with_tasks(&agent)).held().is_none(), "held while it works")?;
    must(env.hook("SubagentStop", &by).held().is_some(), "its own end is not held")?;
    must(env.hook("Stop", &with_tasks(&json!([]))).held().is_some(), "the next stop is not held")?;
    Ok(Came::Stopped("asked at its own end, and at the next stop"))
}

fn goes_on(source: &str) -> Outcome {
    let env = edited();
    env.hook("SessionEnd", &json!({"reason": "clear"}));
    env.hook("SessionStart", &json!({"session_id": "after", "source": source}));
    env.hook("UserPromptSubmit", &json!({"session_id": "after", "prompt": "hello"}));
    let mut fields = with_tasks(&json!([]));
    fields["session_id"] = json!("after");
    must(env.hook("Stop", &fields).held().is_some(), "not held")?;
    Ok(Came::Stopped("what is owed stays with the work tree: the stop is held"))
}

fn cleared() -> Outcome {
    goes_on("clear")
}

fn forked() -> Outcome {
    goes_on("fork")
}

fn question() -> Outcome {
    let env = edited();
    let asks = json!({"stop_hook_active": false, "background_tasks": [],
        "last_assistant_message": "Shall I write three instead?"});
    must(env.hook("Stop", &asks).held().is_some(), "not held")?;
    let again = json!({"stop_hook_active": true, "background_tasks": [],
        "last_assistant_message": "I need to know: shall I write three instead?"});
    must(env.hook("Stop", &again).held().is_none(), "a question is held for ever")?;
    must(commit_denied(&env), "the commit is not denied")?;
    prompt(&env);
    must(env.stop().held().is_some(), "the next stop is not held")?;
    Ok(Came::Stopped(
        "held once; then it may be asked, and what is owed stays for the commit and the next stop",
    ))
}

fn news() -> Outcome {
    let env = begun();
    env.bash("touch new.txt", "t");
    let news = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>";
    env.hook("UserPromptSubmit", &json!({"prompt": news}));
    must(env.stop().held().is_some(), "not held")?;
    Ok(HELD)
}

fn by_a_subagent() -> Outcome {
    let env = begun();
    let mut fields =
        crate::play::call("Write", &json!({"file_path": env.project().join("src/lib.txt")}));
    fields["agent_id"] = json!("a1");
    env.hook("PreToolUse", &fields);
    env.write("src/lib.txt", "by the agent\n");
    env.hook("PostToolUse", &fields);
    must(env.stop().held().is_some(), "not held")?;
    Ok(HELD)
}

fn left() -> Outcome {
    let env = edited();
    env.hook("SessionEnd", &json!({"reason": "other"}));
    env.hook("SessionStart", &json!({"session_id": "later", "source": "startup"}));
    env.hook("UserPromptSubmit", &json!({"session_id": "later", "prompt": "commit it"}));
    let mut fields = crate::play::call("Bash", &json!({"command": "git commit -am x"}));
    fields["session_id"] = json!("later");
    must(env.hook("PreToolUse", &fields).denied().is_some(), "the commit is not denied")?;
    let told = told(&env, &["status"]);
    must(told.contains("checks-pass"), told)?;
    Ok(Came::Stopped(
        "nobody can hold a client that is gone; the next commit of any conversation is denied",
    ))
}
