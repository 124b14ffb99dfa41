//! Reading transcripts, beside reading the same bytes line by line.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use waypost_app::transcripts::{self, Scope};

use crate::failure::{During, Failure};
use crate::store::figure::{Figure, Target};
use crate::store::pair::by_turns;

/// What a real client wrote down of a conversation.
const RECORDED: &str =
    include_str!("../../../waypost-hook/src/harnesses/claude_code/conversation/recorded.jsonl");
/// How often it is repeated.
const TIMES: usize = 2_000;
const NAME: &str = "31569691-e4d9-4215-a79c-1f052ae3b831.jsonl";
const MOST: Target = Target::AtMost(3.0);

pub(super) fn measure(folder: &Path, rounds: usize) -> Result<Vec<Figure>, Failure> {
    eprintln!("transcripts ...");
    let projects = folder.join("home/.claude/projects/-p-x");
    std::fs::create_dir_all(&projects).during(|| projects.display().to_string())?;
    let file = projects.join(NAME);
    std::fs::write(&file, RECORDED.repeat(TIMES)).during(|| file.display().to_string())?;
    let home = folder.join("home");
    let pair = by_turns(rounds, 1, || read(&home), || plain(&file))?;
    Ok(vec![Figure::new("reading a transcript", "its lines", pair, MOST)])
}

fn read(home: &Path) -> Result<Duration, Failure> {
    let kept = transcripts::kept(waypost_hook::transcripts::ALL, home, |_| None);
    let begun = Instant::now();
    let mut entries = 0_usize;
    for conversation in transcripts::conversations(&kept, &Scope::default()) {
        for found in &conversation.files {
            let read =
                found.read(&mut |entry, _| entries += usize::from(black_box(entry).is_some()));
            read.during(|| found.file.display().to_string())?;
        }
    }
    if entries < TIMES {
        return Err(Failure::new("the transcript was not read"));
    }
    Ok(begun.elapsed())
}

fn plain(file: &Path) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let mut lines = BufReader::new(File::open(file).during(|| file.display().to_string())?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).during(|| file.display().to_string())? > 0 {
        black_box(&line);
        line.clear();
    }
    Ok(begun.elapsed())
}
