//! The real servers behind mirrors, as `scripts/setup-mirrors` installs them.

use std::path::PathBuf;

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

/// What `session show` says of a session, but for what is different by the minute.
pub(crate) fn shown(env: &TestEnv, id: &str) -> Value {
    env.json(&["show", id, "--json"])
}
