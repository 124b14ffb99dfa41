//! The first `waypost.toml` of a project.

use std::fmt::Write as _;

use super::Preset;
use super::gates::TestGate;

const HEAD: &str = "\
# What Waypost asks of agents in this project. `waypost gate list` shows what is in force.
[project]
";

const BEFORE_GATE: &str = "
# The tests have to have passed on the work tree as it is: another edit makes an earlier run stale.
# level: \"must\" holds the agent, \"should\" warns it, \"may\" only notes.
";

const FILL_IN: &str = "
# No test command was found. To ask for one, take the `# ` off the lines below and put yours in the
# place of YOUR-TEST-COMMAND (the * at its end allows for further arguments).
";

/// The text of a new `waypost.toml`.
pub(super) fn config(preset: Preset, gates: &[TestGate]) -> String {
    if preset == Preset::Minimal {
        return HEAD.to_owned();
    }
    if gates.is_empty() {
        let example = TestGate::new("tests-pass".to_owned(), preset, "YOUR-TEST-COMMAND");
        return format!("{HEAD}{FILL_IN}{}", commented(&text(&example)));
    }
    let mut all = format!("{HEAD}{BEFORE_GATE}");
    for (index, gate) in gates.iter().enumerate() {
        if index > 0 {
            all.push('\n');
        }
        if let Some(remark) = &gate.remark {
            all.push_str(&commented(&format!("{remark}\n")));
        }
        all.push_str(&if gate.in_force { text(gate) } else { commented(&text(gate)) });
    }
    all
}

fn commented(lines: &str) -> String {
    format!("# {}\n", lines.trim_end().replace('\n', "\n# "))
}

fn text(gate: &TestGate) -> String {
    let level = if gate.must { "must" } else { "should" };
    let before = if gate.at_stop { "\"stop\", \"commit\"" } else { "\"commit\", \"push\"" };
    let pattern = quoted(&format!("{}*", gate.command));
    let baseline = if gate.baseline { ", baseline = \"no new failures\"" } else { "" };
    let mut lines = format!(
        "[[gate]]\n\
         id = {}\n\
         level = \"{level}\"\n\
         before = [{before}]\n\
         scope = \"session\"\n\
         proof = {{ ran = {pattern}, fresh = \"tree\"{baseline} }}\n",
        quoted(&gate.id)
    );
    let mut message = "Run the tests after your last change.".to_owned();
    if let Some(folder) = &gate.folder {
        let (paths, name) = (quoted(&format!("{folder}/**")), quoted(folder));
        let _ = write!(lines, "folder = {name}\nwhen = {{ paths = {paths} }}\n");
        message = format!("Run the tests of {folder} after your last change there.");
    }
    let _ = writeln!(lines, "message = {}", quoted(&message));
    lines
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => result.extend(['\\', c]),
            c if c.is_control() => result.extend(format!("\\u{:04X}", u32::from(c)).chars()),
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> toml::Table {
        text.parse().unwrap()
    }

    fn gate(preset: Preset, command: &str) -> TestGate {
        TestGate::new("tests-pass".to_owned(), preset, command)
    }

    #[test]
    fn strict_holds_and_relaxed_warns() {
        for (preset, level) in [(Preset::Strict, "must"), (Preset::Relaxed, "should")] {
            let config = parsed(&config(preset, &[gate(preset, "cargo test")]));
            let gate = &config["gate"][0];
            assert_eq!(gate["level"].as_str(), Some(level));
            assert_eq!(gate["id"].as_str(), Some("tests-pass"));
            assert_eq!(gate["before"], toml::Value::from(vec!["stop", "commit"]));
            assert_eq!(gate["scope"].as_str(), Some("session"));
            assert_eq!(gate["proof"]["ran"].as_str(), Some("cargo test*"));
            assert_eq!(gate["proof"]["fresh"].as_str(), Some("tree"));
            assert_eq!(gate["message"].as_str(), Some("Run the tests after your last change."));
        }
    }

    #[test]
    fn minimal_is_a_bare_project() {
        let config = parsed(&config(Preset::Minimal, &[gate(Preset::Strict, "cargo test")]));
        assert_eq!(config.len(), 1);
        assert!(config["project"].as_table().unwrap().is_empty());
    }

    #[test]
    fn any_command_survives_the_quoting() {
        for command in ["a \"b\" 'c' \\d", "tab\there", "bell\u{7}\u{7f}\u{85}", "ü # ]]", "'''"] {
            let config = parsed(&config(Preset::Strict, &[gate(Preset::Strict, command)]));
            assert_eq!(config["gate"][0]["proof"]["ran"].as_str(), Some(&*format!("{command}*")));
        }
    }

    #[test]
    fn a_gate_without_a_command_is_there_to_be_filled_in() {
        let idle = TestGate { in_force: false, ..gate(Preset::Strict, "pytest") };
        for text in [config(Preset::Strict, &[]), config(Preset::Strict, &[idle])] {
            assert!(!parsed(&text).contains_key("gate"));
            let start = text.find("# [[gate]]").unwrap();
            let filled = text[start..].trim_start_matches("# ").replace("\n# ", "\n");
            assert_eq!(parsed(&filled)["gate"][0]["level"].as_str(), Some("must"));
        }
    }

    #[test]
    fn packages_and_first_runs_are_written_down() {
        let api = TestGate {
            folder: Some("apps/api".to_owned()),
            at_stop: false,
            baseline: true,
            remark: Some("Two things\nto know.".to_owned()),
            ..gate(Preset::Strict, "npm test")
        };
        let text = config(Preset::Strict, &[gate(Preset::Strict, "cargo test"), api]);
        assert!(text.contains("\n\n# Two things\n# to know.\n[[gate]]\n"), "{text}");
        let config = parsed(&text);
        let gate = &config["gate"][1];
        assert_eq!(gate["folder"].as_str(), Some("apps/api"));
        assert_eq!(gate["when"]["paths"].as_str(), Some("apps/api/**"));
        assert_eq!(gate["before"], toml::Value::from(vec!["commit", "push"]));
        assert_eq!(gate["proof"]["baseline"].as_str(), Some("no new failures"));
    }
}
