//! The command that `init` finds, for every layout in `projects.txt`; and that a run of it is what the gate waits for.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::Path;
use std::thread;

use waypost_testkit::{TestEnv, everything};

/// How many projects are set up at once.
const AT_ONCE: usize = 4;

/// A project, and what is to be found in it.
struct Layout<'t> {
    name: &'t str,
    files: Vec<(&'t str, String)>,
    expected: Vec<&'t str>,
}

fn layouts(text: &str) -> Vec<Layout<'_>> {
    let mut layouts: Vec<Layout<'_>> = Vec::new();
    for line in text.lines().skip_while(|line| !line.starts_with("== ")) {
        if let Some(name) = line.strip_prefix("== ") {
            layouts.push(Layout { name, files: Vec::new(), expected: Vec::new() });
            continue;
        }
        let layout = layouts.last_mut().unwrap();
        if let Some(name) = line.strip_prefix("-- ") {
            layout.files.push((name, String::new()));
        } else if let Some(command) = line.strip_prefix("=> ") {
            layout.expected.push(command);
        } else if let Some((_, content)) =
            layout.files.last_mut().filter(|_| layout.expected.is_empty())
        {
            content.push_str(&line.replace("\\u{feff}", "\u{feff}"));
            content.push('\n');
        }
    }
    layouts
}

/// What is wrong with what `init` makes of a project, if anything is.
fn wrong(env: &TestEnv, folder: &Path, layout: &Layout<'_>) -> Option<String> {
    for (name, content) in &layout.files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let told = everything(&env.waypost_in(folder, &["init"]));
    let config: toml::Table =
        fs::read_to_string(folder.join("waypost.toml")).unwrap().parse().unwrap();
    let gates = config.get("gate").and_then(|gates| gates.as_array()).cloned().unwrap_or_default();
    let found = gates.iter().map(|gate| {
        let command = gate["proof"]["ran"].as_str().unwrap().trim_end_matches('*').to_owned();
        match gate.get("folder").and_then(|folder| folder.as_str()) {
            Some(folder) => {
                assert_eq!(gate["when"]["paths"].as_str(), Some(&*format!("{folder}/**")));
                (format!("{folder}: {command}"), format!("cd {folder} && {command}"))
            }
            None => (command.clone(), command),
        }
    });
    let (found, lines): (Vec<String>, Vec<String>) = found.unzip();
    if found != layout.expected {
        return Some(format!(
            "{}: {:?} is wanted, and it is {found:?}\n{told}",
            layout.name, layout.expected
        ));
    }
    if found.is_empty() && !told.contains("commented out") {
        return Some(format!("{}: nobody is told\n{told}", layout.name));
    }
    let mut args = vec!["gate", "match", "--json"];
    args.extend(lines.iter().map(String::as_str));
    if lines.is_empty() {
        return None;
    }
    let matched: serde_json::Value = serde_json::from_str(&env.ok_in(folder, &args)).unwrap();
    let lost = matched.as_array().unwrap().iter().find(|line| line["counts"] != true)?;
    Some(format!("{}: the gate does not wait for its own command: {lost}", layout.name))
}

#[test]
fn init_finds_the_real_command_and_its_gate_waits_for_it() {
    let layouts = layouts(include_str!("projects.txt"));
    assert!(layouts.len() >= 160, "{}", layouts.len());
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    // The key is made once, before several look for it at once.
    env.ok(&["init"]);
    let part = layouts.len().div_ceil(AT_ONCE);
    let wrong: Vec<String> = thread::scope(|scope| {
        let parts = layouts.chunks(part).enumerate().map(|(at, part)| {
            let env = &env;
            scope.spawn(move || {
                let numbered = part.iter().enumerate();
                let folder = |n: usize| env.home().join(format!("projects/{at}-{n}"));
                numbered
                    .filter_map(|(n, layout)| wrong(env, &folder(n), layout))
                    .collect::<Vec<_>>()
            })
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let (count, all) = (wrong.len(), layouts.len());
    assert!(wrong.is_empty(), "{count} of {all} layouts:\n\n{}", wrong.join("\n\n"));
}
