//! Whatever text comes, it is read without harm.

use proptest::prelude::*;

use super::*;

const FRAGMENTS: &[&str] = &[
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "'",
    "\"",
    "\\",
    "\\\n",
    "#",
    "!",
    "=",
    "~",
    "~+9",
    "*",
    "[",
    "[[",
    "]]",
    "((",
    "))",
    "$((",
    "${",
    "$x",
    "$'",
    "$\"",
    ">",
    ">>",
    ">&",
    "<",
    "<<",
    "<<<",
    "<<E\n",
    "\nE\n",
    "<<-'E'\n",
    "<(",
    ">(",
    "2>&1",
    "&>",
    "99999999999>",
    "~99999999999999999999999",
    "if",
    "then",
    "else",
    "fi",
    "for x in",
    "do",
    "done",
    "while",
    "case x in",
    ";;",
    "esac",
    "function",
    "f()",
    "coproc",
    "time",
    "cd",
    "cd a",
    "git",
    "push",
    "commit",
    "-c alias.x=",
    "x",
    "config",
    "-C",
    "--dry-run",
    "-m",
    "--",
    "-",
    "rm",
    "cp",
    "-t",
    "mv",
    "sed",
    "-i",
    "--in-place=",
    "perl",
    "-pi",
    "-e",
    "awk",
    "tar",
    "xf",
    "dd",
    "of=a",
    "rsync",
    "h:a",
    "patch",
    "-d",
    "find",
    "-exec",
    "{}",
    "\\;",
    "-delete",
    "xargs",
    "-I",
    "env",
    "X=1",
    "-S",
    "sudo",
    "-u",
    "timeout",
    "5",
    "bash",
    "-c",
    "-s",
    "eval",
    "echo",
    "-e",
    "printf",
    "%s",
    "source",
    "/dev/stdin",
    "trap",
    "alias",
    "tee",
    "flock",
    "watch",
    "waypost",
    "run",
    "/dev/null",
    "é",
    "\u{0}",
    "\u{1f980}",
    "$'\\x",
    "$'\\u12'",
    "$'\\777'",
];

/// Asks everything that can be asked.
fn ask(line: &str) {
    let analysis = analyse(line);
    let aliases = |name: &str| Some(format!("!git {name} '"));
    let bad = analysis.opaque.is_some();
    assert!(analysis.commits_with(&aliases) >= bad);
    assert!(analysis.pushes_with(&aliases) >= bad);
    assert!(analysis.commits_with(&aliases) >= analysis.commits());
    assert!(analysis.writes_unknown() >= bad);
    assert!(!bad || analysis.remedy().is_none());
    assert!(analysis.writes().iter().all(|write| !write.path.is_empty()));
    if let Some(remedy) = analysis.remedy() {
        assert!(ran(&analysis, &Awaited::by(&remedy.text(), &[])).is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_odd(line in any::<String>()) {
        ask(&line);
    }

    #[test]
    fn no_ascii_text_is_too_odd(line in "[ -~\n\t]{0,80}") {
        ask(&line);
    }

    #[test]
    fn no_mix_of_fragments_is_too_odd(
        parts in prop::collection::vec((prop::sample::select(FRAGMENTS), any::<bool>()), 0..24),
    ) {
        let mut line = String::new();
        for (part, space) in parts {
            line.push_str(part);
            line.push_str(if space { " " } else { "" });
        }
        ask(&line);
    }
}

#[test]
fn what_the_parser_could_not_bear_is_opaque() {
    for line in [
        "echo 99999999999> x",
        "99999999999<x",
        "echo 99999\\\n9999999> x",
        "echo ~99999999999999999999999",
        "echo ~\\\n99999999999999999999999",
        "echo ${x:-~-99999999999999999999999}",
        "eval '99999999999>x'",
        "cat <<$(  ",
        "cat << '' $(",
        "$(cat << <$((",
        "cat << '' $( \\",
        "cat << E$(  #",
        "echo `cat <<${x:-$(\t\t`",
    ] {
        assert!(analyse(line).opaque.is_some(), "{line}");
    }
    for line in [
        "echo $((1<<2)) <<< $(  true )",
        "echo 9999999999 > x",
        "cat <<E\n<a>99999999999</a>\nE",
        "date -d @1700000000",
    ] {
        assert!(analyse(line).opaque.is_none(), "{line}");
    }
}
