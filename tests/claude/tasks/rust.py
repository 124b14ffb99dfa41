"""A Rust workspace: a virtual one with two members, built by the toolchain of this machine."""

from harness.steps import bash, edit, read, say
from harness.task import Kind, commit, commit_by_heredoc, task

FILES = {
    "Cargo.toml": '[workspace]\nmembers = ["area", "report"]\nresolver = "2"\n',
    ".gitignore": "/target/\n",
    "area/Cargo.toml": '[package]\nname = "area"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    "area/src/lib.rs": """pub fn square(side: u32) -> u32 {
    side * side
}

#[test]
fn a_square() {
    assert_eq!(square(3), 9);
}
""",
    "report/Cargo.toml": """[package]
name = "report"
version = "0.1.0"
edition = "2021"

[lib]
doctest = false

[dependencies]
area = { path = "../area" }
""",
    "report/src/lib.rs": """pub fn line(side: u32) -> String {
    format!("{side}: {}", area::square(side))
}

#[test]
fn a_line() {
    assert_eq!(line(2), "2: 4");
}
""",
}


def set_up(t):
    """The files; what the tools make is made by the first build."""
    t.project.replace(FILES)
    t.project.run("cargo", "generate-lockfile", "--offline")


RECTANGLE = "pub fn rectangle(a: u32, b: u32) -> u32 {\n    a * b\n}\n\n"
TEST_OF_RECTANGLE = "\n#[test]\nfn a_rectangle() {\n    assert_eq!(rectangle(2, 3), 6);\n}\n"
FIRST_TEST, LAST_LINES = "#[test]\n", "    assert_eq!(square(3), 9);\n}\n"

KIND = Kind("rust workspace", set_up, ("cargo test:*", "cargo build:*", "timeout 120 cargo test:*"), (
    task("greps the results and commits", "Add rectangles, and commit.",
         read("area/src/lib.rs"),
         edit("area/src/lib.rs", FIRST_TEST, RECTANGLE + FIRST_TEST),
         bash('cargo test --workspace 2>&1 | grep -E "test result|FAILED"').works("test result: ok. 1 passed"),
         commit("Add rectangles"),
         say("Committed.")),
    task("keeps the output in a file", "Add rectangles.",
         read("area/src/lib.rs"),
         edit("area/src/lib.rs", FIRST_TEST, RECTANGLE + FIRST_TEST),
         bash("cargo test 2>&1 > /tmp/out.txt; tail -5 /tmp/out.txt").works("test result: ok. 1 passed"),
         say("Rectangles are in."),
         needs_bypass=True),
    task("tests, commits, stops", "Add rectangles with a test, and commit.",
         read("area/src/lib.rs"),
         edit("area/src/lib.rs", FIRST_TEST, RECTANGLE + FIRST_TEST),
         edit("area/src/lib.rs", LAST_LINES, LAST_LINES + TEST_OF_RECTANGLE),
         bash("timeout 120 cargo test --quiet").works("test result: ok. 2 passed"),
         commit("Add rectangles"),
         say("Committed.")),
    task("builds, then tests", "Report the side in words.",
         read("report/src/lib.rs"),
         edit("report/src/lib.rs", "pub fn line", "/// A side, and the area of its square.\npub fn line"),
         bash("cargo build 2>&1 | tail -3 && cargo test 2>&1 | tail -20").works("test result: ok. 1 passed"),
         say("It is documented.")),
    task("tests fail first and are fixed", "Add a test for rectangles, and rectangles, and commit.",
         read("area/src/lib.rs"),
         edit("area/src/lib.rs", FIRST_TEST, RECTANGLE.replace("a * b", "a + b") + FIRST_TEST),
         edit("area/src/lib.rs", LAST_LINES, LAST_LINES + TEST_OF_RECTANGLE),
         bash("cargo test --workspace --quiet 2>&1 | tail -30").works("test result: FAILED"),
         edit("area/src/lib.rs", "a + b", "a * b"),
         bash("cargo test --workspace --quiet 2>&1 | tail -30").works("test result: ok. 2 passed"),
         commit_by_heredoc("Add rectangles"),
         say("Committed.")),
))
