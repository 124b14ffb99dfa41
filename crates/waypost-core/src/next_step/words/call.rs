//! What a step is called: the tool that does it, where the agent's client has it, else the command.

use super::{Tools, Voice};
use crate::id::SessionId;
use crate::next_step::{Look, Mend, NextStep, NumberedPhase, Running};
use crate::runner;
use crate::text::shell_word;

/// What does a step.
pub(super) enum Call {
    /// A command, as it is typed.
    Command(String),
    /// A tool.
    Tool {
        /// Its name.
        name: &'static str,
        /// What it is called with.
        with: With,
    },
}

/// What a tool is called with.
pub(super) enum With {
    /// Nothing that has to be said.
    Nothing,
    /// What the caller has to think of.
    Own(&'static str),
    /// What is known already.
    Known(String),
}

impl Call {
    /// What does a step for whoever is told; none where it is no command of Waypost's own.
    pub(super) fn of(step: &NextStep, voice: Voice) -> Option<Self> {
        let tools = voice.tools();
        Some(match step {
            NextStep::Begin | NextStep::Name if tools.protocol => {
                tool("session_start", With::Own("the objective"))
            }
            NextStep::Begin | NextStep::Name => command("start --objective \"…\""),
            NextStep::BeginWorkflow(name) if tools.workflow => {
                tool("workflow_start", With::Known(format!("workflow {name}")))
            }
            NextStep::BeginWorkflow(name) => {
                command(&format!("start --objective \"…\" --workflow {name}"))
            }
            NextStep::Resume(id) if tools.session => tool("session_resume", of_session(Some(id))),
            NextStep::Resume(id) => command(&format!("resume {id}")),
            NextStep::MakeCurrent(id) if tools.session => {
                tool("session_resume", of_session(Some(id)))
            }
            NextStep::MakeCurrent(id) => command(&format!("switch {id}")),
            NextStep::ChooseCurrent if tools.session => {
                tool("session_resume", With::Own("a session_id"))
            }
            NextStep::ChooseCurrent => command("switch ID"),
            NextStep::Advance(_) if tools.protocol => tool("advance_phase", With::Nothing),
            NextStep::Advance(_) => command("phase advance"),
            NextStep::End if tools.protocol => tool("session_end", With::Own("a summary")),
            NextStep::End => command("end"),
            NextStep::EndFailed if tools.session => {
                tool("session_set_status", With::Known("status failed".to_owned()))
            }
            NextStep::EndFailed => command("end --failed"),
            NextStep::Run(running) => Self::Command(run(running)),
            NextStep::Approve(gate) => command(&format!("gate approve {}", shell_word(gate))),
            NextStep::AcceptHandoff(id) if tools.orchestration => {
                tool("handoff_accept", With::Known(format!("handoff_id {id}")))
            }
            NextStep::AcceptHandoff(id) => command(&format!("handoff accept {id}")),
            NextStep::SetMode(mode) => command(&format!("mode {mode}")),
            NextStep::Look(look) => looking(tools, look),
            NextStep::Mend(mend) => return mending(mend),
            _ => return Self::of_work(step, tools),
        })
    }

    /// The same for what moves a workflow or a build.
    fn of_work(step: &NextStep, tools: Tools) -> Option<Self> {
        Some(match step {
            NextStep::CompletePhase(phase) | NextStep::RetryPhase { phase, .. } => {
                let number = phase.number.to_string();
                complete_phase(tools, &number, &shown(phase))
            }
            NextStep::Complete(phase) => complete_phase(tools, phase, &shell_word(phase)),
            NextStep::FinishWithout if tools.session => {
                let with = "new_phase complete and a reason".to_owned();
                tool("session_transition_phase", With::Known(with))
            }
            NextStep::FinishWithout => command("phase skip --reason \"…\""),
            NextStep::RollBack if tools.workflow => tool("workflow_rollback", With::Nothing),
            NextStep::RollBack => command("phase rollback PHASE --reason \"…\""),
            NextStep::BeginBuild(total) if tools.session => {
                let total = total.map(|total| format!("checkpoints_total {total}"));
                tool("session_init_build", total.map_or(With::Nothing, With::Known))
            }
            NextStep::BeginBuild(None) => command("checkpoint init"),
            NextStep::BeginBuild(Some(total)) => command(&format!("checkpoint init {total}")),
            NextStep::CompleteTask { task, .. } if tools.session => {
                tool("session_complete_task", With::Known(task.clone()))
            }
            NextStep::CompleteTask { task, .. } => command(&format!("task complete {task}")),
            NextStep::CompleteCheckpoint(number) if tools.session => {
                tool("session_complete_checkpoint", With::Known(number.to_string()))
            }
            NextStep::CompleteCheckpoint(number) => {
                command(&format!("checkpoint complete {number}"))
            }
            _ => return None,
        })
    }

    /// Standing for itself, as somebody types or calls it.
    pub(super) fn bare(self) -> String {
        match self {
            Self::Command(command) => command,
            Self::Tool { name, with: With::Nothing } => format!("call {name}"),
            Self::Tool { name, with: With::Own(with) } => format!("call {name} with {with}"),
            Self::Tool { name, with: With::Known(with) } => format!("call {name} with {with}"),
        }
    }

    /// The same at the end of a sentence.
    pub(super) fn quoted(self) -> String {
        match self {
            Self::Command(command) => format!("`{command}`"),
            tool @ Self::Tool { .. } => tool.bare(),
        }
    }

    /// As the subject or object of a sentence.
    pub(super) fn named(self) -> String {
        match self {
            Self::Command(command) => format!("`{command}`"),
            Self::Tool { name, with: With::Known(with) } => format!("{name} with {with}"),
            Self::Tool { name, with: With::Nothing | With::Own(_) } => name.to_owned(),
        }
    }

    /// With what comes of it: said of a command, or said after a tool is called.
    pub(super) fn with_effect(self, of_command: &str, of_tool: &str) -> String {
        let effect = if self.is_command() { of_command } else { of_tool };
        self.quoted() + effect
    }

    pub(super) fn is_command(&self) -> bool {
        matches!(self, Self::Command(_))
    }
}

/// What shows something.
fn looking(tools: Tools, look: &Look) -> Call {
    match look {
        Look::Sessions | Look::AllSessions if tools.session => tool("session_list", With::Nothing),
        Look::Session(id) if tools.session => tool("session_show", of_session(Some(id))),
        Look::Status(id) if tools.session => tool("session_get_state", of_session(id.as_ref())),
        Look::Phase(id) if tools.workflow => tool("workflow_get_phase", of_session(id.as_ref())),
        Look::Workflows if tools.workflow => tool("workflow_list", With::Nothing),
        Look::Gates => command("gate list"),
        Look::Sessions => command("list"),
        Look::AllSessions => command("list --all"),
        Look::Session(id) => command(&format!("show {id}")),
        Look::Status(id) => about("status", id.as_ref().map(SessionId::as_str)),
        Look::History(id) => about("history", id.as_ref().map(SessionId::as_str)),
        Look::Phases => command("phase list"),
        Look::Phase(None) => command("phase show"),
        Look::Phase(Some(id)) => command(&format!("phase show --session {id}")),
        Look::Workflows => command("workflow list"),
        Look::Workflow(name) => command(&format!("workflow show {name}")),
        Look::WorkflowProblems(name) => about("workflow check", name.as_deref()),
        Look::ProtocolProblems => command("protocol check"),
        Look::Tasks => command("task list"),
        Look::PlanProblems => command("plan check"),
        Look::Records(id) => about("verify", id.as_ref().map(SessionId::as_str)),
        Look::Installation => command("doctor"),
    }
}

/// What puts Waypost in order: there are no tools for it.
pub(super) fn mending(mend: &Mend) -> Option<Call> {
    Some(match mend {
        Mend::UseNewer => return None,
        Mend::SetUp => command("init"),
        Mend::SetUpGitHooks => command("init --git-hooks"),
        Mend::SetUpFor(harnesses) => command(&format!("init --harness {harnesses}")),
        Mend::TakeOut => command("init --remove"),
        Mend::Repair(stream) => about("repair", stream.as_deref()),
        Mend::RepairKey => command("repair key"),
        Mend::TrustConfig => command("trust config"),
        Mend::TrustKey => command("trust key"),
        Mend::TrustCopy(id) => command(&format!("trust copy {id}")),
        Mend::TrustAllCopies => command("trust copy --all"),
        Mend::TrustLoss(stream) => command(&format!("trust loss {stream}")),
        Mend::RotateKey => command("key rotate"),
        Mend::ExportKey => command("key export"),
        Mend::MakeApprovalKey => command("key approval"),
        Mend::Publish(id) => about("publish", id.as_ref().map(SessionId::as_str)),
        Mend::Archive(id) => command(&format!("session delete {id} --reason \"…\"")),
    })
}

/// The exact command that fits a pattern.
pub(super) fn run(running: &Running) -> String {
    let Running { pattern, folder, gate } = running;
    let command = runner::spelt_out(pattern);
    if let (Some(gate), Some(_)) = (gate, command) {
        return ["waypost run --gate ", &shell_word(gate)].concat();
    }
    let there = folder.as_deref().map_or_else(String::new, |at| format!("-C {} ", shell_word(at)));
    match command {
        Some(command) => ["waypost run ", &there, "-- ", command].concat(),
        None => format!("waypost run {there}-- COMMAND, where COMMAND fits `{pattern}`"),
    }
}

/// A name that is no word is clumsy on a command line; its number does as well.
pub(super) fn shown(phase: &NumberedPhase) -> String {
    let NumberedPhase { name, number } = phase;
    if shell_word(name) == *name { name.clone() } else { number.to_string() }
}

fn complete_phase(tools: Tools, called: &str, typed: &str) -> Call {
    if tools.workflow {
        return tool("workflow_complete_phase", With::Known(format!("phase {called}")));
    }
    command(&format!("phase complete {typed}"))
}

fn tool(name: &'static str, with: With) -> Call {
    Call::Tool { name, with }
}

fn command(arguments: &str) -> Call {
    Call::Command(["waypost ", arguments].concat())
}

/// A command with what it is about, where that is named.
fn about(arguments: &str, what: Option<&str>) -> Call {
    match what {
        Some(what) => command(&format!("{arguments} {what}")),
        None => command(arguments),
    }
}

fn of_session(id: Option<&SessionId>) -> With {
    id.map_or(With::Nothing, |id| With::Known(format!("session_id {id}")))
}
