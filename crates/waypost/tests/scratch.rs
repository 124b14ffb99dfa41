//! What Waypost writes only for a while: nobody else can read it, whatever the umask, and what a killed
//! process left of it is gone after the next call.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use waypost_testkit::{TestEnv, everything};

/// So large that git takes its time to write it.
const LARGE: usize = 24 * 1024 * 1024;

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env.start("Add login");
    env
}

/// Everything below a folder, whose content may be going away.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .flat_map(|path| {
            let below = if path.is_symlink() { Vec::new() } else { all_below(&path) };
            below.into_iter().chain([path])
        })
        .collect()
}

fn trees(env: &TestEnv) -> PathBuf {
    env.store().join("trees")
}

/// What git has begun to write: objects, packs, indexes.
fn unfinished(env: &TestEnv) -> Vec<PathBuf> {
    let is_unfinished = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("tmp_") || name.starts_with("scratch-")
    };
    all_below(&trees(env)).into_iter().filter(is_unfinished).collect()
}

/// What nothing can make smaller.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    std::iter::repeat_with(next).flat_map(u64::to_le_bytes).take(LARGE).collect()
}

/// Kills a call and its git while an object is half written. False if it was too fast.
fn is_killed_while_writing(env: &TestEnv, child: &mut Child) -> bool {
    let is_writing = || {
        let names = unfinished(env);
        names.iter().any(|path| path.to_string_lossy().contains("/tmp_"))
    };
    while !is_writing() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process_group(group, Signal::KILL).unwrap();
    child.wait().unwrap();
    true
}

#[test]
fn what_a_killed_call_left_is_gone_after_the_next() {
    // Above git's threshold for large files it writes packs, and single objects below.
    for threshold in ["1m", "512m"] {
        let env = env();
        env.git(&["config", "core.bigFileThreshold", threshold]);
        for seed in 1.. {
            fs::write(env.project().join("large"), noise(seed)).unwrap();
            let mut call = env.command(env.binary(), env.project());
            call.args(["run", "--", "./check.sh"]).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = call.process_group(0).spawn().unwrap();
            if is_killed_while_writing(&env, &mut child) {
                break;
            }
        }
        assert_ne!(unfinished(&env), Vec::<PathBuf>::new(), "{threshold}");
        env.ok(&["run", "--", "./check.sh"]);
        assert_eq!(unfinished(&env), Vec::<PathBuf>::new(), "{threshold}");
    }
}

/// Runs the binary as a user does who lets others in, or hardly themselves.
fn run_with(env: &TestEnv, umask: &str) {
    let mut shell = env.command("sh", env.project());
    let line = format!("umask {umask} && exec waypost run -- ./check.sh");
    let output = shell.args(["-c", &line]).output().unwrap();
    assert!(output.status.success(), "{umask}: {}", everything(&output));
}

/// What others than its owner could get at, or its owner could not.
fn wrong_modes(folder: &Path) -> Vec<String> {
    let wrong = |path: PathBuf| {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let is_right = if path.is_dir() { mode == 0o700 } else { [0o600, 0o400].contains(&mode) };
        (!is_right).then(|| format!("{mode:o} {}", path.display()))
    };
    all_below(folder).into_iter().chain([folder.to_owned()]).filter_map(wrong).collect()
}

#[test]
fn only_the_owner_can_read_it_whatever_the_umask() {
    for umask in ["000", "022", "027", "077"] {
        let env = env();
        env.write("new", umask);
        run_with(&env, umask);
        // One call begins with the user's index, and the other with that of the first.
        env.write("new", "changed");
        run_with(&env, umask);
        assert_eq!(wrong_modes(&trees(&env)), Vec::<String>::new(), "{umask}");
    }
}

#[test]
fn a_folder_that_others_could_look_into_is_closed() {
    let env = env();
    env.ok(&["run", "--", "./check.sh"]);
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(trees(&env), open).unwrap();
    env.ok(&["run", "--", "./check.sh"]);
    assert_eq!(wrong_modes(&trees(&env)), Vec::<String>::new());
}

#[test]
fn a_plain_folder_is_no_different() {
    let env = env();
    fs::remove_dir_all(env.project().join(".git")).unwrap();
    env.ok(&["init", "--harness", "claude-code"]);
    env.start("Add login");
    run_with(&env, "000");
    assert_eq!(wrong_modes(&env.project().join(".waypost/trees")), Vec::<String>::new());
}
