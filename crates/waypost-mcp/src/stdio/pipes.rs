//! Messages over the two pipes of a client, a line each.
//!
//! Unlike the protocol library's own, it answers what it cannot read, so that no client waits for nothing;
//! and a client that does not read its answers is not asked for more.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::timeout;
use waypost_app::machine::deadline::in_force;

use super::lines::Lines;
use crate::load::Load;
use crate::message::{self, Refused};

/// For how long the rest of a line that is too long is waited for: its id may be at its end.
const PATIENCE: Duration = Duration::from_secs(5);
/// For how long a client that is gone may take to read the last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// The pipes of a client.
pub(super) struct Pipes<R, W> {
    lines: Lines<R>,
    /// None when they are closed.
    answers: Arc<Mutex<Option<W>>>,
    load: Arc<Load>,
    /// Answers to what cannot be read. They are written while more is read.
    refusals: JoinSet<io::Result<()>>,
    has_begun: bool,
}

impl<R, W> Pipes<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(questions: R, answers: W) -> Self {
        Self {
            lines: Lines::new(questions, in_force(PATIENCE)),
            answers: Arc::new(Mutex::new(Some(answers))),
            load: Arc::default(),
            refusals: JoinSet::new(),
            has_begun: false,
        }
    }

    /// The message in a line, which counts for as long as it is worked on.
    fn message(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refused> {
        if line.is_empty() {
            return Ok(None);
        }
        let mut message = message::read(line)?;
        if let Some(ClientJsonRpcMessage::Request(request)) = &mut message {
            let charge = Arc::new(self.load.add(line.len()));
            request.request.extensions_mut().insert(charge);
            self.has_begun = true;
        }
        // The library ends where a client begins with anything but a request.
        Ok(message.filter(|_| self.has_begun))
    }

    fn refuse(&mut self, refused: Refused) {
        let answer = self.send(refused.into_answer());
        self.refusals.spawn(answer);
        while self.refusals.try_join_next().is_some() {}
    }
}

impl<R, W> Transport<RoleServer> for Pipes<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_vec(&message).map(|mut line| {
            line.push(b'\n');
            let charge = self.load.add(line.len());
            (line, charge)
        });
        let answers = Arc::clone(&self.answers);
        async move {
            let (line, _charge) = line?;
            let mut answers = answers.lock().await;
            let pipe = answers.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            pipe.write_all(&line).await?;
            pipe.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.load.room().await;
            let Some(line) = self.lines.next().await else {
                let written = async { while self.refusals.join_next().await.is_some() {} };
                let _ = timeout(in_force(LAST_ANSWERS), written).await;
                return None;
            };
            match line.and_then(|line| self.message(line.trim_ascii_end())) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refused) => self.refuse(refused),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.answers.lock().await.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorData;
    use tokio::io::{AsyncReadExt, DuplexStream};

    use super::*;

    const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

    fn run(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    /// A client whose pipe for answers holds little, and the server's ends.
    fn pipes() -> (DuplexStream, DuplexStream, Pipes<DuplexStream, DuplexStream>) {
        let (asks, questions) = tokio::io::duplex(1 << 20);
        let (answers, reads) = tokio::io::duplex(1 << 16);
        (asks, reads, Pipes::new(questions, answers))
    }

    /// What is received while nobody reads or is answered.
    async fn received(
        pipes: &mut Pipes<DuplexStream, DuplexStream>,
    ) -> Option<ClientJsonRpcMessage> {
        timeout(Duration::from_secs(1), pipes.receive()).await.ok().flatten()
    }

    #[test]
    fn a_client_that_does_not_read_is_not_asked_for_more() {
        run(async {
            let (mut asks, mut reads, mut pipes) = pipes();
            let mut answered = 0;
            asks.write_all(PING).await.unwrap();
            while received(&mut pipes).await.is_some() {
                let answer = ErrorData::internal_error("x".repeat(100_000), None);
                tokio::spawn(pipes.send(ServerJsonRpcMessage::error(answer, None)));
                answered += 1;
                assert!(answered < 1000, "it would go on for ever");
                asks.write_all(PING).await.unwrap();
            }
            let read = tokio::spawn(async move {
                let mut all = Vec::new();
                reads.read_to_end(&mut all).await.unwrap();
                all.split(|byte| *byte == b'\n').count() - 1
            });
            assert!(pipes.receive().await.is_some(), "who reads is asked again");
            drop(pipes);
            assert_eq!(read.await.unwrap(), answered, "nothing was lost");
        });
    }

    #[test]
    fn requests_that_are_not_answered_are_not_added_to_without_end() {
        run(async {
            let (mut asks, _reads, mut pipes) = pipes();
            let mut worked_on = Vec::new();
            asks.write_all(PING).await.unwrap();
            while let Some(request) = received(&mut pipes).await {
                worked_on.push(request);
                assert!(worked_on.len() < 100_000, "it would go on for ever");
                asks.write_all(PING).await.unwrap();
            }
            worked_on.pop();
            assert!(pipes.receive().await.is_some(), "one was answered");
        });
    }

    #[test]
    fn what_comes_before_the_first_request_ends_nothing() {
        run(async {
            let (mut asks, _reads, mut pipes) = pipes();
            for early in ["notifications/initialized", "notifications/cancelled"] {
                let early = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{early}\"}}\n");
                asks.write_all(early.as_bytes()).await.unwrap();
            }
            asks.write_all(PING).await.unwrap();
            assert!(matches!(pipes.receive().await, Some(ClientJsonRpcMessage::Request(_))));
        });
    }
}
