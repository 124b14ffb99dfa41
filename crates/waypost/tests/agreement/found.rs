//! Disagreements that were found once.

use serde_json::{Value, json};
use waypost_testkit::everything;
use waypost_testkit::mcp::{Client, NEWER};

use crate::answers::Answers;
use crate::{CONVERSATION, env};

#[test]
fn a_gate_that_is_written_down_holds_at_once_and_everywhere() {
    let env = env();
    env.init_with("[project]\n");
    env.start("Add login");
    let gate = "[project]\n\n[[gate]]\nid = \"notes\"\nbefore = [\"end\"]\nproof = { file = \"NOTES.md\" }\n\n\
                [[gate]]\nid = \"counted\"\nbefore = [\"end\"]\naccept = \"claimed\"\n\
                proof = { fields = { tests = \"integer\" } }\n";
    env.write("waypost.toml", gate);
    assert!(env.ok(&["gate", "list"]).contains("notes"));
    for args in [&["gate", "check"][..], &["gate", "check", "--all"], &["gate", "check", "notes"]] {
        assert_eq!(env.waypost(args).status.code(), Some(1), "{args:?}");
    }
    let status = env.json(&["status", "--json"]);
    assert_eq!(status["gates"][0]["gate"], "notes", "{status}");
    let ended = env.waypost(&["end"]);
    assert_eq!(ended.status.code(), Some(1), "{}", everything(&ended));
    assert!(everything(&ended).contains("NOTES.md"));
    env.ok(&["evidence", "record", "counted", "tests=12"]);
    env.write("NOTES.md", "done\n");
    env.ok(&["gate", "check", "--all"]);
    env.ok(&["end"]);
}

#[test]
fn nobody_is_told_to_begin_what_has_begun() {
    let mut env = env();
    env.init_with("[project]\nprotocol = \"builtin\"\n");
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), CONVERSATION.into()));
    let mut client = Client::start(&env, NEWER, &[]);
    client.works("session_start", json!({"objective": "Add login"}));
    for phase in ["SERENA_READY", "SKILLS_VALIDATED", "CONTEXT_LOADED", "READY", "WORKING"] {
        let answers = Answers::of(&env, &mut client);
        answers.agree(phase);
        assert!(!answers.next.contains("session_start"), "{}", answers.next);
        // People are told the same of the agent's protocol, in their words.
        env.vars.clear();
        let told = env.json(&["status", "--json"])["next"].clone();
        assert!(!told.as_str().unwrap().contains("begins the session"), "{told}");
        env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), CONVERSATION.into()));
        assert!(answers.next.contains(&format!("advance_phase: {phase}")), "{}", answers.next);
        let advanced = client.works("advance_phase", json!({}));
        assert_eq!(advanced["current_phase"], *phase, "{advanced}");
    }
    let answers = Answers::of(&env, &mut client);
    assert!(answers.next.starts_with("go on with the objective"), "{}", answers.next);
}

#[test]
fn the_first_prompt_is_that_of_the_conversation_that_came_first() {
    let env = env();
    env.init_with("[project]\n");
    // All of them join the same session, which nobody has named.
    env.hook("SessionStart", &json!({"session_id": "zz", "source": "startup"}));
    let list = env.json(&["list", "--json"]);
    let shared = list[0]["session_id"].as_str().unwrap().to_owned();
    let briefs: Vec<Value> = (0..3)
        .map(|round| {
            for name in ["zz", "aa", "mm"] {
                let about = json!({"session_id": name, "source": "startup"});
                env.hook("SessionStart", &about);
                if round == 0 && name != "zz" {
                    env.ok(&["resume", &shared]);
                }
                let prompt = format!("prompt of {name}");
                env.hook("UserPromptSubmit", &json!({"session_id": name, "prompt": prompt}));
            }
            let brief = env.json(&["brief", "--json"]);
            assert_eq!(brief["first_prompt"], "prompt of zz", "{round}: {brief}");
            brief
        })
        .collect();
    assert_eq!(briefs.len(), 3);
}
