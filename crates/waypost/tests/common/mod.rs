//! What tests of the real binary share: an environment, and output without what differs from run
//! to run.

use waypost_testkit::TestEnv;

/// A home and a project for the binary under test.
pub(crate) fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// Takes out of a text what differs from run to run.
pub(crate) fn stable(env: &TestEnv, text: &str) -> String {
    let project = env.project().display().to_string();
    let home = env.home().display().to_string();
    let text = text.replace(&project, "PROJECT").replace(&home, "HOME");
    text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))
        .map(stable_word)
        .collect()
}

fn stable_word(word: &str) -> String {
    let core = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
    let rest = &word[core.len()..];
    let hex = |text: &str| text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
    let stable = match core {
        id if id.starts_with("2026-11-1") && id.len() > 18 => {
            format!("{}XXXXXX", &id[..id.len() - 6])
        }
        id if id.starts_with("r-") && id.len() == 10 && hex(&id[2..]) => "r-XXXXXXXX".to_owned(),
        id if id.len() >= 12 && hex(id) => "HEX".to_owned(),
        other => other.to_owned(),
    };
    format!("{stable}{rest}")
}
