//! A server that is started, and connections to it that add as little as possible to what they measure.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::failure::{During, Failure};

/// A server of its own.
pub(super) struct Server {
    child: Child,
    address: String,
    token: String,
}

/// A connection to a server.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
    asks: String,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Server {
    /// Starts one, which prints its link first.
    pub(super) fn start(mut command: Command) -> Result<Self, Failure> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().during(|| format!("starting {command:?}"))?;
        let piped = child.stdout.take().ok_or_else(|| Failure::new("a pipe is missing"))?;
        let mut line = String::new();
        BufReader::new(piped).read_line(&mut line).during(|| format!("{command:?}"))?;
        let opened = line.trim().strip_prefix("http://").and_then(|at| at.split_once("/?token="));
        let (address, token) =
            opened.ok_or_else(|| Failure::new(format!("{command:?} printed no link: {line:?}")))?;
        Ok(Self { child, address: address.to_owned(), token: token.to_owned() })
    }

    pub(super) fn connect(&self) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(&self.address).during(|| self.address.clone())?;
        stream.set_nodelay(true).during(|| self.address.clone())?;
        let asks = format!(
            " HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.address, self.token
        );
        Ok(Connection { stream: BufReader::with_capacity(1 << 18, stream), asks })
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Connection {
    fn send(&mut self, path: &str) -> Result<(), Failure> {
        let asked = format!("GET {path}{}", self.asks);
        self.stream.get_mut().write_all(asked.as_bytes()).during(|| path.to_owned())
    }

    /// The head of an answer: its status, and how long the body is if that is told.
    fn head(&mut self, path: &str) -> Result<(u16, Option<usize>), Failure> {
        let (mut status, mut length, mut line) = (None, None, String::new());
        loop {
            line.clear();
            let read = self.stream.read_line(&mut line).during(|| path.to_owned())?;
            if read == 0 {
                return Err(Failure::new(format!("{path}: the server broke off")));
            }
            if line.trim().is_empty() {
                let status = status.ok_or_else(|| Failure::new(format!("{path}: no status")))?;
                return Ok((status, length));
            }
            status = status.or_else(|| line.split(' ').nth(1)?.parse().ok());
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok();
            }
        }
    }

    /// Asks for a page.
    pub(super) fn get(&mut self, path: &str) -> Result<Answer, Failure> {
        self.send(path)?;
        let (status, length) = self.head(path)?;
        let mut body = vec![0; length.unwrap_or_default()];
        self.stream.read_exact(&mut body).during(|| path.to_owned())?;
        Ok(Answer { status, body })
    }

    /// The same where it has to be there.
    pub(super) fn page(&mut self, path: &str) -> Result<Vec<u8>, Failure> {
        let answer = self.get(path)?;
        if answer.status == 200 {
            return Ok(answer.body);
        }
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        Err(Failure::new(format!("{path}: {} {body}", answer.status)))
    }

    /// Begins to follow a page.
    pub(super) fn follow(&mut self, page: &str) -> Result<(), Failure> {
        let path = format!("/live?at={page}");
        self.send(&path)?;
        match self.head(&path)? {
            (200, _) => Ok(()),
            (status, _) => Err(Failure::new(format!("{path}: {status}"))),
        }
    }

    /// Waits until the page is told again.
    pub(super) fn event(&mut self) -> Result<(), Failure> {
        let (mut line, mut begun) = (Vec::new(), false);
        loop {
            line.clear();
            let read = self.stream.read_until(b'\n', &mut line).during(|| "live".to_owned())?;
            if read == 0 {
                return Err(Failure::new("the server broke off what is live"));
            }
            begun |= line.starts_with(b"event: page");
            if begun && line == b"\n" {
                return Ok(());
            }
        }
    }
}
