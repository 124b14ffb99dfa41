//! Somebody at a terminal: the binary with a terminal and a process session of its own.

use std::process::Output;

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
