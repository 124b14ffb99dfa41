//! What stands for a word in braces in a layout's command: which tool runs the project's programs, which modules it
//! has.

use super::folder::Folder;
use super::layout::{Layout, Table};
use super::tasks;

/// How many modules are named in one command.
const MAX_MODULES: usize = 10;

/// The command of a layout, with everything in braces put in; none where that is not known here.
pub(super) fn filled(table: &Table, folder: Folder<'_>, layout: &Layout) -> Option<String> {
    let mut rest = layout.command.as_str();
    let mut command = String::new();
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        command.push_str(before);
        command.push_str(&word(table, folder, layout, name)?);
        rest = after;
    }
    Some(command + rest)
}

fn word(table: &Table, folder: Folder<'_>, layout: &Layout, name: &str) -> Option<String> {
    match name {
        "python" => Some(manager(table, folder, "python").unwrap_or_default()),
        "script" => manager(table, folder, "script"),
        "node" => manager(table, folder, "node"),
        "modules" => modules(folder),
        "preset" => preset(folder),
        "hatch" => tasks::hatch_script(folder),
        "file" => layout.any.iter().find_map(|name| folder.first(name)),
        _ => None,
    }
}

/// What is written before a program of the project's; the nearest folder upwards decides that tells.
fn manager(table: &Table, folder: Folder<'_>, of: &str) -> Option<String> {
    let managers = || table.manager.iter().filter(|manager| manager.of == of);
    let fitting = |at: Folder<'_>| managers().find(|manager| manager.when.fits(table, at));
    let found = folder.upwards().find_map(fitting);
    let usual = || managers().find(|manager| manager.usual);
    found.or_else(usual).map(|manager| manager.words.clone())
}

/// The modules of a Go workspace, as `go test` names them.
fn modules(folder: Folder<'_>) -> Option<String> {
    let text = folder.text("go.work")?;
    let mut named = Vec::new();
    let mut is_listed = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let one = line.strip_prefix("use").filter(|rest| rest.starts_with([' ', '\t', '(']));
        match one.map(str::trim) {
            Some(rest) if rest.starts_with('(') => is_listed = true,
            Some(rest) => named.push(rest),
            None if line == ")" => is_listed = false,
            None if is_listed && !line.is_empty() => named.push(line),
            None => {}
        }
    }
    let is_plain = |name: &str| !name.contains(['"', '`', ' ', '$', '*', '\'', ';', '&', '|']);
    let named = named.iter().map(|name| name.trim_matches('"').trim_end_matches('/'));
    let named = named.map(|name| match name.trim_start_matches("./") {
        "." | "" => "./...".to_owned(),
        name => format!("./{name}/..."),
    });
    let named: Vec<String> = named.collect();
    let is_known = named.iter().all(|name| is_plain(name) && !name.contains("/../"));
    let fits = !named.is_empty() && named.len() <= MAX_MODULES && is_known;
    fits.then(|| named.join(" "))
}

/// The first test preset of CMake's.
fn preset(folder: Folder<'_>) -> Option<String> {
    let presets = folder.json("CMakePresets.json")?;
    let named = presets["testPresets"].as_array()?.iter();
    let named = named
        .filter(|preset| preset["hidden"] != true)
        .find_map(|preset| preset["name"].as_str())?;
    let is_plain = named.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    is_plain.then(|| named.to_owned())
}
