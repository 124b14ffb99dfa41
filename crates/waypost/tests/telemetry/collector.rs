//! A collector on loopback that remembers what it was sent, and may be down in every way.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// What it does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// It takes it.
    Take,
    /// It answers with this status and header, and takes nothing.
    Answer(&'static str, &'static str),
    /// It never answers.
    Hang,
}

/// A request that it got.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The path.
    pub(crate) path: String,
    /// The lines before the body.
    pub(crate) head: String,
    /// What was sent.
    pub(crate) body: Value,
}

#[derive(Debug)]
struct Shared {
    does: Does,
    got: Vec<Request>,
    taken: Vec<Request>,
    /// Connections that wait for an answer.
    hanging: Vec<TcpStream>,
}

/// A collector that listens until the process ends, or it goes down.
#[derive(Debug)]
pub(crate) struct Collector {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    /// Hears of every request.
    heard: Receiver<Request>,
}

impl Collector {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (does, got, taken, hanging) = (Does::Take, Vec::new(), Vec::new(), Vec::new());
        let shared = Arc::new(Mutex::new(Shared { does, got, taken, hanging }));
        let (tell, heard) = channel();
        let (to, listening) = (Arc::clone(&shared), tell);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                serve(connection, &to, &listening);
            }
        });
        Self { address, shared, heard }
    }

    /// Its address, as waypost.toml names it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it does this.
    pub(crate) fn does(&self, does: Does) {
        self.shared.lock().unwrap().does = does;
    }

    /// Everything that it was ever asked.
    pub(crate) fn got(&self) -> Vec<Request> {
        self.shared.lock().unwrap().got.clone()
    }

    /// The log records of this sort that it took, in their order.
    pub(crate) fn logs(&self, event: &str) -> Vec<Value> {
        let taken = self.shared.lock().unwrap().taken.clone();
        let logs = taken.into_iter().filter(|one| one.path == "/v1/logs");
        let records = |request: Request| {
            let all = request.body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].clone();
            all.as_array().cloned().unwrap()
        };
        logs.flat_map(records).filter(|record| record["eventName"] == event).collect()
    }

    /// The ids of the rulings that it took, in their order.
    pub(crate) fn rulings(&self) -> Vec<String> {
        let id = |log: &Value| attribute(log, "waypost.ruling.id")["stringValue"].clone();
        let ids = self.logs("waypost.ruling").iter().map(id).collect::<Vec<_>>();
        ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// The spans that it took.
    pub(crate) fn spans(&self) -> Vec<Value> {
        let taken = self.shared.lock().unwrap().taken.clone();
        let spans = taken.into_iter().filter(|one| one.path == "/v1/traces");
        let all = |request: Request| {
            let all = request.body["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
            all.as_array().cloned().unwrap()
        };
        spans.flat_map(all).collect()
    }

    /// Waits until it took as many rulings.
    pub(crate) fn wait_for_rulings(&self, count: usize) {
        while self.rulings().len() < count {
            self.heard.recv().unwrap();
        }
    }

    /// Waits until it is asked once more, and gives what.
    pub(crate) fn next(&self) -> Request {
        self.heard.recv().unwrap()
    }

    /// Forgets that it was asked.
    pub(crate) fn forget(&self) {
        while self.heard.try_recv().is_ok() {}
    }
}

/// What an attribute of a log record or span says; null where it has none.
pub(crate) fn attribute(of: &Value, key: &str) -> Value {
    let mut all = of["attributes"].as_array().unwrap().iter();
    all.find(|one| one["key"] == key).map_or(Value::Null, |one| one["value"].clone())
}

fn serve(mut connection: TcpStream, shared: &Mutex<Shared>, tell: &Sender<Request>) {
    let Some(request) = read(&connection) else { return };
    let mut shared = shared.lock().unwrap();
    shared.got.push(request.clone());
    let (status, header) = match shared.does {
        Does::Take => {
            shared.taken.push(request.clone());
            ("200 OK", "X: y")
        }
        Does::Answer(status, header) => (status, header),
        Does::Hang => {
            shared.hanging.push(connection);
            drop(shared);
            let _ = tell.send(request);
            return;
        }
    };
    drop(shared);
    let answer = format!(
        "HTTP/1.1 {status}\r\n{header}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    );
    let _ = connection.write_all(answer.as_bytes());
    // Nobody listens any more once the test is over.
    let _ = tell.send(request);
}

fn read(connection: &TcpStream) -> Option<Request> {
    let mut from = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let mut body = vec![0; length.trim().parse().ok()?];
    from.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    Some(Request { path, head, body: serde_json::from_slice(&body).ok()? })
}
