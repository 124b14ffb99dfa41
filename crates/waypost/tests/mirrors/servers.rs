//! The real servers behind mirrors, as `scripts/setup-mirrors` installs them.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::Value;
use waypost_testkit::{TestEnv, everything};

/// A program of a server that is installed.
pub(crate) fn program(server: &str, name: &str) -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = cache.or(home).unwrap();
    let path = cache.join("waypost-test/mirrors").join(server).join("bin").join(name);
    assert!(path.exists(), "there is no {}: run scripts/setup-mirrors", path.display());
    path
}

/// A project with some configuration, whose human said yes to it. The programs of both servers are on the path.
pub(crate) fn project(config: &str) -> TestEnv {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let own = env.binary().parent().unwrap().to_owned();
    let serena = program("serena", "serena").parent().unwrap().to_owned();
    let notes = program("notes", "basic-memory").parent().unwrap().to_owned();
    let rest = std::env::var_os("PATH").unwrap();
    let folders = [own, serena, notes].into_iter().chain(std::env::split_paths(&rest));
    let path = std::env::join_paths(folders).unwrap().into_string().unwrap();
    env.vars.push(("PATH".to_owned(), path));
    let home = env.home().display().to_string();
    env.vars.push(("BASIC_MEMORY_HOME".to_owned(), format!("{home}/notes")));
    for (name, value) in [
        // Nothing of it looks for news, or for models, on the network.
        ("BASIC_MEMORY_AUTO_UPDATE", "false"),
        ("BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED", "false"),
        ("FASTMCP_CHECK_FOR_UPDATES", "off"),
        ("SERENA_USAGE_REPORTING", "false"),
    ] {
        env.vars.push((name.to_owned(), value.to_owned()));
    }
    // What Serena keeps in the project is none of the project's content here.
    env.write(".gitignore", ".serena/\n");
    // It would install a server for each language that it finds, from the network.
    env.write(".serena/project.yml", "project_name: test\nlanguage_servers: []\n");
    env.init_with(config);
    trust(&env);
    env
}

/// A human says yes to the file as it is.
pub(crate) fn trust(env: &TestEnv) {
    let (done, told) = env.as_person(&["trust", "config"]);
    assert!(done, "{told}");
}

/// Brings the mirrors up to date.
pub(crate) fn sync(env: &TestEnv) -> Value {
    let output = env.waypost(&["mirror", "sync", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", everything(&output)))
}

/// The same, after which nothing waits.
pub(crate) fn synced(env: &TestEnv) {
    let synced = sync(env);
    assert_eq!(synced["waiting"], 0, "{synced}");
}

/// A server that runs by itself, at an address. It ends with this.
pub(crate) struct Served {
    child: Child,
    command: Vec<String>,
    port: u16,
}

impl Served {
    /// Starts Serena for the project.
    pub(crate) fn serena(env: &TestEnv) -> Self {
        let port = free_port();
        let project = env.project().display().to_string();
        let words = ["serena", "start-mcp-server", "--project", &project, "--agent-interface"];
        let more = ["tools", "--enable-web-dashboard", "false", "--transport", "streamable-http"];
        Self::start(env, words.into_iter().chain(more), port)
    }

    /// Starts basic-memory.
    pub(crate) fn notes(env: &TestEnv) -> Self {
        let words = ["basic-memory", "mcp", "--transport", "streamable-http"];
        Self::start(env, words.into_iter(), free_port())
    }

    fn start<'a>(env: &TestEnv, words: impl Iterator<Item = &'a str>, port: u16) -> Self {
        let mut command: Vec<String> = words.map(str::to_owned).collect();
        command.extend(["--port".to_owned(), port.to_string()]);
        let child = spawn(env, &command);
        let served = Self { child, command, port };
        served.wait();
        served
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Kills it as a crash would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again, where it was.
    pub(crate) fn again(&mut self, env: &TestEnv) {
        self.child = spawn(env, &self.command);
        self.wait();
    }

    fn wait(&self) {
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            std::thread::yield_now();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(env: &TestEnv, command: &[String]) -> Child {
    let mut started = env.command(&command[0], env.project());
    started.args(&command[1..]).stdout(Stdio::null()).stderr(Stdio::null());
    started.spawn().unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// What is signed at the end of a mirrored text.
pub(crate) fn block(text: &str) -> Value {
    let block = text.rsplit("```waypost\n").next().unwrap();
    serde_json::from_str(block.lines().next().unwrap()).unwrap()
}
