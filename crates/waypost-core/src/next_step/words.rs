//! Next steps in words, in those of whoever asks: commands for a person at a terminal, for an agent
//! the tools that its client really has, and commands for the rest.

use serde::{Deserialize, Serialize};

use super::{NextStep, NumberedPhase};
use crate::text::shell_word;

/// The sets of tools that a client may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tools {
    /// Those of the protocol: `session_start`, `advance_phase`, `record_evidence`, `session_end`.
    pub protocol: bool,
    /// Those of sessions: `session_resume`, `session_complete_task` and the like.
    pub session: bool,
    /// Those of workflows: `workflow_complete_phase` and the like.
    pub workflow: bool,
}

/// Who is told what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// A person at a terminal.
    Person,
    /// An agent.
    Agent {
        /// The tools that it has.
        tools: Tools,
        /// Whether hooks see what it does.
        hooked: bool,
    },
}

impl Voice {
    /// A person at a terminal.
    pub const PERSON: Self = Self::Person;

    /// An agent that hooks see, and of whose tools nothing is known.
    pub const HOOKED: Self = Self::Agent {
        tools: Tools { protocol: false, session: false, workflow: false },
        hooked: true,
    };

    fn tools(self) -> Tools {
        match self {
            Self::Person => Tools::default(),
            Self::Agent { tools, .. } => tools,
        }
    }

    /// Whether what it reads and calls is seen by a hook.
    fn is_seen(self) -> bool {
        matches!(self, Self::Agent { hooked: true, .. })
    }
}

impl NextStep {
    /// In words, where it is not for any gate.
    pub fn words(&self, voice: Voice) -> String {
        self.words_for(voice, None)
    }

    /// In words, where it is for a gate.
    pub fn words_for(&self, voice: Voice, gate: Option<&str>) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Run(pattern) => run(pattern),
            Self::Read(_) | Self::Call(_) | Self::UseSkill(_) => self.seen(voice, gate),
            Self::Write { file, with: None } => format!("write {file}"),
            Self::Write { file, with: Some(with) } => {
                format!("write {file} with `{with}` in its front matter")
            }
            Self::Change(file) => format!("change {file}"),
            Self::Tick(file) => format!("tick off every MUST in {file}"),
            Self::Commit => "commit your changes: git commit".to_owned(),
            Self::CleanUp => "commit your changes, or take them back".to_owned(),
            Self::Switch(branch) => format!("git switch {branch}"),
            Self::LeaveBranch => "work on a branch of your own: git switch -c NAME".to_owned(),
            Self::AskAgent { agent, decision } => {
                format!("have {agent} give its verdict `{decision}`")
            }
            Self::Record { gate, fields } => {
                let fields: Vec<String> = fields.iter().map(|name| format!("{name}=…")).collect();
                format!("waypost evidence record {} {}", shell_word(gate), fields.join(" "))
            }
            Self::Approve(gate) => approve(voice, gate),
            Self::Meet { expression, gate } => {
                format!("have `{expression}` hold, or {}", approve(voice, gate))
            }
            Self::SetMode(mode) => format!("waypost mode {mode}"),
            Self::Show { gate, step, what } => show(voice, gate, step, what),
            Self::All(steps) => joined(steps, ", then ", |step| step.words_for(voice, gate)),
            Self::Any(steps) => joined(steps, ", or ", |step| step.words_for(voice, gate)),
            Self::Said(words) => words.clone(),
            Self::Before { now, then } => before(voice, now, then),
            _ => self.session(voice),
        }
    }

    /// What only counts if a hook sees it.
    fn seen(&self, voice: Voice, gate: Option<&str>) -> String {
        let what = match self {
            Self::Read(file) => format!("read {file}"),
            Self::Call(tool) => format!("call {}", tool_name(tool)),
            Self::UseSkill(skill) => format!("use the skill {skill}"),
            _ => String::new(),
        };
        match (voice, gate) {
            (Voice::Agent { hooked: false, .. }, Some(gate)) => {
                let ask = approve(voice, gate);
                format!("{what}; no hook sees you do it, so {ask}")
            }
            (Voice::Person, Some(gate)) => {
                format!("have the agent {what}, or {}", approve(voice, gate))
            }
            _ => what,
        }
    }

    /// What moves the session itself.
    fn session(&self, voice: Voice) -> String {
        let tools = voice.tools();
        let start = || "`waypost start --objective \"…\"`".to_owned();
        match self {
            Self::Begin if tools.protocol => "call session_start with the objective".to_owned(),
            Self::Begin => format!("{} begins the session", start()),
            Self::Name if tools.protocol => {
                "call session_start with the objective, which names what this is for".to_owned()
            }
            Self::Name => format!("{} names what this is for", start()),
            Self::Resume(id) if tools.session => {
                format!("call session_resume with session_id {id}, which takes it up again")
            }
            Self::Resume(id) => format!("`waypost resume {id}` takes it up again"),
            Self::Advance(to) if tools.protocol => {
                format!("call advance_phase: {to} can be entered")
            }
            Self::Advance(to) => format!("`waypost phase advance`: {to} can be entered"),
            Self::CompletePhase(phase) => {
                format!("work on phase {}, then {}", shown(phase), complete(tools, phase))
            }
            Self::RetryPhase { steps, phase } => {
                let steps: Vec<&str> =
                    steps.iter().map(|step| step.trim_end_matches('.')).collect();
                let NumberedPhase { name, number } = phase;
                let again = complete(tools, phase);
                format!("{}, then retry Phase {number} ({name}): {again}", steps.join("; "))
            }
            Self::CompleteTask { task, title } if tools.session => {
                format!("do task {task} {title}, then call session_complete_task with {task}")
            }
            Self::CompleteTask { task, title } => {
                format!("do task {task} {title}, then `waypost task complete {task}`")
            }
            Self::CompleteCheckpoint(number) if tools.session => format!(
                "work on checkpoint {number}, then call session_complete_checkpoint with {number}"
            ),
            Self::CompleteCheckpoint(number) => {
                format!("work on checkpoint {number}, then `waypost checkpoint complete {number}`")
            }
            Self::End if tools.protocol => "call session_end with a summary".to_owned(),
            Self::End => "end the session: `waypost end`".to_owned(),
            _ => "go on with the objective".to_owned(),
        }
    }
}

/// The tool as people name it, without the `*` for what a client puts before a server's name.
pub(crate) fn tool_name(pattern: &str) -> String {
    match pattern.strip_prefix("mcp__*") {
        Some(rest) if !rest.is_empty() => format!("mcp__{rest}"),
        _ => pattern.to_owned(),
    }
}

/// The exact command that fits a pattern.
fn run(pattern: &str) -> String {
    match pattern.trim_end_matches('*').trim_end() {
        command if !command.is_empty() && !command.contains(['*', '?']) => {
            ["waypost run -- ", command].concat()
        }
        _ => format!("waypost run -- COMMAND, where COMMAND fits `{pattern}`"),
    }
}

fn approve(voice: Voice, gate: &str) -> String {
    let command = format!("waypost gate approve {}", shell_word(gate));
    match voice {
        Voice::Person => format!("approve it yourself: {command}"),
        Voice::Agent { .. } => format!("ask the user: {command}"),
    }
}

/// Something that nobody sees, and evidence of it.
fn show(voice: Voice, gate: &str, step: &str, what: &NextStep) -> String {
    let seen = what.words(Voice::HOOKED);
    if voice.tools().protocol {
        return format!("{seen}, then call record_evidence with phase {gate} and step {step}");
    }
    if voice.is_seen() {
        return seen;
    }
    let command = format!("waypost gate satisfy {gate}/{step}");
    format!("{seen}, then `{command}`")
}

fn before(voice: Voice, now: &NextStep, then: &[(String, NextStep)]) -> String {
    let now = now.words(voice);
    let then: Vec<String> = then
        .iter()
        .map(|(gate, step)| format!("{} (for {gate})", step.words_for(voice, Some(gate))))
        .collect();
    match then.as_slice() {
        [] => format!("{now}; no gate is open"),
        then => format!("{now}; before you are done: {}", then.join(", ")),
    }
}

fn complete(tools: Tools, phase: &NumberedPhase) -> String {
    if tools.workflow {
        return format!("call workflow_complete_phase with phase {}", phase.number);
    }
    format!("`waypost phase complete {}`", shown(phase))
}

/// A name that is no word is clumsy on a command line; its number does as well.
fn shown(phase: &NumberedPhase) -> String {
    let NumberedPhase { name, number } = phase;
    if shell_word(name) == *name { name.clone() } else { number.to_string() }
}

fn joined(steps: &[NextStep], between: &str, words: impl Fn(&NextStep) -> String) -> String {
    steps.iter().map(words).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_tool_is_named_by_its_pattern_without_what_a_client_adds() {
        for (pattern, shown) in [
            ("mcp__*serena__activate_project", "mcp__serena__activate_project"),
            ("mcp__*serena__*memor*", "mcp__serena__*memor*"),
            ("mcp__x__y*", "mcp__x__y*"),
            ("mcp__*", "mcp__*"),
            ("*_note", "*_note"),
        ] {
            assert_eq!(super::tool_name(pattern), shown);
        }
    }
}
