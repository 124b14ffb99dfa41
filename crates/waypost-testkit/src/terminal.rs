//! Somebody at a terminal: the binary with a terminal and a process session of its own.

use std::io::Read;
use std::process::{Output, Stdio};

use crate::{TestEnv, everything};

#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed"
)]
impl TestEnv {
    /// Runs the binary in the project as somebody at a terminal would. What it says comes from there.
    pub fn at_terminal(&self, args: &[&str]) -> Output {
        let words = args.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let line = format!("'{}' {words}", self.binary().display());
        let mut command = self.command("setsid", self.project());
        command.args(["--wait", "script", "-qec", &line, "/dev/null"]).output().unwrap()
    }

    /// The same, which has to succeed; gives its output.
    pub fn ok_at_terminal(&self, args: &[&str]) -> String {
        let output = self.at_terminal(args);
        assert!(output.status.success(), "waypost {args:?}: {}", everything(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// Waits until nobody is above it any more, then runs the line on a terminal of its own.
const ORPHAN: &str =
    "exec 3<&0; ( read x <&3; setsid --wait script -qec \"$1\" /dev/null; echo \"ended:$?\" ) &";

#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed"
)]
impl TestEnv {
    /// Runs the binary as somebody at a terminal would who is not below a conversation: a test passes for the harness
    /// itself, so what it starts passes for an agent's. Whether it succeeded, and what it said.
    pub fn as_person(&self, args: &[&str]) -> (bool, String) {
        let words = args.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let line = format!("'{}' {words}", self.binary().display());
        let mut command = self.command("sh", self.project());
        command.args(["-c", ORPHAN, "sh", &line]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (begin, mut said) = (child.stdin.take(), String::new());
        child.wait().unwrap();
        drop(begin);
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        (said.contains("ended:0"), said)
    }
}
