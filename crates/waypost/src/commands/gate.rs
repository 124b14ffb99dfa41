//! `waypost gate`

mod pause;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::config::{Problem, duration};
use waypost_app::enforce::counting::{self, Worth};
use waypost_app::enforce::gates::{self, Say, Spoken};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::machine::signing;
use waypost_app::share::verify;
use waypost_app::standing::validate::{self, Validated};
use waypost_app::tracks::protocol::GateStatus;
use waypost_app::view::View;
use waypost_core::evidence::Provenance;
use waypost_core::gate::{FindingStatus, Level, Scope};
use waypost_core::next_step::{Look, Mend, does, to};
use waypost_core::next_step::{NextStep, Voice};
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};

use pause::{GatePauseArgs, GateUnpauseArgs};

use super::CommandOutcome;
use super::which::WhichSession;
use crate::passphrase;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// Look at the gates of this project, and speak about them
#[derive(Debug, Args)]
pub(super) struct GateArgs {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    List(GateListArgs),
    Check(GateCheckArgs),
    Match(GateMatchArgs),
    Satisfy(GateMarkArgs),
    Clear(GateMarkArgs),
    Approve(GateMarkArgs),
    Pause(GatePauseArgs),
    Unpause(GateUnpauseArgs),
}

/// List the gates and where each is written down
///
/// Fails if something in waypost.toml cannot be understood, and says what was probably meant.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate list
  waypost gate list --json")]
struct GateListArgs {
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Tell which gates hold now, and what would satisfy the others
///
/// With `--all` those of the protocol too, if the project follows one. Ends with 0 if every must-gate
/// that applies holds, with 1 if one does not, with 2 if something is configured wrongly, with 3 if
/// records are damaged.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate check             every gate of waypost.toml
  waypost gate check --all       those of the protocol too, for a script at the end of a session
  waypost gate check tests-pass  one of them")]
struct GateCheckArgs {
    /// The gate
    gate: Option<String>,
    /// Every gate, those of the protocol included
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Tell of command lines whether they would count as a run that a gate waits for
///
/// A pattern whose words name a test runner means that runner, whole, in any equal spelling. Nothing is
/// run. Ends with 0 if every line counts, else with 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate match 'cargo test'
  waypost gate match 'pytest -k login' 'uv run pytest -q | tail -5'
  waypost gate match --json 'npm t'")]
struct GateMatchArgs {
    /// The command lines, each as one argument
    #[arg(required = true, value_name = "LINE")]
    lines: Vec<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Say something of one gate
///
/// `satisfy` says that it holds: from a human at a terminal that is an approval, from an agent a
/// claim, which only gates with `accept = "claimed"` take. `approve` is for humans alone, and asks for
/// a passphrase where the gate wants a signed approval. `clear` lets what satisfied it count no more:
/// this gate, in its scope, and nothing else.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate approve tests-pass                  for the content of now
  waypost gate approve tests-pass --whole-session  whatever changes in this session
  waypost gate approve deploy --ttl 1h
  waypost gate satisfy adr-reviewed --note \"ADR 7 covers it\"
  waypost gate clear adr-reviewed")]
struct GateMarkArgs {
    /// The gate
    gate: String,
    /// For how long, such as 30m or 1h
    #[arg(long)]
    ttl: Option<String>,
    /// Whatever changes: an approval of a command that has to run is for the content of now otherwise
    #[arg(long, conflicts_with = "ttl")]
    whole_session: bool,
    /// What there is to say about it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// The conversation, by the beginning of its id, where the gate counts for one
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl GateArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            GateCommand::List(list) => list.run(&view),
            GateCommand::Check(check) => check.run(&view),
            GateCommand::Match(these) => these.run(&view),
            GateCommand::Satisfy(speak) => {
                let spoken = gates::satisfy(&view, &speak.gate, &speak.say()?)?;
                let what = match spoken.provenance {
                    Provenance::Approved => "satisfied: approved",
                    _ => "satisfied: claimed",
                };
                speak.tell(&spoken, what)
            }
            GateCommand::Clear(speak) => {
                let spoken = gates::clear(&view, &speak.gate, &speak.say()?)?;
                speak.tell(&spoken, "cleared")
            }
            GateCommand::Approve(speak) => {
                let sign = |signer: &str, message: &[u8]| sign(host, signer, message);
                let spoken = gates::approve(&view, &speak.gate, &speak.say()?, sign)?;
                speak.tell(&spoken, "approved")
            }
            GateCommand::Pause(pause) => pause.run(&view),
            GateCommand::Unpause(unpause) => unpause.run(&view),
        }
    }
}

/// Signs an approval with the user's own key, if it is the one that is asked for.
pub(super) fn sign(host: &Host, signer: &str, message: &[u8]) -> Result<String, AppError> {
    let path = host.approval_key_file();
    let own = signing::public(&path)?.ok_or_else(|| {
        AppError::configuration(format!("there is no approval key at {}", path.display()))
            .hint(to("make one", Mend::MakeApprovalKey))
    })?;
    if own.to_string() != signer {
        return Err(AppError::refused(format!(
            "the gate asks for the signature of {signer}, and your approval key is {own}"
        ))
        .hint("whoever has that key approves it"));
    }
    let passphrase = passphrase::ask("Passphrase of your approval key")?;
    signing::sign(&path, &passphrase, message)
}

impl GateListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let listed = gates::list(view)?;
        let problems: Vec<&Problem> = listed.problems.iter().chain(&listed.left_out).collect();
        if self.json {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let notes: Vec<String> = listed.notes.iter().map(ToString::to_string).collect();
            let policy = &listed.policy;
            ui::json(&json!({
                "enforcement": policy.enforcement,
                "mode": policy.mode,
                "gates": policy.gates,
                "problems": problems,
                "notes": notes,
                "waiting": listed.waiting,
            }))?;
        } else {
            show(&listed);
        }
        if !listed.waiting.is_empty() {
            let waiting = listed.waiting.join(", ");
            ui::warning(format!(
                "the project's files say more, which waits for your next prompt: {waiting}"
            ));
        }
        for note in &listed.notes {
            ui::warning(note.to_string());
        }
        for problem in &problems {
            ui::error(&problem.to_string(), &[]);
        }
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
    }
}

impl GateCheckArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, gate) = self.session.or_first(self.gate.as_deref());
        if self.all {
            return match gate {
                None => self.run_all(view, session),
                Some(gate) => Err(AppError::configuration(format!(
                    "--all asks every gate: leave out `{}`",
                    ui::on_one_line(gate)
                ))),
            };
        }
        let (session, findings) = gates::check(view, session, gate)?;
        let holds = |finding: &ShownGate| {
            finding.status == FindingStatus::Met || finding.level != Level::Must
        };
        let all_hold = findings.iter().all(holds);
        if self.json {
            ui::json(&json!({"session_id": session, "pass": all_hold, "gates": findings}))?;
        } else {
            findings.iter().for_each(tell);
            if findings.is_empty() {
                ui::note("no gate applies here");
            }
        }
        Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

impl GateCheckArgs {
    fn run_all(&self, view: &View<'_>, session: Option<&str>) -> CommandOutcome {
        if let Some(problem) = gates::list(view)?.problems.first() {
            return Err(AppError::configuration(problem.to_string())
                .hint(does(Look::Gates, "shows every problem")));
        }
        // Gates that hold by records that somebody changed do not hold.
        let id = view.session_id(session)?;
        let verified = verify::verify(view, Some(id.as_str()))?;
        if let Some(fault) = verified.iter().flat_map(|stream| &stream.faults).next() {
            return Err(AppError::integrity(fault.what.clone()).hint(fault.fix.clone()));
        }
        let outcome = validate::validate(view, session, validate::ALL)?;
        let pass = outcome.status != GateStatus::Fail;
        if self.json {
            ui::json(&json!({"status": outcome.status, "pass": pass, "gates": outcome.gates}))?;
        } else {
            outcome.gates.iter().for_each(tell_validated);
            if outcome.gates.is_empty() {
                ui::note("no gate applies here");
            }
        }
        Ok(if pass { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

impl GateMatchArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let worth = counting::of_lines(view, &self.lines)?;
        let all_count = worth.iter().all(|line| line.counts);
        if self.json {
            ui::json(&json!(worth))?;
        } else {
            worth.iter().for_each(tell_worth);
        }
        Ok(if all_count { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn tell_worth(line: &Worth) {
    let (mark, style) = if line.counts { ("✓", GOOD) } else { ("✗", BAD) };
    let gate = line.gate.as_deref().map_or(String::new(), |gate| format!(" (for {gate})"));
    let command = ui::paint(BOLD, ui::on_one_line(&line.command));
    let why = ui::on_one_line(&line.why);
    ui::line(format!("{} {command}: {why}{gate}", ui::paint(style, mark)));
    if line.next != NextStep::Nothing {
        ui::line(format!("  → {}", ui::on_one_line(&line.next.words(Voice::PERSON))));
    }
}

fn tell_validated(gate: &Validated) {
    let (mark, style) = match (gate.status, gate.requirement_level) {
        (GateStatus::Pass, _) => ("✓", GOOD),
        (GateStatus::Skipped, _) => ("-", DIM),
        (GateStatus::Fail, Level::Must) => ("✗", BAD),
        (GateStatus::Fail, _) => ("!", WARN),
    };
    let why = ui::on_one_line(&gate.evidence);
    ui::line(format!("{} {} {why}", ui::paint(style, mark), ui::paint(BOLD, &gate.phase)));
    if gate.status == GateStatus::Fail {
        ui::line(format!("  → {}", ui::on_one_line(&gate.message)));
    }
}

fn tell(finding: &ShownGate) {
    let (mark, style) = match (finding.status, finding.level) {
        (FindingStatus::Met, _) => ("✓", GOOD),
        (_, Level::Must) => ("✗", BAD),
        _ => ("!", WARN),
    };
    let why = ui::on_one_line(&finding.why);
    ui::line(format!("{} {} {why}", ui::paint(style, mark), ui::paint(BOLD, &finding.gate)));
    if finding.status != FindingStatus::Met {
        ui::line(format!("  → {}", ui::on_one_line(&finding.next)));
    }
}

/// Milliseconds, from what somebody said.
fn time(text: &str) -> Result<i64, AppError> {
    duration(text).ok_or_else(|| {
        AppError::configuration(format!("`{text}` is no time")).hint("say it such as 30m, 1h or 2d")
    })
}

impl GateMarkArgs {
    fn say(&self) -> Result<Say<'_>, AppError> {
        let ttl = self.ttl.as_deref().map(time);
        Ok(Say {
            session: self.session.named(),
            conversation: self.conversation.as_deref(),
            ttl: ttl.transpose()?,
            for_all: self.whole_session,
            note: self.note.clone(),
            shown: None,
        })
    }

    fn tell(&self, spoken: &Spoken, what: &str) -> CommandOutcome {
        if self.json {
            ui::json(&json!({
                "session_id": spoken.session,
                "gate": spoken.gate,
                "provenance": spoken.provenance,
                "conversation": spoken.conversation,
                "until": spoken.until,
                "tree": spoken.tree,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let until = spoken.until.map(|until| format!(" until {}", ui::moment(until)));
        let content = spoken.tree.as_ref().map(|_| " for this content; the next change asks again");
        let reach = until.or_else(|| content.map(str::to_owned));
        let what = format!("{what}{}", reach.unwrap_or_default());
        ui::line(format!("{} {}", ui::paint(BOLD, &spoken.gate), ui::paint(DIM, what)));
        Ok(ExitCode::SUCCESS)
    }
}

fn show(listed: &gates::GateList) {
    if listed.policy.gates.is_empty() {
        ui::note(if listed.policy.protocol.is_some() {
            "there are no gates but those of the protocol: `waypost protocol show` tells them"
        } else {
            "there are no gates: add a [[gate]] to waypost.toml"
        });
    }
    for gate in &listed.policy.gates {
        let before: Vec<String> = gate.before.iter().map(ToString::to_string).collect();
        let scope = match gate.scope {
            Scope::Session => String::new(),
            scope => format!(" ({scope})"),
        };
        // What is written for whoever is held may be a whole page.
        let message = if gate.message.contains('\n') {
            shortened(&one_line(&gate.message), 200)
        } else {
            gate.message.clone()
        };
        ui::line(format!(
            "{} {} before {}{scope}: {message}",
            ui::paint(BOLD, &gate.id),
            gate.level,
            before.join(", "),
        ));
        let source = ui::paint(DIM, format!("({})", gate.source));
        ui::line(format!("  → {}  {source}", gate.how()));
    }
}
