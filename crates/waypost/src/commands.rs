//! The command line. One file for each command; its doc comment is its help text.

mod agent;
mod audit;
mod brief;
mod checkpoint;
mod ci;
mod commit;
mod completions;
mod cost;
mod decision;
mod doctor;
mod end;
mod evidence;
mod explain;
mod export;
mod focus;
mod gate;
mod git_hook;
mod handoff;
mod history;
mod import;
mod index;
mod init;
mod key;
mod list;
mod man;
mod mcp;
mod mirror;
mod mode;
mod note;
mod onboard;
mod pause;
mod phase;
mod plan;
mod protocol;
mod publish;
mod repair;
mod restore;
mod resume;
mod run;
mod serve;
mod session;
mod show;
mod start;
mod status;
mod statusline;
mod switch;
mod task;
mod telemetry;
mod transcripts;
mod trust;
mod up;
mod verdict;
mod verify;
mod violations;
mod watch;
mod which;
mod workflow;

use std::process::ExitCode;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use waypost_app::error::AppError;
use waypost_app::machine::host::{Host, Patience};

use crate::{error, ui, wiring};

/// What a command answers: an exit status, or what went wrong.
type CommandOutcome = Result<ExitCode, AppError>;

/// Keeps and enforces the state of AI coding agents' sessions
///
/// Under Waypost an agent does not skip a step by mistake or habit, does not lose its place, and
/// what it claims is told apart from what was seen.
///
/// Set a project up with `waypost init`, see that it works with `waypost doctor`, and then just
/// use your agent. `waypost status` shows where it stands.
#[derive(Debug, Parser)]
#[command(name = "waypost", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Up(up::UpArgs),
    Doctor(doctor::DoctorArgs),
    Status(status::StatusArgs),
    Brief(brief::BriefArgs),
    List(list::ListArgs),
    Watch(watch::WatchArgs),
    Show(show::ShowArgs),
    Start(start::StartArgs),
    Pause(pause::PauseArgs),
    Resume(resume::ResumeArgs),
    Switch(switch::SwitchArgs),
    End(end::EndArgs),
    Workflow(workflow::WorkflowArgs),
    Phase(phase::PhaseArgs),
    Protocol(protocol::ProtocolArgs),
    Note(note::NoteArgs),
    Plan(plan::PlanArgs),
    Checkpoint(checkpoint::CheckpointArgs),
    Task(task::TaskArgs),
    Focus(focus::FocusArgs),
    Commit(commit::CommitArgs),
    Run(run::RunArgs),
    Gate(gate::GateArgs),
    Evidence(evidence::EvidenceArgs),
    Mode(mode::ModeArgs),
    Agent(agent::AgentArgs),
    Decision(decision::DecisionArgs),
    Verdict(verdict::VerdictArgs),
    Handoff(handoff::HandoffArgs),
    History(history::HistoryArgs),
    Violations(violations::ViolationsArgs),
    Audit(audit::AuditArgs),
    Cost(cost::CostArgs),
    Transcripts(transcripts::TranscriptsArgs),
    Explain(explain::ExplainArgs),
    Verify(verify::VerifyArgs),
    Repair(repair::RepairArgs),
    Ci(ci::CiArgs),
    Publish(publish::PublishArgs),
    Trust(trust::TrustArgs),
    Key(key::KeyArgs),
    Session(session::SessionArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Onboard(onboard::OnboardArgs),
    Index(index::IndexArgs),
    Telemetry(telemetry::TelemetryArgs),
    Mirror(mirror::MirrorArgs),
    Restore(restore::RestoreArgs),
    Mcp(mcp::McpArgs),
    Serve(serve::ServeArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Statusline(statusline::StatuslineArgs),
    Hook(HookArgs),
    GitHook(git_hook::GitHookArgs),
}

/// Answer an event of an agent's harness (called by the harness, not by people)
///
/// Reads one JSON event from standard input and answers it. `waypost init` registers it.
#[derive(Debug, clap::Args)]
struct HookArgs {
    /// The harness that calls
    #[arg(value_parser = PossibleValuesParser::new(wiring::harness_facts().map(|one| one.name)))]
    harness: String,
    /// This registration is shared by a team and yields to a local one
    #[arg(long)]
    shared: bool,
    /// This registration is a plugin's and yields to those of settings
    #[arg(long, conflicts_with = "shared")]
    plugin: bool,
}

/// Whoever typed a command waits longer for a lock than a hook, which holds up every tool call.
const PATIENCE: Patience = Patience {
    limit: Duration::from_secs(120),
    waiting: || ui::note("waiting for another Waypost process that is writing just now"),
};

/// Runs the command line.
pub(crate) fn run() -> ExitCode {
    let cli = Cli::parse();
    let host = Host {
        patience: wiring::patience(PATIENCE),
        notice: Some(|what| ui::note(what)),
        ..wiring::host()
    };
    match dispatch(&host, cli.command) {
        Ok(code) => code,
        Err(error) => error::report(&error),
    }
}

fn dispatch(host: &Host, command: Command) -> CommandOutcome {
    match command {
        Command::Init(command) => command.run(host),
        Command::Up(command) => command.run(host),
        Command::Doctor(command) => command.run(host),
        Command::Status(command) => command.run(host),
        Command::Brief(command) => command.run(host),
        Command::List(command) => command.run(host),
        Command::Watch(command) => command.run(host),
        Command::Show(command) => command.run(host),
        Command::Start(command) => command.run(host),
        Command::Pause(command) => command.run(host),
        Command::Resume(command) => command.run(host),
        Command::Switch(command) => command.run(host),
        Command::End(command) => command.run(host),
        Command::Workflow(command) => command.run(host),
        Command::Phase(command) => command.run(host),
        Command::Protocol(command) => command.run(host),
        Command::Note(command) => command.run(host),
        Command::Plan(command) => command.run(host),
        Command::Checkpoint(command) => command.run(host),
        Command::Task(command) => command.run(host),
        Command::Focus(command) => command.run(host),
        Command::Commit(command) => command.run(host),
        Command::Run(command) => command.run(host),
        Command::Gate(command) => command.run(host),
        Command::Evidence(command) => command.run(host),
        Command::Mode(command) => command.run(host),
        Command::Agent(command) => command.run(host),
        Command::Decision(command) => command.run(host),
        Command::Verdict(command) => command.run(host),
        Command::Handoff(command) => command.run(host),
        Command::History(command) => command.run(host),
        Command::Violations(command) => command.run(host),
        Command::Audit(command) => command.run(host),
        Command::Cost(command) => command.run(host),
        Command::Transcripts(command) => command.run(host),
        Command::Explain(command) => command.run(host),
        Command::Verify(command) => command.run(host),
        Command::Repair(command) => command.run(host),
        Command::Ci(command) => command.run(host),
        Command::Publish(command) => command.run(host),
        Command::Trust(command) => command.run(host),
        Command::Key(command) => command.run(host),
        Command::Session(command) => command.run(host),
        Command::Import(command) => command.run(host),
        Command::Export(command) => command.run(host),
        Command::Onboard(command) => command.run(host),
        Command::Index(command) => command.run(host),
        Command::Telemetry(command) => command.run(host),
        Command::Mirror(command) => command.run(host),
        Command::Restore(command) => command.run(host),
        Command::Mcp(command) => command.run(host),
        Command::Serve(command) => command.run(host),
        Command::Statusline(args) => Ok(args.run(host)),
        Command::Completions(command) => Ok(command.run()),
        Command::Man(command) => command.run(),
        Command::GitHook(command) => Ok(command.run(host)),
        Command::Hook(command) => Err(strange(&command)),
    }
}

/// A call of the hook that `main` did not take for the harness' own: clap has said what is wrong.
fn strange(command: &HookArgs) -> AppError {
    AppError::configuration(format!(
        "`waypost hook {}` takes no other arguments{}",
        command.harness,
        match (command.shared, command.plugin) {
            (true, _) => " than --shared",
            (_, true) => " than --plugin",
            (false, false) => "",
        }
    ))
}
