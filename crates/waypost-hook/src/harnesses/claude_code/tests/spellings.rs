//! What tools are, by how they are called and what they are given: `spellings.txt`.

use waypost_app::harness::{Does, Harness, Input, Repository, Tool};

use super::super::ClaudeCode;

const TABLE: &str = include_str!("spellings.txt");

fn tool(name: &str, arguments: &str) -> Tool {
    let arguments = serde_json::from_str(arguments).unwrap();
    let input = Input { tool: Some(name.into()), arguments: Some(arguments), ..Input::default() };
    ClaudeCode.tool(&input).unwrap()
}

/// What a tool does, as the table says it.
fn told(tool: &Tool) -> String {
    let shown = |path: &std::path::PathBuf| path.display().to_string();
    match &tool.does {
        Does::Shell { command, background } => {
            let seen = if *background { " unseen" } else { "" };
            format!("runs{seen}: {}", command.replace('\n', "⏎"))
        }
        Does::Edit(first) => {
            let all: Vec<String> = std::iter::once(first).chain(&tool.others).map(shown).collect();
            format!("edits: {}", all.join(" "))
        }
        Does::EditUnnamed => "edits what it does not name".to_owned(),
        Does::Read(path) => format!("reads: {}", shown(path)),
        Does::Look(path) => format!("looks: {}", shown(path)),
        Does::Git { commits, pushes, repository } => {
            let deeds = match (commits, pushes) {
                (true, true) => "commits and pushes",
                (true, false) => "commits",
                (false, _) => "pushes",
            };
            match repository {
                Repository::Here => deeds.to_owned(),
                Repository::At(folder) => format!("{deeds} at {}", shown(folder)),
                Repository::Hosted(name) => format!("{deeds} to {name}"),
            }
        }
        Does::Skill(name) => format!("uses: {name}"),
        Does::Ask => "asks".to_owned(),
        Does::Other => "other".to_owned(),
    }
}

#[test]
fn every_spelling_of_a_tool_is_what_the_table_says() {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let mut wrong = Vec::new();
    for pair in lines.chunks(2) {
        let [call, expected] = pair else { panic!("a line is alone: {pair:?}") };
        let (name, arguments) = call.split_once(' ').unwrap();
        let told = told(&tool(name, arguments));
        if told != *expected {
            wrong.push(format!("{call}\n  is:     {told}\n  wanted: {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines.len() >= 2 * 60);
}

#[test]
fn arguments_that_are_deep_or_odd_are_read_without_harm() {
    let deep = format!("{}\"x\"{}", "{\"a\":".repeat(60), "}".repeat(60));
    for arguments in [&deep, "[]", "\"x\"", "{\"command\":7,\"args\":{},\"files\":[[1]]}", "{}"] {
        assert_eq!(told(&tool("mcp__x__run", arguments)), "other", "{arguments:.40}");
    }
}
