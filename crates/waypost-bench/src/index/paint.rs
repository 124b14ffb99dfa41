//! How long it takes until `waypost watch` stands on a terminal, with many sessions in several projects, beside a program
//! that does nothing on the same terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use waypost_app::index;
use waypost_app::machine::host::Host;
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::{end, start};
use waypost_app::view::View;
use waypost_core::event::{SessionEnded, SessionOutcome};

use super::Home;
use crate::event::Event;
use crate::failure::{During, Failure};
use crate::places::write;
use crate::spawn::Spawn;
use crate::store::figure::{Figure, Target};
use crate::store::pair::{Pair, by_turns};

/// How many projects there are, how many sessions each has, and how many of those are over.
const PROJECTS: usize = 20;
const SESSIONS: usize = 50;
const OVER: usize = 30;
/// How many times what `/bin/true` takes the first painting may take.
const MOST: f64 = 30.0;
/// What stands in the last line of the screen, and is there when all of it is.
const LAST: &[u8] = b"q quit";
const QUIT: &[u8] = b"q";

/// The first painting, and the same as lines.
pub(super) fn measure(
    folder: &Path,
    waypost: &Path,
    rounds: usize,
) -> Result<Vec<Figure>, Failure> {
    let home = Home::make(folder)?;
    for number in 0..PROJECTS {
        fill(&home.host, folder, number, waypost)?;
    }
    let found = index::onboard(&home.host, &[], &[folder.to_owned()], &mut |_, _, _| {});
    super::whole(&found.during(|| "finding the projects".to_owned())?)?;
    let terminal = Terminal::open()?;
    let first = by_turns(
        rounds,
        1,
        || terminal.first_painting(&home.host, waypost),
        || terminal.whole(&mut Command::new("/bin/true")),
    )?;
    let lines = by_turns(
        rounds,
        1,
        || {
            called(&home.host, waypost, &["watch", "--once"], Vec::new())
                .run_well()
                .map(|ran| ran.0)
        },
        || called(&home.host, Path::new("/bin/true"), &[], Vec::new()).run_well().map(|ran| ran.0),
    )?;
    let figure = |name: &str, pair: Pair| {
        let name = format!("{name}, {} sessions in {PROJECTS} projects", PROJECTS * SESSIONS);
        Figure::new(&name, "/bin/true", pair, Target::AtMost(MOST))
    };
    Ok(vec![figure("watch until it is painted", first), figure("watch --once", lines)])
}

/// A project with sessions, and a conversation in the last of them.
fn fill(host: &Host, folder: &Path, number: usize, waypost: &Path) -> Result<(), Failure> {
    let project = folder.join(format!("project-{number}"));
    write(&project.join("waypost.toml"), "[project]\n")?;
    write(&project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    let host = Host { cwd: project.clone(), ..host.clone() };
    for session in 0..SESSIONS {
        let view = View::open(&host).during(|| "opening a project".to_owned())?;
        let objective = format!("Make greeting {session} of project {number} friendlier");
        let begin = Begin { objective: Some(&objective), ..Begin::default() };
        let session_id = start::start(&view, &begin).during(|| objective.clone())?.session;
        if session < OVER {
            let outcome = SessionOutcome::Completed;
            let ended = SessionEnded { outcome, summary: None, next_notes: None };
            end::end(&view, Some(session_id.as_str()), ended).during(|| objective.clone())?;
        }
    }
    let conversation = format!("00000000-0000-4000-8000-{number:012}");
    for event in [Event::SessionStart, Event::UserPromptSubmit] {
        let stdin = event.input(&conversation, &project);
        called(&host, waypost, &["hook", "claude-code"], stdin).run_well()?;
    }
    Ok(())
}

/// A program that is called in the host's folder, with its home.
fn called(host: &Host, program: &Path, words: &[&str], stdin: Vec<u8>) -> Spawn {
    Spawn {
        program: program.to_owned(),
        arguments: words.iter().map(Into::into).collect(),
        environment: vec![
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", host.home.clone().into()),
            ("TERM", "xterm".into()),
        ],
        folder: host.cwd.clone(),
        stdin,
    }
}

/// A terminal with a program on it.
struct Terminal {
    ours: File,
    theirs: OwnedFd,
}

impl Terminal {
    fn open() -> Result<Self, Failure> {
        let open = || {
            let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
            let ours = openpt(flags)?;
            grantpt(&ours)?;
            unlockpt(&ours)?;
            let theirs = ioctl_tiocgptpeer(&ours, flags)?;
            let size = Winsize { ws_row: 50, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
            tcsetwinsize(&theirs, size)?;
            Ok::<_, std::io::Error>(Self { ours: ours.into(), theirs })
        };
        open().during(|| "opening a terminal".to_owned())
    }

    fn begin(&self, command: &mut Command) -> Result<Child, Failure> {
        let end = || self.theirs.try_clone().during(|| "the terminal".to_owned());
        command.stdin(end()?).stdout(end()?).stderr(end()?);
        command.spawn().during(|| format!("{command:?}"))
    }

    /// From its start to its end.
    fn whole(&self, command: &mut Command) -> Result<Duration, Failure> {
        let start = Instant::now();
        let mut child = self.begin(command)?;
        let status = child.wait().during(|| format!("{command:?}"))?;
        let took = start.elapsed();
        succeeded(status.success(), command)?;
        Ok(took)
    }

    /// From the start of `waypost watch` until all of the screen was painted once. Then it quits.
    fn first_painting(&self, host: &Host, waypost: &Path) -> Result<Duration, Failure> {
        let mut command = called(host, &PathBuf::from(waypost), &["watch"], Vec::new()).command();
        let start = Instant::now();
        let mut child = self.begin(&mut command)?;
        self.wait_for(LAST)?;
        let took = start.elapsed();
        (&self.ours).write_all(QUIT).during(|| "pressing a key".to_owned())?;
        // What it still has to say as it goes must not fill the terminal.
        self.wait_for(b"\x1b[?1049l")?;
        let status = child.wait().during(|| "waiting for watch".to_owned())?;
        succeeded(status.success(), &command)?;
        Ok(took)
    }

    fn wait_for(&self, text: &[u8]) -> Result<(), Failure> {
        let (mut shown, mut buffer) = (Vec::new(), [0; 16 * 1024]);
        while !shown.windows(text.len()).any(|part| part == text) {
            let read = (&self.ours).read(&mut buffer).during(|| "reading the screen".to_owned())?;
            shown.extend_from_slice(&buffer[..read]);
        }
        Ok(())
    }
}

fn succeeded(success: bool, command: &Command) -> Result<(), Failure> {
    if success { Ok(()) } else { Err(Failure::new(format!("{command:?} failed"))) }
}
