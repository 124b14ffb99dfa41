//! Answers that are given again for as long as nothing has changed that they depend on: agents ask
//! the same questions often, and looking at a file costs far less than reading it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{CallToolResult, JsonObject};
use waypost_app::machine::host::Host;
use waypost_app::seen::{self, Unchanging};

/// So many answers are kept; a client asks few different questions.
const MAX: usize = 8;

/// The answers of one client's server.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<KeptAnswer>>);

struct KeptAnswer {
    tool: &'static str,
    given: JsonObject,
    result: CallToolResult,
    depends_on: Unchanging,
}

impl Kept {
    /// The answer that was given before, if it still holds. That takes no longer than handing the
    /// question to another thread would.
    pub(crate) fn get(
        &self,
        host: &Host,
        tool: &str,
        given: &JsonObject,
    ) -> Option<CallToolResult> {
        let mut answers = self.answers();
        let at = answers.iter().position(|one| one.tool == tool && one.given == *given)?;
        if answers[at].depends_on.holds_at(host.moment()) {
            return Some(answers[at].result.clone());
        }
        answers.remove(at);
        None
    }

    /// Asks, and keeps the answer where it can be told for how long it holds.
    pub(crate) fn ask(
        &self,
        tool: &'static str,
        given: JsonObject,
        ask: impl FnOnce(JsonObject) -> CallToolResult,
    ) -> CallToolResult {
        let (result, seen) = seen::of(|| ask(given.clone()));
        // What was refused may be granted for reasons that no file tells.
        if result.is_error != Some(true)
            && let Some(depends_on) = seen.unchanging()
        {
            let mut answers = self.answers();
            if answers.len() >= MAX {
                answers.remove(0);
            }
            answers.push(KeptAnswer { tool, given, result: result.clone(), depends_on });
        }
        result
    }

    fn answers(&self) -> MutexGuard<'_, Vec<KeptAnswer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
