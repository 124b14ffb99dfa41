//! Mounts of a test's own: read-only folders and small disks that also hold root to their limits.
//!
//! The test runs itself again in a mount namespace, so that nothing of it is seen outside and all
//! of it is gone with the process. It needs root, or a kernel that gives users namespaces.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::everything;

const INSIDE: &str = "WAYPOST_TEST_MOUNTS";

/// Runs `test`, a closure in a test function, in mounts of its own. Where the machine has no
/// namespaces it says so and leaves the test out, but not in CI: there, that is a failure.
#[expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed, or says why it was left out"
)]
pub fn in_own_mounts<F: FnOnce()>(test: F) {
    if std::env::var_os(INSIDE).is_some() {
        return test();
    }
    let flags = match ["-m", "-rm"].map(probe) {
        [Ok(()), _] => "-m",
        [_, Ok(())] => "-rm",
        [Err(as_root), Err(as_user)] => {
            let why = format!("no mounts of its own: as root: {as_root}; as user: {as_user}");
            assert!(std::env::var_os("CI").is_none(), "in CI this has to be tested: {why}");
            eprintln!("LEFT OUT: {why}");
            return;
        }
    };
    // `binary::test_function::{{closure}}` is what the test is called, with the binary before it.
    let closure = std::any::type_name::<F>();
    let name = closure.split_once("::").and_then(|(_, rest)| rest.strip_suffix("::{{closure}}"));
    let name = name.unwrap_or_else(|| panic!("{closure} is no closure of a test"));
    let output = Command::new("unshare")
        .arg(flags)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(INSIDE, flags)
        .output()
        .unwrap();
    let told = everything(&output);
    assert!(output.status.success() && told.contains("1 passed"), "unshare {flags}: {told}");
}

/// Whether a namespace with these flags lets its process mount something.
fn probe(flags: &str) -> Result<(), String> {
    let mount = ["sh", "-c", "mount -t tmpfs -o size=64k waypost /mnt"];
    match Command::new("unshare").arg(flags).args(mount).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(everything(&output).replace('\n', " ")),
        Err(error) => Err(format!("unshare: {error}")),
    }
}

/// A mount that is gone when this is dropped.
#[derive(Debug)]
pub struct Mount {
    at: PathBuf,
}

impl Mount {
    /// The folder as it is, but read-only.
    pub fn read_only(folder: &Path) -> Self {
        let mount = Self::new(&["--bind"], folder, folder);
        let options = format!("remount,bind,ro{}", flags_of(folder));
        run("mount", &[OsStr::new("-o"), options.as_ref(), folder.as_os_str()]);
        mount
    }

    /// An empty disk of `size` on the folder; what was in it is hidden.
    pub fn small_disk(folder: &Path, size: &str) -> Self {
        let options = format!("size={size},mode=700");
        Self::new(&["-t", "tmpfs", "-o", &options], Path::new("waypost"), folder)
    }

    /// Changes the disk's size.
    pub fn resize(&self, size: &str) {
        // With its name, so that no option is taken over: a user namespace refuses some of them.
        let options = format!("remount,size={size}");
        let arguments = ["-t", "tmpfs", "-o", &options, "waypost"].map(OsStr::new);
        run("mount", &[&arguments[..], &[self.at.as_os_str()]].concat());
    }

    fn new(options: &[&str], what: &Path, at: &Path) -> Self {
        let options: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        run("mount", &[&options[..], &[what.as_os_str(), at.as_os_str()]].concat());
        Self { at: at.to_owned() }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a process of the test that still stands in it must not keep it. If it fails, the
        // mount ends with the namespace.
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

/// Fills what is left of a disk, but for `left` bytes, and gives the file that does it.
#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed"
)]
pub fn fill(folder: &Path, left: usize) -> PathBuf {
    let file = folder.join("ballast");
    let mut size = 64 * 1024 * 1024;
    let mut ballast = std::fs::File::create(&file).unwrap();
    while size >= 4096 {
        match std::io::Write::write_all(&mut ballast, &vec![0; size]) {
            Ok(()) => {}
            Err(_) => size /= 2,
        }
    }
    let full = ballast.metadata().unwrap().len();
    ballast.set_len(full.saturating_sub(left as u64)).unwrap();
    file
}

/// The flags of the mount that holds `folder` and that a user namespace may not take away.
fn flags_of(folder: &Path) -> String {
    let arguments = ["-no", "OPTIONS", "--target"].map(OsStr::new);
    let options = run("findmnt", &[&arguments[..], &[folder.as_os_str()]].concat());
    let kept = options.trim().split(',').filter(|option| {
        matches!(*option, "nosuid" | "nodev" | "noexec" | "noatime" | "nodiratime" | "relatime")
    });
    kept.flat_map(|option| [",", option]).collect()
}

#[expect(clippy::panic, reason = "a test that cannot be set up has failed")]
fn run(program: &str, arguments: &[&OsStr]) -> String {
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => panic!("{program} {arguments:?}: {}", everything(&output)),
        Err(error) => panic!("{program}: {error}"),
    }
}
