"""All checks, in the order in which they are reported."""

from . import copies, core_purity, crates, cycles, folds, harnesses, hints, rust_files, script_files, texts
from .repository import CargoFailed, Problem, Repository

CHECKS = [
    rust_files.check_length,
    rust_files.check_module_docs,
    rust_files.check_leftovers,
    crates.check_arrows,
    crates.check_exclusive_libraries,
    crates.check_lints,
    cycles.check_cycles,
    core_purity.check_clippy_forbids,
    core_purity.check_source,
    core_purity.check_dependencies,
    folds.check_folds,
    harnesses.check_names,
    hints.check_hints,
    texts.check_machine_paths,
    texts.check_registries,
    script_files.check_scripts,
    copies.check_plugins,
    copies.check_quotes,
]


def run_checks(repository: Repository) -> list[Problem]:
    """A run that looked at nothing is not a clean run."""
    try:
        found_any = bool(repository.rust_files and repository.crates)
    except CargoFailed as failure:
        return [Problem("Cargo.toml", 1, str(failure))]
    if not found_any:
        return [Problem("Cargo.toml", 1, "found no Rust files or no crates to check")]
    return [problem for check in CHECKS for problem in check(repository)]
