//! Next steps in words, in those of whoever asks: commands for a person at a terminal, for an agent
//! the tools that its client really has, and commands for the rest.

mod call;

use serde::{Deserialize, Serialize};

use super::sentence::{Piece, Sentence};
use super::{Mend, NextStep, NumberedPhase};
use crate::text::shell_word;
use call::Call;

/// The sets of tools that a client may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a flag for each toolset")]
pub struct Tools {
    /// Those of the protocol: `session_start`, `advance_phase`, `record_evidence`, `session_end`.
    pub protocol: bool,
    /// Those of sessions: `session_resume`, `session_complete_task` and the like.
    pub session: bool,
    /// Those of workflows: `workflow_complete_phase` and the like.
    pub workflow: bool,
    /// Those of agents that work for each other: `verdict_record`, `handoff_accept` and the like.
    #[serde(default)]
    pub orchestration: bool,
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
        tools: Tools { protocol: false, session: false, workflow: false, orchestration: false },
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
            Self::Run(running) => call::run(running),
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
            Self::AskAgent { agent, decision } => ask_agent(voice, agent, decision),
            Self::Record { gate, fields } => {
                let fields: Vec<String> = fields.iter().map(|name| format!("{name}=…")).collect();
                format!("waypost evidence record {} {}", shell_word(gate), fields.join(" "))
            }
            Self::Approve(gate) => approve(voice, gate),
            Self::Meet { wanted, gate } => format!("{wanted}, or {}", approve(voice, gate)),
            Self::SetMode(mode) => format!("waypost mode {mode}"),
            Self::Show { gate, step, what } => show(voice, gate, step, what),
            Self::All(steps) => joined(steps, ", then ", |step| step.words_for(voice, gate)),
            Self::Any(steps) => joined(steps, ", or ", |step| step.words_for(voice, gate)),
            Self::Said(words) => words.clone(),
            Self::Sentence(sentence) => sentence.words(voice),
            Self::Mend(mend) => mend_words(mend),
            Self::BeginAnew if voice.tools().workflow => "anew = true".to_owned(),
            Self::BeginAnew => "--anew".to_owned(),
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

    /// What moves the session itself, and what only looks at something.
    fn session(&self, voice: Voice) -> String {
        let Some(call) = Call::of(self, voice) else {
            return "go on with the objective".to_owned();
        };
        match self {
            Self::Begin => call.with_effect(" begins the session", ""),
            Self::Name => {
                call.with_effect(" says what this is for", ", which says what this is for")
            }
            Self::Resume(_) => call.with_effect(" resumes it", ", which resumes it"),
            Self::Advance(to) => format!("{}: {to} can be entered", call.quoted()),
            Self::CompletePhase(phase) => {
                format!("work on phase {}, then {}", call::shown(phase), call.quoted())
            }
            Self::RetryPhase { steps, phase } => {
                let steps: Vec<String> = steps
                    .iter()
                    .map(|step| step.words(voice).trim_end_matches('.').to_owned())
                    .collect();
                let NumberedPhase { name, number } = phase;
                let (steps, again) = (steps.join("; "), call.quoted());
                format!("{steps}, then retry Phase {number} ({name}): {again}")
            }
            Self::CompleteTask { task, title } => {
                format!("do task {task} {title}, then {}", call.quoted())
            }
            Self::CompleteCheckpoint(number) => {
                format!("work on checkpoint {number}, then {}", call.quoted())
            }
            Self::End if call.is_command() => format!("end the session: {}", call.quoted()),
            _ => call.bare(),
        }
    }
}

impl Sentence {
    fn words(&self, voice: Voice) -> String {
        let mut words = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Words(said) => words.push_str(said),
                Piece::Named(step) => words.push_str(&match Call::of(step, voice) {
                    Some(call) => call.named(),
                    None => step.words(voice),
                }),
                Piece::Quoted(step) => words.push_str(&match Call::of(step, voice) {
                    Some(call) => call.quoted(),
                    None => step.words(voice),
                }),
                Piece::Called(step) => words.push_str(&match Call::of(step, voice) {
                    Some(call) => call.bare(),
                    None => step.words(voice),
                }),
            }
        }
        words
    }
}

/// Several steps in words, a line for each.
pub fn lines(steps: &[NextStep], voice: Voice) -> String {
    joined(steps, "\n", |step| step.words(voice))
}

/// Only a call of the agent's own can be told from what somebody says in its name: no command line counts as its word.
fn ask_agent(voice: Voice, agent: &str, decision: &str) -> String {
    match voice {
        Voice::Agent { .. } => format!(
            "have a subagent of the type {agent} look at it and call Waypost's MCP tool verdict_record itself (`{decision}` is what is asked for)"
        ),
        Voice::Person => {
            format!(
                "have {agent} look at it and give its verdict (`{decision}` is what is asked for)"
            )
        }
    }
}

fn mend_words(mend: &Mend) -> String {
    match (mend, call::mending(mend)) {
        (Mend::Repair(_), Some(call)) => {
            format!("recover what is left and see what is lost: {}", call.bare())
        }
        (_, Some(call)) => call.bare(),
        (_, None) => "a newer Waypost wrote it: use that one here".to_owned(),
    }
}

/// The tool as people name it, without the `*` for what a client puts before a server's name.
pub(crate) fn tool_name(pattern: &str) -> String {
    match pattern.strip_prefix("mcp__*") {
        Some(rest) if !rest.is_empty() => format!("mcp__{rest}"),
        _ => pattern.to_owned(),
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
    // What a step says is a sentence; here something follows it.
    let seen = seen.trim_end_matches('.');
    if voice.tools().protocol {
        return format!("{seen}, then call record_evidence with phase {gate} and step {step}");
    }
    if voice.is_seen() {
        return seen.to_owned();
    }
    let command = format!("waypost gate satisfy {}", shell_word(&format!("{gate}/{step}")));
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

fn joined(steps: &[NextStep], between: &str, words: impl Fn(&NextStep) -> String) -> String {
    steps.iter().map(words).collect::<Vec<_>>().join(between)
}

/// A text whose steps are to be taken in the folder `root`, for somebody who is elsewhere: it says how to go there.
pub fn there(text: &str, root: &str) -> String {
    let goes = format!("cd {} && waypost run", shell_word(root));
    format!("{}\nThis is about the work tree {root}.", text.replace("waypost run", &goes))
}

#[cfg(test)]
mod tests {
    use super::{Tools, Voice, lines, tool_name};
    use crate::next_step::{Look, Mend, NextStep, amid, does, to};

    const ALL: Voice = Voice::Agent {
        tools: Tools { protocol: true, session: true, workflow: true, orchestration: true },
        hooked: false,
    };

    #[test]
    fn a_tool_is_named_by_its_pattern_without_what_a_client_adds() {
        for (pattern, shown) in [
            ("mcp__*serena__activate_project", "mcp__serena__activate_project"),
            ("mcp__*serena__*memor*", "mcp__serena__*memor*"),
            ("mcp__x__y*", "mcp__x__y*"),
            ("mcp__*", "mcp__*"),
            ("*_note", "*_note"),
        ] {
            assert_eq!(tool_name(pattern), shown);
        }
    }

    #[test]
    fn a_sentence_names_commands_for_people_and_tools_for_an_agent_that_has_them() {
        let id: crate::id::SessionId = "2026-11-15_x_abcdef".parse().unwrap();
        for (step, person, agent) in [
            (
                to("resume it", NextStep::Resume(id.clone())),
                "resume it: waypost resume 2026-11-15_x_abcdef",
                "resume it: call session_resume with session_id 2026-11-15_x_abcdef",
            ),
            (
                does(NextStep::Begin, "begins the next one"),
                "`waypost start --objective \"…\"` begins the next one",
                "session_start begins the next one",
            ),
            (
                amid("go on in it (", Look::Status(Some(id.clone())), " shows it)"),
                "go on in it (`waypost status 2026-11-15_x_abcdef` shows it)",
                "go on in it (session_get_state with session_id 2026-11-15_x_abcdef shows it)",
            ),
            (
                does(Mend::SetUp, "sets it up").and(", or ").and(does(Mend::TakeOut, "ends it")),
                "`waypost init` sets it up, or `waypost init --remove` ends it",
                "`waypost init` sets it up, or `waypost init --remove` ends it",
            ),
            (Look::Sessions.into(), "waypost list", "call session_list"),
            (
                NextStep::Complete("Spec & Plan".to_owned()),
                "waypost phase complete 'Spec & Plan'",
                { "call workflow_complete_phase with phase Spec & Plan" },
            ),
        ] {
            assert_eq!(step.words(Voice::PERSON), person);
            assert_eq!(step.words(Voice::HOOKED), person, "no tools are known of");
            assert_eq!(step.words(ALL), agent);
            let mut visited = 0;
            step.each(&mut |_| visited += 1);
            assert!(visited > 1 || !matches!(step, NextStep::Sentence(_)), "{step:?}");
        }
    }

    #[test]
    fn what_a_newer_waypost_wrote_is_no_damage() {
        let steps = [Mend::Repair(Some("project".to_owned())).into(), Mend::UseNewer.into()];
        assert_eq!(
            lines(&steps, Voice::PERSON),
            "recover what is left and see what is lost: waypost repair project\n\
             a newer Waypost wrote it: use that one here"
        );
    }
}
