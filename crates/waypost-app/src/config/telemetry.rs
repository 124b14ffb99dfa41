//! `[telemetry]`: where what happens is told, and how much of it.

use toml::de::DeTable;
use waypost_core::text::{one_line, shortened};

use super::reader::Reader;

const KEYS: &[&str] = &["otlp", "headers", "content"];
/// How the value of a header begins.
const FROM_ENVIRONMENT: &str = "env:";
/// Headers that whoever sends writes itself.
const OWN: &[&str] =
    &["content-type", "content-length", "host", "connection", "transfer-encoding", "user-agent"];

/// Where what happens is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telemetry {
    /// The address of the collector, without a `/` at its end.
    pub otlp: String,
    /// What is sent with every request.
    pub headers: Vec<Header>,
    /// Whether what was written freely is told, too.
    pub content: bool,
}

/// A header, whose value is a secret that only the environment knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// The variable that holds its value.
    pub variable: String,
}

/// Reads the table. Where the address or a header cannot be understood, nothing is sent anywhere.
pub(super) fn read(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Option<Telemetry> {
    let table = reader.table(top, "telemetry")?;
    reader.unknown_keys(table, KEYS, "[telemetry]");
    let content = reader.flag(table, "content").unwrap_or_default();
    let headers = headers(reader, table);
    let Some(otlp) = reader.string(table, "otlp") else {
        if !table.contains_key("otlp") {
            let at = table.values().next().map_or(0, |value| value.span().start);
            reader.problem(at, "[telemetry] needs `otlp`, the address of a collector");
        }
        return None;
    };
    match address(otlp) {
        Ok(otlp) => Some(Telemetry { otlp, headers: headers?, content }),
        Err(why) => {
            reader.problem_at(table, "otlp", &why);
            None
        }
    }
}

/// An address that paths can be added to.
fn address(text: &str) -> Result<String, String> {
    const WANTED: &str = "it is an address such as \"http://127.0.0.1:4318\"";
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let rest = rest.ok_or(WANTED)?;
    let host = rest.split('/').next().unwrap_or_default();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if host.is_empty() || host.starts_with(':') || !is_plain {
        return Err(WANTED.to_owned());
    }
    if host.contains('@') {
        return Err(
            "no user and no password stand in it: `headers` takes them from the environment".into(),
        );
    }
    if rest.contains(['?', '#']) {
        return Err("it ends with its path: nothing follows `?` or `#`".to_owned());
    }
    let base = text.trim_end_matches('/');
    if ["/v1/logs", "/v1/traces"].iter().any(|path| base.ends_with(path)) {
        return Err("leave `/v1/logs` and `/v1/traces` out: they are added".to_owned());
    }
    Ok(base.to_owned())
}

fn headers(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Vec<Header>> {
    if !table.contains_key("headers") {
        return Some(Vec::new());
    }
    let given = reader.table(table, "headers")?;
    let names: Vec<String> = given.keys().map(|name| name.get_ref().to_string()).collect();
    let mut headers = Some(Vec::new());
    for name in names {
        let header = header(reader, given, &name);
        headers = headers.zip(header).map(|(mut headers, header)| {
            headers.push(header);
            headers
        });
    }
    headers
}

fn header(reader: &mut Reader<'_>, table: &DeTable<'_>, name: &str) -> Option<Header> {
    let at = table.get(name).map_or(0, |value| value.span().start);
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) || OWN.contains(&name.to_lowercase().as_str())
    {
        let shown = shortened(&one_line(name), 40);
        reader.problem(at, format!("`{shown}` cannot be sent as a header"));
        return None;
    }
    let value = reader.string(table, name)?;
    let variable = value.strip_prefix(FROM_ENVIRONMENT).map(str::trim);
    let is_name = |name: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(plain)
    };
    let Some(variable) = variable.filter(is_name) else {
        // What was written there instead may be a secret, and is not repeated.
        let told =
            "name the variable that holds its value: \"env:NAME\"; no secret belongs in this file";
        reader.problem_at(table, name, told);
        return None;
    };
    Some(Header { name: name.to_owned(), variable: variable.to_owned() })
}
