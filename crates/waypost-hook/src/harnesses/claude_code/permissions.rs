//! The user's permissions, as Claude Code reads them: rules in settings files and on its command line.
//!
//! A rule that may concern a command is taken to concern it: this only decides whether Waypost leaves a
//! command line as it is.

use std::path::Path;

use serde_json::Value;
use waypost_app::documents::document::Document;
use waypost_app::harness::{Asked, Given, Input, Permit, Rewriting};
use waypost_core::glob;

/// The tool whose rules are about command lines.
const TOOL: &str = "Bash";
/// The mode in which the client asks nobody.
const BYPASS: &str = "bypassPermissions";
/// Commands that the client runs without asking, whatever their arguments are.
const UNASKED: &[&str] = &["cat", "cd", "grep", "head", "ls", "pwd", "tail", "wc"];
/// Commands that it asks about, whatever rules say.
const ASKED: &[&str] = &[".", "eval", "exec", "source"];

#[derive(Debug)]
pub(super) struct Permissions;

impl Rewriting for Permissions {
    fn settings(&self, arguments: &[String]) -> Option<Vec<Given>> {
        let named = values(arguments, &["--settings"]);
        let is_text = |value: &str| value.trim_start().starts_with('{');
        let given = |value: &str| {
            let kind = if is_text(value) { Given::Text } else { Given::File };
            kind(value.to_owned())
        };
        Some(named.into_iter().map(given).collect())
    }

    fn permits(&self, asked: &Asked<'_>) -> Permit {
        let Some(mut rules) = Rules::of(asked.settings) else { return Permit::Nothing };
        rules.add_arguments(asked.arguments);
        if rules.against.iter().any(|rule| concerns(rule, asked.concerned)) {
            return Permit::Nothing;
        }
        // Which files count is not known where somebody chose among them.
        let is_chosen = !values(asked.arguments, &["--setting-sources"]).is_empty();
        match asked.mode {
            Some(BYPASS) => Permit::Anything,
            _ if is_chosen || !rules.allowed.contains(&self.rule(asked.instead)) => Permit::Nothing,
            _ if asked.others.iter().all(|other| rules.lets(other)) => Permit::Exactly,
            _ => Permit::Nothing,
        }
    }

    fn rule(&self, command: &str) -> String {
        format!("{TOOL}({command})")
    }

    fn arguments(&self, input: &Input<'_>, command: &str) -> Option<Value> {
        let mut given: Value = serde_json::from_str(input.arguments?.get()).ok()?;
        given.as_object_mut()?.insert("command".to_owned(), command.into());
        Some(given)
    }
}

/// The rules that count.
#[derive(Default)]
struct Rules {
    allowed: Vec<String>,
    /// Those that deny, and those that ask.
    against: Vec<String>,
}

impl Rules {
    /// Those of settings; none if one of them cannot be read.
    fn of(settings: &[Vec<u8>]) -> Option<Self> {
        let mut rules = Self::default();
        for content in settings.iter().filter(|content| !content.is_empty()) {
            let value = Document::parse(Path::new(""), content).ok()?.value()?;
            let list = |name: &str| {
                let list = value["permissions"][name].as_array().cloned().unwrap_or_default();
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
            };
            rules.allowed.extend(list("allow"));
            rules.against.extend(list("deny").into_iter().chain(list("ask")));
        }
        Some(rules)
    }

    /// Whether a command runs without anybody being asked.
    fn lets(&self, command: &str) -> bool {
        let name = command.split(' ').next().unwrap_or_default();
        let is_spelt_out = !command.contains(['$', '`', '<', '>']);
        if UNASKED.contains(&name) && is_spelt_out {
            return true;
        }
        !ASKED.contains(&name)
            && self.allowed.iter().any(|rule| {
                let about = rule.strip_prefix(TOOL).and_then(|rule| rule.strip_prefix('('));
                let Some(about) = about.and_then(|about| about.strip_suffix(')')) else {
                    return rule == TOOL;
                };
                match about.strip_suffix(":*") {
                    Some(start) => {
                        let rest = command.strip_prefix(start);
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                    }
                    None => glob::matches(about, command),
                }
            })
    }

    fn add_arguments(&mut self, arguments: &[String]) {
        let allowed = values(arguments, &["--allowedTools", "--allowed-tools"]);
        self.allowed.extend(allowed.into_iter().flat_map(apart));
        let denied = values(arguments, &["--disallowedTools", "--disallowed-tools"]);
        self.against.extend(denied.into_iter().flat_map(apart));
    }
}

/// What the arguments give to one of these flags, each value of it.
fn values<'a>(arguments: &'a [String], flags: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut is_value = false;
    for argument in arguments {
        let (flag, value) = argument.split_once('=').unwrap_or((argument, ""));
        if flags.contains(&flag) {
            is_value = true;
            found.extend((!value.is_empty()).then_some(value));
        } else if argument.starts_with("--") {
            is_value = false;
        } else if is_value {
            found.push(argument);
        }
    }
    found
}

/// Rules that stand together in one argument, with commas or blanks between them.
fn apart(list: &str) -> Vec<String> {
    let (mut rules, mut depth) = (vec![String::new()], 0usize);
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ' ' if depth == 0 => {
                rules.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = rules.last_mut() {
            last.push(c);
        }
    }
    rules.retain(|rule| !rule.is_empty());
    rules
}

/// Whether a rule may be about one of these commands, or about something that one of them runs.
fn concerns(rule: &str, commands: &[String]) -> bool {
    let rule = rule.trim();
    let Some(about) = rule.strip_prefix(TOOL) else {
        // A rule may name tools by a pattern.
        return rule.contains('*') && glob::matches(rule, TOOL);
    };
    let Some(about) = about.strip_prefix('(') else { return about.is_empty() };
    let about = about.strip_suffix(')').unwrap_or(about);
    let pattern = match about.strip_suffix(":*") {
        Some(start) => format!("{start}*"),
        None => about.to_owned(),
    };
    let spaceless = pattern.trim_end_matches('*').trim_end();
    let fits = |text: &str| glob::matches(&pattern, text) || text == spaceless;
    // Whatever stands before a command may only be there to run it.
    commands.iter().any(|command| {
        let starts = command.match_indices(' ').map(|(at, _)| &command[at + 1..]);
        std::iter::once(command.as_str()).chain(starts).any(fits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use waypost_app::harness::Permit::{Anything, Exactly, Nothing};

    const OWN: &str = "Bash(waypost run --gate tests-pass)";

    fn permits(settings: &[u8], arguments: &[&str], mode: &str) -> Permit {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let concerned =
            ["pytest -q | tail -5", "pytest -q", "tail -5", "uv run pytest"].map(str::to_owned);
        Permissions.permits(&Asked {
            mode: Some(mode),
            settings: &[settings.to_vec()],
            arguments: &arguments,
            concerned: &concerned,
            instead: "waypost run --gate tests-pass",
            others: &concerned[2..3],
        })
    }

    fn rules(kind: &str, rules: &[&str]) -> Vec<u8> {
        let mut settings = json!({"permissions": {}});
        settings["permissions"][kind] = rules.into();
        settings.to_string().into_bytes()
    }

    #[test]
    fn a_rule_that_denies_or_asks_keeps_the_line_as_it_is() {
        for rule in [
            "Bash",
            "Bash(pytest:*)",
            "Bash(pytest -q)",
            "Bash(pytest *)",
            "Bash(tail:*)",
            "Bash(*)",
            "Bash(uv run:*)",
            "Bash(uv:*)",
            "Bash(py:*)",
            "*",
        ] {
            for kind in ["deny", "ask"] {
                assert_eq!(permits(&rules(kind, &[rule]), &[], BYPASS), Nothing, "{kind} {rule}");
            }
            let arguments = ["claude", "--disallowedTools", "Edit", rule, "--verbose"];
            assert_eq!(permits(b"", &arguments, BYPASS), Nothing, "{rule}");
            let listed = format!("--disallowed-tools=Edit,{rule}");
            assert_eq!(permits(b"", &["claude", &listed], BYPASS), Nothing, "{rule}");
        }
        for rule in ["Bash(rm:*)", "Bash(git push:*)", "Edit", "Read(./.env)", "mcp__x__*"] {
            assert_eq!(permits(&rules("deny", &[rule]), &[], BYPASS), Anything, "{rule}");
        }
    }

    #[test]
    fn where_the_client_asks_only_a_rule_for_exactly_this_command_permits() {
        assert_eq!(permits(b"", &[], "default"), Nothing);
        assert_eq!(permits(&rules("allow", &[OWN]), &[], "default"), Exactly);
        assert_eq!(permits(b"", &["claude", "--allowedTools", OWN], "acceptEdits"), Exactly);
        for other in ["Bash(waypost:*)", "Bash(waypost run:*)", "Bash", "Bash(pytest:*)"] {
            assert_eq!(permits(&rules("allow", &[other]), &[], "default"), Nothing, "{other}");
        }
        let sources = ["claude", "--setting-sources", "user"];
        assert_eq!(permits(&rules("allow", &[OWN]), &sources, "default"), Nothing);
    }

    #[test]
    fn the_rest_of_the_line_has_to_run_unasked_too() {
        let lets = |allowed: &[&str], command: &str| {
            let allowed = allowed.iter().map(|rule| (*rule).to_owned()).collect();
            Rules { allowed, against: Vec::new() }.lets(command)
        };
        assert!(lets(&[], "tail -20") && lets(&[], "cd /x") && lets(&[], "grep -E 'a|b'"));
        for asked in ["echo $?", "source x", "cargo build", "tail $(rm x)", "sort -o x y"] {
            assert!(!lets(&["Bash(ls:*)", "Bash(carg:*)"], asked), "{asked}");
        }
        assert!(!lets(&["Bash(source x)"], "source x"));
        for rule in ["Bash(cargo build:*)", "Bash(cargo build)", "Bash(cargo *)", "Bash"] {
            assert!(lets(&[rule], "cargo build"), "{rule}");
        }
    }

    #[test]
    fn settings_that_cannot_be_read_permit_nothing() {
        assert_eq!(permits(b"{", &[], BYPASS), Nothing);
        assert_eq!(permits(b"\xff", &[], BYPASS), Nothing);
        assert_eq!(permits(b"{} // fine", &[], BYPASS), Anything);
    }

    #[test]
    fn settings_on_the_command_line_are_found() {
        let arguments = ["claude", "-p", "hi", "--settings", "{\"a\":1}", "--settings=x.json"];
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let found = Permissions.settings(&arguments).unwrap();
        assert_eq!(found, [Given::Text("{\"a\":1}".into()), Given::File("x.json".into())]);
    }
}
