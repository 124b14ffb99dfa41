//! What clients keep of conversations, in the index: whatever happens to their files, what was used is what reading all
//! of them gives, and an index that was kept up is one that is made anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_app::index::{self, Rows};
use waypost_app::machine::host::Host;
use waypost_app::transcripts;
use waypost_core::tables::{MessageRow, Row, TranscriptRow, UsageQuarterRow};
use waypost_store::index::{IndexPlace, Texts};
use waypost_testkit::TestEnv;

use crate::{count, folder, is_right, project, report};

const EVERY: [&str; 11] = [
    "day",
    "week",
    "month",
    "block",
    "model",
    "project",
    "session",
    "conversation",
    "agent",
    "phase",
    "checkpoint",
];

pub(crate) fn place(env: &TestEnv, conversation: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = env.project().to_string_lossy().chars().map(plain).collect();
    env.home().join(".claude/projects").join(name).join(format!("{conversation}.jsonl"))
}

pub(crate) fn line(env: &TestEnv, time: &str, message: &str, words: &str, tokens: u64) -> String {
    json!({"type": "assistant", "timestamp": time, "cwd": env.project(), "parentUuid": null,
        "message": {"id": message, "model": "claude-opus-5-5", "role": "assistant",
            "content": [{"type": "text", "text": words}],
            "usage": {"input_tokens": tokens, "output_tokens": 1}}})
    .to_string()
        + "\n"
}

pub(crate) fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// What was used by an index, and by everything that is there.
fn is_told_alike(env: &TestEnv, args: &[&str]) {
    let told = || env.json(&[&["cost", "--json"], args].concat());
    let by_index = told();
    let (here, away) = (folder(env), env.home().join("index-away"));
    fs::rename(&here, &away).unwrap();
    let by_files = told();
    fs::rename(&away, &here).unwrap();
    assert_eq!(by_index, by_files, "{args:?}");
}

/// Numbers that look like any.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The transcripts of some conversations, which change at random.
struct Changing<'e> {
    env: &'e TestEnv,
    numbers: Numbers,
    files: BTreeMap<PathBuf, String>,
    clock: u64,
    messages: u64,
}

impl Changing<'_> {
    fn change(&mut self) {
        let name = format!("c{}", self.numbers.below(4));
        let mut file = place(self.env, &name);
        if self.numbers.below(4) == 0 {
            file = file.with_extension("").join("subagents/agent-a1.jsonl");
        }
        match self.numbers.below(12) {
            0 => {
                self.files.remove(&file);
            }
            // A conversation that goes on from another one repeats what was said there.
            1 | 2 => {
                let other = place(self.env, &format!("c{}", self.numbers.below(4)));
                let copied = self.files.get(&other).cloned().unwrap_or_default();
                self.files.entry(file.clone()).or_default().push_str(&copied);
            }
            // It was written anew, shorter.
            3 => {
                let text = self.files.entry(file.clone()).or_default();
                let keep = text.find('\n').map_or(0, |end| end + 1);
                text.truncate(keep);
            }
            4 => self.files.entry(file.clone()).or_default().push_str("no line of a client\n"),
            // What is known of a message grows.
            5 => {
                let message = format!("m{}", self.numbers.below(self.messages + 1));
                self.say(&file, &message);
            }
            _ => {
                self.messages += 1;
                let message = format!("m{}", self.messages);
                self.say(&file, &message);
            }
        }
        match self.files.get(&file) {
            Some(text) => write(&file, text),
            None => drop(fs::remove_file(&file)),
        }
    }

    fn say(&mut self, file: &Path, message: &str) {
        self.clock += self.numbers.below(1500);
        let (hours, minutes, seconds) =
            (self.clock / 3600 % 24, self.clock / 60 % 60, self.clock % 60);
        let time =
            format!("2026-11-1{}T{hours:02}:{minutes:02}:{seconds:02}Z", self.clock / 86_400);
        let tokens = 1 + self.numbers.below(500);
        let line = line(self.env, &time, message, "So be it.", tokens);
        self.files.entry(file.to_owned()).or_default().push_str(&line);
    }
}

#[test]
fn whatever_becomes_of_transcripts_the_index_says_what_they_say() {
    let (env, _) = project();
    report(&env, &["index", "scan"]);
    for seed in 1..=4 {
        let (numbers, files) = (Numbers(seed), BTreeMap::new());
        let mut all = Changing { env: &env, numbers, files, clock: 0, messages: 0 };
        let _ = fs::remove_dir_all(env.home().join(".claude/projects"));
        for round in 0..4 {
            (0..12).for_each(|_| all.change());
            if round % 2 == 0 {
                report(&env, &["index", "scan"]);
            }
            for by in EVERY {
                is_told_alike(&env, &["--by", by]);
            }
            is_told_alike(
                &env,
                &["--since", "2026-11-10T00:20:10Z", "--until", "2026-11-10T01:07:01Z"],
            );
            is_right(&env);
        }
    }
}

#[test]
fn what_was_added_is_read_alone_and_a_torn_line_is_waited_for() {
    let (env, _) = project();
    let file = place(&env, "c1");
    let first = line(&env, "2026-11-10T10:00:00Z", "m1", "Tests pass.", 5);
    let second = line(&env, "2026-11-10T10:20:00Z", "m2", "All done.", 7);
    let (begun, rest) = second.split_at(40);
    write(&file, &format!("{first}{begun}"));
    report(&env, &["index", "scan"]);
    assert_eq!(count(&env, UsageQuarterRow::TABLE), 1);
    write(&file, &format!("{first}{begun}{rest}"));
    report(&env, &["index", "scan"]);
    assert_eq!(count(&env, UsageQuarterRow::TABLE), 2);
    let index = IndexPlace::new(folder(&env)).open().unwrap().unwrap();
    assert_eq!(index.search(Texts::Messages, "tests pass", 9).unwrap().len(), 1);
    assert_eq!(index.search(Texts::Messages, "all done", 9).unwrap().len(), 1);
    drop(index);
    is_right(&env);
    fs::remove_file(&file).unwrap();
    report(&env, &["index", "scan"]);
    for table in [TranscriptRow::TABLE, UsageQuarterRow::TABLE, MessageRow::TABLE] {
        assert_eq!(count(&env, table), 0, "{}", table.name);
    }
}

#[test]
fn what_is_redacted_is_not_found_by_its_words() {
    let (env, _) = project();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let said = format!("the token is {secret} here");
    write(&place(&env, "c1"), &line(&env, "2026-11-10T10:00:00Z", "m1", &said, 5));
    report(&env, &["index", "scan"]);
    let index = IndexPlace::new(folder(&env)).open().unwrap().unwrap();
    assert_eq!(index.search(Texts::Messages, "token", 9).unwrap().len(), 1);
    assert_eq!(index.search(Texts::Messages, secret, 9).unwrap(), [0_i64; 0]);
}

#[test]
fn what_was_said_is_read_again_where_its_words_were_found() {
    let (env, _) = project();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let place = place(&env, "c1");
    let text =
        ["Tests pass, says the agent.", &format!("The token {secret} fails tests."), "Done."];
    let lines = text.map(|words| line(&env, "2026-11-10T10:00:00Z", words, words, 5));
    write(&place, &lines.concat());
    report(&env, &["index", "scan"]);
    let home = env.home().to_owned();
    let clock = waypost_app::machine::host::Clock::System;
    let var = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
    let host = Host::from_env(env.project().to_owned(), "waypost".into(), clock, var);
    let kept = transcripts::kept(waypost_hook::transcripts::ALL, &host.home, |_| None);
    let said = || Rows::open(&host).unwrap().unwrap().said("tests", 9).unwrap();
    let found = said();
    let mut told: Vec<_> = index::texts(&found, &kept).into_iter().map(Option::unwrap).collect();
    told.sort();
    assert_eq!(
        told,
        ["Tests pass, says the agent.", "The token [redacted:github] fails tests."]
            .map(str::to_owned)
    );
    // A transcript that was cut off since says less, and one that is gone nothing.
    write(&place, &lines[0]);
    let told = index::texts(&found, &kept);
    assert_eq!(told.iter().flatten().collect::<Vec<_>>(), ["Tests pass, says the agent."]);
    fs::remove_file(&place).unwrap();
    assert_eq!(index::texts(&said(), &kept), [None, None]);
}

#[test]
fn a_transcript_that_cannot_be_read_is_told_and_keeps_no_other_out() {
    let (env, _) = project();
    for (name, tokens) in [("c1", 5), ("c2", 7)] {
        let text = line(&env, "2026-11-10T10:00:00Z", &format!("m-{name}"), "Yes.", tokens);
        write(&place(&env, name), &text);
    }
    report(&env, &["index", "scan"]);
    let (file, aside) = (place(&env, "c2"), env.home().join("aside"));
    fs::rename(&file, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &file).unwrap();
    assert_eq!(
        env.json(&["cost", "--json"])["tokens"]["input"],
        12,
        "a link is read as what it leads to"
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    is_told_alike(&env, &["--by", "conversation"]);
    assert_eq!(env.json(&["cost", "--json"])["tokens"]["input"], 5);
    report(&env, &["index", "scan"]);
    is_right(&env);
}

fn by(told: &Value) -> Vec<(String, u64)> {
    let row = |row: &Value| {
        (row["key"].as_str().unwrap().to_owned(), row["tokens"]["input"].as_u64().unwrap())
    };
    told["rows"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn what_was_used_stays_known_when_a_client_deletes_its_transcripts() {
    let (env, _) = project();
    env.ok(&["switch", "--none"]);
    env.begin();
    let file = place(&env, "s1");
    write(&file, &line(&env, "2026-11-16T10:00:00Z", "m1", "Yes.", 1000));
    env.hook("Stop", &json!({"transcript_path": file}));
    // Of what it says after its last call no hook learns.
    let more = line(&env, "2026-11-16T10:01:00Z", "m2", "Bye.", 500);
    write(&file, &(fs::read_to_string(&file).unwrap() + &more));
    report(&env, &["index", "scan"]);
    is_right(&env);
    let before = env.json(&["cost", "--json"]);
    assert_eq!(before["tokens"]["input"], 1500);
    fs::remove_file(&file).unwrap();
    for args in [["cost", "--by", "model", "--json"], ["cost", "--by", "conversation", "--json"]] {
        let told = env.json(&args);
        assert_eq!(told["total_usd"], before["total_usd"]);
        let expected = if args[2] == "model" { "claude-opus-5-5" } else { "s1" };
        assert_eq!(by(&told), [(expected.to_owned(), 1500)]);
    }
    for by in EVERY {
        is_told_alike(&env, &["--by", by]);
        is_told_alike(&env, &["--all", "--by", by]);
    }
    is_right(&env);
}
