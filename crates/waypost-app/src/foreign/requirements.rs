//! `requirements.yaml`: the requirements of another framework for the same harness, as gates.
//!
//! Three files are laid over each other: the user's, the project's and the one of this checkout. Whatever is wrong with
//! one requirement is told with its file and line and takes that requirement out, nothing else: a fault in these files
//! never holds anybody. Never decides anything, and knows nothing of what was satisfied.

mod cascade;
mod checked;
mod converted;
mod evidence;
mod fields;
mod files;
mod hooks;
mod messages;
mod patterns;
mod places;
mod skills;
mod strict;
mod triggers;

use waypost_core::gate::Gate;

use crate::config::Problem;
use cascade::Cascade;
use fields::Fields;

pub(in crate::foreign) use converted::name as gate_name;
pub use places::Places;

/// More requirements than this are not read.
const MAX_REQUIREMENTS: usize = 500;
/// No more problems than this are told.
const MAX_PROBLEMS: usize = 200;

/// What the files say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// The gates, in the order of the files.
    pub gates: Vec<Gate>,
    /// What is wrong, and left out for that.
    pub problems: Vec<Problem>,
    /// What holds otherwise than it may have been meant.
    pub notes: Vec<Problem>,
    /// How many requirements are there and not enabled.
    pub disabled: usize,
    /// Whether the files themselves say that nothing of them is in force.
    pub off: bool,
}

impl Imported {
    /// Reads the files, if the project has its own: the others alone are not in force.
    pub fn read(places: &Places) -> Option<Self> {
        places.is_there().then(|| {
            let mut imported = Self::default();
            let cascade = Cascade::read(places, &mut imported.problems);
            imported.take(&cascade, places);
            for told in [&mut imported.problems, &mut imported.notes] {
                told.truncate(MAX_PROBLEMS);
            }
            imported
        })
    }

    /// What is in force, in a line.
    pub fn summary(&self, places: &Places) -> String {
        let (name, count) = (places.name(), self.gates.len());
        if self.off {
            return format!("{name} says that it is not enabled");
        }
        let plural = if count == 1 { "" } else { "s" };
        let disabled = match self.disabled {
            0 => String::new(),
            disabled => format!(", {disabled} not enabled"),
        };
        format!("{name}: {count} requirement{plural} in force{disabled}")
    }

    fn take(&mut self, cascade: &Cascade, places: &Places) {
        self.gates.extend(strict::gate(cascade, places));
        self.off = cascade.get("enabled").is_some_and(|enabled| !enabled.is_true());
        let Some(given) = cascade.get("requirements").filter(|_| !self.off) else { return };
        let Some(all) = given.as_map() else {
            let wrong = format!("`requirements` must be a map of them, not {}", given.type_name());
            self.problems.push(given.at.problem(wrong));
            return;
        };
        if let Some(first) = all.get(MAX_REQUIREMENTS) {
            let many = format!("{} requirements; at most {MAX_REQUIREMENTS} are read", all.len());
            self.problems.push(first.at.problem(many));
        }
        let hooks = hooks::Hooks::of(cascade, &mut self.notes);
        for entry in all.iter().take(MAX_REQUIREMENTS) {
            let fields = match Fields::of(entry) {
                Ok(fields) => fields,
                Err(problem) => {
                    self.problems.push(problem);
                    continue;
                }
            };
            if let Err(problem) = checked::check(&fields) {
                self.problems.push(problem);
            } else if fields.is_enabled() {
                let made = converted::gate(&fields, &hooks, places, &mut self.notes);
                self.keep(&fields, made);
            } else {
                self.disabled += 1;
            }
        }
    }

    fn keep(&mut self, fields: &Fields<'_>, made: Result<Option<Gate>, Problem>) {
        match made {
            Ok(Some(gate)) if self.gates.iter().any(|known| known.id == gate.id) => {
                let why = format!("another requirement is called `{}` too", gate.id);
                self.problems.push(fields.dropped(&fields.at, &why));
            }
            Ok(Some(gate)) => self.gates.push(gate),
            Ok(None) => {}
            Err(problem) => self.problems.push(problem),
        }
    }
}

#[cfg(test)]
mod tests;
