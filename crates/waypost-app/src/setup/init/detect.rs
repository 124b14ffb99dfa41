//! Proposes the command that runs a project's tests, from the files at its top.
//!
//! It only looks: it runs nothing, and a file that cannot be read counts as not there.

use std::path::Path;

use waypost_store::{files, look};

const MAX_FILE: u64 = 1024 * 1024;

/// A command that would run the tests, and why it looks so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The command.
    pub command: String,
    /// What speaks for it.
    pub because: String,
}

/// The commands that would run the tests of the project in `root`, the best first.
pub fn proposed_test_commands(root: &Path) -> Vec<Proposal> {
    let top = Top { root };
    let finders = [
        cargo,
        package_json,
        python,
        go,
        make,
        just,
        gradle,
        maven,
        mix,
        rspec,
        deno,
        dotnet,
        swift,
        cmake,
        composer,
    ];
    finders.iter().filter_map(|find| find(&top)).collect()
}

/// The files at a project's top.
struct Top<'a> {
    root: &'a Path,
}

impl Top<'_> {
    fn has(&self, name: &str) -> bool {
        look::is_file(self.root.join(name))
    }

    fn has_folder(&self, name: &str) -> bool {
        look::is_folder(self.root.join(name))
    }

    /// The first of `names` that is there.
    fn first(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.has(name))
    }

    fn text(&self, name: &str) -> Option<String> {
        let bytes = files::read(&self.root.join(name), MAX_FILE).ok()??;
        Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned())
    }

    fn json(&self, name: &str) -> Option<serde_json::Value> {
        serde_json::from_str(&self.text(name)?).ok()
    }

    /// A file in `folder` whose name ends in one of `endings`; the first by name.
    fn ending(&self, folder: &str, endings: &[&str]) -> Option<String> {
        let names = look::folder(self.root.join(folder)).ok()?;
        let names = names.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| endings.iter().any(|ending| name.ends_with(ending))).min()
    }
}

fn proposal(command: &str, because: impl Into<String>) -> Proposal {
    Proposal { command: command.to_owned(), because: because.into() }
}

fn there_is(command: &str, name: &str) -> Proposal {
    proposal(command, format!("there is {name}"))
}

fn cargo(top: &Top) -> Option<Proposal> {
    Some(there_is("cargo test", top.first(&["Cargo.toml"])?))
}

fn package_json(top: &Top) -> Option<Proposal> {
    let package = top.json("package.json")?;
    let script = package["scripts"]["test"].as_str()?.trim();
    if script.is_empty() || script.contains("no test specified") {
        return None;
    }
    let locks = [
        ("pnpm-lock.yaml", "pnpm test"),
        ("yarn.lock", "yarn test"),
        // `bun test` would be bun's own runner instead of the script.
        ("bun.lock", "bun run test"),
        ("bun.lockb", "bun run test"),
        ("package-lock.json", "npm test"),
    ];
    let script = "package.json has a test script";
    if let Some((lock, command)) = locks.iter().find(|(lock, _)| top.has(lock)) {
        return Some(proposal(command, format!("{script}, and there is {lock}")));
    }
    let manager = package["packageManager"].as_str().unwrap_or_default();
    let name = manager.split('@').next().unwrap_or_default();
    let command = match name {
        "pnpm" => "pnpm test",
        "yarn" => "yarn test",
        "bun" => "bun run test",
        _ => return Some(proposal("npm test", script)),
    };
    Some(proposal(command, format!("{script}, and names {name} as its package manager")))
}

fn python(top: &Top) -> Option<Proposal> {
    let names = ["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"];
    if let Some(name) = top.first(&names) {
        return Some(there_is("pytest", name));
    }
    let folder = ["tests", "test"].into_iter().find(|name| top.ending(name, &[".py"]).is_some())?;
    Some(proposal("pytest", format!("there is Python in {folder}/")))
}

fn go(top: &Top) -> Option<Proposal> {
    Some(there_is("go test ./...", top.first(&["go.mod"])?))
}

fn make(top: &Top) -> Option<Proposal> {
    let name = top.first(&["GNUmakefile", "makefile", "Makefile"])?;
    let text = top.text(name)?;
    let is_target = |line: &str| {
        let Some((targets, rest)) = line.split_once(':') else {
            return false;
        };
        let is_assignment = rest.trim_start_matches(':').starts_with('=');
        let is_rule = !line.starts_with([' ', '\t', '#', '.']) && !is_assignment;
        is_rule && targets.split_whitespace().any(|target| target == "test")
    };
    if !text.lines().any(is_target) {
        return None;
    }
    Some(proposal("make test", format!("{name} has a target test")))
}

fn just(top: &Top) -> Option<Proposal> {
    let name = top.first(&["justfile", "Justfile", ".justfile"])?;
    let text = top.text(name)?;
    let is_recipe = |line: &str| {
        let Some(rest) = line.strip_prefix('@').unwrap_or(line).strip_prefix("test") else {
            return false;
        };
        let ends_name = rest.starts_with([':', ' ', '\t']);
        let parts = rest.split_once(':');
        ends_name && parts.is_some_and(|(_, after)| !after.starts_with('='))
    };
    if !text.lines().any(is_recipe) {
        return None;
    }
    Some(proposal("just test", format!("{name} has a recipe test")))
}

fn gradle(top: &Top) -> Option<Proposal> {
    let name = top.first(&["build.gradle.kts", "build.gradle"])?;
    Some(there_is(if top.has("gradlew") { "./gradlew test" } else { "gradle test" }, name))
}

fn maven(top: &Top) -> Option<Proposal> {
    let name = top.first(&["pom.xml"])?;
    Some(there_is(if top.has("mvnw") { "./mvnw test" } else { "mvn test" }, name))
}

fn mix(top: &Top) -> Option<Proposal> {
    Some(there_is("mix test", top.first(&["mix.exs"])?))
}

fn rspec(top: &Top) -> Option<Proposal> {
    let name = top.first(&["Gemfile"]).filter(|_| top.has_folder("spec"))?;
    Some(proposal("bundle exec rspec", format!("there are {name} and spec/")))
}

fn deno(top: &Top) -> Option<Proposal> {
    Some(there_is("deno test", top.first(&["deno.json", "deno.jsonc"])?))
}

fn dotnet(top: &Top) -> Option<Proposal> {
    Some(there_is("dotnet test", &top.ending("", &[".sln", ".slnx", ".csproj", ".fsproj"])?))
}

fn swift(top: &Top) -> Option<Proposal> {
    Some(there_is("swift test", top.first(&["Package.swift"])?))
}

fn cmake(top: &Top) -> Option<Proposal> {
    Some(there_is("ctest --test-dir build", top.first(&["CMakeLists.txt"])?))
}

fn composer(top: &Top) -> Option<Proposal> {
    let package = top.json("composer.json")?;
    let script = &package["scripts"]["test"];
    let has_script = script.as_str().is_some_and(|script| !script.trim().is_empty())
        || script.as_array().is_some_and(|steps| !steps.is_empty());
    if !has_script {
        return None;
    }
    Some(proposal("composer test", "composer.json has a test script"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn proposed(present: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in present {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let proposals = proposed_test_commands(folder.path());
        assert!(proposals.iter().all(|proposal| !proposal.because.is_empty()));
        proposals.into_iter().map(|proposal| proposal.command).collect()
    }

    #[test]
    fn each_kind_of_project_has_its_command() {
        for (name, content, command) in [
            ("Cargo.toml", "", "cargo test"),
            ("package.json", r#"{"scripts":{"test":"vitest"}}"#, "npm test"),
            ("package.json", "\u{feff}{\"scripts\":{\"test\":\"jest\"}}", "npm test"),
            ("pyproject.toml", "", "pytest"),
            ("pytest.ini", "", "pytest"),
            ("setup.cfg", "", "pytest"),
            ("tox.ini", "", "pytest"),
            ("tests/test_it.py", "", "pytest"),
            ("go.mod", "", "go test ./..."),
            ("Makefile", "all: build\n\nbuild test: x\n\ttrue\n", "make test"),
            ("makefile", "test::\n\ttrue\n", "make test"),
            ("justfile", "build:\n  true\n\ntest *args: build\n  true\n", "just test"),
            ("justfile", "@test:\n  true\n", "just test"),
            ("build.gradle", "", "gradle test"),
            ("build.gradle.kts", "", "gradle test"),
            ("pom.xml", "", "mvn test"),
            ("mix.exs", "", "mix test"),
            ("deno.json", "", "deno test"),
            ("App.sln", "", "dotnet test"),
            ("App.csproj", "", "dotnet test"),
            ("Package.swift", "", "swift test"),
            ("CMakeLists.txt", "", "ctest --test-dir build"),
            ("composer.json", r#"{"scripts":{"test":"phpunit"}}"#, "composer test"),
            ("composer.json", r#"{"scripts":{"test":["@unit","@lint"]}}"#, "composer test"),
        ] {
            assert_eq!(proposed(&[(name, content)]), [command], "{name} {content}");
        }
    }

    #[test]
    fn what_only_looks_like_a_test_is_no_proposal() {
        let stub = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        for (name, content) in [
            ("package.json", stub),
            ("package.json", "{"),
            ("package.json", r#"{"scripts":{}}"#),
            ("Makefile", "test := 1\ntest = 1\n\ttest: x\n#test:\ntests: x\n.PHONY: test\n"),
            ("justfile", "alias t := test\ntests:\ntest := 'x'\n  test:\n"),
            ("composer.json", "{}"),
            ("Gemfile", ""),
            ("tests/it.rs", ""),
        ] {
            assert!(proposed(&[(name, content)]).is_empty(), "{name} {content}");
        }
    }

    #[test]
    fn the_package_manager_is_the_one_in_use() {
        let package = ("package.json", r#"{"scripts":{"test":"vitest"}}"#);
        for (lock, command) in [
            ("pnpm-lock.yaml", "pnpm test"),
            ("yarn.lock", "yarn test"),
            ("bun.lock", "bun run test"),
            ("bun.lockb", "bun run test"),
            ("package-lock.json", "npm test"),
        ] {
            assert_eq!(proposed(&[package, (lock, "")]), [command]);
        }
        let named = r#"{"scripts":{"test":"vitest"},"packageManager":"pnpm@9.1.0"}"#;
        assert_eq!(proposed(&[("package.json", named)]), ["pnpm test"]);
    }

    #[test]
    fn wrappers_of_the_project_come_before_what_is_installed() {
        assert_eq!(proposed(&[("build.gradle", ""), ("gradlew", "")]), ["./gradlew test"]);
        assert_eq!(proposed(&[("pom.xml", ""), ("mvnw", "")]), ["./mvnw test"]);
        assert_eq!(proposed(&[("Gemfile", ""), ("spec/a_spec.rb", "")]), ["bundle exec rspec"]);
    }

    #[test]
    fn several_proposals_keep_their_order() {
        let present = [("go.mod", ""), ("Makefile", "test:\n"), ("Cargo.toml", "")];
        assert_eq!(proposed(&present), ["cargo test", "go test ./...", "make test"]);
    }
}
