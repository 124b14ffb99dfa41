//! The tasks that a project has written down itself: targets of a makefile, recipes, scripts of a package.
//!
//! A task that only says that there are no tests is none.

use waypost_core::shell;

use super::folder::Folder;

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];
const TASKFILES: &[&str] = &[
    "Taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "Taskfile.dist.yaml",
];
const MISE: &[&str] = &[
    "mise.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
];
const MISE_FOLDERS: &[&str] =
    &["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];
/// Commands that test nothing.
const IDLE: &[&str] = &["echo", "printf", "exit", "true", "false", ":"];

/// Where a tool's task of this name is written down.
pub(super) fn written(folder: Folder<'_>, tool: &str, name: &str) -> Option<String> {
    let first = |files: &[&str], has: fn(&str, &str) -> bool| {
        let file = files.iter().find(|file| folder.has(file))?;
        let text = with_included(folder, folder.text(file)?);
        has(&text, name).then(|| format!("{file} has a task {name}"))
    };
    match tool {
        "make" => first(MAKEFILES, has_target),
        "just" => first(JUSTFILES, has_recipe),
        "task" => first(TASKFILES, has_yaml_task),
        "mise" => mise(folder, name),
        "npm" => script(folder, "package.json", "scripts", name),
        "composer" => script(folder, "composer.json", "scripts", name),
        "deno" => {
            ["deno.json", "deno.jsonc"].iter().find_map(|file| script(folder, file, "tasks", name))
        }
        "rake" => rake(folder, name),
        "pixi" => pixi(folder, name),
        _ => None,
    }
}

/// The script that hatch has for `test`: with the environment that it is in.
pub(super) fn hatch_script(folder: Folder<'_>) -> Option<String> {
    let own = folder.toml("pyproject.toml");
    let own = own.as_ref().and_then(|file| file.get("tool")?.get("hatch")?.get("envs"));
    let other = folder.toml("hatch.toml");
    let envs = own.or_else(|| other.as_ref()?.get("envs"))?.as_table()?;
    let has = |env: &str| {
        let scripts = envs.get(env).and_then(|env| env.get("scripts"));
        scripts.is_some_and(|scripts| scripts.get("test").is_some())
    };
    let named = ["test", "dev", "all"].into_iter().find(|env| has(env));
    if has("default") { Some("test".to_owned()) } else { named.map(|env| format!("{env}:test")) }
}

/// A file with those that it takes in by a plain name.
fn with_included(folder: Folder<'_>, mut text: String) -> String {
    let named = |line: &str| {
        let (word, name) = line.trim_end().split_once(' ')?;
        let is_taken = matches!(word, "include" | "-include" | "sinclude" | "import" | "import?");
        let name = name.trim().trim_matches(['\'', '"']);
        (is_taken && !name.contains(['$', '*', ' '])).then(|| name.to_owned())
    };
    let taken: Vec<String> = text.lines().filter_map(named).take(10).collect();
    for more in taken.iter().filter_map(|name| folder.text(name)) {
        text.push('\n');
        text.push_str(&more);
    }
    text
}

fn has_target(text: &str, name: &str) -> bool {
    let is_target = |line: &str| {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        let is_assignment = rest.trim_start_matches(':').starts_with('=');
        let is_rule = !line.starts_with([' ', '\t', '#', '.']) && !is_assignment;
        is_rule && targets.split_whitespace().any(|target| target == name)
    };
    has_steps(text, is_target, |line| {
        line.split_once(':').map_or("", |(_, needed)| needed.trim_start_matches(':'))
    })
}

fn has_recipe(text: &str, name: &str) -> bool {
    let is_recipe = |line: &str| {
        let Some(rest) = line.strip_prefix('@').unwrap_or(line).strip_prefix(name) else {
            return false;
        };
        let ends_name = rest.starts_with([':', ' ', '\t']);
        let parts = rest.split_once(':');
        ends_name && parts.is_some_and(|(_, after)| !after.starts_with('='))
    };
    has_steps(text, is_recipe, |line| line.split_once(':').map_or("", |(_, needed)| needed))
}

/// Whether a task begins in some line that needs others, or has a step that does something, or whose steps cannot
/// be seen.
fn has_steps(text: &str, begins: impl Fn(&str) -> bool, needs: impl Fn(&str) -> &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let starts = (0..lines.len()).filter(|at| begins(lines[*at]));
    starts.into_iter().any(|at| {
        let steps = lines[at + 1..].iter().take_while(|line| line.starts_with([' ', '\t']));
        let steps: Vec<&str> =
            steps.map(|line| line.trim().trim_start_matches(['@', '-'])).collect();
        let needed = needs(lines[at]).split(['#', ';']).next().unwrap_or_default();
        steps.is_empty()
            || !needed.trim().is_empty()
            || steps.iter().any(|step| does_something(step))
    })
}

/// The keys right below `tasks:`.
fn has_yaml_task(text: &str, name: &str) -> bool {
    let below = text.lines().skip_while(|line| line.trim_end() != "tasks:").skip(1);
    let below = below.filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
    let mut depth = None;
    for line in below {
        let indent = line.len() - line.trim_start().len();
        let first = *depth.get_or_insert(indent);
        if indent == 0 || indent < first {
            return false;
        }
        let key = line.trim().split_once(':').map(|(key, _)| key.trim_matches(['\'', '"']));
        if indent == first && key == Some(name) {
            return true;
        }
    }
    false
}

fn mise(folder: Folder<'_>, name: &str) -> Option<String> {
    let has = |file: &&&str| {
        let tasks = folder.toml(file).and_then(|file| file.get("tasks").cloned());
        tasks.is_some_and(|tasks| tasks.get(name).is_some())
    };
    if let Some(file) = MISE.iter().find(has) {
        return Some(format!("{file} has a task {name}"));
    }
    let file =
        MISE_FOLDERS.iter().map(|at| format!("{at}/{name}")).find(|file| folder.has(file))?;
    Some(format!("there is {file}"))
}

fn script(folder: Folder<'_>, file: &str, key: &str, name: &str) -> Option<String> {
    let package = folder.json(file)?;
    let script = &package[key][name];
    let is_one = |text: &str| !text.trim().is_empty() && does_something(text);
    let is_there = match script {
        serde_json::Value::String(text) => is_one(text),
        serde_json::Value::Array(steps) => {
            steps.iter().filter_map(|step| step.as_str()).any(is_one)
        }
        serde_json::Value::Object(task) => {
            task.get("command").is_some() || task.contains_key("dependencies")
        }
        _ => false,
    };
    is_there.then(|| format!("{file} has a {name} script"))
}

fn rake(folder: Folder<'_>, name: &str) -> Option<String> {
    let files = ["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"];
    let file = files.into_iter().find(|file| folder.has(file))?;
    let text = folder.text(file)?;
    let is_task = |line: &str| {
        let line = line.trim_start();
        let kind = if name == "spec" { "RSpec::Core::RakeTask.new" } else { "TestTask.new" };
        let named = line.contains(&format!(":{name}")) || line.contains(&format!("\"{name}\""));
        let makes = line.contains(kind);
        let has_own_name = line.contains("new(:") || line.contains("new(\"");
        (line.starts_with("task") && named && !line.contains(&format!("=> :{name}")))
            || (makes && (named || !has_own_name))
    };
    text.lines().any(is_task).then(|| format!("{file} has a task {name}"))
}

fn pixi(folder: Folder<'_>, name: &str) -> Option<String> {
    let own = folder.toml("pixi.toml");
    let other = folder.toml("pyproject.toml");
    let found = own.as_ref().and_then(|file| file.get("tasks"));
    let found = found.or_else(|| other.as_ref()?.get("tool")?.get("pixi")?.get("tasks"))?;
    found.get(name).map(|_| format!("pixi has a task {name}"))
}

/// Whether a line does more than say something. What cannot be read does.
fn does_something(line: &str) -> bool {
    let read = shell::analyse(line);
    let is_idle = |command: &shell::Simple| {
        command.words.first().is_none_or(|word| IDLE.contains(&word.text.as_str()))
    };
    read.opaque.is_some() || read.commands.is_empty() || !read.commands.iter().all(is_idle)
}
