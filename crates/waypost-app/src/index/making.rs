//! Making an index, and keeping it up with what happened since.

use waypost_store::index::{Index, IndexError, IndexHold, IndexPlace};

use super::known::Known;
use super::reading::Reading;
use super::report::{Progress, Report};
use super::{counting, project, transcripts};
use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project as around;
use crate::transcripts::{Found, Kept};

/// Where the index of this machine is.
pub(super) fn place(host: &Host) -> IndexPlace {
    IndexPlace::new(host.state_dir.join("index"))
}

/// Reads what happened since the last time. Where there is no index, or one that cannot be used, it is made anew.
pub fn scan(host: &Host, kept: &[Kept], progress: Progress<'_>) -> Result<Report, AppError> {
    let place = place(host);
    let hold = place.hold(host.patience)?;
    let mut known = Listed::read(host)?;
    known.add_here(host)?;
    known.write_into(&Sources { host, kept }, &place, &hold, progress)
}

/// Makes it anew.
pub fn rebuild(host: &Host, kept: &[Kept], progress: Progress<'_>) -> Result<Report, AppError> {
    let place = place(host);
    let hold = place.hold(host.patience)?;
    let mut known = Listed::read(host)?;
    known.add_here(host)?;
    known.make(&Sources { host, kept }, &place, &hold, progress)
}

/// Where it is all read from.
pub(super) struct Sources<'a> {
    pub(super) host: &'a Host,
    pub(super) kept: &'a [Kept],
}

/// The projects that are read.
pub(super) struct Listed {
    pub(super) known: Known,
    pub(super) warnings: Vec<String>,
}

impl Listed {
    pub(super) fn read(host: &Host) -> Result<Self, AppError> {
        let (known, warning) = Known::read(host)?;
        Ok(Self { known, warnings: warning.into_iter().collect() })
    }

    /// Adds the project that the command was called in, if it is in one.
    fn add_here(&mut self, host: &Host) -> Result<(), AppError> {
        if let Ok(project) = around::require(&host.cwd) {
            let before = self.known.clone();
            self.known.add(&project);
            if self.known != before {
                self.known.write(host)?;
            }
        }
        Ok(())
    }

    /// Reads all of them into the index that is there, or into a new one.
    pub(super) fn write_into(
        mut self,
        from: &Sources<'_>,
        place: &IndexPlace,
        hold: &IndexHold,
        progress: Progress<'_>,
    ) -> Result<Report, AppError> {
        let updated = match place.open() {
            Ok(Some(mut index)) => self.update(from, &mut *index, progress),
            Ok(None) => return self.make(from, place, hold, progress),
            Err(error) => Err(error),
        };
        match updated {
            Ok(mut report) => {
                report.warnings.splice(0..0, self.warnings);
                Ok(report)
            }
            Err(error) if error.is_damage() => {
                let mut told = error.to_string();
                if !matches!(error, IndexError::Older { .. })
                    && let Some(aside) = place.set_aside(hold)?
                {
                    told = format!("{told}; it was moved to {}", aside.display());
                }
                self.warnings.push(format!("{told}; the index was made anew"));
                self.make(from, place, hold, progress)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads all of them into a new one, which takes the place of the old once it is whole.
    fn make(
        self,
        from: &Sources<'_>,
        place: &IndexPlace,
        hold: &IndexHold,
        progress: Progress<'_>,
    ) -> Result<Report, AppError> {
        let mut building = place.begin(hold)?;
        let (mut report, changed) = self.read_all(from, &mut building.index, progress)?;
        place.finish(building)?;
        if let Some(mut index) = place.open()? {
            report = self.count(from, &changed, &mut *index, report)?;
        }
        report.rebuilt = true;
        report.warnings.splice(0..0, self.warnings);
        Ok(report)
    }

    fn update(
        &self,
        from: &Sources<'_>,
        index: &mut dyn Index,
        progress: Progress<'_>,
    ) -> Result<Report, IndexError> {
        let (report, changed) = self.read_all(from, index, progress)?;
        self.count(from, &changed, index, report)
    }

    /// Tells sessions what their conversations used; the index has to be whole.
    fn count(
        &self,
        from: &Sources<'_>,
        changed: &[Found],
        index: &mut dyn Index,
        report: Report,
    ) -> Result<Report, IndexError> {
        let mut progress = |_: u64, _: u64, _: &str| {};
        let mut reading = Reading::going_on(index, &mut progress, report);
        if let Ok(ring) = from.host.keyring() {
            counting::count(from.host, &ring, &self.known.projects, changed, &mut reading)?;
        }
        Ok(reading.report)
    }

    /// Reads all of them. Which transcripts changed.
    fn read_all(
        &self,
        from: &Sources<'_>,
        index: &mut dyn Index,
        progress: Progress<'_>,
    ) -> Result<(Report, Vec<Found>), IndexError> {
        let Sources { host, kept } = *from;
        let mut reading = Reading::new(index, progress);
        let ring = host.keyring();
        for known in &self.known.projects {
            match &ring {
                Ok(ring) => project::scan(host, ring, known, &mut reading)?,
                Err(error) => reading.fail("the key", error.message.clone()),
            }
        }
        reading.write()?;
        let changed = transcripts::scan(kept, &mut reading)?;
        Ok((reading.report, changed))
    }
}

impl From<IndexError> for AppError {
    fn from(error: IndexError) -> Self {
        let message = error.to_string();
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::Newer { .. } => Self::refused(message)
                .hint(waypost_core::next_step::Mend::UseNewer)
                .hint("or make the index anew with this one: nothing is lost by that"),
            error => Self::refused(message).because(error),
        }
    }
}
