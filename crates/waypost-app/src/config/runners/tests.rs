//! Files of runners, good and bad.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

const GOOD: &str = r#"
[[runner]]
name = "run-checks"
spellings = ["./run-checks all", "python tools/checks.py"]
idle = ["--list"]
narrow = ["--only*"]
formats = ["checks", "pytest"]
operands = "free"

[runner.after]
whole = ["."]
bare = false

[[wrapper]]
words = "./in-docker"
operands = 1

[[format]]
name = "checks"
summary = ["checks: <counts>"]
passed = ["good"]
failed = ["bad"]
"#;

fn parsed(text: &str) -> (Option<Profile>, Vec<String>) {
    let (profile, problems) = parse(".waypost/runners/own.toml", text, &mut Known::default());
    (profile, problems.iter().map(ToString::to_string).collect())
}

fn problems(text: &str) -> Vec<String> {
    parsed(text).1
}

#[test]
fn a_good_file_is_understood_whole() {
    let (profile, problems) = parsed(GOOD);
    assert!(problems.is_empty(), "{problems:?}");
    let Profile { runners, wrappers, formats } = profile.unwrap();
    assert_eq!(runners[0].spellings, ["./run-checks all", "python tools/checks.py"]);
    assert_eq!(runners[0].reading.operands, Operands::Free);
    assert!(runners[0].reading.bare && !runners[0].after.as_ref().unwrap().bare);
    assert_eq!((wrappers[0].words.as_str(), wrappers[0].operands), ("./in-docker", 1));
    assert_eq!(
        (formats[0].name.as_str(), formats[0].failed.as_slice()),
        ("checks", &["bad".into()][..])
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_was_meant() {
    for (wrong, told) in [
        (
            GOOD.replace("idle", "idel"),
            "own.toml:5: `idel` is not a key of [[runner]]; did you mean `idle`?",
        ),
        (GOOD.replace("[[wrapper]]", "[[wraper]]"), "did you mean `wrapper`?"),
        (
            GOOD.replace("\"checks\", \"pytest\"", "\"chekcs\""),
            "no format `chekcs`; did you mean `checks`?",
        ),
        (GOOD.replace("\"free\"", "\"any\""), "`operands`: it is `narrow`, `free` or `targets`"),
        (GOOD.replace("[\"--list\"]", "\"--list\""), "`idle` must be an array of strings"),
        (GOOD.replace("[\"--list\"]", "[7]"), "`idle` must be an array of strings"),
        (GOOD.replace("[\"--list\"]", "[\"\"]"), "`idle`: each text has 1 to 200 characters"),
        (GOOD.replace("operands = 1", "operands = 77"), "`operands`: it is a number from 0 to 9"),
        (GOOD.replace("<counts>", "<count>"), "`checks: <count>`: there is no `<count>`"),
        (GOOD.replace("<counts>", "<counts"), "has no `>`"),
        (GOOD.replace("checks: <counts>", "*"), "`*`: it fits any line"),
        (GOOD.replace("name = \"run-checks\"", ""), "a runner needs `name`"),
        (GOOD.replace("bare = false", "bare = 1"), "`bare` must be true or false"),
        ("x = ".to_owned(), "own.toml:1: "),
        ("runner = 1".to_owned(), "an array of tables ([[runner]])"),
        ("[[runner]]\nname = \"x\"".to_owned(), "the runner `x` has no spelling of its own"),
    ] {
        let problems = problems(&wrong);
        assert!(problems.iter().any(|problem| problem.contains(told)), "{told}\n{problems:?}");
    }
}

#[test]
fn what_is_built_in_stays_what_it_is() {
    for (wrong, told) in [
        (GOOD.replace("./run-checks all", "cargo test"), "`cargo test` is built in"),
        (GOOD.replace("./run-checks all", ".venv/bin/pytest"), "`pytest` is built in"),
        (GOOD.replace("./run-checks all", "uv run checks"), "`uv run` runs the command behind it"),
        (GOOD.replace("./in-docker", "npx"), "`npx` is built in"),
        (GOOD.replace("./in-docker", "make"), "is built in"),
        (GOOD.replace("name = \"checks\"", "name = \"libtest\""), "`libtest` is built in"),
        (
            GOOD.replace("python tools/checks.py", "./run-checks  all"),
            "a second `./run-checks all`",
        ),
        (
            format!("{GOOD}\n[[program]]\nname = \"pytest\"\nalso = [\"true\"]"),
            "`program` is not a key",
        ),
        (format!("{GOOD}\nover = [\"*\"]"), "`over` is not a key of [[format]]"),
    ] {
        let problems = problems(&wrong);
        assert!(problems.iter().any(|problem| problem.contains(told)), "{told}\n{problems:?}");
    }
    let (profile, _) = parsed(&GOOD.replace("./run-checks all", "cargo test"));
    assert_eq!(profile.unwrap().runners[0].spellings, ["python tools/checks.py"]);
}

#[test]
fn files_are_read_by_name_and_what_lies_outside_is_not() {
    let (project, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let root = project.path();
    assert_eq!(read(root), (Vec::new(), Vec::new()));
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    let format =
        |name: &str| format!("[[format]]\nname = \"{name}\"\nsummary = [\"<passed> ok\"]\n");
    fs::write(folder.join("b.toml"), format("second")).unwrap();
    fs::write(folder.join("a.toml"), format("first")).unwrap();
    fs::write(folder.join("notes.md"), "no profile").unwrap();
    fs::write(outside.path().join("x.toml"), format("third")).unwrap();
    symlink(outside.path().join("x.toml"), folder.join("c.toml")).unwrap();
    let (profiles, problems) = read(root);
    let names: Vec<&str> = profiles.iter().map(|one| one.formats[0].name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told, [".waypost/runners/c.toml:1: it lies outside the project"]);
    assert_eq!(paths(root).len(), 3);
}

#[test]
fn too_much_is_told_and_not_read() {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    for number in 0..25 {
        fs::write(folder.join(format!("{number:02}.toml")), "").unwrap();
    }
    fs::write(folder.join("00.toml"), "#".repeat(70_000)).unwrap();
    let (profiles, problems) = read(project.path());
    assert!(profiles.is_empty());
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            ".waypost/runners:1: 25 files; at most 20 are read",
            ".waypost/runners/00.toml:1: it has 70000 bytes; at most 65536 are read",
        ]
    );
    let many = "[[format]]\n".repeat(101);
    assert!(parsed(&many).1.iter().any(|told| told.contains("at most 100 are read")));
}
