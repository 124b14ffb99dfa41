//! What the section `hooks` says of the end of a turn, of carrying over, and of the end of a conversation.

use super::cascade::{Cascade, Given};
use super::fields::milliseconds;
use crate::config::Problem;
use crate::foreign::yaml::Node;

/// How long what satisfied a requirement carries over where nothing is said.
const CARRIED: i64 = 300_000;

/// What holds for all requirements.
#[derive(Debug)]
pub(super) struct Hooks {
    /// The scopes that are looked at before a turn ends.
    at_stop: Vec<String>,
    /// For how many milliseconds the next conversation takes over, and in which scopes.
    carried: Option<(i64, Vec<String>)>,
    /// Whether the end of a conversation ends what counted for it.
    pub(super) until_end: bool,
}

impl Hooks {
    pub(super) fn of(cascade: &Cascade, notes: &mut Vec<Problem>) -> Self {
        let hooks = cascade.get("hooks");
        let said = |hook: &str, key: &str| hooks.and_then(|hooks| hooks.get(hook)?.get(key));
        let says =
            |hook: &str, key: &str, default: bool| said(hook, key).map_or(default, Given::is_true);
        let session = || vec!["session".to_owned()];
        let mut scopes =
            |given: Option<&Given>| given.map_or_else(session, |given| names(given, notes));
        let at_stop = scopes(said("stop", "verify_scopes"));
        let at_stop = if says("stop", "verify_requirements", true) { at_stop } else { Vec::new() };
        let carry = said("session_start", "carry_over");
        let of_carry = |key: &str| carry.and_then(|carry| carry.get(key));
        let carried = of_carry("window_seconds").map_or(Some(CARRIED), milliseconds);
        let in_scopes = scopes(of_carry("scopes"));
        // There, nothing carries over where nothing is told either.
        let is_on = says("session_start", "inject_context", true)
            && of_carry("enabled").is_none_or(Given::is_true);
        Self {
            at_stop,
            carried: carried.filter(|_| is_on).map(|carried| (carried, in_scopes)),
            until_end: says("session_end", "clear_session_state", false),
        }
    }

    /// Whether requirements of a scope are looked at before a turn ends.
    pub(super) fn verifies(&self, scope: &str) -> bool {
        self.at_stop.iter().any(|known| known == scope)
    }

    /// For how long one of that scope carries over to the next conversation.
    pub(super) fn carries(&self, scope: &str) -> Option<i64> {
        let (carried, scopes) = self.carried.as_ref()?;
        scopes.iter().any(|known| known == scope).then_some(*carried)
    }
}

fn names(given: &Given, notes: &mut Vec<Problem>) -> Vec<String> {
    let named = given
        .plain()
        .and_then(Node::as_list)
        .map(|items| items.iter().filter_map(Node::as_str).map(str::to_owned).collect::<Vec<_>>());
    let one = || given.as_str().map(|one| vec![one.to_owned()]);
    named.or_else(one).unwrap_or_else(|| {
        let what = format!("scopes are a list of names, not {}; none is taken", given.type_name());
        notes.push(given.at.problem(what));
        Vec::new()
    })
}
