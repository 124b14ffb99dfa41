//! Whatever becomes of the database's file, the next scan makes it anew and says so, and loses nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use waypost_store::index::IndexPlace;
use waypost_testkit::{TestEnv, everything};

use crate::{folder, is_right, project, report, rows};

/// Something that becomes of a file.
type Damage = fn(&Path);

fn file(env: &TestEnv) -> std::path::PathBuf {
    IndexPlace::new(folder(env)).file().unwrap()
}

fn cut(file: &Path, to: u64) {
    fs::OpenOptions::new().write(true).open(file).unwrap().set_len(to).unwrap();
}

#[test]
fn a_broken_database_is_moved_aside_and_made_anew_with_a_message() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    let whole = rows(&env);
    let damages: [(&str, Damage); 8] = [
        ("zero length", |file| fs::write(file, "").unwrap()),
        ("garbage", |file| fs::write(file, "no database\n".repeat(999)).unwrap()),
        ("cut to a page", |file| cut(file, 4096)),
        ("cut within a page", |file| cut(file, fs::metadata(file).unwrap().len() - 100)),
        ("a folder", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir_all(file.join("x")).unwrap();
        }),
        ("overwritten pages", |file| {
            let mut bytes = fs::read(file).unwrap();
            bytes[4096..].fill(0x55);
            fs::write(file, bytes).unwrap();
        }),
        ("a page that no scan reads", |file| {
            let mut bytes = fs::read(file).unwrap();
            let at = bytes.len() / 2 / 4096 * 4096;
            bytes[at..at + 4096].fill(0x55);
            fs::write(file, bytes).unwrap();
        }),
        ("a schema that is another's", |file| {
            let mut bytes = fs::read(file).unwrap();
            for place in 100..bytes.len() - 10 {
                if bytes[place..].starts_with(b"\"projects\"") {
                    bytes[place..place + 10].copy_from_slice(b"\"tcejorps\"");
                }
            }
            fs::write(file, bytes).unwrap();
        }),
    ];
    for (what, damage) in damages {
        damage(&file(&env));
        let status = env.waypost(&["index", "status", "--check"]);
        assert_eq!(status.status.code(), Some(1), "{what}: {}", everything(&status));
        let scan = env.waypost(&["index", "scan"]);
        let told = everything(&scan);
        assert!(scan.status.success(), "{what}: {told}");
        assert!(told.contains("moved to") && told.contains("made anew"), "{what}: {told}");
        assert_eq!(rows(&env), whole, "{what}");
        let quiet = everything(&env.waypost(&["index", "scan"]));
        assert!(!quiet.contains("anew"), "{what}: {quiet}");
    }
}

#[test]
fn a_database_that_is_gone_is_made_anew() {
    let (env, _) = project();
    assert_eq!(report(&env, &["index", "status"])["state"], "missing");
    env.ok(&["index", "scan"]);
    let whole = rows(&env);
    fs::remove_file(file(&env)).unwrap();
    assert_eq!(report(&env, &["index", "scan"])["rebuilt"], true);
    assert_eq!(rows(&env), whole);
    fs::remove_dir_all(folder(&env)).unwrap();
    assert_eq!(report(&env, &["index", "scan"])["rebuilt"], true);
    assert_eq!(rows(&env), whole);
}

#[test]
fn a_database_that_nobody_may_read_is_moved_aside() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    let whole = rows(&env);
    fs::set_permissions(file(&env), fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever is root reads it all the same.
    if fs::read(file(&env)).is_err() {
        let told = everything(&env.waypost(&["index", "scan"]));
        assert!(told.contains("made anew"), "{told}");
    } else {
        env.ok(&["index", "scan"]);
    }
    assert_eq!(rows(&env), whole);
}

#[test]
fn an_older_database_is_made_anew_and_a_newer_one_is_left_alone() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    let whole = rows(&env);
    // Where SQLite keeps the number that a program gave its database.
    let version = |number: u8| {
        let mut bytes = fs::read(file(&env)).unwrap();
        bytes[60..64].copy_from_slice(&[0, 0, 0, number]);
        fs::write(file(&env), bytes).unwrap();
    };
    version(0);
    let told = everything(&env.waypost(&["index", "scan"]));
    assert!(told.contains("older Waypost") && told.contains("made anew"), "{told}");
    assert_eq!(rows(&env), whole);
    version(250);
    let before = fs::read(file(&env)).unwrap();
    for args in [&["index", "scan"][..], &["onboard", "."], &["index", "status"]] {
        let output = env.waypost(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(everything(&output).contains("newer Waypost"), "{}", everything(&output));
    }
    assert_eq!(fs::read(file(&env)).unwrap(), before);
    env.ok(&["index", "rebuild"]);
    assert_eq!(rows(&env), whole);
}

#[test]
fn a_damaged_list_of_projects_is_put_aside_and_told() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    let list = env.home().join(".local/state/waypost/projects.json");
    fs::write(&list, "{\"projects\": [").unwrap();
    let told = everything(&env.waypost(&["index", "scan"]));
    assert!(told.contains("name the folders of your projects again"), "{told}");
    assert!(list.with_extension("json.damaged").is_file());
    is_right(&env);
}
