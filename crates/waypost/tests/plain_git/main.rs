//! Ordinary git goes on as if Waypost were not there: random sequences of what people and agents do with it are played in
//! a repository with Waypost's hook and in one without, and both have to be the same after every step.
//!
//! `WAYPOST_SEED` asks for other sequences; the seed of one that differs is told.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod random;
mod state;
mod steps;
mod twins;

use random::Random;
use twins::{Hooks, Template};

const STEPS: usize = 6;
const NO_GATE: &str = "[project]\npublish = \"never\"\n";
const MET: &str = "[project]\npublish = \"never\"\n\n[[gate]]\nid = \"there\"\nbefore = [\"commit\"]\nproof = { file = \"waypost.toml\" }\n";
const UNMET: &str = "[project]\npublish = \"never\"\n\n[[gate]]\nid = \"checks\"\nbefore = [\"commit\"]\nproof = { ran = \"./check.sh*\" }\n";

fn seeds(own: u64, count: u64) -> impl Iterator<Item = u64> {
    let given = std::env::var("WAYPOST_SEED").ok().and_then(|seed| seed.parse().ok());
    let first: u64 = given.unwrap_or(1) + own * 1_000_000;
    first..first + count
}

/// Plays sequences in which nobody is held.
fn play(own: u64, count: u64, hooks: Hooks, config: &'static str, is_agent: bool) {
    let template = Template::new(hooks, config);
    for seed in seeds(own, count) {
        let (mut random, mut twins) = (Random::new(seed), template.twins(is_agent));
        let mut played = Vec::new();
        for number in 1..=STEPS {
            let step = steps::next(&mut random, twins.midway(), number);
            played.push(format!("{} | {}", step.line, step.commit.as_deref().unwrap_or_default()));
            let same = twins.play(&step);
            assert!(
                same.is_ok(),
                "seed {seed} after {played:#?}
{}",
                same.unwrap_err()
            );
        }
    }
}

#[test]
fn people_without_other_hooks_see_plain_git() {
    play(1, 40, Hooks::None, UNMET, false);
}

#[test]
fn people_with_a_formatting_pre_commit_see_plain_git() {
    play(2, 25, Hooks::Formatting, UNMET, false);
}

#[test]
fn people_with_hooks_in_an_ignored_folder_see_plain_git() {
    play(3, 25, Hooks::Husky, UNMET, false);
}

#[test]
fn people_with_a_hook_of_the_same_name_see_plain_git_and_it_is_told_the_same() {
    play(4, 20, Hooks::Listening, UNMET, false);
}

#[test]
fn agents_without_a_gate_before_commits_see_plain_git() {
    play(5, 25, Hooks::None, NO_GATE, true);
}

#[test]
fn agents_whose_gate_is_met_see_plain_git() {
    play(6, 25, Hooks::Formatting, MET, true);
}

/// Plays sequences of an agent that has proven nothing: its commits are refused where nothing else is under way, and
/// leave everything as it is; all else goes on.
fn play_unproven(own: u64, count: u64, hooks: Hooks) {
    let template = Template::new(hooks, UNMET);
    let mut refused = 0;
    for seed in seeds(own, count) {
        let (mut random, mut twins) = (Random::new(seed), template.twins(true));
        let mut played = Vec::new();
        for number in 1..=STEPS {
            let step = steps::next(&mut random, twins.midway(), number);
            played.push(format!("{} | {}", step.line, step.commit.as_deref().unwrap_or_default()));
            let same = twins.prepare(&step);
            assert!(
                same.is_ok(),
                "seed {seed} after {played:#?}
{}",
                same.unwrap_err()
            );
            let Some(commit) = &step.commit else { continue };
            let is_free = twins.midway().is_none() && twins.is_on_branch();
            let before = twins.ours();
            let output = twins.in_ours(commit);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            if told.contains("Waypost holds this commit") {
                refused += 1;
                assert!(
                    is_free && !output.status.success(),
                    "seed {seed} after {played:#?}\n{told}"
                );
                assert!(told.contains("Next:"), "{told}");
                if hooks == Hooks::None {
                    let (mut before, mut after) = (before, twins.ours());
                    for state in [&mut before, &mut after] {
                        // Git keeps the message for another attempt.
                        state.remove("project/.git/COMMIT_EDITMSG");
                    }
                    assert_eq!(
                        state::difference(&after, &before),
                        None,
                        "seed {seed}: {played:#?}"
                    );
                }
                assert!(!twins.refused_in_plain(commit).status.success());
                assert_eq!(twins.compare(commit), Ok(()), "seed {seed} after {played:#?}");
                continue;
            }
            let plain = twins.in_plain(commit);
            assert_eq!(plain.status, output.status, "seed {seed} after {played:#?}\n{told}");
            assert!(!is_free || !plain.status.success(), "seed {seed} was not held: {played:#?}");
            assert_eq!(twins.compare(commit), Ok(()), "seed {seed} after {played:#?}");
        }
    }
    assert!(refused > 0, "no commit was ever refused");
}

#[test]
fn agents_with_unproven_work_are_refused_commits_and_nothing_else() {
    play_unproven(7, 20, Hooks::None);
}

#[test]
fn agents_with_unproven_work_and_a_formatting_pre_commit_are_refused_commits_and_nothing_else() {
    play_unproven(8, 20, Hooks::Formatting);
}
