//! The first `waypost.toml` of a project.

use super::Preset;

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
pub(super) fn config(preset: Preset, test_command: Option<&str>) -> String {
    let level = match preset {
        Preset::Strict => "must",
        Preset::Relaxed => "should",
        Preset::Minimal => return HEAD.to_owned(),
    };
    if let Some(command) = test_command {
        return format!("{HEAD}{BEFORE_GATE}{}", gate(level, command));
    }
    let lines = gate(level, "YOUR-TEST-COMMAND");
    let commented = lines.trim_end().replace('\n', "\n# ");
    format!("{HEAD}{FILL_IN}# {commented}\n")
}

fn gate(level: &str, command: &str) -> String {
    let pattern = quoted(&format!("{command}*"));
    format!(
        "[[gate]]\n\
         id = \"tests-pass\"\n\
         level = \"{level}\"\n\
         before = [\"stop\", \"commit\"]\n\
         scope = \"session\"\n\
         proof = {{ ran = {pattern}, fresh = \"tree\" }}\n\
         message = \"Run the tests after your last change.\"\n"
    )
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

    #[test]
    fn strict_holds_and_relaxed_warns() {
        for (preset, level) in [(Preset::Strict, "must"), (Preset::Relaxed, "should")] {
            let config = parsed(&config(preset, Some("cargo test")));
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
        let config = parsed(&config(Preset::Minimal, Some("cargo test")));
        assert_eq!(config.len(), 1);
        assert!(config["project"].as_table().unwrap().is_empty());
    }

    #[test]
    fn any_command_survives_the_quoting() {
        for command in ["a \"b\" 'c' \\d", "tab\there", "bell\u{7}\u{7f}\u{85}", "ü # ]]", "'''"] {
            let config = parsed(&config(Preset::Strict, Some(command)));
            assert_eq!(config["gate"][0]["proof"]["ran"].as_str(), Some(&*format!("{command}*")));
        }
    }

    #[test]
    fn a_gate_without_a_command_is_there_to_be_filled_in() {
        let text = config(Preset::Strict, None);
        assert!(!parsed(&text).contains_key("gate"));
        let start = text.find("# [[gate]]").unwrap();
        let filled = text[start..].trim_start_matches("# ").replace("\n# ", "\n");
        assert_eq!(parsed(&filled)["gate"][0]["level"].as_str(), Some("must"));
    }
}
