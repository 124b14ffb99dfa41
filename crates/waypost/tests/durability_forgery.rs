//! Attacks on the live stream: each is told by `waypost verify`, with status 3 and the first bad
//! record named.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use waypost_testkit::{TestEnv, everything};

/// A project with two sessions of five records and a snapshot each.
struct Two {
    env: TestEnv,
    own: String,
    other: String,
}

impl Two {
    fn new() -> Self {
        Self::with_vars(Vec::new())
    }

    fn with_vars(vars: Vec<(String, String)>) -> Self {
        let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.vars = vars;
        env.init();
        let own = env.start("Own");
        let other = env.start("Other");
        for session in [&own, &other] {
            // So long that a snapshot is written behind it.
            env.ok(&["note", "add", &"long ".repeat(1_000), "--session", session]);
            for text in ["two", "three", "four"] {
                env.ok(&["note", "add", text, "--session", session]);
            }
            assert!(env.log_of(session).with_file_name("snapshot").exists());
        }
        env.ok(&["verify", "--all"]);
        Self { env, own, other }
    }

    fn lines(&self, session: &str) -> Vec<String> {
        let content = fs::read_to_string(self.env.log_of(session)).unwrap();
        content.split_inclusive('\n').map(str::to_owned).collect()
    }

    fn snapshot(&self, session: &str) -> PathBuf {
        self.env.log_of(session).with_file_name("snapshot")
    }

    fn head(&self, session: &str) -> PathBuf {
        self.env.store().join("heads").join(format!("session-{session}"))
    }

    /// Puts `lines` in place of the session's records.
    fn forge(&self, lines: &[String]) {
        fs::write(self.env.log_of(&self.own), lines.concat()).unwrap();
    }

    /// The attack is told, by the session's name and for all of them, and `named` is in the words.
    fn is_told(&self, attack: &str, named: &str) {
        for which in [self.own.as_str(), "--all"] {
            let output = self.env.waypost(&["verify", which]);
            let told = everything(&output);
            assert_eq!(output.status.code(), Some(3), "{attack}: {told}");
            let first = told.lines().find(|line| line.starts_with("error")).unwrap_or_default();
            assert!(first.contains(named), "{attack}: expected `{named}` in: {told}");
        }
        let output = self.env.waypost(&["verify", &self.other]);
        assert!(output.status.success(), "{attack}: the other session: {}", everything(&output));
    }
}

#[test]
fn records_that_were_changed_moved_or_made_up_are_named() {
    let two = Two::new();
    let good = two.lines(&two.own);
    let other = two.lines(&two.other);
    assert_eq!((good.len(), other.len()), (5, 5));
    let check = |attack: &str, named: &str, forge: &dyn Fn(&mut Vec<String>)| {
        let mut lines = good.clone();
        forge(&mut lines);
        assert_ne!(lines, good, "{attack}");
        two.forge(&lines);
        two.is_told(attack, named);
    };
    check("edit", "record 3:", &|lines| lines[2] = lines[2].replace("\"two\"", "\"2wo\""));
    check("edit the first", "record 1:", &|lines| lines[0] = lines[0].replace("Own", "Owm"));
    check("edit the last", "record 5:", &|lines| lines[4] = lines[4].replace("four", "five"));
    check("change the actor", "record 4:", &|lines| {
        lines[3] = lines[3].replace("human", "waypost");
    });
    check("delete", "record 3:", &|lines| drop(lines.remove(2)));
    check("delete the first", "record 1:", &|lines| drop(lines.remove(0)));
    check("insert", "record 3:", &|lines| lines.insert(2, good[2].replace("\"two\"", "\"new\"")));
    check("insert a blank line", "record 3:", &|lines| lines.insert(2, "\n".to_owned()));
    check("append", "record 6:", &|lines| lines.push(good[4].replace("\"seq\":5", "\"seq\":6")));
    check("swap", "record 3:", &|lines| lines.swap(2, 3));
    check("duplicate", "record 4:", &|lines| lines.insert(3, good[2].clone()));
    check("duplicate the last", "record 6:", &|lines| lines.push(good[4].clone()));
    check("restamp", "record 3:", &|lines| lines[2] = lines[2].replace("T12:00", "T11:00"));
    check("renumber", "record 3:", &|lines| lines[2] = lines[2].replace("\"seq\":3", "\"seq\":03"));
    check("splice one", "record 3:", &|lines| lines[2].clone_from(&other[2]));
    check("splice the rest", "record 4:", &|lines| {
        lines.splice(3.., other[3..].to_vec()).for_each(drop);
    });
    check("splice all", "record 1:", &|lines| lines.clone_from(&other));
    check("append another session's", "record 6:", &|lines| lines.push(other[4].clone()));
    check("first record of another session", "record 1:", &|lines| lines[0].clone_from(&other[0]));
    two.forge(&good);
    two.env.ok(&["verify", "--all"]);
}

#[test]
fn a_first_record_made_with_another_key_is_named_with_that_key() {
    let two = Two::new();
    let foreign = Two::new();
    let mut lines = two.lines(&two.own);
    lines[0] = foreign.lines(&foreign.own).remove(0);
    let key = lines[0].split("hmac-sha256:").nth(1).unwrap()[..16].to_owned();
    two.forge(&lines);
    two.is_told("forged first record", "record 1:");
    two.is_told("forged first record", &key);
}

#[test]
fn a_tail_that_was_cut_at_a_record_s_end_is_missed() {
    for keep in 1..5 {
        let two = Two::new();
        two.forge(&two.lines(&two.own)[..keep]);
        two.is_told("cut", "record 5 had been acknowledged");
    }
}

#[test]
fn a_tail_that_was_cut_is_not_written_anew_through_waypost() {
    let two = Two::new();
    let (kept, head) = (two.lines(&two.own)[..3].to_vec(), fs::read(two.head(&two.own)).unwrap());
    two.forge(&kept);
    let output = two.env.waypost(&["note", "add", "instead", "--session", &two.own]);
    let told = everything(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    two.is_told("cut and re-append", "record 5 had been acknowledged");
    assert_eq!(two.lines(&two.own), kept);
    assert_eq!(fs::read(two.head(&two.own)).unwrap(), head);
}

#[test]
fn a_stream_that_was_rolled_back_to_an_older_copy_is_told() {
    let two = Two::new();
    let (log, snapshot) = (two.env.log_of(&two.own), two.snapshot(&two.own));
    let older = (fs::read(&log).unwrap(), fs::read(&snapshot).unwrap());
    for text in ["five", &"six ".repeat(1_500), "seven"] {
        two.env.ok(&["note", "add", text, "--session", &two.own]);
    }
    let newer = fs::read(&snapshot).unwrap();
    assert_ne!(newer, older.1);
    fs::write(&log, &older.0).unwrap();
    fs::write(&snapshot, &older.1).unwrap();
    two.is_told("roll back", "record 8 had been acknowledged");
    fs::remove_file(&snapshot).unwrap();
    two.is_told("roll back without a snapshot", "record 8 had been acknowledged");
    fs::write(&snapshot, &newer).unwrap();
    two.is_told("roll back of the log alone", "record 8 had been acknowledged");
    fs::remove_file(&log).unwrap();
    two.is_told("log deleted", "record 8 had been acknowledged");
}

#[test]
fn a_log_and_head_that_were_rolled_back_together_are_told_by_the_snapshot() {
    let two = Two::new();
    let (log, head) = (two.env.log_of(&two.own), two.head(&two.own));
    let older = (fs::read(&log).unwrap(), fs::read(&head).unwrap());
    two.env.ok(&["note", "add", &"six ".repeat(1_500), "--session", &two.own]);
    fs::write(&log, &older.0).unwrap();
    fs::write(&head, &older.1).unwrap();
    two.is_told("log and head rolled back", "were written and acknowledged");
}

#[test]
fn a_snapshot_or_head_that_was_exchanged_is_told_by_its_path() {
    let two = Two::new();
    for (file, other) in [
        (two.snapshot(&two.own), two.snapshot(&two.other)),
        (two.head(&two.own), two.head(&two.other)),
    ] {
        let name = file.display().to_string();
        let good = fs::read(&file).unwrap();
        fs::copy(&other, &file).unwrap();
        two.is_told("that of another session", &name);
        fs::copy(two.env.store().join("heads/project"), &file).unwrap();
        two.is_told("the project's head", &name);
        fs::write(&file, "{}\n").unwrap();
        two.is_told("no sealed document", &name);
        fs::write(&file, &good[..good.len() - 1]).unwrap();
        two.is_told("cut short", &name);
        fs::write(&file, &good).unwrap();
        two.env.ok(&["verify", "--all"]);
    }
    fs::remove_file(two.head(&two.own)).unwrap();
    two.is_told("head deleted", "the head is missing");
}

fn copy(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-r").args([from, to]).status().unwrap();
    assert!(copied.success());
}

#[test]
fn an_untouched_copy_verifies_where_the_secret_is_the_same_and_nowhere_else() {
    let secret = |text: &str| vec![("WAYPOST_SESSION_SECRET".to_owned(), text.repeat(8))];
    let two = Two::with_vars(secret("first"));
    let mut elsewhere = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    copy(&two.env.store(), &elsewhere.store());
    elsewhere.vars = secret("first");
    assert!(!elsewhere.key_file().exists());
    elsewhere.ok(&["verify", "--all"]);
    elsewhere.ok(&["note", "add", "from the other machine", "--session", &two.own]);
    elsewhere.ok(&["verify", "--all"]);

    elsewhere.vars = secret("other");
    let key = two.lines(&two.own)[0].split("hmac-sha256:").nth(1).unwrap()[..16].to_owned();
    for which in [two.own.as_str(), "--all"] {
        let output = elsewhere.waypost(&["verify", which]);
        let told = everything(&output);
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains(&format!("signed with key {key}")), "{told}");
    }
    let before = fs::read(elsewhere.log_of(&two.own)).unwrap();
    let output = elsewhere.waypost(&["note", "add", "x", "--session", &two.own]);
    assert!(!output.status.success(), "{}", everything(&output));
    assert_eq!(fs::read(elsewhere.log_of(&two.own)).unwrap(), before);
}
