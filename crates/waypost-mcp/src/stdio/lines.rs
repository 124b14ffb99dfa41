//! Lines of a pipe, of which none is kept that is longer than a message may be.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::time::timeout;

use crate::message::{Intake, Refused};

/// How much is read at once.
const AT_ONCE: usize = 64 * 1024;

/// A line without its end, or why it is not taken.
pub(super) type Line = Result<Vec<u8>, Refused>;

/// Lines as they come. Whoever stops waiting for one finds it again at the next try.
#[derive(Debug)]
pub(super) struct Lines<R> {
    pipe: BufReader<R>,
    intake: Intake,
    /// Whether the line that comes in was told to be too long, before its end.
    is_told: bool,
    patience: Duration,
}

/// What came of waiting for more.
enum Seen {
    Part,
    End,
    /// The rest of a line that is too long lets itself be waited for.
    Nothing,
    Gone,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of a pipe. The rest of a line that is too long is waited for that long before it is told.
    pub(super) fn new(pipe: R, patience: Duration) -> Self {
        let pipe = BufReader::with_capacity(AT_ONCE, pipe);
        Self { pipe, intake: Intake::default(), is_told: false, patience }
    }

    /// The next line. None when the client is gone.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            match self.see().await {
                Seen::Part if self.is_told || !self.intake.is_known_to_be_too_long() => {}
                Seen::Part | Seen::Nothing => {
                    self.is_told = true;
                    return Some(Err(self.intake.too_long()));
                }
                Seen::End => {
                    let line = self.intake.finish();
                    if !std::mem::take(&mut self.is_told) {
                        return Some(line);
                    }
                }
                Seen::Gone => return self.last(),
            }
        }
    }

    /// What has no end because its client is gone is a line all the same.
    fn last(&mut self) -> Option<Line> {
        let line = self.intake.finish();
        let is_new = !std::mem::take(&mut self.is_told) && line != Ok(Vec::new());
        is_new.then_some(line)
    }

    /// Waits for more, and takes it in.
    async fn see(&mut self) -> Seen {
        let is_owed = self.intake.is_too_long() && !self.is_told;
        let patience = if is_owed { self.patience } else { Duration::MAX };
        let Ok(read) = timeout(patience, self.pipe.fill_buf()).await else {
            return Seen::Nothing;
        };
        // A pipe that cannot be read any more is one whose client is gone.
        let available = read.unwrap_or_default();
        if available.is_empty() {
            return Seen::Gone;
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        self.intake.add(part);
        let seen = part.len() + usize::from(end.is_some());
        self.pipe.consume(seen);
        if end.is_some() { Seen::End } else { Seen::Part }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt, DuplexStream};

    use super::*;
    use crate::message::MAX_BYTES;

    /// Runs with a clock that goes on when nothing else does.
    fn run(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    fn pipe() -> (DuplexStream, Lines<DuplexStream>) {
        let (client, server) = tokio::io::duplex(4 * MAX_BYTES);
        (client, Lines::new(server, Duration::from_secs(10)))
    }

    async fn whole(lines: &mut Lines<DuplexStream>) -> String {
        String::from_utf8(lines.next().await.unwrap().unwrap()).unwrap()
    }

    /// The id of a line that is too long.
    async fn too_long(lines: &mut Lines<DuplexStream>) -> Option<String> {
        let refused = lines.next().await.unwrap().unwrap_err();
        refused.id.map(|id| id.to_string())
    }

    #[test]
    fn lines_are_whole_however_they_come() {
        run(async {
            let (mut client, mut lines) = pipe();
            client.write_all(b"one\n\ntw").await.unwrap();
            assert_eq!(whole(&mut lines).await, "one");
            assert_eq!(whole(&mut lines).await, "");
            // Nobody waits any more for the line that has only begun.
            assert!(timeout(Duration::from_secs(1), lines.next()).await.is_err());
            client.write_all(b"o\nthree").await.unwrap();
            assert_eq!(whole(&mut lines).await, "two");
            drop(client);
            assert_eq!(whole(&mut lines).await, "three");
            assert_eq!(lines.next().await, None);
            assert_eq!(lines.next().await, None);
        });
    }

    #[test]
    fn a_line_may_be_as_long_as_a_message_and_no_longer() {
        run(async {
            let (mut client, mut lines) = pipe();
            let mut long = vec![b'x'; MAX_BYTES + 1];
            long.push(b'\n');
            client.write_all(&long[1..]).await.unwrap();
            client.write_all(&long).await.unwrap();
            client.write_all(b"next\n").await.unwrap();
            assert_eq!(whole(&mut lines).await.len(), MAX_BYTES);
            assert_eq!(too_long(&mut lines).await, None);
            assert_eq!(whole(&mut lines).await, "next");
        });
    }

    #[test]
    fn a_line_that_is_too_long_is_told_once_and_with_its_id() {
        run(async {
            let (mut client, mut lines) = pipe();
            let long = "x".repeat(MAX_BYTES);
            client.write_all(format!("{{\"id\":7,\"x\":\"{long}").as_bytes()).await.unwrap();
            assert_eq!(too_long(&mut lines).await.as_deref(), Some("7"), "as soon as it is known");
            client.write_all(b"\",\"id\":8}\n").await.unwrap();
            client.write_all(format!("{{\"x\":\"{long}\",\"id\":9}}\n").as_bytes()).await.unwrap();
            assert_eq!(
                too_long(&mut lines).await.as_deref(),
                Some("9"),
                "at the end, where the id may be"
            );
            client.write_all(format!("{{\"x\":\"{long}").as_bytes()).await.unwrap();
            assert_eq!(too_long(&mut lines).await, None, "if no more of it comes");
            client.write_all(b"\",\"id\":10}\nnext\n").await.unwrap();
            assert_eq!(whole(&mut lines).await, "next");
            client.write_all(format!("{{\"x\":\"{long}\",\"id\":11}}").as_bytes()).await.unwrap();
            drop(client);
            assert_eq!(
                too_long(&mut lines).await.as_deref(),
                Some("11"),
                "when the client is gone"
            );
            assert_eq!(lines.next().await, None);
        });
    }
}
