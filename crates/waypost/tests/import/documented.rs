//! Every command that the page on moving names, run as it stands there.

use waypost_testkit::{TestEnv, everything as said};

use crate::everything;

const PAGE: &str = include_str!("../../../../docs/moving.md");

/// The commands below each heading.
fn sections() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut sections = vec![("", Vec::new())];
    let mut in_shell = false;
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title, Vec::new()));
        }
        if line.starts_with("```") {
            in_shell = line == "```sh";
        } else if in_shell && !line.trim().is_empty() {
            sections.last_mut().unwrap().1.push(line);
        }
    }
    sections
}

#[test]
fn every_command_on_the_page_works_where_that_system_was_used() {
    let sections = sections();
    assert!(sections.len() > 5, "one for each system");
    for (title, commands) in sections {
        assert!(!commands.is_empty(), "{title}: no command");
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init();
        everything::lay_out(env.project());
        for line in commands {
            let mut shell = env.command("sh", env.project());
            let output = shell.args(["-ec", line]).output().unwrap();
            assert!(output.status.success(), "{title}: {line}: {}", said(&output));
        }
        env.ok(&["verify", "--all"]);
    }
}
