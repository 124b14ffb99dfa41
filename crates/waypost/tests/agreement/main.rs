//! Whoever is asked, the answer is the same: which gates are open, and what to do next. Taking that
//! step, as it is given, brings the session forward.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod answers;
mod found;
mod steps;

use std::collections::BTreeSet;

use serde_json::json;
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

use answers::Answers;

/// The conversation that asks everywhere.
const CONVERSATION: &str = "s1";

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A number that looks random and is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn choose<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.roll(among.len())]
    }
}

/// Gates of every kind that an agent can satisfy in one step or with a human's word.
fn policy(dice: &mut Dice) -> String {
    let mut text = "[project]\n".to_owned();
    if dice.roll(3) == 0 {
        text.push_str("protocol = \"builtin\"\n");
    }
    text.push_str(&format!("workflow = \"{}\"\n", dice.choose(&["none", "none", "quick"])));
    for number in 0..dice.roll(4) {
        let level = dice.choose(&["must", "must", "should", "may"]);
        let before = dice.choose(&["stop", "commit", "edit", "end", "stop\", \"commit"]);
        let scope = dice.choose(&["session", "session", "branch"]);
        let proof = dice.choose(&[
            "{ ran = \"./check.sh*\", fresh = \"tree\" }",
            "{ ran = \"./check.sh*\" }",
            "{ file = \"NOTES.md\" }",
            "{ read = \"AGENTS.md\" }",
            "{ fields = { tests = \"integer\" } }",
            "{ all = [{ file = \"NOTES.md\" }, { ran = \"./check.sh*\" }] }",
        ]);
        let claimed = if proof.contains("fields") { "accept = \"claimed\"\n" } else { "" };
        text.push_str(&format!(
            "\n[[gate]]\nid = \"gate-{number}\"\nlevel = \"{level}\"\nscope = \"{scope}\"\n\
             before = [\"{before}\"]\n{claimed}proof = {proof}\n"
        ));
    }
    text
}

fn change(env: &TestEnv, dice: &mut Dice, round: usize) {
    match dice.roll(4) {
        0 => env.edit("src/lib.txt", &format!("round {round}\n")),
        1 => drop(env.waypost(&["run", "--", "./check.sh"])),
        2 => env.write("NOTES.md", &format!("round {round}\n")),
        _ => drop(env.waypost(&["note", "add", &format!("round {round}")])),
    }
}

#[test]
fn all_surfaces_agree_and_the_next_step_leads_on() {
    let mut taken = 0;
    for seed in 1..=36 {
        let mut dice = Dice(seed);
        let mut env = env();
        env.write("AGENTS.md", "be careful\n");
        env.init_with(&policy(&mut dice));
        let hooked = dice.roll(3) > 0;
        if hooked {
            env.begin();
        }
        env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), CONVERSATION.into()));
        let mut client = Client::start(&env, NEWER, &[]);
        client.works("session_start", json!({"objective": format!("Seed {seed}")}));
        let mut done = BTreeSet::new();
        for round in 0..8 {
            let answers = Answers::of(&env, &mut client);
            let about = format!("seed {seed}, round {round}:\n{}", env.read("waypost.toml"));
            answers.agree(&about);
            if round % 3 == 2 {
                change(&env, &mut dice, round);
                continue;
            }
            let step = answers.next.clone();
            match steps::take(&env, &mut client, &step) {
                steps::Taken::Done => taken += 1,
                steps::Taken::ForHumans | steps::Taken::Work => break,
            }
            let after = Answers::of(&env, &mut client);
            after.agree(&about);
            assert!(
                after != answers || done.insert(step.clone()),
                "{about}\nnothing moved after: {step}\n{after:#?}"
            );
            assert_ne!(after.next, step, "{about}\nthe same step again: {step}\n{after:#?}");
        }
    }
    assert!(taken > 20, "only {taken} steps were taken");
}
