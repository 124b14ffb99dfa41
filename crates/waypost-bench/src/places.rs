//! The repositories that hooks are measured in, set up as a person and an agent would.
//!
//! They live in a temporary folder with a home of their own; nothing of the user's is read or
//! written. An initialised one is used only if the hook there really holds the agent.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use waypost_app::machine::host::{Clock, Host, InFiles};

use crate::event::{EDITED, Event, NEW, OLD};
use crate::failure::{During, Failure};
use crate::place::Place;
use crate::programs::Programs;
use crate::rows::Subject;
use crate::spawn::Spawn;

const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const COMMIT: Event = Event::PreBash("git commit -am x");
/// As many files as the name of that place says.
const MANY_FILES: usize = 20_000;
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"greeter\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("README.md", "# Greeter\n\nGreets.\n"),
    ("docs/design.md", "# Design\n\nA greeting is text.\n"),
    ("src/lib.rs", "//! Greets.\n\npub mod greeting;\n"),
    (EDITED, "//! The greeting.\n\npub fn greeting() -> &'static str {\n    \"hello\"\n}\n"),
];

/// All of them, beside the home that they share.
#[derive(Debug)]
pub(crate) struct Places {
    folder: PathBuf,
}

impl Places {
    pub(crate) fn set_up(
        folder: &Path,
        programs: &Programs,
        wanted: &[Place],
    ) -> Result<Self, Failure> {
        let places = Self { folder: folder.to_owned() };
        fs::create_dir(places.home()).during(|| "making a home".to_owned())?;
        for &place in wanted {
            places
                .set_up_one(place, programs)
                .during(|| format!("setting up {}", place.folder_name()))?;
        }
        Ok(places)
    }

    /// How a row's subject is spawned. All of them alike: folder, environment, standard input.
    pub(crate) fn spawn(&self, subject: Subject, programs: &Programs) -> Spawn {
        let (place, event) = match subject {
            Subject::Hook(place, event) => (place, event),
            Subject::True | Subject::EmptyRust | Subject::PythonHook => {
                (Place::OneGate, Event::PreEdit)
            }
        };
        let (program, arguments): (&Path, Vec<OsString>) = match subject {
            Subject::True => (Path::new("/bin/true"), vec![]),
            Subject::EmptyRust => (&programs.empty_rust, vec![]),
            Subject::PythonHook => (&programs.python, vec![programs.python_hook.clone().into()]),
            Subject::Hook(..) => (&programs.waypost, vec!["hook".into(), "claude-code".into()]),
        };
        let stdin = event.input(place.conversation(), &self.root(place));
        self.spawn_in(place, program, arguments, stdin)
    }

    fn set_up_one(&self, place: Place, programs: &Programs) -> Result<(), Failure> {
        let root = self.root(place);
        for (path, text) in FILES {
            write(&root.join(path), text)?;
        }
        if place == Place::ManyFiles {
            for number in FILES.len()..MANY_FILES {
                let path = format!("data/{:03}/{number}.txt", number % 200);
                write(&root.join(path), &format!("{number}\n"))?;
            }
        }
        self.git(place, &["init", "--quiet", "--initial-branch=main"])?;
        self.commit_all(place, "Greet")?;
        let Some(config) = place.config() else {
            return Ok(());
        };
        write(&root.join("waypost.toml"), &config)?;
        let init = ["init", "--harness", "claude-code"].map(OsString::from);
        self.spawn_in(place, &programs.waypost, init.into(), vec![]).run_well()?;
        self.commit_all(place, "Use Waypost")?;
        self.converse(place, programs)
    }

    /// The beginning of a conversation, up to an edit that the gates now hold the agent for.
    fn converse(&self, place: Place, programs: &Programs) -> Result<(), Failure> {
        let hook = |event| self.spawn(Subject::Hook(place, event), programs);
        for event in [Event::SessionStart, Event::UserPromptSubmit] {
            hook(event).run_well()?;
        }
        hook(Event::PreEdit).run_silently()?;
        let edited = self.root(place).join(EDITED);
        let text = fs::read_to_string(&edited).during(|| edited.display().to_string())?;
        write(&edited, &text.replace(OLD, NEW))?;
        hook(Event::PostEdit).run_silently()?;
        self.insist_on_no_event(place, &hook(Event::PostEdit))?;
        let commit = hook(COMMIT);
        let (_, output) = commit.run_well()?;
        if String::from_utf8_lossy(&output.stdout).contains("\"deny\"") {
            return Ok(());
        }
        Err(commit.unexpected("\"deny\", since a hook that holds nothing costs nothing", &output))
    }

    /// Runs a hook that says nothing and has to leave the project's records as they are.
    fn insist_on_no_event(&self, place: Place, hook: &Spawn) -> Result<(), Failure> {
        let records = || {
            let history = ["history", "--json"].map(OsString::from).into();
            let (_, output) = self.spawn_in(place, &hook.program, history, vec![]).run_well()?;
            Ok::<_, Failure>(output.stdout)
        };
        let before = records()?;
        hook.run_silently()?;
        if records()? == before {
            return Ok(());
        }
        Err(Failure::new("a second edit became an event; it would be measured as none"))
    }

    fn commit_all(&self, place: Place, subject: &str) -> Result<(), Failure> {
        self.git(place, &["add", "--all"])?;
        let author = ["-c", "user.name=Dev", "-c", "user.email=dev@example.org"];
        self.git(place, &[&author[..], &["commit", "--quiet", "--message", subject]].concat())
    }

    fn git(&self, place: Place, words: &[&str]) -> Result<(), Failure> {
        let words = ["git"].iter().chain(words).map(OsString::from).collect();
        self.spawn_in(place, Path::new("/usr/bin/env"), words, vec![]).run_well().map(|_| ())
    }

    /// The machine as a command that is called in the place sees it.
    pub(crate) fn host(&self, place: Place) -> Host {
        let Spawn { program, environment, folder, .. } =
            self.spawn_in(place, Path::new("waypost"), vec![], vec![]);
        let variable = |wanted: &str| {
            environment.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.clone())
        };
        let host = Host::from_env(folder, program, Clock::System, variable).keeping(InFiles);
        let id = place.conversation().parse().ok();
        Host { conversation: id.map(|id| ("claude-code".to_owned(), id)), ..host }
    }

    /// A program that is spawned in the place.
    pub(crate) fn spawn_in(
        &self,
        place: Place,
        program: &Path,
        arguments: Vec<OsString>,
        stdin: Vec<u8>,
    ) -> Spawn {
        let (home, root) = (self.home(), self.root(place));
        Spawn {
            program: program.to_owned(),
            arguments,
            environment: vec![
                ("PATH", SEARCH_PATH.into()),
                ("HOME", home.clone().into()),
                ("XDG_CONFIG_HOME", home.join(".config").into()),
                ("XDG_STATE_HOME", home.join(".local/state").into()),
                ("CLAUDE_PROJECT_DIR", root.clone().into()),
                ("CLAUDE_CODE_SESSION_ID", place.conversation().into()),
            ],
            folder: root,
            stdin,
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(crate) fn root(&self, place: Place) -> PathBuf {
        self.folder.join(place.folder_name())
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let during = || path.display().to_string();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).during(during)?;
    }
    fs::write(path, text).during(during)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_gates_as_the_name_says() {
        for (place, gates) in [
            (Place::OneGate, Some(1)),
            (Place::FiftyGates, Some(50)),
            (Place::NeverInitialised, None),
            (Place::LongSession, Some(1)),
            (Place::ManyFiles, Some(1)),
        ] {
            let counted = place.config().map(|text| text.matches("[[gate]]").count());
            assert_eq!(counted, gates, "{place:?}");
        }
    }
}
