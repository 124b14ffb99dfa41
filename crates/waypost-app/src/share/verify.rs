//! Checking streams from the first byte to the last.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use waypost_core::event::{Event, Known, SharedFact};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Mend, NextStep, amid, to};
use waypost_core::project::ProjectState;
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_store::Report;
use waypost_store::{Relation, look};

use crate::error::AppError;
use crate::machine::signing;
use crate::share::repair;
use crate::view::View;
use crate::view::copy::{self, Copy, Kept};
use crate::view::registry::Registration;

/// Something that is wrong, and the way out.
#[derive(Debug)]
pub struct Fault {
    /// What is wrong, and where.
    pub what: String,
    /// What leads out of it.
    pub fix: NextStep,
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.what)
    }
}

/// What checking a stream found.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// The stream.
    pub stream: String,
    /// How many records are good.
    pub records: u64,
    /// What is wrong, the first fault first.
    pub faults: Vec<Fault>,
    /// What is worth knowing and no fault.
    pub notes: Vec<String>,
    /// Whether nobody here can vouch for the published copy.
    pub unverified: bool,
}

/// Checks one session, or every stream of the project, and the copies in this work tree.
pub fn verify(view: &View<'_>, session: Option<&str>) -> Result<Vec<Verified>, AppError> {
    let chosen = match session {
        Some(named) => vec![view.id_by_prefix(named)?],
        None => view.known_ids()?,
    };
    let mut found = Vec::new();
    if session.is_none() && view.log.exists(&StreamId::Project) {
        let report = view.log.verify::<ProjectState>(&StreamId::Project)?;
        found.push(described(report).with_approvals(view, &StreamId::Project));
    }
    for id in chosen {
        let stream = StreamId::Session(id.clone());
        let live = view.log.exists(&stream);
        let mut verified = if live {
            let report = view.log.verify::<SessionState>(&stream)?;
            described(report).with_approvals(view, &stream)
        } else {
            let stream = format!("copy of {stream}");
            let (faults, notes) = (Vec::new(), Vec::new());
            Verified { stream, records: 0, faults, notes, unverified: false }
        };
        if let Some(copy) = copy::of(view, &id)? {
            verified.add_copy(view, &copy, live);
        }
        if let Some(accepted) = view.log.trusted(&stream)? {
            let seq = accepted.seq;
            verified.notes.push(format!("up to record {seq}, accepted by hash, not by signature"));
        }
        verified.notes.extend(aside(view, &id));
        found.push(verified);
    }
    if session.is_none() {
        found.extend(lost(view));
    }
    Ok(found)
}

/// Sessions that conversations of this work tree belong to and of which there is nothing.
fn lost(view: &View<'_>) -> Vec<Verified> {
    let here = |known: &Registration| known.root == view.project.root;
    let mut lost: Vec<SessionId> = view
        .registry()
        .all()
        .into_iter()
        .filter(|known| here(known) && !view.log.exists(&StreamId::Session(known.session.clone())))
        .map(|known| known.session)
        .collect();
    lost.sort();
    lost.dedup();
    lost.into_iter()
        .map(|id| Verified {
            stream: StreamId::Session(id).to_string(),
            records: 0,
            faults: vec![Fault {
                what: "its records are gone, and conversations belong to it".to_owned(),
                fix: to("begin another session", NextStep::Begin),
            }],
            notes: Vec::new(),
            unverified: false,
        })
        .collect()
}

impl Verified {
    /// Looks at the signatures of approvals, which nobody but their key's owner can make.
    fn with_approvals(mut self, view: &View<'_>, stream: &StreamId) -> Self {
        let mut seen = BTreeSet::new();
        let mut look = |record: Record| {
            let (place, mark) = match &record.event {
                Event::Known(Known::GateMarked(mark)) => (stream.to_string(), mark),
                Event::Known(Known::Shared(shared)) => match &shared.what {
                    SharedFact::Mark(mark) => (format!("project/{}", shared.branch), mark),
                    _ => return,
                },
                _ => return,
            };
            let Some(signature) = &mark.signature else { return };
            let fault = if !signing::holds(&place, mark) {
                "bears a signature that does not fit it"
            } else if !seen.insert(signature.clone()) {
                "was recorded before: somebody copied it"
            } else {
                return;
            };
            let (seq, gate) = (record.seq, &mark.gate);
            let what = format!("{stream}: record {seq}: the approval of {gate} {fault}");
            let fix = "it counts for nothing; ask who wrote it".into();
            self.faults.push(Fault { what, fix });
        };
        // What cannot be read has been told of already.
        let _ = view.log.each(stream, &mut look);
        self
    }

    fn add_copy(&mut self, view: &View<'_>, copy: &Copy, live: bool) {
        let remark = copy.remark.clone().unwrap_or_default();
        match copy.kept {
            Kept::Damaged => self.faults.push(Fault {
                what: remark,
                fix: to("write the copy anew", Mend::Publish(Some(copy.id.clone()))),
            }),
            Kept::Newer => self.faults.push(Fault { what: remark, fix: Mend::UseNewer.into() }),
            Kept::Unverified => {
                self.unverified = true;
                self.notes.push(format!("unverified: the published copy is {remark}"));
            }
            Kept::Legacy => self.notes.push(remark),
            Kept::Copy | Kept::Live if !live => {
                self.records = copy.records.len() as u64;
                let resume = NextStep::Resume(copy.id.clone());
                let told = amid("only a published copy; ", resume, " takes it over");
                self.notes.push(told.words(view.voice()));
            }
            Kept::Copy | Kept::Live => {
                let stream = StreamId::Session(copy.id.clone());
                // A stream that is damaged has been told of already.
                match view.log.relation(&stream, &copy.events).ok() {
                    Some(Relation::Ahead) => {
                        let count = copy.records.len();
                        let ahead = format!("the published copy is ahead, at record {count}; ");
                        let publish = Mend::Publish(Some(copy.id.clone()));
                        let told = amid(ahead, publish, " takes over what it has more");
                        self.notes.push(told.words(view.voice()));
                    }
                    Some(Relation::Diverged(number)) => self.notes.push(format!(
                        "the published copy is a second head: from record {number} on it goes \
                         another way"
                    )),
                    Some(Relation::Equal | Relation::Behind) | None => {}
                }
            }
        }
    }
}

/// What was kept apart of copies that were not this stream's.
fn aside(view: &View<'_>, id: &SessionId) -> Vec<String> {
    let folder = view.project.store.join("aside").join(id.as_str());
    let entries = look::folder(&folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| format!("kept apart: {}", entry.path().display())).collect();
    names.sort();
    names
}

fn described(report: Report) -> Verified {
    let name = repair::name_of(&report.stream);
    let fix = if report.is_newer {
        Mend::UseNewer.into()
    } else {
        to("put it together again", Mend::Repair(Some(name.clone())))
    };
    let damage = report.faults.into_iter().map(|what| Fault { what, fix: fix.clone() });
    let lost = report.lost.map(|lost| Fault {
        what: format!("{}: {lost}", report.stream),
        fix: to("if they are gone for good, accept it", Mend::TrustLoss(name)),
    });
    Verified {
        stream: report.stream.to_string(),
        records: report.records,
        faults: damage.chain(lost).collect(),
        notes: report.notes,
        unverified: false,
    }
}
