//! Talking with a program in JSON-RPC, a line a message, as a client talks with an MCP server.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waypost_core::text::one_line;

use crate::machine::deadline::in_force;

/// More than this is no answer to anything that is asked here.
const MAX_SAID: u64 = 16 * 1024 * 1024;
/// How long a program may take to end when nobody talks with it any more.
const GRACE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(2);

/// A program that is being talked with. It is ended with the conversation.
pub(super) struct Conversation {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    until: Instant,
    limit: Duration,
    asked: u64,
}

/// Why a program gave no answer, in words that follow its name.
#[derive(Debug)]
pub(super) enum Failure {
    NotFound,
    NotStarted(io::Error),
    Ended(ExitStatus),
    Late(Duration),
    Refused(String),
}

impl Conversation {
    /// Starts a program, which has to have said everything within `limit`.
    pub(super) fn start(command: &mut Command, limit: Duration) -> Result<Self, Failure> {
        let limit = in_force(limit);
        let started =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = started.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::NotFound,
            _ => Failure::NotStarted(error),
        })?;
        // Bounded, so that a program that never stops talking waits instead of filling the memory.
        let (sender, lines) = sync_channel(64);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                let said = BufReader::new(stdout.take(MAX_SAID)).lines();
                said.map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
        }
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, lines, until: Instant::now() + limit, limit, asked: 0 })
    }

    /// Asks something and waits for the answer.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let line = self.next_line()?;
            // Whatever else it says meanwhile is not the answer.
            let Ok(mut said) = serde_json::from_str::<Value>(&line) else { continue };
            if said["id"] != id {
                continue;
            }
            if let Some(error) = said.get("error") {
                let why = error["message"].as_str().unwrap_or("no message");
                return Err(Failure::Refused(one_line(why)));
            }
            return Ok(said["result"].take());
        }
    }

    /// Tells something that has no answer.
    pub(super) fn tell(&mut self, method: &str) {
        self.say(&json!({"jsonrpc": "2.0", "method": method}));
    }

    fn say(&mut self, message: &Value) {
        if let Some(stdin) = &mut self.stdin {
            // A program that does not listen any more gives no answer, which is what is told.
            let _ = stdin.write_all(format!("{message}\n").as_bytes());
        }
    }

    fn next_line(&mut self) -> Result<String, Failure> {
        let left = self.until.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Failure::Late(self.limit),
            RecvTimeoutError::Disconnected => match self.ended_by(self.until) {
                Some(status) => Failure::Ended(status),
                None => Failure::Late(self.limit),
            },
        })
    }

    fn ended_by(&mut self, until: Instant) -> Option<ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(PAUSE),
                _ => return None,
            }
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.stdin = None;
        if self.ended_by(Instant::now() + GRACE).is_none() {
            // It is given up on either way.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => write!(out, "is not found"),
            Self::NotStarted(error) => write!(out, "cannot be started: {error}"),
            Self::Ended(status) => write!(out, "ended with {status} before it answered"),
            Self::Late(limit) => write!(out, "gave no answer within {} s", limit.as_secs()),
            Self::Refused(why) => write!(out, "answered with an error: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than any machine takes.
    const LONG: Duration = Duration::from_secs(3600);

    fn asked(script: &str, limit: Duration) -> Result<Value, String> {
        let mut command = Command::new("sh");
        let talk = Conversation::start(command.args(["-c", script]), limit);
        talk.and_then(|mut talk| talk.ask("x", &json!({}))).map_err(|failure| failure.to_string())
    }

    #[test]
    fn what_else_is_said_is_not_the_answer() {
        let script = "read -r line; echo hello; echo '{\"id\":7,\"result\":0}'; \
                      echo '{\"id\":1,\"result\":\"here\"}'; cat > /dev/null";
        assert_eq!(asked(script, LONG).unwrap(), "here");
    }

    #[test]
    fn a_long_answer_comes_whole() {
        let script =
            "read -r line; printf '{\"id\":1,\"result\":\"%0300000d\"}\\n' 0; cat >/dev/null";
        assert_eq!(asked(script, LONG).unwrap().as_str().unwrap().len(), 300_000);
    }

    #[test]
    fn every_failure_has_its_words() {
        assert_eq!(
            asked("exit 3", LONG).unwrap_err(),
            "ended with exit status: 3 before it answered"
        );
        let refused = "echo '{\"id\":1,\"error\":{\"message\":\"a b\"}}'; cat > /dev/null";
        assert!(asked(refused, LONG).unwrap_err().starts_with("answered with an error: a b"));
        let late = "gave no answer within 0 s";
        let short = Duration::from_millis(100);
        for script in ["cat > /dev/null", "exec >&-; cat > /dev/null", "exec yes"] {
            assert_eq!(asked(script, short).unwrap_err(), late, "{script}");
        }
        let mut nothing = Command::new("/nowhere/at/all");
        let failure = Conversation::start(&mut nothing, short).err().unwrap();
        assert_eq!(failure.to_string(), "is not found");
        let failure = Conversation::start(&mut Command::new("/etc"), short).err().unwrap();
        assert!(failure.to_string().starts_with("cannot be started: "), "{failure}");
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let script = "echo '{\"id\":1,\"result\":'$$'}'; exec tail -f /dev/null";
        let process = asked(script, LONG).unwrap();
        assert!(!std::path::Path::new("/proc").join(process.to_string()).exists());
    }
}
