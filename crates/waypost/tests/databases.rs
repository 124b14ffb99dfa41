//! Conversations that OpenCode keeps in a database, whatever state it is in: what was used stands beside sums by hand,
//! and nothing is written beside the database.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use waypost_testkit::TestEnv;

const OPUS: &str = "claude-opus-5-5";
const SCHEMA: &str = include_str!("../../waypost-hook/tests/audit/clients/opencode.sql");
const BEGUN: i64 = 1_795_000_000_000;

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn folder(env: &TestEnv) -> PathBuf {
    env.home().join(".local/share/opencode")
}

fn file(env: &TestEnv) -> PathBuf {
    folder(env).join("opencode.db")
}

/// An empty database, open as the client keeps it.
fn database(env: &TestEnv) -> Connection {
    fs::create_dir_all(folder(env)).unwrap();
    let database = Connection::open(file(env)).unwrap();
    database.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    database.execute_batch(SCHEMA).unwrap();
    let made = "INSERT INTO project (id, worktree, sandboxes, time_created, time_updated) VALUES ('global', '/', '[]', ?1, ?1)";
    database.execute(made, [BEGUN]).unwrap();
    database
}

fn begin(database: &Connection, session: &str, parent: Option<&str>, folder: &Path) {
    let begun = "INSERT INTO session (id, parent_id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?1, ?2, 'global', 'calm-canyon', ?3, 'A title', '1.18.33', ?4, ?4)";
    let folder = folder.to_str().unwrap();
    database.execute(begun, params![session, parent, folder, BEGUN]).unwrap();
}

/// A prompt, and an answer that used 100 tokens, wrote 25, read 1000 from the cache and wrote 200 to it.
fn say(database: &Connection, session: &str, number: i64, words: &str) {
    let tokens =
        json!({"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 1000, "write": 200}});
    let time = |at: i64| json!({"created": at});
    let at = BEGUN + number * 1000;
    let prompt = json!({"role": "user", "time": time(at)});
    let answer =
        json!({"role": "assistant", "modelID": OPUS, "time": time(at + 1), "tokens": tokens});
    let said = "INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?1, ?2, ?3, ?3, ?4)";
    let part = "INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
    for (name, at, message, words) in
        [("a", at, prompt, format!("please {words}")), ("b", at + 1, answer, words.to_owned())]
    {
        let id = format!("msg_{session}_{number}{name}");
        database.execute(said, params![id, session, at, message.to_string()]).unwrap();
        let text = json!({"type": "text", "text": words}).to_string();
        database.execute(part, params![id.replace("msg", "prt"), id, session, at, text]).unwrap();
    }
}

/// A database with a session in the project, and one that it started.
fn filled(env: &TestEnv) -> Connection {
    let database = database(env);
    for (session, parent) in [("ses_1", None), ("ses_2", Some("ses_1"))] {
        begin(&database, session, parent, env.project());
        say(&database, session, 0, "tidy the attic");
        say(&database, session, 1, "sweep the yard");
    }
    database
}

/// What was used, in tokens that were given to the model.
fn used(env: &TestEnv) -> (Value, Value) {
    let told = env.json(&["cost", "--json"]);
    (told["tokens"]["input"].clone(), told["unreadable"].clone())
}

/// The names and contents of what is in the client's folder, but for memory that it shares.
fn kept(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder(env)).unwrap().map(Result::unwrap);
    let mut all: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let is_shared = name.ends_with("-shm");
            (name, if is_shared { Vec::new() } else { fs::read(entry.path()).unwrap() })
        })
        .collect();
    all.sort();
    all
}

#[test]
fn sessions_and_those_that_they_started_count() {
    let env = env();
    let database = filled(&env);
    begin(&database, "ses_3", None, Path::new("/somewhere/else"));
    say(&database, "ses_3", 0, "x");
    let told = env.json(&["cost", "--json"]);
    // 400 given, 100 written, 4000 read from the cache and 800 written to it.
    let usd = told["total_usd"].as_f64().unwrap();
    let by_hand = 400.0 * 4e-6 + 100.0 * 20e-6 + 4000.0 * 0.2e-6 + 800.0 * 5e-6;
    assert!((usd - by_hand).abs() < 1e-9, "{usd} is not {by_hand}");
    let tokens = json!({"input": 400, "output": 100, "cache_read": 4000, "cache_write": 800});
    assert_eq!((&told["tokens"], &told["messages"]), (&tokens, &json!(4)));
    assert_eq!(env.json(&["cost", "--all", "--json"])["tokens"]["input"], 500);
}

#[test]
fn what_a_fork_repeats_counts_once() {
    let env = env();
    let database = filled(&env);
    let complete =
        "UPDATE message SET data = json_set(data, '$.time.completed', time_created + rowid)";
    database.execute(complete, []).unwrap();
    begin(&database, "ses_3", None, env.project());
    // As the client does it: the same under new ids.
    for copy in [
        "INSERT INTO message SELECT 'msg_3' || id, 'ses_3', time_created, time_updated, data FROM message WHERE session_id = 'ses_1'",
        "INSERT INTO part SELECT 'prt_3' || id, 'msg_3' || message_id, 'ses_3', time_created, time_updated, data FROM part WHERE session_id = 'ses_1'",
    ] {
        database.execute(copy, []).unwrap();
    }
    assert_eq!(used(&env), (json!(400), json!(0)));
    say(&database, "ses_3", 9, "and on it goes");
    assert_eq!(used(&env), (json!(500), json!(0)));
    env.ok(&["index", "scan"]);
    assert_eq!(used(&env), (json!(500), json!(0)));
}

#[test]
fn what_was_said_is_found_and_shown() {
    let env = env();
    let _open = filled(&env);
    let found = env.json(&["transcripts", "search", "ATTIC", "--json"]);
    assert_eq!((&found["found"], &found["hits"][0]["client"]), (&json!(4), &json!("opencode")));
    let shown = env.json(&["transcripts", "show", "ses_1", "--json"]);
    let said: Vec<&Value> =
        shown["entries"].as_array().unwrap().iter().map(|entry| &entry["text"]).collect();
    let wanted =
        ["please tidy the attic", "tidy the attic", "please sweep the yard", "sweep the yard"];
    assert_eq!(said, wanted);
    assert_eq!(shown["folder"], json!(env.project()));
}

#[test]
fn a_session_that_was_brought_into_the_database_is_read_there_alone() {
    let env = env();
    let _open = filled(&env);
    let storage = folder(&env).join("storage");
    for (file, content) in [
        ("session/global/ses_1.json", json!({"id": "ses_1", "directory": env.project()})),
        ("session/global/ses_9.json", json!({"id": "ses_9", "directory": env.project()})),
        ("message/ses_1/msg_1.json", json!({"role": "user", "time": {"created": BEGUN}})),
        ("part/msg_1/prt_1.json", json!({"type": "text", "text": "please tidy the attic"})),
    ] {
        fs::create_dir_all(storage.join(file).parent().unwrap()).unwrap();
        fs::write(storage.join(file), content.to_string()).unwrap();
    }
    assert_eq!(env.json(&["transcripts", "search", "attic", "--json"])["found"], 4);
    assert_eq!(env.json(&["transcripts", "show", "ses_9", "--json"])["entries"], json!([]));
}

#[test]
fn a_database_is_read_as_it_is_left_and_nothing_is_written_beside_it() {
    let env = env();
    let open = filled(&env);
    let all = (json!(400), json!(0));
    // Its client runs: most of it is in the log.
    let while_open = kept(&env);
    assert_eq!(while_open.len(), 3);
    assert_eq!((used(&env), kept(&env)), (all.clone(), while_open.clone()));
    // It has ended.
    drop(open);
    let closed = kept(&env);
    assert_eq!(closed.len(), 1);
    assert_eq!((used(&env), kept(&env)), (all.clone(), closed));
    // It was killed: nobody holds what it shared.
    for (name, content) in &while_open {
        fs::write(folder(&env).join(name), content).unwrap();
    }
    assert_eq!((used(&env), kept(&env)), (all, while_open));
}

#[test]
fn somebody_who_writes_is_neither_waited_for_nor_held_up() {
    let env = env();
    let database = filled(&env);
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    say(&database, "ses_1", 2, "not yet said");
    assert_eq!(used(&env), (json!(400), json!(0)));
    database.execute_batch("COMMIT").unwrap();
    assert_eq!(used(&env), (json!(500), json!(0)));
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| (0..5).map(|_| used(&env)).collect::<Vec<_>>());
        let mut number = 3;
        while !reader.is_finished() {
            say(&database, "ses_1", number, "and more");
            number += 1;
        }
        for (input, unreadable) in reader.join().unwrap() {
            assert_eq!((input.as_u64().unwrap() % 100, unreadable), (0, json!(0)));
        }
    });
}

#[test]
fn a_database_that_is_locked_damaged_or_of_another_kind_is_told_of() {
    let unread = (json!(0), json!(1));
    let env = env();
    let database = filled(&env);
    database.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    let audit = || env.json(&["audit", "--json"])["unreadable"].clone();
    assert_eq!((used(&env), audit()), (unread.clone(), json!(1)));
    database.execute_batch("COMMIT").unwrap();
    assert_eq!((used(&env), audit()), ((json!(400), json!(0)), json!(0)));
    // A version that calls its columns otherwise.
    database.execute_batch("ALTER TABLE part RENAME COLUMN data TO body").unwrap();
    assert_eq!(used(&env), (json!(0), json!(2)));
    database.execute_batch("ALTER TABLE session RENAME COLUMN directory TO place").unwrap();
    assert_eq!(used(&env), unread);
    drop(database);
    for content in [b"SQLite format 3\0 and no more".to_vec(), Vec::new(), b"{}".repeat(4000)] {
        fs::write(file(&env), content).unwrap();
        assert_eq!((used(&env), audit()), (unread.clone(), json!(1)));
    }
}

#[test]
fn rows_that_cannot_be_read_do_not_hide_the_others() {
    let env = env();
    let database = filled(&env);
    database.execute("UPDATE part SET data = '{' WHERE session_id = 'ses_1'", []).unwrap();
    database.execute("UPDATE message SET data = x'ff00' WHERE id = 'msg_ses_2_0b'", []).unwrap();
    say(&database, "ses_2", -5, "what came first");
    assert_eq!(used(&env), (json!(400), json!(0)));
    let shown = env.json(&["transcripts", "show", "ses_2", "--json"]).to_string();
    assert!(shown.contains("a message cannot be read"), "{shown}");
}

#[test]
fn an_index_tells_the_same() {
    let env = env();
    let database = filled(&env);
    env.ok(&["index", "scan"]);
    let index = env.home().join(".local/state/waypost/index");
    let is_told_alike = |wanted: u64| {
        let told = || env.json(&["cost", "--by", "conversation", "--json"]);
        let by_index = told();
        fs::rename(&index, env.home().join("away")).unwrap();
        let by_files = told();
        fs::rename(env.home().join("away"), &index).unwrap();
        assert_eq!(by_index, by_files);
        assert_eq!(by_index["tokens"]["input"], wanted);
    };
    is_told_alike(400);
    say(&database, "ses_2", 2, "once more");
    is_told_alike(500);
    database.execute("DELETE FROM part WHERE session_id = 'ses_1'", []).unwrap();
    database.execute("DELETE FROM message WHERE session_id = 'ses_1'", []).unwrap();
    database.execute("DELETE FROM session WHERE id = 'ses_1'", []).unwrap();
    is_told_alike(300);
    drop(database);
    is_told_alike(300);
    fs::write(file(&env), "damaged").unwrap();
    is_told_alike(0);
    is_told_alike(0);
}
