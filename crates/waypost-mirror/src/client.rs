//! Connections to servers, each made when it is first needed and kept until it breaks or nobody needed it for long.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, ClientConfig, Implementation, ProtocolVersion, Tool};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService,
    ServiceError,
};
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use waypost_app::config::Reached;
use waypost_app::machine::deadline::in_force;
use waypost_app::mirror::{Fault, Server, Servers};
use waypost_core::redact::redact;
use waypost_core::text::{is_hidden, one_line, shortened};

use crate::child::{self, Running};
use crate::web;

/// How often it is looked whether a server is free.
const LOOK: Duration = Duration::from_millis(10);
/// How much is told of what a server says went wrong.
const MAX_TOLD: usize = 300;

/// Calls tools, one at a time.
#[derive(Default)]
pub struct Client {
    state: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    /// Dropped before the runtime that they live on.
    all: BTreeMap<Server, Connection>,
    runtime: Option<Runtime>,
}

struct Connection {
    service: RunningService<RoleClient, ClientConfig>,
    /// Dropped after the service, which closes its input.
    running: Option<Running>,
    tools: Vec<Tool>,
    used: Instant,
}

impl Servers for Client {
    fn call(
        &self,
        server: &Server,
        tool: &str,
        arguments: Map<String, Value>,
        limit: Duration,
    ) -> Result<Value, Fault> {
        let limit = in_force(limit);
        self.state(server, limit)?.call(server, tool, arguments, limit)
    }

    fn parameters(
        &self,
        server: &Server,
        tool: &str,
        limit: Duration,
    ) -> Result<Option<Vec<String>>, Fault> {
        let limit = in_force(limit);
        let mut state = self.state(server, limit)?;
        let (connection, _) = state.connection(server, limit)?;
        let found = connection.tools.iter().find(|known| known.name == tool);
        let names = |tool: &Tool| {
            let properties = tool.input_schema.get("properties").and_then(Value::as_object);
            properties.map(|all| all.keys().cloned().collect()).unwrap_or_default()
        };
        Ok(found.map(names))
    }

    fn rest(&self, after: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let idle: Vec<Server> = state
            .all
            .iter()
            .filter(|(_, connection)| connection.used.elapsed() >= after)
            .map(|(server, _)| server.clone())
            .collect();
        for server in idle {
            state.forget(&server);
        }
    }
}

impl Client {
    /// Waits until nobody else speaks to a server, as long as that may take.
    fn state(
        &self,
        server: &Server,
        limit: Duration,
    ) -> Result<MutexGuard<'_, Connections>, Fault> {
        let began = Instant::now();
        loop {
            match self.state.try_lock() {
                Ok(state) => return Ok(state),
                Err(TryLockError::Poisoned(state)) => return Ok(state.into_inner()),
                Err(TryLockError::WouldBlock) if began.elapsed() < limit => thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    return Err(Fault::Down(format!("{}: it is busy", server.name)));
                }
            }
        }
    }
}

impl Connections {
    fn call(
        &mut self,
        server: &Server,
        tool: &str,
        arguments: Map<String, Value>,
        limit: Duration,
    ) -> Result<Value, Fault> {
        let (connection, runtime) = self.connection(server, limit)?;
        connection.used = Instant::now();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let answered =
            runtime.block_on(async { timeout(limit, connection.service.call_tool(request)).await });
        let why = match answered {
            Ok(Ok(result)) => {
                let texts = result.content.iter().filter_map(|block| block.as_text());
                let text: Vec<&str> = texts.map(|text| text.text.as_str()).collect();
                let text = text.join("\n");
                if result.is_error == Some(true) {
                    return Err(refused(server, &text));
                }
                return Ok(result.structured_content.unwrap_or(Value::String(text)));
            }
            Ok(Err(ServiceError::McpError(error))) => {
                return Err(refused(server, &error.message));
            }
            Ok(Err(error)) => said(&error.to_string()),
            Err(_) => format!("no answer to {tool} in {} s", limit.as_secs()),
        };
        let ended = connection.running.as_mut().and_then(Running::ended);
        self.forget(server);
        let why = ended.map_or(why, |status| format!("it ended ({status})"));
        Err(Fault::Down(format!("{}: {why}", server.name)))
    }

    /// The connection to a server, made now if there is none.
    fn connection(
        &mut self,
        server: &Server,
        limit: Duration,
    ) -> Result<(&mut Connection, &Runtime), Fault> {
        if self.all.get(server).is_some_and(|known| known.service.is_transport_closed()) {
            self.forget(server);
        }
        let down = |why: String| Fault::Down(format!("{}: {why}", server.name));
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| down(error.to_string()))?,
        };
        let runtime = self.runtime.insert(runtime);
        if !self.all.contains_key(server) {
            let opened = runtime.block_on(async { timeout(limit, open(server)).await });
            let opened = opened
                .unwrap_or_else(|_| Err(down(format!("no answer in {} s", limit.as_secs()))))?;
            self.all.insert(server.clone(), opened);
        }
        let found = self.all.get_mut(server);
        let found = found.ok_or_else(|| down("it is gone".to_owned()))?;
        Ok((found, runtime))
    }

    fn forget(&mut self, server: &Server) {
        let Some(connection) = self.all.remove(server) else { return };
        let Connection { service, running, .. } = connection;
        if let Some(runtime) = &self.runtime {
            // It says goodbye where that is possible, and not for long.
            let bye = async { timeout(Duration::from_secs(1), service.cancel()).await };
            let _ = runtime.block_on(bye);
        }
        drop(running);
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        let all: Vec<Server> = self.all.keys().cloned().collect();
        for server in all {
            self.forget(&server);
        }
    }
}

/// Connects to a server, and asks for its tools. Nearly every server shakes hands; one that does not is discovered, over a
/// connection of its own. `Auto` is not used: it waits 10 seconds for an answer to its probe and then takes the late one
/// for that to its handshake, and the first start of some servers takes longer.
async fn open(server: &Server) -> Result<Connection, Fault> {
    let discover =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] };
    match connect(server, ClientLifecycleMode::Initialize).await {
        Err(NotOpen::Speaks(why)) => {
            connect(server, discover).await.map_err(|_| NotOpen::Speaks(why))
        }
        done => done,
    }
    .map_err(|why| match why {
        NotOpen::Fault(fault) => fault,
        NotOpen::Speaks(why) => Fault::Down(format!("{}: {}", server.name, said(&why))),
    })
}

/// Why there is no connection.
enum NotOpen {
    Fault(Fault),
    /// It answered, but not to that.
    Speaks(String),
}

async fn connect(server: &Server, mode: ClientLifecycleMode) -> Result<Connection, NotOpen> {
    let down = |why: &str| NotOpen::Fault(Fault::Down(format!("{}: {}", server.name, said(why))));
    let failed = |error: ClientInitializeError| match &error {
        ClientInitializeError::JsonRpcError(_) => NotOpen::Speaks(error.to_string()),
        _ => down(&error.to_string()),
    };
    let (service, running) = match &server.reached {
        Reached::Command(words) => {
            let (mut running, output, input) =
                child::start(words, &server.folder).map_err(NotOpen::Fault)?;
            match me().serve_with_lifecycle((output, input), mode).await {
                Ok(service) => (service, Some(running)),
                Err(error) => {
                    return Err(match running.ended() {
                        Some(status) => down(&format!("it ended ({status})")),
                        None => failed(error),
                    });
                }
            }
        }
        Reached::Url(url) => {
            let service = me().serve_with_lifecycle(web::transport(url), mode).await;
            (service.map_err(failed)?, None)
        }
    };
    let tools = service.list_all_tools().await.map_err(|error| down(&error.to_string()))?;
    Ok(Connection { service, running, tools, used: Instant::now() })
}

fn me() -> ClientConfig {
    let mut info = ClientConfig::default();
    info.protocol_version = ProtocolVersion::V_2025_06_18;
    info.client_info = Implementation::new("waypost", env!("CARGO_PKG_VERSION"));
    info
}

/// A tool that says no. What it says is told as its own words.
fn refused(server: &Server, text: &str) -> Fault {
    Fault::Refused(format!("{} says \u{201c}{}\u{201d}", server.name, said(text)))
}

/// What a server says, short enough for a message, and without anything that looks like a credential.
fn said(text: &str) -> String {
    let text: String = one_line(&redact(text)).chars().filter(|c| !is_hidden(*c)).collect();
    shortened(&text, MAX_TOLD)
}
