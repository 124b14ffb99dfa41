"""scripts/tidy --self-test: a clean workspace is clean, and every planted violation is reported.

The workspace is made from nothing, so that what is tested does not depend on the repository's state;
only the core's clippy.toml is the real one, tried out with the real clippy.
"""

import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .checks import run_checks
from .core_purity import CLIPPY, FORBIDDEN_BY_CLIPPY
from .repository import Repository
from .selftest_violations import VIOLATIONS, Violation
from .selftest_workspace import Plant, make_clean_workspace

# Uses of everything that the core's clippy.toml must forbid.
USES = {
    "std::env::var": 'let _ = std::env::var("X");',
    "std::fs::read_to_string": 'let _ = std::fs::read_to_string("x");',
    "std::fs::write": 'let _ = std::fs::write("x", "y");',
    "std::process::exit": "std::process::exit(1);",
    "std::thread::sleep": "std::thread::sleep(std::time::Duration::ZERO);",
    "std::thread::spawn": "let _ = std::thread::spawn(|| {});",
    "std::time::Instant::now": "let _ = std::time::Instant::now();",
    "std::time::SystemTime::now": "let _ = std::time::SystemTime::now();",
    "std::fs::File": "let _: Option<std::fs::File> = None;",
    "std::net::TcpStream": "let _: Option<std::net::TcpStream> = None;",
    "std::process::Command": "let _: Option<std::process::Command> = None;",
}


def run(root: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="tidy-") as folder:
        faults = [
            *_clean_is_clean(Path(folder) / "clean"),
            *_every_violation_is_reported(Path(folder)),
            *_clippy_forbids(root, Path(folder) / "clippy"),
        ]
    for fault in faults:
        print(f"tidy self-test: {fault}")
    print(f"tidy self-test: {len(VIOLATIONS)} violations planted, {len(faults)} fault(s)")
    return 1 if faults else 0


def _clean_is_clean(root: Path) -> list[str]:
    make_clean_workspace(root)
    return [f"reported in a clean workspace: {problem}" for problem in run_checks(Repository(root))]


def _every_violation_is_reported(folder: Path) -> list[str]:
    with ThreadPoolExecutor() as pool:
        faults = pool.map(lambda numbered: _fault_of(folder, *numbered), enumerate(VIOLATIONS))
        return [fault for fault in faults if fault]


def _fault_of(folder: Path, number: int, violation: Violation) -> str | None:
    root = folder / f"violation-{number}"
    shutil.copytree(folder / "clean", root)
    violation.plant(Plant(root))
    found = [str(problem) for problem in run_checks(Repository(root))]
    if any(line.startswith(violation.where) and violation.message in line for line in found):
        return None
    return f"not reported: {violation.where} … {violation.message!r}; reported instead: {found}"


def _clippy_forbids(root: Path, folder: Path) -> list[str]:
    plant = Plant(folder)
    plant.write("Cargo.toml", '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n')
    plant.write("clippy.toml", (root / CLIPPY).read_text())
    plant.write("src/lib.rs", "".join(f"pub fn f{n}() {{ {use} }}\n" for n, use in enumerate(USES.values())))
    done = subprocess.run(
        ["cargo", "clippy", "--offline", "--quiet", "--target-dir", str(folder / "target")],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    required = [path for paths in FORBIDDEN_BY_CLIPPY.values() for path in paths]
    return [
        f"{CLIPPY} does not make clippy forbid {path}: {done.stderr if done.returncode else ''}"
        for path in required
        if f"`{path}`" not in done.stderr
    ]
