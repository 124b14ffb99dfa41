//! Approving a gate from the screen: what would be approved is shown and asked about, and then it is the same act, with
//! the same checks, as on the command line.

use std::path::PathBuf;

use waypost_app::enforce::gates::{self, Reach, Say, Spoken};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::view::View;
use waypost_app::watch::WatchRow;
use waypost_core::gate::FindingStatus;
use waypost_core::gate::Scope;
use waypost_core::id::SessionId;
use waypost_core::standing::ShownGate;
use waypost_core::text::spoken::long;

use super::super::gate;
use crate::ui;

/// A gate that may be approved.
#[derive(Debug)]
pub(super) struct Gate {
    shown: ShownGate,
    reach: Reach,
}

/// The gates of a session that may be approved, and the one that is asked about.
#[derive(Debug)]
pub(super) struct Approving {
    session: SessionId,
    objective: Option<String>,
    root: PathBuf,
    gates: Vec<Gate>,
    at: usize,
}

impl Approving {
    /// The gates of a row's session that are open and due, those that wait for an approval first.
    pub(super) fn of(host: &Host, row: &WatchRow) -> Result<Self, AppError> {
        let nothing = || AppError::refused("no gate waits for anything here");
        let session = row.session_id.clone().ok_or_else(nothing)?;
        let host = at(host, row.root.clone());
        let view = View::open(&host)?;
        let (session, found) = gates::check(&view, Some(session.as_str()), None)?;
        let is_asked = |gate: &ShownGate| row.gates.contains(&gate.gate);
        let open = found.into_iter().filter(|gate| gate.status != FindingStatus::Met);
        let mut open: Vec<ShownGate> = open.filter(|gate| gate.due || is_asked(gate)).collect();
        open.sort_by_key(|gate| !is_asked(gate));
        let say = Say { session: Some(session.as_str()), ..Say::default() };
        // What somebody can say nothing about is not asked about.
        let known = open.into_iter().filter_map(|shown| {
            let reach = gates::reach(&view, &shown.gate, &say).ok()?;
            Some(Gate { shown, reach })
        });
        let gates: Vec<Gate> = known.collect();
        if gates.is_empty() {
            return Err(nothing());
        }
        let (objective, root) = (row.objective.clone(), row.root.clone());
        Ok(Self { session, objective, root, gates, at: 0 })
    }

    /// Goes to another gate.
    pub(super) fn go(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.gates.len().saturating_sub(1));
    }

    pub(super) fn title(&self) -> String {
        match self.gates.len() {
            1 => "Approve this gate?".to_owned(),
            several => format!("Approve this gate? ({} of {several})", self.at + 1),
        }
    }

    pub(super) fn keys(&self) -> &'static str {
        if self.gates.len() > 1 {
            "y approve it  n back  ↑↓ another gate"
        } else {
            "y approve it  n back"
        }
    }

    /// Exactly what would be approved.
    pub(super) fn text(&self) -> String {
        let Some(Gate { shown, reach }) = self.gates.get(self.at) else { return String::new() };
        let before: Vec<String> = shown.before.iter().map(ToString::to_string).collect();
        let mut lines = vec![
            format!("gate      {} ({}), before {}", shown.gate, shown.level, before.join(", ")),
            format!("asks      {}", ui::on_one_line(&shown.message)),
            format!("now       {}", ui::on_one_line(&shown.why)),
            format!("written   {}", shown.source),
        ];
        let objective = self.objective.as_deref().map(ui::on_one_line).unwrap_or_default();
        lines.push(format!("session   {}  {objective}", self.session));
        lines.push(format!("folder    {}", self.root.display()));
        lines.push(format!("approved  {}", reach_told(reach)));
        if reach.signed {
            lines.push(
                "          signed: your passphrase is asked for outside of this screen".to_owned(),
            );
        }
        lines.join("\n")
    }

    /// Approves the gate. `aside` lets a passphrase be asked for.
    pub(super) fn approve(
        &self,
        host: &Host,
        aside: impl FnOnce(&mut dyn FnMut()),
    ) -> Result<Spoken, AppError> {
        let name = self.gates.get(self.at).map_or("", |gate| gate.shown.gate.as_str());
        let host = at(host, self.root.clone());
        let view = View::open(&host)?;
        let say = Say { session: Some(self.session.as_str()), ..Say::default() };
        gates::approve(&view, name, &say, |signer, message| {
            let mut signed = Err(AppError::refused("nobody was asked"));
            aside(&mut || signed = gate::sign(&host, signer, message));
            signed
        })
    }
}

/// How far an approval reaches, in words.
fn reach_told(reach: &Reach) -> String {
    if let Some(ttl) = reach.ttl {
        return format!("for {}", long(ttl));
    }
    if reach.content {
        return "for the content of now; the next change asks again".to_owned();
    }
    match reach.scope {
        Scope::Session => "for this session, until it is cleared".to_owned(),
        Scope::Conversation => "for the conversation at work, until it is cleared".to_owned(),
        Scope::SingleUse => "for the next time only".to_owned(),
        Scope::Branch => "for the branch that is checked out, until it is cleared".to_owned(),
        Scope::Permanent => "everywhere in the project, until it is cleared".to_owned(),
    }
}

/// What came of approving, in a line.
pub(super) fn told(spoken: &Spoken) -> String {
    let until = spoken.until.map(|until| format!(" until {}", ui::moment(until)));
    let content = spoken.tree.as_ref().map(|_| " for this content".to_owned());
    format!("{} approved{}", spoken.gate, until.or(content).unwrap_or_default())
}

/// The machine as seen from another folder.
pub(super) fn at(host: &Host, folder: PathBuf) -> Host {
    Host { cwd: folder, ..host.clone() }
}
