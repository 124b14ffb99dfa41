//! `docs/harnesses.md`, below its head: made of the facts of each harness, and of what the real clients were seen to do
//! (`tests/harnesses/seen.json`). `WAYPOST_UPDATE=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;
use waypost_app::harness::{Facts, Fails};
use waypost_hook::harnesses;

use crate::{is_update, repository};

/// What comes behind this line is made.
const MARK: &str = "<!-- Made of the adapters' facts and of tests/harnesses/seen.json: WAYPOST_UPDATE=1 writes it anew. -->";

/// What was seen of a real client.
#[derive(Deserialize)]
struct Seen {
    version: String,
    seen: Vec<String>,
}

#[test]
fn the_documentation_says_what_the_facts_say_and_the_clients_were_seen_to_do() {
    let file = repository().join("docs/harnesses.md");
    let page = fs::read_to_string(&file).unwrap();
    let (head, _) = page.split_once(MARK).unwrap();
    let wanted = format!("{head}{MARK}\n{}", made());
    if is_update() {
        fs::write(&file, wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/harnesses.md is stale: WAYPOST_UPDATE=1 writes it anew");
    }
}

fn made() -> String {
    let seen = fs::read_to_string(repository().join("tests/harnesses/seen.json"));
    let seen: BTreeMap<String, Seen> =
        seen.map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default();
    let all = || harnesses::ALL.iter().map(|harness| harness.facts());
    let mut text = "\n| client | hook | a tool is denied | a stop is held | where the hook fails | seen with |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for facts in all() {
        let Facts { name, title, reach, .. } = facts;
        let held = if reach.holds.is_some() { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| [{title}](#{}) | `waypost hook {name}` | yes | {held} | {} | {} |",
            title.to_lowercase().replace(' ', "-"),
            fails(reach.fails),
            version(facts, seen.get(*name)),
        );
    }
    for facts in all() {
        text.push_str(&section(facts, seen.get(facts.name)));
    }
    text
}

fn section(facts: &Facts, seen: Option<&Seen>) -> String {
    let reach = &facts.reach;
    let mut text = format!("\n## {}\n\n| | |\n|---|---|\n", facts.title);
    let mut row = |name: &str, says: &str| {
        if !says.is_empty() {
            let _ = writeln!(text, "| {name} | {says} |");
        }
    };
    row("hooks", &files(reach.hooks_in));
    row("MCP servers", &files(reach.servers_in));
    row("a tool is denied", reach.denies);
    row("a stop is held", reach.holds.unwrap_or("it cannot be"));
    row("the agent is told", reach.context);
    row("where the hook fails or is late", fails(reach.fails));
    row("it trusts hooks", reach.trust.unwrap_or_default());
    row("**it cannot**", &reach.gaps.join("; "));
    let scenarios = seen.map(|seen| seen.seen.join("; ")).unwrap_or_default();
    row(
        "seen with the real client",
        if scenarios.is_empty() { "not yet by a test of this repository" } else { &scenarios },
    );
    text
}

fn fails(fails: Fails) -> &'static str {
    match fails {
        Fails::Closed => "the tool does not run",
        Fails::Open => "the tool runs",
    }
}

fn files(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn version(facts: &Facts, seen: Option<&Seen>) -> String {
    seen.map_or(facts.reach.version, |seen| &seen.version).to_owned()
}
