//! One message of a client, whichever way it came: from bytes to what the protocol's library takes, or
//! to the answer that says why not. A message that cannot be read ends nothing: the next one may be right.

mod intake;
mod skim;

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::Value;
use serde_json::error::Category;
use waypost_core::surrogates;

pub(crate) use intake::Intake;
use skim::Skim;

/// The longest message. The longest thing that a tool takes is evidence of 1 MB, JSON may spend six bytes on
/// one (`\u0000`), and what is somewhat too long should be told by the tool, which knows its limit.
pub(crate) const MAX_BYTES: usize = 16 * 1024 * 1024;
/// How many values a message may consist of: each takes some hundred bytes to read, so that a message of
/// nothing but zeros would take half a gigabyte. What a tool takes has a few hundred.
const MAX_VALUES: usize = 100_000;
/// A message of this length cannot have more: a value and what is between it and the next are two bytes.
const FEW_VALUES: usize = 2 * MAX_VALUES;
/// Some clients begin what they write with it.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Why a message is not taken, and which request it was, if it says so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    pub(crate) error: ErrorData,
    pub(crate) id: Option<RequestId>,
}

impl Refused {
    /// The message is longer than [`MAX_BYTES`].
    pub(crate) fn too_long(id: Option<RequestId>) -> Self {
        let limit = MAX_BYTES >> 20;
        let text = format!("the message is longer than {limit} MB: send what it holds in pieces");
        Self { error: ErrorData::invalid_request(text, None), id }
    }

    /// The answer to whoever sent it.
    pub(crate) fn into_answer(self) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::error(self.error, self.id)
    }
}

/// Reads a message. There is none where somebody was told something in a way that is not understood:
/// notifications are never answered.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refused> {
    let text = readable(bytes)?;
    match serde_json::from_str(&text) {
        Ok(message) => Ok(Some(message)),
        Err(error) => explain(&text, &error).map_or(Ok(None), Err),
    }
}

/// The text of a message that is not too much to be read, without halves of characters.
pub(crate) fn readable(bytes: &[u8]) -> Result<std::borrow::Cow<'_, str>, Refused> {
    let refused = |error| Refused { error, id: Skim::over(bytes).id() };
    let text = str::from_utf8(bytes)
        .map_err(|_| refused(ErrorData::parse_error("the message is not UTF-8", None)))?;
    if text.len() > FEW_VALUES && Skim::over(bytes).values() > MAX_VALUES {
        let text = format!("the message consists of more than {MAX_VALUES} values: send fewer");
        return Err(refused(ErrorData::invalid_request(text, None)));
    }
    Ok(surrogates::mended(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)))
}

/// What is wrong with a message that the protocol's library does not take. Nothing, if it is a
/// notification.
pub(crate) fn explain(text: &str, error: &serde_json::Error) -> Option<Refused> {
    let id = Skim::over(text.as_bytes()).id();
    if matches!(error.classify(), Category::Syntax | Category::Eof) {
        let error = ErrorData::parse_error(format!("the message is not JSON: {error}"), None);
        return Some(Refused { error, id });
    }
    let message: Value = serde_json::from_str(text).unwrap_or_default();
    let has = |field: &str| message.get(field).is_some();
    if has("method") && !has("id") {
        return None;
    }
    let told = if message.is_array() {
        "there are no batches in this protocol: send each message by itself"
    } else {
        "the message is not one of JSON-RPC 2.0, with an id that is a text or a whole number"
    };
    // The id of an answer is that of a question of ours; with it, the client would take this for the
    // answer to one of its own.
    let id = id.filter(|_| !has("result") && !has("error"));
    Some(Refused { error: ErrorData::invalid_request(told, None), id })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code, and the id if it is told.
    fn refused(message: &[u8]) -> (i32, String) {
        let refused = read(message).unwrap_err();
        (refused.error.code.0, refused.id.map_or_else(String::new, |id| id.to_string()))
    }

    #[test]
    fn what_is_no_message_is_told_with_the_id_that_it_has() {
        let deep =
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"ping","params":{}"#, "[".repeat(9000));
        for (message, code, id) in [
            ("hello", -32700, ""),
            ("", -32700, ""),
            ("{", -32700, ""),
            (r#"{"jsonrpc":"2.0","id":3,"method":"ping""#, -32700, "3"),
            (r#"{"jsonrpc":"2.0","id":4,"method":"ping"} x"#, -32700, "4"),
            (&deep, -32700, "5"),
            ("null", -32600, ""),
            ("7", -32600, ""),
            ("{}", -32600, ""),
            (r#"{"id":6}"#, -32600, "6"),
            (r#"{"id":6,"method":"ping"}"#, -32600, "6"),
            (r#"{"jsonrpc":"1.0","id":6,"method":"ping"}"#, -32600, "6"),
            (r#"{"jsonrpc":"2.0","id":"a"}"#, -32600, "a"),
            (r#"{"jsonrpc":"2.0","id":6,"method":7}"#, -32600, "6"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, ""),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, ""),
            (r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, -32600, ""),
            (r#"{"jsonrpc":"2.0","id":6,"result":{},"error":{}}"#, -32600, ""),
            (r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, -32600, ""),
            ("[]", -32600, ""),
        ] {
            let told = refused(message.as_bytes());
            assert_eq!(told, (code, id.to_owned()), "{message:.80}");
        }
        let told = refused(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\",\"id\":8}");
        assert_eq!(told, (-32700, "8".to_owned()));
    }

    #[test]
    fn a_notification_is_never_answered() {
        for message in [
            r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#,
            r#"{"method":"textDocument/didOpen"}"#,
        ] {
            assert!(matches!(read(message.as_bytes()), Ok(None)), "{message}");
        }
    }

    #[test]
    fn what_can_be_read_is() {
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":"cut \ud83d"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            assert!(matches!(read(message.as_bytes()), Ok(Some(_))), "{message}");
        }
    }

    #[test]
    fn a_message_of_too_many_values_is_not_even_tried() {
        let of = |values: usize| {
            let zeros = vec!["0"; values].join(",");
            format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"x":[{zeros}]}},"id":9}}"#)
        };
        assert!(read(of(MAX_VALUES - 100).as_bytes()).is_ok());
        assert_eq!(refused(of(MAX_VALUES + 1).as_bytes()), (-32600, "9".to_owned()));
        let text = ",".repeat(3 * MAX_VALUES);
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"x":"{text}"}}}}"#);
        assert!(read(text.as_bytes()).is_ok(), "commas in a text are no values");
    }
}
