//! A home in which a lot happened: sessions straight through the event log, activity, transcripts, and the index of them.

use std::path::Path;
use std::process::Command;

use waypost_app::index;
use waypost_app::transcripts;
use waypost_app::view::View;
use waypost_app::view::activity::{self, Deed};
use waypost_core::actor::Actor;
use waypost_core::id::SessionId;
use waypost_core::tables::{LogRow, ProjectRow, SessionRow};

use crate::failure::{During, Failure};
use crate::growth::fill::Filler;
use crate::index::Home;
use crate::spending;

/// How many sessions there are, and how many lines of activity each has.
const SESSIONS: u32 = 10_000;
const LINES: usize = 100;
/// How many events the long one has.
const EVENTS: u64 = 100_000;
/// How many conversations clients keep.
const CONVERSATIONS: usize = 60;

/// A home in which a lot happened.
pub(super) struct Filled {
    pub(super) home: Home,
    /// The project's id in the index.
    pub(super) project: String,
    /// The session of many events.
    pub(super) long: SessionId,
    /// A conversation that a client keeps.
    pub(super) conversation: String,
}

impl Filled {
    pub(super) fn make(folder: &Path) -> Result<Self, Failure> {
        let home = Home::make(folder)?;
        let filler = Filler::open(home.host.clone())?;
        eprintln!("{SESSIONS} sessions ...");
        filler.sessions(SESSIONS)?;
        eprintln!("{EVENTS} events of one ...");
        let long = filler.session_of_notes(EVENTS)?;
        let lines = SESSIONS as usize * LINES;
        eprintln!("{lines} lines of activity ...");
        let view = View::open(&home.host).during(|| "opening the project".to_owned())?;
        for number in 0..SESSIONS {
            note(&view, &filler.name(number));
        }
        let bytes = spending::write(&home.host.home, CONVERSATIONS)?;
        eprintln!("indexing all that, and {} MB of transcripts ...", bytes / 1_000_000);
        let kept = transcripts::kept(waypost_hook::transcripts::ALL, &home.host.home, |_| None);
        index::rebuild(&home.host, &kept, &mut |_, _, _| {})
            .during(|| "making the index".to_owned())?;
        let rows = index::Rows::open(&home.host).during(|| "the index".to_owned())?;
        let rows = rows.ok_or_else(|| Failure::new("there is no index"))?;
        let counted = || "counting".to_owned();
        let found =
            (rows.count::<LogRow>().during(counted)?, rows.count::<SessionRow>().during(counted)?);
        if found.0 < lines as u64 || found.1 <= u64::from(SESSIONS) {
            return Err(Failure::new(format!(
                "the index has {found:?} rows of activity and sessions"
            )));
        }
        let project = rows.of::<ProjectRow>(index::Ask::default()).during(counted)?;
        let project = project.into_iter().next().ok_or_else(|| Failure::new("no project"))?.id;
        let conversation = spending::conversation(CONVERSATIONS - 1);
        drop(view);
        Ok(Self { home, project, long, conversation })
    }

    /// A program in the project's folder, with this home.
    pub(super) fn command(&self, program: &Path, words: &[&str]) -> Command {
        let host = &self.home.host;
        let mut command = Command::new(program);
        command.args(words).current_dir(&host.cwd).env_clear().env("HOME", &host.home);
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command
    }
}

fn note(view: &View<'_>, session: &SessionId) {
    for line in 0..LINES {
        let what = format!("cargo test --package waypost-core --test number_{line}");
        let (actor, tool, status) = (&Actor::Human, "Bash", Some(0));
        activity::note(view, session, &Deed { actor, tool, what: &what, status, files: &[] });
    }
}
