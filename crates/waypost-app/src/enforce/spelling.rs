//! How a gate's command is called here. `pytest` may lie in the project's own environment, or be found by
//! the tool only that made it; whoever wrote the gate need not know.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use waypost_store::look;

use crate::machine::host::Host;

/// Where a project keeps programs of its own, and which are looked for there. Any other program that lies there is
/// not the one that a gate means.
const OWN: &[(&str, &[&str])] = &[
    (".venv/bin", PYTHON),
    ("venv/bin", PYTHON),
    ("node_modules/.bin", JAVASCRIPT),
    ("vendor/bin", PHP),
];

/// A tool that finds a project's programs, where it has left its file.
struct Finder {
    /// The file.
    file: &'static str,
    /// What is written before the command. The first word is the tool.
    words: &'static [&'static str],
    /// The programs that it is asked for.
    programs: &'static [&'static str],
}

const PYTHON: &[&str] = &[
    "behave", "coverage", "nose2", "nox", "py.test", "pytest", "python", "python3", "robot",
    "stestr", "tox", "trial", "ward",
];
const JAVASCRIPT: &[&str] = &[
    "ava",
    "c8",
    "cypress",
    "jasmine",
    "jest",
    "karma",
    "mocha",
    "ng",
    "nx",
    "nyc",
    "playwright",
    "tap",
    "tape",
    "ts-node",
    "tsx",
    "turbo",
    "uvu",
    "vitest",
    "wtr",
];
const PHP: &[&str] =
    &["atoum", "behat", "codecept", "kahlan", "paratest", "pest", "phpspec", "phpunit"];
const RUBY: &[&str] = &["cucumber", "m", "rails", "rake", "rspec", "ruby", "testrb"];

const FINDERS: &[Finder] = &[
    Finder { file: "uv.lock", words: &["uv", "run"], programs: PYTHON },
    Finder { file: "poetry.lock", words: &["poetry", "run"], programs: PYTHON },
    Finder { file: "pdm.lock", words: &["pdm", "run"], programs: PYTHON },
    Finder { file: "Pipfile.lock", words: &["pipenv", "run"], programs: PYTHON },
    Finder { file: "pixi.lock", words: &["pixi", "run"], programs: PYTHON },
    Finder { file: "pnpm-lock.yaml", words: &["pnpm", "exec"], programs: JAVASCRIPT },
    Finder { file: "yarn.lock", words: &["yarn", "run"], programs: JAVASCRIPT },
    Finder { file: "bun.lock", words: &["bunx", "--no-install"], programs: JAVASCRIPT },
    Finder { file: "bun.lockb", words: &["bunx", "--no-install"], programs: JAVASCRIPT },
    Finder { file: "package-lock.json", words: &["npx", "--no-install"], programs: JAVASCRIPT },
    Finder { file: "Gemfile.lock", words: &["bundle", "exec"], programs: RUBY },
];

/// The words that call a command in `folder` of the project in `root`: what the project itself holds comes
/// first, then what its tools find, then what everybody finds.
pub fn here(host: &Host, root: &Path, folder: &Path, words: &[String]) -> Vec<String> {
    let words = without_finder(host, root, folder, words).unwrap_or(words);
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let found = if program.contains('/') { None } else { own(root, folder, program) };
    let before: Vec<String> = if let Some(own) = found {
        vec![own.display().to_string()]
    } else {
        let finder = finder(host, root, folder, program);
        let before = finder.map_or(&[][..], |finder| finder.words);
        before.iter().map(|word| (*word).to_owned()).chain([program.clone()]).collect()
    };
    before.into_iter().chain(arguments.iter().cloned()).collect()
}

/// What a tool would find that is not installed here, where the project itself holds it.
fn without_finder<'w>(
    host: &Host,
    root: &Path,
    folder: &Path,
    words: &'w [String],
) -> Option<&'w [String]> {
    let rest = FINDERS.iter().find_map(|finder| {
        let rest = words.get(finder.words.len()..)?;
        let is_it = words.iter().zip(finder.words).all(|(word, known)| word == known);
        is_it.then_some(rest)
    })?;
    let is_missing = !host.finds(words.first()?);
    (is_missing && own(root, folder, rest.first()?).is_some()).then_some(rest)
}

/// Whether a program finds a project's programs, so that its own command is called in the same way.
pub fn is_finder(program: &str) -> bool {
    FINDERS.iter().any(|finder| finder.words[0] == program)
}

/// The folders from `folder` up to the top of the project.
fn upwards<'a>(root: &'a Path, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
    folder.ancestors().take_while(move |at| at.starts_with(root))
}

fn own(root: &Path, folder: &Path, program: &str) -> Option<PathBuf> {
    let kept = || OWN.iter().filter(|(_, programs)| programs.contains(&program));
    let places = upwards(root, folder).flat_map(|at| kept().map(move |(own, _)| at.join(own)));
    places.map(|place| place.join(program)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    look::at(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn finder(host: &Host, root: &Path, folder: &Path, program: &str) -> Option<&'static Finder> {
    let mut places = upwards(root, folder);
    places.find_map(|at| {
        let left = |finder: &&Finder| {
            finder.programs.contains(&program) && look::is_file(at.join(finder.file))
        };
        FINDERS.iter().find(left)
    })
    // A tool that is not installed finds nothing.
    .filter(|finder| host.finds(finder.words[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::host::Clock;
    use std::fs;

    fn called(present: &[&str], command: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        for name in present {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let programs = folder.path().join("bin").into_os_string();
        let var = |name: &str| (name == "PATH").then(|| programs.clone());
        let host = Host::from_env(root.clone(), "waypost".into(), Clock::System, var);
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let found = here(&host, &root, &root.join("sub"), &words).join(" ");
        found.replace(&format!("{}/", root.display()), "")
    }

    #[test]
    fn what_the_project_holds_comes_first_and_then_what_its_tools_find() {
        for (present, command, expected) in [
            (&["project/x"][..], "pytest -q", "pytest -q"),
            (&["project/.venv/bin/pytest"], "pytest -q", ".venv/bin/pytest -q"),
            (&["project/sub/.venv/bin/pytest"], "pytest", "sub/.venv/bin/pytest"),
            (&["project/uv.lock", "bin/uv"], "pytest", "uv run pytest"),
            (&["project/.venv/bin/pytest", "bin/uv"], "uv run pytest -q", "uv run pytest -q"),
            (&["project/.venv/bin/pytest"], "uv run pytest -q", ".venv/bin/pytest -q"),
            (&["project/uv.lock"], "uv run pytest", "uv run pytest"),
            (&["project/uv.lock", "bin/uv", "bin/pytest"], "pytest", "uv run pytest"),
            (&["project/uv.lock", "bin/pytest"], "pytest", "pytest"),
            (&["project/uv.lock", "bin/uv"], "cargo test", "cargo test"),
            (&["project/uv.lock", "bin/uv"], "./check.sh", "./check.sh"),
            (&["project/uv.lock", "bin/uv"], "uv run pytest", "uv run pytest"),
            (
                &["project/uv.lock", "bin/uv", "project/.venv/bin/pytest"],
                "pytest",
                ".venv/bin/pytest",
            ),
            (&["project/node_modules/.bin/vitest"], "vitest run", "node_modules/.bin/vitest run"),
            (&["project/pnpm-lock.yaml", "bin/pnpm"], "vitest run", "pnpm exec vitest run"),
            (&["project/pnpm-lock.yaml", "bin/pnpm"], "pnpm test", "pnpm test"),
            (&["project/Gemfile.lock", "bin/bundle"], "rspec", "bundle exec rspec"),
            (&["project/vendor/bin/phpunit"], "phpunit", "vendor/bin/phpunit"),
            (&["project/.venv/bin/cargo"], "cargo test", "cargo test"),
            (&["project/vendor/bin/shellcheck"], "shellcheck s.sh", "shellcheck s.sh"),
        ] {
            assert_eq!(called(present, command), expected, "{present:?}");
        }
    }
}
