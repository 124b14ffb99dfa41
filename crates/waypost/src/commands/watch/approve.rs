//! Approving a gate from the screen: what would be approved is shown and asked about, and then it is the same act, with
//! the same checks, as on the command line.

use std::path::PathBuf;

use waypost_app::enforce::gates::{self, Say, Spoken};
use waypost_app::enforce::offer::{Offer, offers};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::view::View;
use waypost_app::watch::WatchRow;

use super::super::gate;
use crate::ui;

/// The gates of a session that may be approved, and the one that is asked about.
#[derive(Debug)]
pub(super) struct Approving {
    offers: Vec<Offer>,
    at: usize,
}

impl Approving {
    /// The gates of a row's session that are open and due, those that wait for an approval first.
    pub(super) fn of(host: &Host, row: &WatchRow) -> Result<Self, AppError> {
        let nothing = || AppError::refused("no gate waits for anything here");
        let session = row.session_id.clone().ok_or_else(nothing)?;
        let host = at(host, row.root.clone());
        let offers = offers(&View::open(&host)?, &session, &row.gates)?;
        if offers.is_empty() {
            return Err(nothing());
        }
        Ok(Self { offers, at: 0 })
    }

    /// Goes to another gate.
    pub(super) fn go(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.offers.len().saturating_sub(1));
    }

    pub(super) fn title(&self) -> String {
        match self.offers.len() {
            1 => "Approve this gate?".to_owned(),
            several => format!("Approve this gate? ({} of {several})", self.at + 1),
        }
    }

    pub(super) fn keys(&self) -> &'static str {
        if self.offers.len() > 1 {
            "y approve it  n back  ↑↓ another gate"
        } else {
            "y approve it  n back"
        }
    }

    /// Exactly what would be approved.
    pub(super) fn text(&self) -> String {
        let Some(offer) = self.offers.get(self.at) else { return String::new() };
        let aside = "\n          (your passphrase is asked for outside of this screen)";
        format!("{}{}", offer.text(), if offer.signed { aside } else { "" })
    }

    /// Approves the gate. `aside` lets a passphrase be asked for.
    pub(super) fn approve(
        &self,
        host: &Host,
        aside: impl FnOnce(&mut dyn FnMut()),
    ) -> Result<Spoken, AppError> {
        let nothing = || AppError::refused("no gate waits for anything here");
        let offer = self.offers.get(self.at).ok_or_else(nothing)?;
        let host = at(host, offer.root.clone());
        let view = View::open(&host)?;
        let session = Some(offer.session.as_str());
        let say = Say { session, shown: Some(offer.hash()), ..Say::default() };
        gates::approve(&view, &offer.gate.gate, &say, |signer, message| {
            let mut signed = Err(AppError::refused("nobody was asked"));
            aside(&mut || signed = gate::sign(&host, signer, message));
            signed
        })
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
