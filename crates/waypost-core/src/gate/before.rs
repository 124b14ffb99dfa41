//! What a gate can stand before.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::glob;

/// What a gate can stand before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Before {
    /// A file is changed, by a tool made for that or by a command line.
    Edit,
    /// `git commit`.
    Commit,
    /// `git push`.
    Push,
    /// The agent ends its turn.
    Stop,
    /// The session is ended.
    End,
    /// A phase of the workflow begins.
    Phase(String),
    /// A tool is called, whatever it does.
    Tool(String),
    /// A command that fits the pattern is run.
    Bash(String),
    /// A command line is run in whose text this regular expression is found, whatever it means there; the size of
    /// letters does not matter. For rules of other tools that are made so: nothing else looks at the text.
    Line(String),
    /// A tool of an MCP server is called: `SERVER/TOOL`, both patterns.
    Mcp(String),
}

/// A text does not name an action.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not an action; actions are edit, commit, push, stop, end, phase:NAME, tool:NAME, \
     bash:PATTERN, line:EXPRESSION and mcp:SERVER/TOOL"
)]
pub struct BeforeError(String);

/// What an action is made of, for gates that name a pattern.
#[derive(Debug, Clone, Copy, Default)]
pub struct ActionParts<'a> {
    /// The simple commands of a command line.
    pub commands: &'a [String],
    /// The text of a command line.
    pub line: Option<&'a str>,
    /// The MCP server and its tool.
    pub mcp: Option<(&'a str, &'a str)>,
}

/// Why a text is not an expression that command lines can be searched for.
pub fn expression_problem(expression: &str) -> Option<String> {
    regex(expression).err().map(|error| error.to_string())
}

fn regex(expression: &str) -> Result<regex_lite::Regex, regex_lite::Error> {
    regex_lite::RegexBuilder::new(expression).case_insensitive(true).build()
}

impl Before {
    /// Whether what it covers has to be worked out from what an action is made of.
    pub(super) fn is_pattern(name: &str) -> bool {
        ["bash:", "line:", "mcp:"].iter().any(|kind| name.starts_with(kind))
    }

    /// Whether a gate before this stands before an action that is `kinds`, and made of `details`.
    pub fn covers(&self, kinds: &[Self], details: ActionParts<'_>) -> bool {
        match self {
            Self::Bash(pattern) => {
                details.commands.iter().any(|command| glob::matches(pattern, command))
            }
            Self::Line(expression) => {
                let text = details.line.zip(regex(expression).ok());
                text.is_some_and(|(line, expression)| {
                    // Where such rules come from, a line's last break is behind its end.
                    let end = line.strip_suffix('\n');
                    expression.is_match(line) || end.is_some_and(|line| expression.is_match(line))
                })
            }
            Self::Mcp(pattern) => details.mcp.is_some_and(|(server, tool)| {
                let (servers, tools) = pattern.split_once('/').unwrap_or((pattern, "*"));
                glob::matches(servers, server) && glob::matches(tools, tool)
            }),
            plain => kinds.contains(plain),
        }
    }
}

impl fmt::Display for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit => f.write_str("edit"),
            Self::Commit => f.write_str("commit"),
            Self::Push => f.write_str("push"),
            Self::Stop => f.write_str("stop"),
            Self::End => f.write_str("end"),
            Self::Phase(name) => write!(f, "phase:{name}"),
            Self::Tool(name) => write!(f, "tool:{name}"),
            Self::Bash(pattern) => write!(f, "bash:{pattern}"),
            Self::Line(expression) => write!(f, "line:{expression}"),
            Self::Mcp(pattern) => write!(f, "mcp:{pattern}"),
        }
    }
}

impl FromStr for Before {
    type Err = BeforeError;

    fn from_str(text: &str) -> Result<Self, BeforeError> {
        let wrong = || BeforeError(text.to_owned());
        match text {
            "edit" => return Ok(Self::Edit),
            "commit" => return Ok(Self::Commit),
            "push" => return Ok(Self::Push),
            "stop" => return Ok(Self::Stop),
            "end" => return Ok(Self::End),
            _ => {}
        }
        let (kind, name) = text.split_once(':').ok_or_else(wrong)?;
        if name.is_empty() {
            return Err(wrong());
        }
        let name = name.to_owned();
        match kind {
            "phase" => Ok(Self::Phase(name)),
            "tool" => Ok(Self::Tool(name)),
            "bash" => Ok(Self::Bash(name)),
            "line" => Ok(Self::Line(name)),
            "mcp" => Ok(Self::Mcp(name)),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Before {
    type Error = BeforeError;
    fn try_from(text: String) -> Result<Self, BeforeError> {
        text.parse()
    }
}

impl From<Before> for String {
    fn from(before: Before) -> Self {
        before.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_reads_back_as_it_is_written() {
        for text in [
            "edit",
            "commit",
            "push",
            "stop",
            "end",
            "phase:build",
            "tool:Write",
            "bash:git push*",
            r"line:git\s+commit",
            "mcp:serena/*",
        ] {
            assert_eq!(text.parse::<Before>().unwrap().to_string(), text);
        }
        for bad in ["", "edits", "tool:", "phase", "shell:ls"] {
            assert!(bad.parse::<Before>().unwrap_err().to_string().contains("actions are"));
        }
    }

    #[test]
    fn patterns_look_at_what_an_action_is_made_of() {
        let commands = ["ls -la".to_owned(), "git push origin".to_owned()];
        let details = ActionParts { commands: &commands, ..ActionParts::default() };
        assert!(Before::Bash("git push*".into()).covers(&[], details));
        assert!(!Before::Bash("git commit*".into()).covers(&[], details));
        let mcp = Some(("serena", "write_memory"));
        let details = ActionParts { mcp, ..ActionParts::default() };
        assert!(Before::Mcp("serena/*".into()).covers(&[], details));
        assert!(Before::Mcp("serena".into()).covers(&[], details));
        assert!(!Before::Mcp("serena/read*".into()).covers(&[], details));
        assert!(Before::Edit.covers(&[Before::Edit], ActionParts::default()));
    }

    #[test]
    fn an_expression_is_searched_in_the_text_of_a_line_whatever_it_means_there() {
        let commits = Before::Line(r"git\s+(commit|push)".into());
        let covers = |line| commits.covers(&[], ActionParts { line, ..ActionParts::default() });
        assert!(covers(Some("cd x && GIT  commit -m y")));
        assert!(covers(Some("echo 'git push'")));
        assert!(!covers(Some("git status")));
        assert!(!covers(None));
        let whole = Before::Line("^make$".into());
        let covers = |line| whole.covers(&[], ActionParts { line, ..ActionParts::default() });
        assert!(covers(Some("make")) && covers(Some("make\n")));
        assert!(!covers(Some("make\nls")) && !covers(Some("ls\nmake")));
        assert!(expression_problem("git(?!x)").is_some());
        assert!(expression_problem(r"(?i)\bgit\b").is_none());
    }
}
