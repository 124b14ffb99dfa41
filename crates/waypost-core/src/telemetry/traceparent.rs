//! The trace that a process was started in, as W3C Trace Context writes it: `00-TRACE-SPAN-FLAGS`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::signal::{SpanId, TraceId};

/// A place in somebody else's trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceParent {
    /// The trace.
    pub trace: TraceId,
    /// The span in it that what follows is a part of.
    pub span: SpanId,
}

impl FromStr for TraceParent {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('-');
        let mut next = |length: usize| {
            let part = parts.next().filter(|part| part.len() == length);
            let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            part.filter(|part| part.bytes().all(is_hex)).ok_or(())
        };
        let (version, trace, span, _flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        // A later version may say more behind what this one knows.
        let is_known = version == "00";
        let is_nothing = |id: &str| id.bytes().all(|byte| byte == b'0');
        if version == "ff" || (is_known && parts.next().is_some()) {
            return Err(());
        }
        if is_nothing(trace) || is_nothing(span) {
            return Err(());
        }
        Ok(Self { trace: TraceId::new(trace), span: SpanId::new(span) })
    }
}
