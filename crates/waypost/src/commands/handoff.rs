//! `waypost handoff`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value, json};
use waypost_app::machine::host::Host;
use waypost_app::orchestration::{self, document, handoffs};
use waypost_app::view::View;
use waypost_core::agents::Handoff;
use waypost_core::event::HandoffCreated;
use waypost_core::session::handoff_id;

use super::CommandOutcome;
use super::evidence::fields_of;
use super::which::WhichSession;
use crate::ui::{self, BOLD, DIM, GOOD, WARN};

/// Hand work over to another agent or a later conversation, and take it
///
/// A handoff that nobody has accepted stands in every brief. Whoever takes it over goes through its
/// checklist first; a gate with `handoff = "accepted"` holds back what should wait for that.
#[derive(Debug, Args)]
pub(super) struct HandoffArgs {
    #[command(subcommand)]
    command: HandoffCommand,
}

#[derive(Debug, Subcommand)]
enum HandoffCommand {
    Create(Box<HandoffCreateArgs>),
    Accept(HandoffAcceptArgs),
    List(HandoffListArgs),
    Show(HandoffShowArgs),
}

/// Hand work over, and print it as a document
///
/// A point of the checklist is `run: COMMAND`, `read: FILE`, or words that whoever goes on has to answer.
/// Without any, whoever goes on has to read the files that are named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost handoff create --from implementer --to qa --reason \"The parser is done\" \\
      --context \"Errors carry line numbers now\" --artifact src/parser.rs
  waypost handoff create --from alice --to bob --reason \"Holiday\" --context \"See NOTES.md\" \\
      --check \"run: cargo test\" --check \"read: NOTES.md\" --check \"Which test is flaky?\"")]
struct HandoffCreateArgs {
    /// Who hands over
    #[arg(long, value_name = "AGENT")]
    from: String,
    /// Who goes on
    #[arg(long, value_name = "AGENT")]
    to: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// What whoever goes on has to know
    #[arg(long, value_name = "TEXT")]
    context: String,
    /// A file that it is about; may be said more than once
    #[arg(long = "artifact", value_name = "FILE")]
    artifacts: Vec<String>,
    /// A point of its checklist; may be said more than once
    #[arg(long = "check", value_name = "POINT")]
    checklist: Vec<String>,
    /// What else is kept; values are JSON where they are that, else text
    #[arg(long, value_name = "NAME=VALUE")]
    preserve: Vec<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Take a handoff over, once its checklist was gone through
///
/// An agent is refused with what is missing: commands and files of the checklist have to be run and read in
/// its own conversation, after the handoff was made. A human answers for it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost handoff accept                                       the only one that waits
  waypost handoff accept handoff-41 --checked \"test_login is the flaky one\"")]
struct HandoffAcceptArgs {
    /// The handoff's id, as the brief names it
    #[arg(value_name = "HANDOFF")]
    handoff: Option<String>,
    /// What was found of a point that is neither a command nor a file; once for each, in their order
    #[arg(long, value_name = "TEXT")]
    checked: Vec<String>,
    /// A session's id, or enough of its beginning
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// List the handoffs of a session
#[derive(Debug, Args)]
struct HandoffListArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Show a handoff as a document, in Markdown
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost handoff show handoff-41
  waypost handoff show handoff-41 > HANDOFF.md")]
struct HandoffShowArgs {
    /// The handoff's id; without one, the latest
    #[arg(value_name = "HANDOFF")]
    handoff: Option<String>,
    /// A session's id, or enough of its beginning
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl HandoffArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            HandoffCommand::Create(create) => create.run(&view),
            HandoffCommand::Accept(accept) => accept.run(&view),
            HandoffCommand::List(list) => list.run(&view),
            HandoffCommand::Show(show) => show.run(&view),
        }
    }
}

impl HandoffCreateArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let preserved: Map<String, Value> = fields_of(&self.preserve)?;
        let handoff = HandoffCreated {
            from_agent: self.from,
            to_agent: self.to,
            reason: self.reason,
            context: self.context,
            artifacts: self.artifacts,
            preserved_context: (!preserved.is_empty()).then_some(preserved),
            checklist: self.checklist,
        };
        let (recorded, document) = handoffs::create(view, self.session.named(), handoff)?;
        ui::warnings(&recorded.warnings);
        let id = handoff_id(recorded.seq);
        if self.json {
            ui::json(&json!({
                "session_id": recorded.session,
                "handoff_id": id,
                "document": document,
            }))?;
        } else {
            ui::document(&document);
            ui::note(format!("{id} waits to be accepted"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl HandoffAcceptArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let named = self.handoff.as_deref().unwrap_or_default();
        let (recorded, taken) =
            handoffs::accept(view, self.session.as_deref(), named, self.checked)?;
        ui::warnings(&recorded.warnings);
        if self.json {
            ui::json(&json!({"session_id": recorded.session, "handoff_id": taken.id()}))?;
        } else {
            let session = ui::paint(DIM, &recorded.session);
            ui::line(format!("{} accepted {session}", ui::paint(BOLD, taken.id())));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A handoff with its name.
#[derive(Serialize)]
struct Listed<'a> {
    handoff_id: String,
    #[serde(flatten)]
    handoff: &'a Handoff,
}

impl<'a> Listed<'a> {
    fn of(handoff: &'a Handoff) -> Self {
        Self { handoff_id: handoff_id(handoff.seq), handoff }
    }
}

impl HandoffListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, all) = orchestration::all(view, self.session.named())?;
        if self.json {
            let handoffs: Vec<Listed<'_>> = all.handoffs.iter().map(Listed::of).collect();
            ui::json(&json!({"session_id": session.id, "handoffs": handoffs}))?;
            return Ok(ExitCode::SUCCESS);
        }
        if all.handoffs.is_empty() {
            ui::note("nothing was handed over");
        }
        for known in &all.handoffs {
            let told = &known.handoff;
            let state = match &known.accepted {
                Some(accepted) => ui::paint(GOOD, format!("accepted by {}", accepted.by.label())),
                None => ui::paint(WARN, "waits to be accepted"),
            };
            let time = ui::paint(DIM, ui::moment(known.time));
            let id = ui::paint(BOLD, handoff_id(known.seq));
            let (from, to) = (ui::on_one_line(&told.from_agent), ui::on_one_line(&told.to_agent));
            ui::line(format!("{time}  {id} from {from} to {to}, {state}"));
            ui::field("reason", ui::on_one_line(&told.reason));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl HandoffShowArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, all) = orchestration::all(view, self.session.as_deref())?;
        let found = handoffs::named(&all, self.handoff.as_deref())?;
        let document = document::markdown(&session.id, &session.state, &all, found, view.voice());
        if self.json {
            ui::json(&json!({
                "session_id": session.id,
                "handoff": Listed::of(found),
                "document": document,
            }))?;
        } else {
            ui::document(&document);
        }
        Ok(ExitCode::SUCCESS)
    }
}
