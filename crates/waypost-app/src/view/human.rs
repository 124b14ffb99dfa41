//! Who is calling, as far as it can be told: an agent, nobody at a terminal, or a human.
//!
//! This finds agents that go about their work as their harness made them. It does not find one
//! that sets out not to be found: a process that leaves its parents (setsid, a double fork), takes a
//! terminal of its own making (a pty) and cleans its environment looks exactly like a human. That is
//! why an approval on the word of this module alone is recorded as `local` and never as more, and
//! why `signed` exists: it takes a passphrase that no agent was told.

use std::io::IsTerminal;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use waypost_core::event::Speaker;
use waypost_core::evidence::Provenance;

use crate::error::AppError;
use crate::harness::{Facts, Local};
use crate::machine::caller::Caller;
use crate::machine::host::Host;
use crate::machine::process;
use crate::view::View;
use crate::view::registry::{Registration, Registry};

/// The programs that run such scripts. Only their arguments are programs: those of an editor, say,
/// are files, and may be called anything.
const INTERPRETERS: [&str; 9] =
    ["bash", "bun", "dash", "deno", "node", "nodejs", "python3", "sh", "zsh"];

/// Who is calling, as far as it can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Human {
    /// An agent, and what gives it away.
    Agent(String),
    /// Nobody sits at a terminal.
    NoTerminal,
    /// A human, or an agent that has taken pains to look like one.
    Human,
}

/// Who is calling this process.
pub fn standing(host: &Host, registry: &Registry<'_>) -> Human {
    let agent = match host.caller {
        Caller::Starter => in_environment(host)
            .or_else(|| registered(registry))
            .or_else(|| below_harness(host, process::ancestors())),
        Caller::Page(reader) => {
            return match reader.and_then(|pid| agent_at(host, registry, pid)) {
                Some(why) => Human::Agent(why),
                None => Human::Human,
            };
        }
        Caller::Agent | Caller::Remote => Some("it came from an agent's client".to_owned()),
    };
    match agent {
        Some(why) => Human::Agent(why),
        None if has_terminal() => Human::Human,
        None => Human::NoTerminal,
    }
}

/// What gives away that the process that asks for a page is an agent's. One of another user, or behind a tunnel, cannot be
/// looked at: whoever has the token is then taken for a human.
fn agent_at(host: &Host, registry: &Registry<'_>, pid: u32) -> Option<String> {
    let processes: Vec<u32> = std::iter::once(pid).chain(process::above(pid)).collect();
    let named = process::environment(pid).and_then(|variables| {
        let names = variables.iter().filter_map(|variable| variable.split_once('='));
        let mut set = names.filter(|(_, value)| !value.is_empty()).map(|(name, _)| name);
        set.find(|name| host.is_marker(name)).map(str::to_owned)
    });
    named
        .map(|name| {
            format!("the environment of the page's reader holds {name}, which harnesses set")
        })
        .or_else(|| registry.among(&processes, |_| true).map(|found| told_below(&found)))
        .or_else(|| below_harness(host, &processes))
}

fn below_harness(host: &Host, processes: &[u32]) -> Option<String> {
    let known = Programs::of(host.harnesses.iter().map(Local::facts));
    processes.iter().find_map(|pid| known.above(*pid))
}

/// How well what the caller says of itself is known: a human at a terminal approves, anybody else claims.
pub fn word(view: &View<'_>) -> Provenance {
    match standing(view.host, &view.registry()) {
        Human::Human => Provenance::Approved,
        Human::Agent(_) | Human::NoTerminal => Provenance::Claimed,
    }
}

/// Who is calling, as records tell it.
pub fn speaker(view: &View<'_>) -> Speaker {
    match standing(view.host, &view.registry()) {
        Human::Human => Speaker::Local,
        Human::NoTerminal => Speaker::Unattended,
        Human::Agent(_) => Speaker::Agent,
    }
}

/// Refuses whoever does not sit at a terminal, as far as that can be told. `what` is what is for people.
pub fn at_terminal(host: &Host, registry: &Registry<'_>, what: &str) -> Result<(), AppError> {
    match standing(host, registry) {
        Human::Human => Ok(()),
        Human::Agent(why) => Err(AppError::refused(format!("{what} is for people, and {why}"))
            .hint("ask the user to do it in a terminal of their own")),
        Human::NoTerminal => {
            Err(AppError::refused(format!("{what} needs a terminal, and there is none here"))
                .hint("run it by hand in a terminal"))
        }
    }
}

/// Whether an agent is known to be calling, of whatever project. Whoever merely runs below a harness is not
/// known to be one: people work with agents on Waypost itself.
pub fn is_agent(view: &View<'_>) -> bool {
    match view.host.caller {
        Caller::Starter => {
            in_environment(view.host).or_else(|| registered(&view.registry())).is_some()
        }
        Caller::Page(reader) => {
            reader.is_some_and(|pid| agent_at(view.host, &view.registry(), pid).is_some())
        }
        Caller::Agent | Caller::Remote => true,
    }
}

/// Refuses what only people may do, where an agent is known to be calling, of whatever project. Whoever
/// merely runs below a harness is let through: people work with agents on Waypost itself.
pub fn only(host: &Host, what: &str) -> Result<(), AppError> {
    // Without a key no conversation can have begun here.
    let ring = host.keyring().ok();
    let registry = ring.as_ref().map(|ring| Registry::new(&host.state_dir, ring));
    let agent = in_environment(host).or_else(|| registered(&registry?));
    match agent {
        None => Ok(()),
        Some(why) => Err(AppError::refused(format!("{what} is for people, and {why}"))
            .hint("ask the user to do it in a terminal of their own")),
    }
}

fn in_environment(host: &Host) -> Option<String> {
    if let Some((harness, conversation)) = &host.conversation {
        return Some(format!("the environment names conversation {conversation} of {harness}"));
    }
    let marker = host.markers.first()?;
    Some(format!("the environment holds {marker}, which harnesses set"))
}

fn registered(registry: &Registry<'_>) -> Option<String> {
    Some(told_below(&registry.above(|_| true)?))
}

fn told_below(found: &Registration) -> String {
    format!("it runs below conversation {} of {}", found.conversation, found.harness)
}

/// The programs that are known to be harnesses, and the packages that they come in.
struct Programs {
    names: Vec<&'static str>,
    packages: Vec<(&'static str, &'static str)>,
}

impl Programs {
    fn of(facts: impl Iterator<Item = &'static Facts>) -> Self {
        let (mut names, mut packages) = (Vec::new(), Vec::new());
        for known in facts {
            names.extend(known.programs);
            packages.extend(known.packages);
        }
        Self { names, packages }
    }

    fn above(&self, pid: u32) -> Option<String> {
        let (name, words) = process::names(pid);
        let harness = self.harness_of(&name, &words)?;
        Some(format!("it runs below {harness} (process {pid})"))
    }

    /// The harness that a process is, by its short name and the words of its command line.
    fn harness_of(&self, name: &str, words: &[String]) -> Option<&'static str> {
        let mut words = words.iter().map(String::as_str);
        let program = words.next().unwrap_or_default();
        if let Some(known) = self.named(name).or_else(|| self.named(program)) {
            return Some(known);
        }
        // A program may change its short name, but then it hardly hides that it is an interpreter.
        let interpreter =
            [base(name), base(program)].iter().any(|name| INTERPRETERS.contains(name));
        let script = words.find(|word| !word.starts_with("--")).filter(|_| interpreter)?;
        self.named(script).or_else(|| self.packaged(script))
    }

    fn named(&self, path: &str) -> Option<&'static str> {
        self.names.iter().copied().find(|known| *known == base(path))
    }

    fn packaged(&self, script: &str) -> Option<&'static str> {
        let (_, inside) = script.rsplit_once("/node_modules/")?;
        let package = |(package, _): &&(&str, &str)| Path::new(inside).starts_with(package);
        self.packages.iter().find(package).map(|(_, harness)| *harness)
    }
}

/// The last part of a path, without the ending of a script. Words with blanks are no paths: they
/// are what a shell was told to do.
fn base(path: &str) -> &str {
    if path.contains(char::is_whitespace) {
        return "";
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    [".js", ".mjs", ".cjs"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

fn has_terminal() -> bool {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    std::io::stdin().is_terminal() && rustix::fs::open("/dev/tty", flags, Mode::empty()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::host::Clock;
    use crate::machine::process::Process;
    use waypost_core::key::{Key, Keyring};

    fn harness(name: &str, words: &[&str]) -> Option<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let known = Programs { names: vec!["toy"], packages: vec![("@toys/toy-agent", "toy")] };
        known.harness_of(name, &words)
    }

    fn host(folder: &Path, variables: &[(&str, &str)]) -> Host {
        let var = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).into())
        };
        let host = Host::from_env(folder.to_owned(), "waypost".into(), Clock::System, var);
        Host { state_dir: folder.to_owned(), ..host }
    }

    #[test]
    fn harnesses_are_known_by_name_path_and_package() {
        assert_eq!(harness("toy", &["toy", "--continue"]), Some("toy"));
        assert_eq!(harness("MainThread", &["/opt/bin/toy", "exec"]), Some("toy"));
        assert_eq!(harness("node", &["node", "/usr/bin/toy", "-p", "x"]), Some("toy"));
        assert_eq!(harness("node", &["node", "/opt/toy.mjs"]), Some("toy"));
        let script = "/usr/lib/node_modules/@toys/toy-agent/dist/index.js";
        assert_eq!(harness("node", &["node", "--max-old-space-size=9", script]), Some("toy"));
        let script = "/opt/npm/node_modules/@toys/toy-agent/cli.js";
        assert_eq!(harness("MainThread", &["/usr/bin/node", script]), Some("toy"));
    }

    #[test]
    fn what_only_mentions_a_harness_is_none() {
        for (name, words) in [
            ("vim", &["vim", "/srv/notes/toy"][..]),
            ("bash", &["bash"]),
            ("bash", &["-bash"]),
            ("bash", &["bash", "-c", "cd /srv/toy && make"]),
            ("sh", &["sh", "cd /srv/toy"]),
            ("bash", &["bash", "/srv/toy/build.sh"]),
            ("node", &["node", "/srv/node_modules/@toys/toy-agent-viewer/index.js"]),
            ("toyland", &["toyland"]),
            ("", &[]),
        ] {
            assert_eq!(harness(name, words), None, "{words:?}");
        }
    }

    #[test]
    fn the_environment_gives_an_agent_away_and_settings_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let ring = Keyring::new(Key::from_bytes(vec![7; 32]));
        let registry = Registry::new(folder.path(), &ring);
        let agent = host(folder.path(), &[("AI_AGENT", "1")]);
        let Human::Agent(why) = standing(&agent, &registry) else { panic!() };
        assert!(why.contains("AI_AGENT"), "{why}");
        let conversation = Some(("toy".to_owned(), "c-1".parse().unwrap()));
        let named = Host { conversation, ..host(folder.path(), &[]) };
        assert_eq!(
            standing(&named, &registry),
            Human::Agent("the environment names conversation c-1 of toy".to_owned())
        );
        let settings = [("TOY_HOME", "/x"), ("AI_AGENT", "")];
        assert_eq!(in_environment(&host(folder.path(), &settings)), None);
    }

    #[test]
    fn a_registered_process_above_gives_an_agent_away() {
        let folder = tempfile::tempdir().unwrap();
        let ring = Keyring::new(Key::from_bytes(vec![7; 32]));
        let registry = Registry::new(folder.path(), &ring);
        assert_eq!(registered(&registry), None);
        let entry = Registration {
            heads: std::collections::BTreeMap::new(),
            harness: "toy".to_owned(),
            conversation: "c-1".parse().unwrap(),
            session: "20260101-000000-x-0000".parse().unwrap(),
            root: folder.path().to_owned(),
            process: Process::running(process::ancestors()[0]),
            prompt: None,
            hooked: true,
            tools: None,
            effective: None,
            met: Vec::new(),
        };
        registry.enter(&entry).unwrap();
        let expected = "it runs below conversation c-1 of toy".to_owned();
        assert_eq!(standing(&host(folder.path(), &[]), &registry), Human::Agent(expected));
    }
}
