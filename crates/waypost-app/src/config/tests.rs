//! Configuration files, good and bad.

use super::*;
use waypost_core::gate::Level;

const GOOD: &str = r#"
[project]
sessions_dir = "notes/sessions"
enforcement = "report"

[[gate]]
id = "tests-pass"
level = "should"
before = ["stop", "commit"]
scope = "session"
proof = { ran = "cargo test*", fresh = "tree" }
message = "Run the tests."
"#;

fn problems(text: &str) -> Vec<String> {
    parse(text).unwrap().problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_good_file_is_understood_whole() {
    let config = parse(GOOD).unwrap();
    assert_eq!(config.problems, []);
    assert_eq!(config.policy.sessions_dir, "notes/sessions");
    assert_eq!(config.policy.enforcement, Enforcement::Report);
    let gate = &config.policy.gates[0];
    assert_eq!((gate.id.as_str(), gate.level, gate.source.line), ("tests-pass", Level::Should, 6));
}

#[test]
fn misspelt_keys_are_told_with_line_and_what_was_meant() {
    assert_eq!(
        problems("[project]\nsesions_dir = \"x\"\n"),
        ["waypost.toml:2: `sesions_dir` is not a key of [project]; did you mean `sessions_dir`?"]
    );
    let told = problems(&GOOD.replace("message", "mesage"));
    assert!(told[0].contains("did you mean `message`?"), "{told:?}");
}

#[test]
fn several_sessions_may_be_active_unless_the_file_says_otherwise() {
    let single = |text: &str| parse(text).unwrap().single_active;
    assert!(!single(""));
    assert!(single("[project]\nsingle_active = true"));
    assert!(!single("[project]\nsingle_active = \"yes\""));
    assert_eq!(problems("[project]\nsingle_active = true"), [] as [String; 0]);
    assert_eq!(
        problems("[project]\nsingle_actve = true"),
        ["waypost.toml:2: `single_actve` is not a key of [project]; did you mean `single_active`?"]
    );
    let told = problems("[project]\nsingle_active = \"yes\"");
    assert_eq!(told, ["waypost.toml:2: `single_active` must be true or false, not string"]);
}

#[test]
fn a_gate_with_an_unknown_key_still_holds() {
    let config = parse(&GOOD.replace("message", "mesage")).unwrap();
    assert_eq!(config.policy.gates.len(), 1);
}

#[test]
fn what_cannot_be_a_gate_is_told_and_left_out() {
    for (text, told) in [
        ("[[gate]]\nbefore = [\"stop\"]", "needs an `id`"),
        ("[[gate]]\nid = \"a\"\nproof = { ran = \"x\" }", "needs `before`"),
        ("[[gate]]\nid = \"a\"\nbefore = [\"stop\"]", "needs `proof`"),
        (
            "[[gate]]\nid = \"a\"\nbefore = [\"lunch\"]\nproof = { ran = \"x\" }",
            "`lunch` is not an action",
        ),
        ("[[gate]]\nid = \"a\"\nbefore = \"stop\"\nproof = { ran = \"x\" }", "must be an array"),
        ("[[gate]]\nid = \"a\"\nbefore = [\"stop\"]\nproof = { raan = \"x\" }", "exactly one of"),
        ("gate = 3", "an array of tables"),
        ("project = 3", "must be a table"),
    ] {
        let config = parse(text).unwrap();
        assert!(config.policy.gates.is_empty(), "{text}");
        assert!(
            problems(text).iter().any(|problem| problem.contains(told)),
            "{text}: {:?}",
            problems(text)
        );
    }
}

#[test]
fn broken_toml_is_told_with_its_line() {
    let problem = parse("[project]\nmode = \n").unwrap_err();
    assert_eq!(problem.line, 2);
}

#[test]
fn a_sessions_folder_outside_the_project_is_not_taken() {
    for folder in ["../x", "/tmp/x", ""] {
        let config = parse(&format!("[project]\nsessions_dir = \"{folder}\"")).unwrap();
        assert_eq!(config.policy.sessions_dir, "agents/sessions");
        assert_eq!(config.problems.len(), 1);
    }
}

#[test]
fn times_are_read_and_strange_ones_are_told_and_taken_strictly() {
    use waypost_core::gate::Proof;
    use waypost_core::gate::proof::ran::Fresh;
    for (text, expected, problems) in [
        ("30m", Fresh::Within(1_800_000), 0),
        ("tree", Fresh::Tree, 0),
        ("0s", Fresh::Tree, 1),
        ("soon", Fresh::Tree, 1),
        ("9999999999999999d", Fresh::Tree, 1),
        ("", Fresh::Tree, 1),
        ("é", Fresh::Tree, 1),
    ] {
        let config = parse(&GOOD.replace("\"tree\"", &format!("\"{text}\""))).unwrap();
        let Proof::Ran(ran) = &config.policy.gates[0].proof else { panic!() };
        assert_eq!((ran.fresh, config.problems.len()), (expected, problems), "{text}");
    }
}

#[test]
fn a_large_file_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waypost.toml");
    std::fs::write(&path, "#".repeat(5 * 1024 * 1024)).unwrap();
    assert!(read(&path).unwrap_err().message.contains("at most"));
    std::fs::write(&path, format!("a = {}", "[".repeat(100_000))).unwrap();
    assert!(read(&path).is_err());
}

#[test]
fn telemetry_goes_to_an_address_with_headers_from_the_environment() {
    let text = "[telemetry]\notlp = \"http://127.0.0.1:4318/\"\ncontent = true\n\
                headers = { authorization = \"env:OTLP_TOKEN\" }\n";
    let config = parse(text).unwrap();
    assert_eq!(config.problems, []);
    let telemetry = config.telemetry.unwrap();
    assert_eq!(telemetry.otlp, "http://127.0.0.1:4318");
    assert!(telemetry.content);
    let header = &telemetry.headers[0];
    assert_eq!((header.name.as_str(), header.variable.as_str()), ("authorization", "OTLP_TOKEN"));
    assert_eq!(parse("").unwrap().telemetry, None);
    let usual = parse("[telemetry]\notlp = \"https://collector.example/otlp\"").unwrap();
    assert!(!usual.telemetry.unwrap().content);
}

#[test]
fn telemetry_that_cannot_be_understood_goes_nowhere_and_no_secret_is_repeated() {
    for (line, told) in [
        ("otlp = \"127.0.0.1:4318\"", "`otlp`: it is an address such as"),
        ("otlp = \"http://\"", "`otlp`: it is an address such as"),
        ("otlp = \"http://me:hunter2@host\"", "no user and no password"),
        ("otlp = \"http://host/?key=hunter2\"", "it ends with its path"),
        ("otlp = \"http://host/v1/logs\"", "leave `/v1/logs`"),
        ("otlp = 4318", "`otlp` must be a string, not integer"),
        ("oltp = \"http://host\"", "did you mean `otlp`?"),
        ("content = true", "[telemetry] needs `otlp`"),
        ("otlp = \"http://host\"\nheaders = { authorization = \"hunter2\" }", "name the variable"),
        ("otlp = \"http://host\"\nheaders = { Host = \"env:X\" }", "cannot be sent as a header"),
        ("otlp = \"http://host\"\nheaders = \"x\"", "`headers` must be a table, not string"),
    ] {
        let config = parse(&format!("[telemetry]\n{line}\n")).unwrap();
        assert_eq!(config.telemetry, None, "{line}");
        let problems: Vec<String> = config.problems.iter().map(ToString::to_string).collect();
        assert!(problems.iter().any(|problem| problem.contains(told)), "{line}: {problems:?}");
        assert!(!problems.concat().contains("hunter2"), "{problems:?}");
    }
    let told = problems("[telemtry]\notlp = \"http://host\"");
    assert!(told[0].contains("did you mean `telemetry`?"), "{told:?}");
}
