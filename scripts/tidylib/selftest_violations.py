"""Every violation that scripts/tidy must report: how to plant it, where it is found, what is said."""

from collections.abc import Callable
from dataclasses import dataclass

from .harnesses import HOME as HARNESS_HOME
from .selftest_workspace import Plant

LIB = "crates/waypost-app/src/lib.rs"
CORE = "crates/waypost-core/src/lib.rs"
CORE_MANIFEST = "crates/waypost-core/Cargo.toml"
CORE_CLIPPY = "crates/waypost-core/clippy.toml"
# Put together here, so that this file itself is clean.
MACHINE_PATHS = ["/".join(["", "work", "main"]), "/".join(["", "root", ".cargo"]), "/".join(["", "home", "jdoe"])]
MIRROR = "https:" + "//artifactory.example.org/api/npm"


@dataclass(frozen=True)
class Violation:
    """What `plant` does must be reported at `where` (file, or file and line) with `message`."""

    where: str
    message: str
    plant: Callable[[Plant], None]


def _line(text: str, message: str, path: str = LIB) -> Violation:
    """The text as the third line of a file that has one line and a blank one."""
    return Violation(f"{path}:3:", message, lambda plant: plant.append(path, f"\n{text}\n"))


def _arrow(crate: str, on: str, kind: str = "dependencies") -> Violation:
    return Violation(
        f"crates/{crate}/Cargo.toml:", f"may not depend on {on}", lambda plant: plant.depend(crate, on, kind)
    )


def _plant_impure_library(plant: Plant) -> None:
    """A dependency that is on the core's list, and brings in one that must not be there."""
    manifest = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n{}'
    plant.write("vendor/sha2/Cargo.toml", manifest.format("sha2", 'tokio = { path = "../tokio" }\n'))
    plant.write("vendor/tokio/Cargo.toml", manifest.format("tokio", ""))
    for name in ("sha2", "tokio"):
        plant.write(f"vendor/{name}/src/lib.rs", "")
    plant.depend("waypost-core", "sha2", path="../../vendor/sha2")
    plant.lock()


def _plant_stranger(crate: str, name: str) -> Callable[[Plant], None]:
    def plant_it(plant: Plant) -> None:
        manifest = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2024"\n'
        plant.write(f"vendor/{name}/Cargo.toml", manifest)
        plant.write(f"vendor/{name}/src/lib.rs", "")
        plant.depend(crate, name, path=f"../../vendor/{name}")

    return plant_it


def _plant_unknown_crate(plant: Plant) -> None:
    manifest = '[package]\nname = "waypost-new"\nversion = "0.1.0"\nedition = "2024"\n[lints]\nworkspace = true\n'
    plant.write("crates/waypost-new/Cargo.toml", manifest)
    plant.write("crates/waypost-new/src/lib.rs", "//! New.\n")


def _circle(left: str, right: str, message: str = "left -> right at", place: str = "left") -> Violation:
    """Two modules beside each other, with these lines."""

    def plant_it(plant: Plant) -> None:
        plant.write("crates/waypost/src/both.rs", "//! Both.\n\nmod left;\npub mod right;\nuse right::below::Thing;\n")
        plant.write("crates/waypost/src/both/left.rs", f"//! Left.\n\n{left}\n")
        plant.write("crates/waypost/src/both/right.rs", "//! Right.\n\npub mod below;\n")
        plant.write("crates/waypost/src/both/right/below.rs", f"//! Below.\n\n{right}\n")

    return Violation(f"crates/waypost/src/both/{place}.rs:3:", message, plant_it)


def _script(path: str, text: str, message: str, mode: int = 0o755) -> Violation:
    return Violation(f"{path}:", message, lambda plant: plant.write(path, text, mode))


RUST_FILES = [
    Violation(LIB, "501 lines, at most 500", lambda plant: plant.append(LIB, "//\n" * 500)),
    Violation(LIB, "open the module with //!", lambda plant: plant.write(LIB, "// Nothing.\n")),
    _line("fn f() { todo!() }", "todo! is left over"),
    _line("fn f() { unimplemented!(); }", "unimplemented! is left over"),
    _line("fn f() { dbg!(1); }", "dbg! is left over"),
    _line("// TODO: more", "TODO is left over"),
    _line("/* FIXME */", "FIXME is left over"),
    _line("/// XXX", "XXX is left over"),
    _line("fn f() {} // HACK", "HACK is left over"),
    _line("#[ignore]", "an ignored test tests nothing"),
    _line('#[ignore = "slow"]', "an ignored test tests nothing"),
    _line("#[allow(dead_code)]", "use #[expect("),
    _line("// let x = 1;", "commented-out code"),
    _line("// self.store.append(event)?;", "commented-out code"),
    _line("// pub fn gone(x: u8) -> u8 {", "commented-out code"),
]
CRATE_ARROWS = [
    _arrow("waypost-core", "waypost-store"),
    _arrow("waypost-core", "waypost-store", "dev-dependencies"),
    _arrow("waypost-store", "waypost-app"),
    _arrow("waypost-hook", "waypost-store"),
    _arrow("waypost-app", "waypost-hook"),
    _arrow("waypost", "waypost-testkit"),
    _arrow("waypost-testkit", "waypost-hook"),
    Violation("crates/waypost-new/Cargo.toml:1:", "is not in ARROWS", _plant_unknown_crate),
    Violation(
        "crates/waypost-app/Cargo.toml:", "only waypost-mcp, waypost-mirror may know rmcp", _plant_stranger("waypost-app", "rmcp")
    ),
    Violation(
        "Cargo.toml:1:",
        'unsafe_code = "forbid"',
        lambda plant: plant.replace("Cargo.toml", '"forbid"', '"deny"'),
    ),
    Violation(
        "Cargo.toml:1:",
        "too_many_lines",
        lambda plant: plant.replace("Cargo.toml", 'too_many_lines = "warn"\n', ""),
    ),
    Violation(
        "crates/waypost-hook/Cargo.toml:1:",
        "add [lints] workspace = true",
        lambda plant: plant.replace("crates/waypost-hook/Cargo.toml", "[lints]\nworkspace = true\n", ""),
    ),
]
CYCLES = [
    _circle("use super::right::below::Thing;", "use crate::both::left::Other;"),
    _circle("use super::{right::{self, below}, Both};", "fn f() { crate::both::left::other(); }"),
    _circle("fn f() -> super::right::below::Thing {}", "use super::super::left;", "right -> left at"),
    _circle("use super::Thing as Other;", "use super::super::left::*;"),
]
CORE_PURITY = [
    Violation(CORE_CLIPPY, "needs its own clippy.toml", lambda plant: plant.remove(CORE_CLIPPY)),
    Violation(
        CORE_CLIPPY,
        "must have std::time::SystemTime::now",
        lambda plant: plant.replace(CORE_CLIPPY, ', "std::time::SystemTime::now"', ""),
    ),
    Violation(
        CORE_CLIPPY,
        "must repeat allow-unwrap-in-tests",
        lambda plant: plant.append("clippy.toml", "allow-unwrap-in-tests = true\n"),
    ),
    _line("use std::fs;", "the core is pure", CORE),
    _line("use std::{collections::BTreeMap, env};", "the core is pure", CORE),
    _line("use std::time::{Duration, SystemTime};", "the core is pure", CORE),
    _line("fn f() { jiff::Timestamp::now(); }", "the core is pure", CORE),
    _line('fn f() { println!("x"); }', "the core is pure", CORE),
    _line("async fn f() {}", "the core is pure", CORE),
    Violation(CORE_MANIFEST, "regex is not on the core's list", _plant_stranger("waypost-core", "regex")),
    Violation(CORE_MANIFEST, "brings in tokio", _plant_impure_library),
]
FOLDS = [
    _line("fn f() { match e { Known::Noted => 1, _ => 0 } }", "tells events apart", CORE),
    _line("fn f() { if let Known::Noted = e {} }", "asks for one event", CORE),
    _line("fn f() { let Event::Known(Known::Noted) = e else { return }; }", "asks for one event"),
    _line("fn f() -> bool { matches!(e, Event::Known(Known::Noted)) }", "asks for one event"),
    _line("fn f() { match e { Event::Known(Known::Noted) => 1, Event::Known(_) => 0 } }", "asks for one event"),
]
HARNESSES = [
    _line("/// What Claude Code calls it.", "names Claude"),
    _line('fn f() { std::env::var("CLAUDE_PROJECT_DIR"); }', "names CLAUDE"),
    _script("crates/waypost-app/src/hook.sh", "#!/bin/sh\n# A hook.\nexec waypost hook claude-code\n", "names claude"),
    Violation(
        f"{HARNESS_HOME}.rs:1:",
        "there is no harness",
        lambda plant: plant.remove(f"{HARNESS_HOME}/claude_code.rs"),
    ),
]
HINTS = [
    _line('fn f() -> &str { "take it up again: waypost resume ID" }', "names waypost resume"),
    _line('fn f() -> &str { "run waypost \\\n    git-hook" }', "names waypost git-hook"),
    _line('fn f() -> &str { r#"call session_start with it"# }', "names session_start"),
    Violation(
        "crates/waypost/src/commands.rs:1:",
        "found no commands",
        lambda plant: plant.remove("crates/waypost-mcp/src/tools/session_start.rs"),
    ),
]
TEXTS = [
    *[
        Violation("README.md:4:", "is a path of one machine", lambda plant, path=path: plant.append("README.md", path))
        for path in MACHINE_PATHS
    ],
    Violation("README.md:4:", "names a package registry", lambda plant: plant.append("README.md", MIRROR)),
    Violation(
        "package-lock.json:1:",
        "names a package registry",
        lambda plant: plant.write("package-lock.json", '"resolved": "https:' + '//npm.example.org/x.tgz"\n'),
    ),
    Violation(
        "Cargo.lock:",
        "elsewhere than crates.io",
        lambda plant: plant.append("Cargo.lock", 'source = "git+https:' + '//example.org/x"\n'),
    ),
]
SCRIPTS = [
    _script("scripts/broken", "#!/usr/bin/env bash\n# Broken.\nif true\n", "bash -n"),
    _script("scripts/silent", "#!/usr/bin/env bash\necho hello\n", "say what the script is for"),
    _script("scripts/inert", "#!/usr/bin/env bash\n# Inert.\n", "is not executable", 0o644),
    _script("scripts/snake", "#!/usr/bin/env python3\nprint(1)\n", "with a docstring"),
    _script("scripts/snake.py", '"""Broken."""\nprint(\n', "does not parse"),
]
COPIES = [
    Violation(
        "plugins/codex/skills/spec/SKILL.md:1:",
        "run scripts/plugins",
        lambda plant: plant.write("plugins/waypost/skills/spec/SKILL.md", "---\nname: spec\n---\n"),
    ),
    Violation(
        "docs/page.md:3:",
        "does not say what docs/examples/one.py says",
        lambda plant: plant.write("docs/page.md", "# Page\n\n<!-- examples/one.py -->\n```python\none()\n```\n"),
    ),
]
VIOLATIONS = [*RUST_FILES, *CRATE_ARROWS, *CYCLES, *CORE_PURITY, *FOLDS, *HARNESSES, *HINTS, *TEXTS, *SCRIPTS, *COPIES]
