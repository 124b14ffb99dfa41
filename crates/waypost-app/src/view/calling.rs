//! The conversation that calls.

use std::cell::OnceCell;
use std::path::Path;

use waypost_core::id::ConversationId;
use waypost_core::text;

use crate::error::AppError;
use crate::harness::Local;
use crate::machine::caller::Caller;
use crate::machine::host::Host;
use crate::machine::project;
use crate::view::View;
use crate::view::registry::Registration;

/// The harness of clients that do not say which one theirs is.
const SHARED: &str = "mcp";

/// The command with which its own client goes back to a conversation, where there is one.
pub fn reopening(host: &Host, harness: &str, conversation: &str) -> Option<String> {
    let mut known = host.harnesses.iter().map(Local::facts);
    let command = known.find(|facts| facts.name == harness)?.reopens?;
    Some(format!("{command} {}", text::shell_word(conversation)))
}

impl View<'_> {
    /// The conversation that called: by the harness' word in the environment, then by the processes
    /// above, then as the one that clients without a harness share in a work tree.
    pub fn calling_conversation(&self) -> Option<Registration> {
        // Asked several times in one call; who calls does not change in it.
        self.calling.borrow().get_or_init(|| self.find_caller()).clone()
    }

    /// Lets the caller be looked for again, after it joined another session.
    pub(crate) fn forget_caller(&self) {
        self.calling.replace(OnceCell::new());
    }

    /// Remembers which tools the conversation that calls was seen to have.
    pub fn note_tools(&self) -> Result<(), AppError> {
        let Some(entry) = self.calling_conversation() else { return Ok(()) };
        if self.host.tools.is_none() || entry.tools == self.host.tools {
            return Ok(());
        }
        self.register(&Registration { tools: self.host.tools, ..entry })?;
        self.forget_caller();
        Ok(())
    }

    /// The command with which its own client goes back to a conversation, where there is one.
    pub fn reopening(&self, harness: &str, conversation: &ConversationId) -> Option<String> {
        reopening(self.host, harness, conversation.as_str())
    }

    fn find_caller(&self) -> Option<Registration> {
        if matches!(self.host.caller, Caller::Page(_)) {
            return None;
        }
        let registry = self.registry();
        let find = |harness: &str, id: &ConversationId| self.registered(harness, id).ok().flatten();
        // Wherever in the repository it began: what it does in another work tree, it does.
        let here = |found: &Registration| self.is_of_repository(&found.root);
        if self.host.caller != Caller::Remote {
            let named = self.host.conversation.as_ref();
            let named = named.and_then(|(harness, id)| find(harness, id)).filter(here);
            // A server outlives the conversation that started it, when the user clears that.
            let lives = named.as_ref().is_some_and(|named| named.process.is_some());
            // Who names another conversation is not one that began elsewhere.
            let is_unnamed = self.host.conversation.is_none();
            let is_it = |found: &Registration| {
                found.root == self.project.root || (is_unnamed && here(found))
            };
            let above = || registry.above(is_it);
            let found = if lives { named } else { above().or(named) };
            if found.is_some() {
                return found;
            }
        }
        let (harness, id) = self.shared_conversation()?;
        find(&harness, &id).filter(here)
    }

    fn is_of_repository(&self, root: &Path) -> bool {
        let found = || project::find(root).ok().flatten();
        root == self.project.root
            || found().is_some_and(|found| found.root == root && found.is_kept_with(&self.project))
    }

    /// The harness and conversation of the agent that is calling, whether it is known or not.
    pub fn calling_agent(&self) -> Option<(String, ConversationId)> {
        if let Some(known) = self.calling_conversation() {
            return Some((known.harness, known.conversation));
        }
        match (self.host.caller, &self.host.conversation) {
            (Caller::Starter | Caller::Agent, Some(named)) => Some(named.clone()),
            _ => self.shared_conversation(),
        }
    }

    /// The conversation for which gates are looked at: the one that asks, else nobody's.
    pub fn asker(&self) -> ConversationId {
        let calling = self.calling_agent().map(|(_, conversation)| conversation);
        calling.unwrap_or_else(ConversationId::nobody)
    }

    /// The conversation of clients that do not say which one theirs is: one in each work tree.
    fn shared_conversation(&self) -> Option<(String, ConversationId)> {
        if matches!(self.host.caller, Caller::Starter | Caller::Page(_)) {
            return None;
        }
        let shared = match self.project.worktree() {
            Some(worktree) => format!("{SHARED}-{}", text::slug(&worktree)),
            None => SHARED.to_owned(),
        };
        Some((SHARED.to_owned(), shared.parse().ok()?))
    }
}
