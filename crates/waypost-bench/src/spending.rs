//! What it costs to tell what conversations cost: a gigabyte of transcripts that an index knows already.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use waypost_app::index;
use waypost_app::machine::host::Host;
use waypost_app::transcripts;

use crate::failure::{During, Failure};
use crate::store::figure::{Figure, Target};
use crate::store::pair::{by_turns, processor_time, time};

/// How many conversations there are, and how many messages of a model each has.
const CONVERSATIONS: usize = 600;
const MESSAGES: usize = 350;
/// How much a tool prints, in bytes: most of a transcript is that.
const PRINTED: usize = 3_600;
/// What a spawned program may take beside `/bin/true`.
const MOST: Target = Target::AtMost(20.0);

/// Takes the figures of a home, and of the released binary.
pub(crate) fn measure(host: &Host, waypost: &Path, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let bytes = write(&host.home, CONVERSATIONS)?;
    let megabytes = bytes / 1_000_000;
    eprintln!("{megabytes} MB of transcripts ...");
    let kept = transcripts::kept(waypost_hook::transcripts::ALL, &host.home, |_| None);
    let read = || {
        for number in 0..CONVERSATIONS {
            let file = file(&host.home, number);
            fs::read(&file).during(|| file.display().to_string())?;
        }
        Ok::<(), Failure>(())
    };
    let rebuild = || {
        let report = index::rebuild(host, &kept, &mut |_, _, _| {});
        report.during(|| "reading transcripts".to_owned())
    };
    let indexed = by_turns(1, 1, || processor_time(rebuild), || processor_time(read))?;
    let ask = |args: &[&str]| {
        let mut command = Command::new(waypost);
        command.args(args).current_dir(&host.home).env_clear().env("HOME", &host.home);
        spawned(command)
    };
    let floor = || spawned(Command::new("/bin/true"));
    let cost = by_turns(rounds, 1, || ask(&["cost", "--all"]), floor)?;
    let models =
        by_turns(rounds, 1, || ask(&["cost", "--all", "--by", "model", "--since", "30d"]), floor)?;
    let index = format!("index {megabytes} MB of transcripts, words too (processor)");
    Ok(vec![
        Figure::new(&index, "read the same files", indexed, Target::AtMost(f64::INFINITY)),
        Figure::new(&format!("cost of {megabytes} MB that are indexed"), "/bin/true", cost, MOST),
        Figure::new("cost of the last 30 days by model", "/bin/true", models, MOST),
    ])
}

fn spawned(mut command: Command) -> Result<std::time::Duration, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    time(|| {
        let status = command.status().during(|| format!("{command:?}"))?;
        if status.success() { Ok(()) } else { Err(Failure::new(format!("{command:?}: {status}"))) }
    })
}

/// What the client calls one of them.
pub(crate) fn conversation(number: usize) -> String {
    format!("31569691-e4d9-4215-a79c-{number:012}")
}

fn file(home: &Path, number: usize) -> std::path::PathBuf {
    let project = home.join(format!(".claude/projects/-p-{}", number % 12));
    project.join(format!("{}.jsonl", conversation(number)))
}

/// Writes so many, a message every twenty seconds. How many bytes they are.
pub(crate) fn write(home: &Path, conversations: usize) -> Result<u64, Failure> {
    let printed = "warning: unused variable in a line that says nothing. ".repeat(PRINTED / 54);
    let mut bytes = 0;
    for number in 0..conversations {
        let mut text = String::new();
        let (day, hour) = (1 + number % 28, number % 20);
        for message in 0..MESSAGES {
            let seconds = message * 20;
            let time = format!(
                "2026-10-{day:02}T{:02}:{:02}:{:02}.000Z",
                hour + seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            );
            let id = format!("msg_{number}_{message}");
            let _ = writeln!(
                text,
                r#"{{"parentUuid":null,"type":"assistant","timestamp":"{time}","cwd":"/p/{}","sessionId":"s","message":{{"id":"{id}","model":"claude-opus-5-5","role":"assistant","content":[{{"type":"text","text":"Now number {message} of what there is to do, and what comes of it."}},{{"type":"tool_use","id":"{id}_t","name":"Bash","input":{{"command":"cargo test --package number_{message}"}}}}],"usage":{{"input_tokens":{message},"output_tokens":120,"cache_read_input_tokens":40000,"cache_creation_input_tokens":900}}}}}}"#,
                number % 12
            );
            let _ = writeln!(
                text,
                r#"{{"parentUuid":"x","type":"user","timestamp":"{time}","cwd":"/p/{}","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}_t","content":"{printed}"}}]}}}}"#,
                number % 12
            );
        }
        bytes += text.len() as u64;
        crate::places::write(&file(home, number), &text)?;
    }
    Ok(bytes)
}
