//! Command lines and what they are found to do.

use super::*;
use crate::runner::Awaited;

fn outcome(line: &str) -> Option<Result<(), String>> {
    let awaited = Awaited::by("cargo test*", &[]);
    ran(&analyse(line), &awaited).map(|found| found.counts.map(|_| ()))
}

#[test]
fn a_run_alone_or_in_a_chain_counts() {
    for line in [
        "cargo test",
        "cargo test --workspace -- --nocapture",
        "  cargo   test  ",
        "cargo 'test'",
        "RUST_BACKTRACE=1 cargo test",
        "cd sub && cargo test",
        "cargo build && cargo test && echo ok",
        "cargo test > out.txt 2>&1",
        "time cargo test",
        "[[ -f Cargo.toml ]] && cargo test",
        "(cargo test)",
        "{ cargo test; }",
    ] {
        assert_eq!(outcome(line), Some(Ok(())), "{line}");
    }
}

#[test]
fn a_run_whose_status_is_hidden_does_not_count() {
    for line in [
        "cargo test | tail",
        "cargo test |& tail",
        "cargo test; true",
        "cargo test\ntrue",
        "cargo test || true",
        "true || cargo test",
        "cargo test &",
        "! cargo test",
        "if cargo test; then echo ok; fi",
        "exit 0 && cargo test",
        "exec true && cargo test",
        "cargo() { true; } && cargo test",
        "PATH=/evil cargo test",
        "PATH=/evil && cargo test",
        "export PATH=/evil && cargo test",
        "trap 'exit 0' EXIT && cargo test",
        "echo $(cargo test)",
        "cargo test --no-run",
        "cargo test --help",
        "bash -c 'cargo test; true'",
    ] {
        assert!(matches!(outcome(line), Some(Err(_))), "{line}: {:?}", outcome(line));
    }
}

#[test]
fn what_only_mentions_a_command_does_not_run_it() {
    for line in
        ["echo cargo test", "echo 'cargo test'", "# cargo test", "cat <<E\ncargo test\nE", ""]
    {
        assert_eq!(outcome(line), None, "{line}");
    }
}

#[test]
fn commits_are_found_wherever_they_hide() {
    for line in [
        "git commit -m x",
        "cat x && git commit -m x",
        "git -C sub -c user.name=x commit",
        "git --git-dir=.git commit",
        "cd sub; /usr/bin/git commit",
        "echo $(git commit -m x)",
        "echo \"`git commit -m x`\"",
        "bash -c 'git commit -m x'",
        "bash -lc \"git commit -m x\"",
        "env A=1 git commit",
        "sudo -u me git commit",
        "timeout 5 bash -c 'git commit'",
        "eval git commit",
        "if true; then git commit; fi",
        "f() { git commit; }; f",
        "git $SUB",
        "$GIT commit",
        "true <(git commit)",
        "cat <<E\n$(git commit)\nE",
        "x=$(git commit)",
        "echo ${x:-$(git commit)}",
        "git commit | cat",
        "while true; do git commit; done",
    ] {
        assert!(analyse(line).commits(), "{line}");
    }
}

#[test]
fn what_is_no_commit_is_not_taken_for_one() {
    for line in [
        "echo git commit",
        "git log --grep commit",
        "git -C commit status",
        "git show commit",
        "grep -r 'git commit' .",
        "cat <<'E'\ngit commit\nE",
        "ls -la src && echo done",
    ] {
        assert!(!analyse(line).commits(), "{line}");
        assert!(!analyse(line).pushes(), "{line}");
    }
    assert!(analyse("git push origin main").pushes());
}

#[test]
fn what_cannot_be_read_may_do_anything() {
    let long = format!("echo {}", "x".repeat(MAX_BYTES));
    let deep = format!("{}true{}", "echo $(".repeat(20_000), ")".repeat(20_000));
    let sly = format!("{}true{}", "echo $(')' ".repeat(2_000), ")".repeat(2_000));
    for line in [long.as_str(), &deep, &sly, "echo 'unclosed", "if true; then"] {
        let analysis = analyse(line);
        assert!(analysis.opaque.is_some());
        assert!(analysis.commits() && analysis.pushes());
    }
}

#[test]
fn only_a_line_of_nothing_but_waypost_is_waypost_alone() {
    assert!(analyse("waypost run -- cargo test").is_alone(|name| name == "waypost"));
    assert!(analyse("cd '/a b' && waypost run -- ./check.sh").is_alone(|name| name == "waypost"));
    assert!(!analyse("cd /a").is_alone(|name| name == "waypost"));
    assert!(!analyse("waypost status; rm -rf x").is_alone(|name| name == "waypost"));
    assert!(!analyse("waypost status > x$(rm y)").is_alone(|name| name == "waypost"));
    assert!(!analyse("").is_alone(|name| name == "waypost"));
    assert!(!analyse("waypost run -- git commit -m x").is_alone(|name| name == "waypost"));
    assert!(analyse("waypost run -- git commit -m x").commits());
}

mod deeds;
mod places;
mod random;
mod remedy;
mod writes;
