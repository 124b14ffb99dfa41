//! What the parts of the work are found to be, in the words that people are told.

use super::*;
use crate::next_step::Voice;

fn told(finding: &Finding) -> (FindingStatus, String, String) {
    (finding.status, finding.why.clone(), finding.next.words(Voice::PERSON))
}

fn spec(written: Written, blocking: &[&str]) -> Finding {
    let blocking = blocking.iter().map(|text| (*text).to_owned()).collect();
    of_spec(&SpecFact { file: "s/spec.md".into(), written, blocking })
}

fn plan(checkpoints: u64, problems: &[&str]) -> Finding {
    let problems = problems.iter().map(|text| (*text).to_owned()).collect();
    let (file, written) = ("s/plan.json".to_owned(), Written::Content);
    of_plan(&PlanFact { file, written, checkpoints, problems })
}

fn open(number: u64, title: &str, tasks: &[&str]) -> OpenCheckpoint {
    let tasks = tasks.iter().map(|task| (*task).to_owned()).collect();
    OpenCheckpoint { number, title: Some(title.to_owned()), tasks }
}

#[test]
fn a_spec_is_written_and_nothing_blocks_it() {
    let write = "write what is to be built into s/spec.md";
    let (status, why, next) = told(&spec(Written::Template, &[]));
    assert_eq!((status, why.as_str()), (FindingStatus::Missing, "spec.md is still its template"));
    assert_eq!(next, write);
    assert_eq!(told(&spec(Written::Absent, &[])).1, "there is no spec.md");
    assert_eq!(spec(Written::Content, &[]).status, FindingStatus::Met);
    let (status, why, next) = told(&spec(Written::Content, &["Which \"db\"?\nnow"]));
    assert_eq!(status, FindingStatus::Missing);
    assert_eq!(why, "spec.md has a question marked as blocking: \"Which 'db'? now\"");
    assert_eq!(next, "answer it in s/spec.md and tick it off, or take the mark away");
    let many = ["a?"; 7];
    assert!(told(&spec(Written::Content, &many)).1.ends_with("\"a?\" and 2 more"));
}

#[test]
fn a_plan_is_valid_and_has_checkpoints() {
    assert_eq!(plan(2, &[]).status, FindingStatus::Met);
    assert_eq!(told(&plan(0, &[])).1, "plan.json has no checkpoints");
    let (status, why, next) = told(&plan(2, &["checkpoints[0]: it has no title"]));
    assert_eq!(status, FindingStatus::Failed);
    assert_eq!(why, "plan.json is not valid: checkpoints[0]: it has no title");
    assert_eq!(next, "put that right in s/plan.json (`waypost plan check` tells when it is)");
}

#[test]
fn a_build_was_begun_and_every_checkpoint_is_complete() {
    let build = |total, open| told(&of_build(&BuildFact { total, planned: 2, open }));
    let (_, why, next) = build(0, Vec::new());
    assert_eq!(
        (why.as_str(), next.as_str()),
        ("no build was begun", "begin the build: waypost checkpoint init 2")
    );
    assert_eq!(build(2, Vec::new()).0, FindingStatus::Met);
    let (_, why, next) = build(2, vec![open(2, "Use", &["2.1.1", "2.1.2"])]);
    assert_eq!(why, "checkpoint 2 \"Use\" is open");
    assert_eq!(
        next,
        "finish 2.1.1 and 2.1.2, then complete checkpoint 2: waypost checkpoint complete 2"
    );
    let (_, why, next) = build(3, vec![open(1, "", &[]), open(3, "Ship", &["3.1"])]);
    assert_eq!(why, "checkpoint 1, checkpoint 3 \"Ship\" are open");
    assert_eq!(next, "finish checkpoint 1, then complete it: waypost checkpoint complete 1");
}

#[test]
fn documentation_is_what_people_read_and_not_what_tools_keep() {
    for file in [
        "README.md",
        "docs/x.html",
        "a/b/guide.rst",
        "CHANGELOG",
        "Readme",
        ".github/CONTRIBUTING.md",
    ] {
        assert!(is_documentation(file), "{file}");
    }
    for file in [
        "src/main.rs",
        "requirements.txt",
        ".claude/notes.md",
        "a/.serena/m.md",
        "docsify.js",
        "newsletter.py",
    ] {
        assert!(!is_documentation(file), "{file}");
    }
    let (status, why, next) = told(&of_docs(&Ok(Vec::new())));
    assert_eq!(status, FindingStatus::Missing);
    assert_eq!(why, "no documentation was changed since the workflow began");
    assert!(next.contains("`waypost phase skip --reason \"…\"`"), "{next}");
    assert_eq!(of_docs(&Ok(vec!["README.md".into()])).status, FindingStatus::Met);
    assert_eq!(of_docs(&Err("no".into())).status, FindingStatus::Unknown);
}
