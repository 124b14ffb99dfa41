//! Many processes that append to one session at the same time, beside one that has it for itself.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use waypost_app::machine::host::{Clock, Host, InFiles};
use waypost_app::view::View;

use super::Bench;
use super::figure::{Figure, Target};
use super::pair::{Pair, by_turns, time};
use super::stream::Stream;
use crate::failure::{During, Failure};
use crate::place::Place;
use crate::spawn::Spawn;

const WRITERS: usize = 64;
/// How many events each of many appends; one alone appends as many as all of them.
const EACH: usize = 10;
const READY: &str = "ready";

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let stream = Stream::begin(bench.project)?;
    let before = stream.load()?.position.seq;
    let (mut waits, mut waits_alone) = (Vec::new(), Vec::new());
    let rates = by_turns(
        bench.long_rounds(),
        1,
        || race(bench, &stream, (WRITERS, EACH), &mut waits),
        || race(bench, &stream, (1, WRITERS * EACH), &mut waits_alone),
    )?;
    stream.insist_on(before + (waits.len() + waits_alone.len()) as u64)?;
    Ok(vec![
        Figure::new("64 writers, per event", "one writer, per event", rates, Target::Rate(0.5)),
        Figure::new(
            "64 writers, one append",
            "one writer, one append",
            Pair { own: waits, floor: waits_alone },
            Target::WorstBelow(Duration::from_millis(500)),
        ),
    ])
}

/// Lets writers begin together. Returns the time from there to the last one's end, for one event;
/// each append's own time is added to `waits`.
fn race(
    bench: &Bench<'_>,
    stream: &Stream<'_>,
    (writers, each): (usize, usize),
    waits: &mut Vec<Duration>,
) -> Result<Duration, Failure> {
    let program = std::env::current_exe().during(|| "finding this program".to_owned())?;
    let arguments = ["--writer".into(), stream.session.as_str().into(), each.to_string().into()];
    let spawn = bench.places.spawn_in(Place::ShortSession, &program, arguments.into(), vec![]);
    let started: Result<Vec<_>, _> = (0..writers).map(|_| Writer::start(&spawn)).collect();
    let (goes, mut writers): (Vec<_>, Vec<_>) = started?.into_iter().unzip();
    for writer in &mut writers {
        writer.expect_ready()?;
    }
    let start = Instant::now();
    drop(goes);
    let before = waits.len();
    for writer in writers {
        waits.extend(writer.finish()?);
    }
    let took = start.elapsed();
    let appended = u32::try_from(waits.len() - before).unwrap_or(u32::MAX);
    Ok(took / appended.max(1))
}

/// A writer that this process has started.
struct Writer {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Writer {
    /// It begins to append when the input that comes with it is dropped.
    fn start(spawn: &Spawn) -> Result<(ChildStdin, Self), Failure> {
        let during = || "starting a writer".to_owned();
        let mut child = spawn.command().stdin(Stdio::piped()).spawn().during(during)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(go), Some(said)) => Ok((go, Self { child, said: BufReader::new(said).lines() })),
            _ => Err(Failure::new("a writer has no pipes")),
        }
    }

    fn expect_ready(&mut self) -> Result<(), Failure> {
        match self.said.next().transpose().during(|| "hearing a writer".to_owned())? {
            Some(line) if line == READY => Ok(()),
            other => Err(Failure::new(format!("a writer was not ready: {other:?}"))),
        }
    }

    /// How long each of its appends took.
    fn finish(mut self) -> Result<Vec<Duration>, Failure> {
        let during = || "hearing a writer".to_owned();
        let mut waits = Vec::new();
        for line in self.said {
            waits.push(Duration::from_nanos(line.during(during)?.parse().during(during)?));
        }
        let status = self.child.wait().during(during)?;
        if status.success() { Ok(waits) } else { Err(Failure::new(format!("a writer: {status}"))) }
    }
}

/// What a writer does: says that it is ready, waits for the end of its input, appends, and reports
/// the nanoseconds of each append, a line each.
pub(crate) fn write(session: &str, events: usize) -> Result<String, Failure> {
    let during = || format!("writing to {session}");
    let cwd = std::env::current_dir().during(during)?;
    let host =
        Host::from_env(cwd, "waypost-bench".into(), Clock::System, |name| std::env::var_os(name))
            .keeping(InFiles);
    let view = View::open(&host).during(during)?;
    let stream = Stream::new(&view, session.parse().during(during)?);
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{READY}").and_then(|()| stdout.flush()).during(during)?;
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).during(during)?;
    let mut waits = String::new();
    for _ in 0..events {
        waits += &format!("{}\n", time(|| stream.note())?.as_nanos());
    }
    Ok(waits)
}
