//! Bringing sessions back whose records are gone, from what a mirror holds of them. The state is what the mirror was
//! shown; the records themselves it never had, and the stream says so until a human accepts that.

use std::sync::Arc;

use serde::Serialize;
use waypost_core::actor::Actor;
use waypost_core::event::{Event, Known};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::mirror::Held;
use waypost_core::next_step::{Mend, to};
use waypost_core::record::{Draft, Position};
use waypost_core::text::{one_line, shortened};
use waypost_store::{EventLog, Relation, look};

use super::sending::{mirror, trusted_since, untrusted};
use super::server::{Fault, Servers};
use super::{MirrorKind, Text};
use crate::config::MirrorConfig;
use crate::error::AppError;
use crate::view::View;
use crate::view::human;

/// How much of what a server says is told.
const MAX_TOLD: usize = 300;

/// A session that came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Brought {
    /// The session.
    pub session: SessionId,
    /// What it is for.
    pub objective: Option<String>,
    /// The last record that the mirror knew of.
    pub mirrored: u64,
    /// How many records are gone.
    pub lost: u64,
}

/// What bringing back came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// What came back.
    pub restored: Vec<Brought>,
    /// What is here anyway.
    pub here: Vec<SessionId>,
    /// What was refused: a sentence each that names it.
    pub refused: Vec<String>,
}

/// Brings back one session, or all that are gone, from a mirror.
pub fn restore(
    view: &View<'_>,
    servers: &Arc<dyn Servers>,
    from: MirrorKind,
    named: Option<&str>,
) -> Result<Restored, AppError> {
    human::only(view.host, "restoring a session")?;
    let configs = &view.configuration().mirrors;
    let config = configs.iter().find(|config| config.kind == from);
    let config = config.cloned().unwrap_or_else(|| MirrorConfig::unnamed(from));
    // The usual program is no file's choice; whoever asks for it here wants it started.
    if config.reached.is_some() && trusted_since(view).is_none() {
        return Err(untrusted("nothing is asked"));
    }
    let mirror = mirror(view, servers, &config);
    let wanted = named.and_then(|named| named.parse::<SessionId>().ok());
    let texts = match &wanted {
        Some(id) => mirror.read(view, id),
        None => Ok(Vec::new()),
    };
    let mut texts = texts.map_err(|fault| unanswered(from, &fault))?;
    if texts.is_empty() {
        texts = mirror.list(view).map_err(|fault| unanswered(from, &fault))?;
    }
    let mut restored = Restored::default();
    let held = restored.sort(texts, from);
    let is_meant = |held: &Held| named.is_none_or(|named| held.session.as_str().starts_with(named));
    let meant: Vec<Held> = held.into_iter().filter(is_meant).collect();
    if let (true, Some(named)) = (meant.is_empty() && restored.refused.is_empty(), named) {
        let named = shortened(&one_line(named), 60);
        return Err(AppError::refused(format!("{} holds no session {named}", from.name())));
    }
    if let (Some(named), several @ 2..) = (named, meant.len()) {
        let named = shortened(&one_line(named), 60);
        return Err(AppError::refused(format!("`{named}` fits {several} sessions there"))
            .hint("give more of the id"));
    }
    for held in meant {
        if is_here(view, &held.session) {
            restored.here.push(held.session);
        } else {
            restored.restored.push(bring(view, from, &held)?);
        }
    }
    Ok(restored)
}

impl Restored {
    /// The sessions that texts hold, each as it was last; what cannot be used is named.
    fn sort(&mut self, texts: Vec<Text>, from: MirrorKind) -> Vec<Held> {
        let mut all: Vec<Held> = Vec::new();
        for text in texts {
            match text.held {
                Ok(held) => {
                    for one in held {
                        match all.iter_mut().find(|known| known.session == one.session) {
                            Some(known) if known.seq < one.seq => *known = one,
                            Some(_) => {}
                            None => all.push(one),
                        }
                    }
                }
                Err(why) => {
                    let name = shortened(&one_line(&text.name), 160);
                    self.refused.push(format!("{name} in {}: {why}", from.name()));
                }
            }
        }
        all
    }
}

fn unanswered(from: MirrorKind, fault: &Fault) -> AppError {
    let told = shortened(&one_line(fault.told()), MAX_TOLD);
    AppError::refused(format!("{} gives nothing back: {told}", from.name()))
        .hint("see that it runs, then try again; nothing is lost by waiting")
}

/// Whether there are records of a session. Where there are some, it is mended with them.
fn is_here(view: &View<'_>, id: &SessionId) -> bool {
    let stream = StreamId::Session(id.clone());
    let log: &dyn EventLog = &*view.log;
    let mut found = look::is_file(view.log.place(&stream));
    // What cannot be read to its end is there all the same.
    let _ = log.load(&stream, &mut Position::start(&stream), &mut |_, _| found = true);
    found
}

/// Writes the stream with which a session goes on.
fn bring(view: &View<'_>, from: MirrorKind, held: &Held) -> Result<Brought, AppError> {
    let stream = StreamId::Session(held.session.clone());
    // What was acknowledged last may be known here still, though its record is gone.
    let known = view.log.acknowledged(&stream)?;
    let (up_to, hash) = match &known {
        Some(known) if known.seq >= held.seq => (known.seq, known.hash.as_str()),
        Some(_) | None => (held.seq, held.head.as_str()),
    };
    let event = Known::SessionRestored(Box::new(held.restored(from.name(), (up_to, hash))));
    let time = held.state.updated_at.unwrap_or_else(|| view.host.now());
    let draft =
        Draft { time: time.max(view.host.now()), actor: Actor::Human, event: Event::Known(event) };
    let mut position = Position { seq: up_to, hash: hash.to_owned(), bytes: 0 };
    let line = position
        .append(&stream, view.log.ring().current(), &draft)
        .map_err(|error| AppError::refused(error.to_string()).because(error))?;
    let path = view.log.place(&stream);
    view.make_room(&held.session)?;
    if view.log.take_over(&stream, &path, line.as_bytes())? != Relation::Ahead {
        return Err(AppError::refused(format!("{} cannot be put in place", held.session))
            .hint("it came back by itself meanwhile: look at it"));
    }
    view.changed(&stream);
    Ok(Brought {
        session: held.session.clone(),
        objective: held.state.objective.clone(),
        mirrored: held.seq,
        lost: up_to,
    })
}

impl Restored {
    /// What leads on from here.
    pub fn next(&self) -> Vec<waypost_core::next_step::NextStep> {
        let lost = self.restored.iter().map(|one| {
            let id = one.session.to_string();
            to("if its records are gone for good, accept that", Mend::TrustLoss(id))
        });
        lost.collect()
    }
}
