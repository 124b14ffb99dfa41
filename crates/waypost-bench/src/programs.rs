//! The programs that are measured, those that have to be made included.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::failure::{During, Failure};

const EMPTY: &str = "fn main() {}\n";
const PYTHON_HOOK: &str = include_str!("python_hook.py");
/// As `scripts/build-release` builds Waypost, so that the floor is its floor.
const RUSTC: &[&str] = &[
    "--edition=2024",
    "--target=x86_64-unknown-linux-musl",
    "-Copt-level=3",
    "-Cstrip=symbols",
    "-Ctarget-feature=+crt-static",
    "-Crelocation-model=pie",
];

/// Where the programs are.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) waypost: PathBuf,
    pub(crate) empty_rust: PathBuf,
    pub(crate) python: PathBuf,
    pub(crate) python_hook: PathBuf,
}

impl Programs {
    /// Makes what is missing in `folder`.
    pub(crate) fn build(folder: &Path, arguments: &Arguments) -> Result<Self, Failure> {
        let python_hook = folder.join("hook.py");
        fs::write(&python_hook, PYTHON_HOOK).during(|| python_hook.display().to_string())?;
        Ok(Self {
            waypost: arguments.waypost.clone(),
            empty_rust: build_empty(folder)?,
            python: arguments.python.clone(),
            python_hook,
        })
    }
}

fn build_empty(folder: &Path) -> Result<PathBuf, Failure> {
    let (source, binary) = (folder.join("empty.rs"), folder.join("empty"));
    fs::write(&source, EMPTY).during(|| source.display().to_string())?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(RUSTC)
        .arg("-o")
        .args([&binary, &source])
        .output()
        .during(|| "starting rustc".to_owned())?;
    if output.status.success() {
        return Ok(binary);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!(
        "rustc cannot build an empty static binary (scripts/setup release):\n{said}"
    )))
}
