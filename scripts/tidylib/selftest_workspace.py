"""The smallest workspace that keeps every rule, with texts that look like violations and are none."""

import subprocess
from pathlib import Path

ROOT_MANIFEST = """\
[workspace]
resolver = "3"
members = ["crates/*"]
exclude = ["vendor"]

[workspace.lints.rust]
unsafe_code = "forbid"

[workspace.lints.clippy]
pedantic = { level = "warn", priority = -1 }
unwrap_used = "warn"
expect_used = "warn"
too_many_lines = "warn"
too_many_arguments = "warn"
"""
CRATE_MANIFEST = """\
[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

[lints]
workspace = true

[dependencies]
{dependencies}
[dev-dependencies]
{dev_dependencies}"""
CRATES = {
    "waypost-core": [],
    "waypost-store": ["waypost-core"],
    "waypost-app": ["waypost-core", "waypost-store"],
    "waypost-hook": ["waypost-core", "waypost-app"],
    "waypost-mcp": ["waypost-core", "waypost-app"],
    "waypost": ["waypost-core", "waypost-store", "waypost-app", "waypost-hook"],
    "waypost-testkit": ["waypost-core"],
}
DEV_DEPENDENCIES = {"waypost-app": ["waypost-testkit"], "waypost-hook": ["waypost-store", "waypost-testkit"]}
CORE_CLIPPY = """\
too-many-lines-threshold = 60
disallowed-methods = [
    "std::env::var", "std::fs::read_to_string", "std::fs::write", "std::process::exit",
    "std::thread::sleep", "std::thread::spawn", "std::time::Instant::now", "std::time::SystemTime::now",
]
disallowed-types = ["std::fs::File", "std::net::TcpStream", "std::process::Command"]
"""
NOT_VIOLATIONS = r"""//! Texts that look like violations.

/* A block /* in a block */ whose end is here. */

/// Proves nothing when it says `TODO`, or "FIXME".
pub fn is_unfinished<'a>(text: &'a str) -> &'a str {
    let quote = '"';
    // Use the text as it is; the caller has trimmed it, and if (say) it is empty, that is fine.
    if text.contains("TODO") || text.contains(r#"dbg!("x"); todo!() std::fs "#) || text.contains(quote) {
        return "std::env::var \" // #[ignore]";
    }
    "see /home/dev/project"
}
"""

NOT_OF_PRODUCT = """\
//! Events that are told apart with the lint, that are made, and that tests ask for.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

fn fold(event: &Event) {
    let Event::Known(event) = event else { return };
    match event {
        Known::Noted => {}
    }
    let made = vec![Known::Noted];
}

#[cfg(test)]
mod tests {
    fn noted() -> bool {
        matches!(event, Known::Noted) && "claude-code".is_ascii()
    }
}

#[cfg(test)]
mod walks;
"""

# A parent and its children name each other, and one child names the other; what tests name makes no difference.
NO_CIRCLE = {
    "store.rs": "//! A store.\n\nmod disk;\nmod log;\nuse log::Log;\n",
    "store/disk.rs": "//! Disk.\n\nuse super::Store;\n\n#[cfg(test)]\nmod tests {\n    use super::super::log::Log;\n}\n",
    "store/log.rs": "//! Log.\n\nuse super::{Log as Itself, Store, disk::Disk};\nuse crate::store::log::slots;\n",
}


# The app may speak of Waypost, of commands in comments and tests, and of words that only look like a tool.
NO_HINTS = """\
//! Neither `waypost resume` nor session_start is told here.

fn told() -> [&'static str; 2] {
    ["a stopped waypost process", "session_started"]
}

#[cfg(test)]
mod tests {
    const TOLD: &str = "waypost resume";
}
"""


class Plant:
    """Writes into a workspace."""

    def __init__(self, root: Path):
        self.root = root

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    def append(self, path: str, text: str) -> None:
        target = self.root / path
        target.write_text(target.read_text() + text)

    def replace(self, path: str, old: str, new: str) -> None:
        target = self.root / path
        text = target.read_text()
        assert old in text, f"{path} has no {old!r}"
        target.write_text(text.replace(old, new))

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def lock(self) -> None:
        subprocess.run(["cargo", "generate-lockfile", "--offline", "--quiet"], cwd=self.root, check=True)

    def depend(self, crate: str, on: str, kind: str = "dependencies", path: str = "") -> None:
        line = f'{on} = {{ path = "{path or "../" + on}" }}\n'
        self.replace(f"crates/{crate}/Cargo.toml", f"[{kind}]\n", f"[{kind}]\n{line}")


def make_clean_workspace(root: Path) -> None:
    plant = Plant(root)
    plant.write("Cargo.toml", ROOT_MANIFEST)
    plant.write("clippy.toml", "too-many-lines-threshold = 60\n")
    plant.write("README.md", "# A clean workspace\n\nSee https://crates.io and /home/you/project.\n")
    plant.write("scripts/hello", "#!/usr/bin/env bash\n# Say hello.\necho hello\n", 0o755)
    for name, dependencies in CRATES.items():
        _write_crate(plant, name, dependencies)
    plant.write("crates/waypost-core/clippy.toml", CORE_CLIPPY)
    plant.write("crates/waypost-core/src/looks.rs", NOT_VIOLATIONS)
    plant.write("crates/waypost-core/src/folds.rs", NOT_OF_PRODUCT)
    plant.write("crates/waypost-core/src/folds/walks.rs", "//! Walks.\n\nfn f() { if let Known::Noted = e {} }\n")
    for path, text in NO_CIRCLE.items():
        plant.write(f"crates/waypost/src/{path}", text)
    plant.write("crates/waypost-hook/src/harnesses.rs", "//! Claude Code, and no other.\n\nmod claude_code;\n")
    plant.write("crates/waypost-hook/src/harnesses/claude_code.rs", "//! Claude Code.\n")
    plant.write("crates/waypost-app/src/told.rs", NO_HINTS)
    for name in ("git_hook", "resume"):
        plant.write(f"crates/waypost/src/commands/{name}.rs", "//! A command.\n")
    tool = '//! A tool.\n\nconst NAME: &\'static str = "session_start";\n'
    plant.write("crates/waypost-mcp/src/tools/session_start.rs", tool)
    plant.lock()


def _write_crate(plant: Plant, name: str, dependencies: list[str]) -> None:
    lines, dev_lines = (
        "".join(f'{other} = {{ path = "../{other}" }}\n' for other in others)
        for others in (dependencies, DEV_DEPENDENCIES.get(name, []))
    )
    manifest = CRATE_MANIFEST.format(name=name, dependencies=lines, dev_dependencies=dev_lines)
    plant.write(f"crates/{name}/Cargo.toml", manifest)
    source = "//! Nothing.\n\nfn main() {}\n" if name == "waypost" else "//! Nothing.\n"
    plant.write(f"crates/{name}/src/{'main' if name == 'waypost' else 'lib'}.rs", source)
