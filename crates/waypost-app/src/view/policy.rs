//! The policy in force: compiled from the project's files, kept by hash, pinned for conversations while
//! a human is present.
//!
//! Whatever is tighter in the files than in what was pinned holds at once and for everybody; anything
//! else in them waits until a human is there. A policy that cannot be read any more is made again.

mod own_key;
mod sources;

use std::cell::OnceCell;
use std::rc::Rc;

use waypost_core::actor::Actor;
use waypost_core::command::ProjectCommand;
use waypost_core::event::PolicyLost;
use waypost_core::gate::Before;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::policy::{Excerpt, Policy};
use waypost_core::id::ConversationId;
use waypost_core::next_step::{Mend, amid};
use waypost_core::session::SessionState;
use waypost_core::track::builtin;
use waypost_store::StoreError;
use waypost_store::blobs::Kind;

use crate::config::Config;
use crate::error::AppError;
use crate::machine::caller::Caller;
use crate::view::View;
use crate::view::human::{self, Human};
use crate::view::registry::{Effective, Registration};

pub(crate) use own_key::name_own_key;
pub(crate) use sources::is_trusted;
pub use sources::{Sources, stamp};

/// A policy that was compiled while somebody was there, and what there is to say about it.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Its hash.
    pub hash: String,
    /// The policy itself.
    pub policy: Rc<Policy>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// A policy's bytes, as they are kept.
#[derive(Debug)]
pub struct Blob {
    bytes: Vec<u8>,
    whole: OnceCell<Rc<Policy>>,
}

/// The policy that holds for somebody now.
#[derive(Debug)]
pub struct InForce {
    /// Its hash.
    pub hash: String,
    /// The policy itself.
    pub policy: Rc<Policy>,
    /// What the files say differently, and that waits until a human is there.
    pub waiting: Vec<String>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

impl View<'_> {
    /// What the project's files say now.
    pub fn sources(&self) -> &Sources {
        self.cache.sources.get_or_init(|| Sources::of(self))
    }

    /// The configuration as it stands in the work tree, or the defaults.
    pub fn configuration(&self) -> &Config {
        &self.sources().config
    }

    /// The policy of that hash, whole.
    pub fn policy_by_hash(&self, hash: &str) -> Result<Rc<Policy>, StoreError> {
        let blob = self.blob(hash)?;
        if let Some(whole) = blob.whole.get() {
            return Ok(Rc::clone(whole));
        }
        let whole = Rc::new(self.blobs.policy(hash, &blob.bytes)?);
        Ok(Rc::clone(blob.whole.get_or_init(|| whole)))
    }

    /// What stands in the policy of that hash before an action that is `kinds`, and made of
    /// `details`.
    pub fn excerpt(
        &self,
        hash: &str,
        kinds: &[Before],
        details: ActionParts<'_>,
    ) -> Result<Excerpt, StoreError> {
        let blob = self.blob(hash)?;
        self.blobs.excerpt(hash, &blob.bytes, kinds, details)
    }

    fn blob(&self, hash: &str) -> Result<Rc<Blob>, StoreError> {
        if let Some(known) = self.cache.blobs.borrow().get(hash) {
            return Ok(Rc::clone(known));
        }
        let bytes = self.blobs.blob(Kind::Policy, hash)?;
        Ok(self.keep_blob(hash, Blob { bytes, whole: OnceCell::new() }))
    }

    fn keep_blob(&self, hash: &str, blob: Blob) -> Rc<Blob> {
        let blob = Rc::new(blob);
        self.cache.blobs.borrow_mut().insert(hash.to_owned(), Rc::clone(&blob));
        blob
    }

    /// Keeps a policy and gives its hash.
    fn keep_policy(&self, policy: Rc<Policy>) -> Result<String, AppError> {
        let (text, hash) = policy.encode().map_err(StoreError::from)?;
        self.blobs.keep_blob(Kind::Policy, &hash, &text)?;
        if let Some(protocol) = &self.sources().protocol {
            self.blobs.keep_definition(protocol)?;
        }
        let whole = OnceCell::from(policy);
        self.keep_blob(&hash, Blob { bytes: text.into_bytes(), whole });
        Ok(hash)
    }

    /// The policy that holds in the project for whoever has none pinned. Where people call,
    /// a human is present: then everything that the files say holds.
    pub fn policy(&self) -> Result<Rc<InForce>, AppError> {
        let last = self.project_state()?.policy.clone();
        let in_force = self.in_force(last.as_deref())?;
        if in_force.waiting.is_empty() || !self.has_human() {
            return Ok(in_force);
        }
        let compiled = compile(self, last.as_deref(), true)?;
        let Compiled { hash, policy, warnings } = compiled;
        let in_force = Rc::new(InForce { hash, policy, waiting: Vec::new(), warnings });
        self.cache.policies.borrow_mut().insert(last, Rc::clone(&in_force));
        Ok(in_force)
    }

    /// Whether whoever calls is not known to be an agent.
    fn has_human(&self) -> bool {
        let agent = matches!(human::standing(self.host, &self.registry()), Human::Agent(_));
        matches!(self.host.caller, Caller::Starter | Caller::Page(_)) && !agent
    }

    /// The policy that holds for whoever asks: that of its conversation, else that of the project.
    pub fn policy_for_caller(&self) -> Result<Rc<InForce>, AppError> {
        match self.calling_conversation() {
            Some(calling) => {
                let state = self.load(&calling.session)?;
                self.policy_for(&state, &calling.conversation)
            }
            None => self.policy(),
        }
    }

    /// The policy that holds for a conversation: what is pinned for it, and whatever is tighter now.
    pub fn policy_for(
        &self,
        state: &SessionState,
        conversation: &ConversationId,
    ) -> Result<Rc<InForce>, AppError> {
        match pinned(state, conversation) {
            Some(pinned) => self.in_force(Some(pinned)),
            None if state.version == 0 => Err(unknown()),
            None => self.policy(),
        }
    }

    /// What the files say differently from what is pinned for a conversation, and that waits until a human is there.
    /// Nothing is kept of what was found.
    pub fn waiting_for(
        &self,
        state: &SessionState,
        conversation: &ConversationId,
    ) -> Result<Vec<String>, AppError> {
        let (Some(pinned), Some(fresh)) = (pinned(state, conversation), &self.sources().policy)
        else {
            return Ok(Vec::new());
        };
        Ok(self.policy_by_hash(pinned)?.tightened_by(fresh).changes_to(fresh))
    }

    /// The same for a tool call: only the hash, and without reading the files if nothing changed.
    pub fn policy_for_call(
        &self,
        state: &SessionState,
        entry: &Registration,
    ) -> Result<String, AppError> {
        let Some(pinned) = pinned(state, &entry.conversation) else {
            return Ok(self.policy_for(state, &entry.conversation)?.hash.clone());
        };
        let protocol = entry.effective.as_ref().and_then(|known| known.protocol.as_deref());
        let now = stamp(self, protocol);
        if let Some(known) = &entry.effective
            && (known.stamp.as_str(), known.pinned.as_str()) == (now.as_str(), pinned)
        {
            return Ok(known.policy.clone());
        }
        let policy = self.in_force(Some(pinned))?.hash.clone();
        let effective = Effective { pinned: pinned.to_owned(), ..self.effective_now(&policy) };
        self.register(&Registration { effective: Some(effective), ..entry.clone() })?;
        Ok(policy)
    }

    /// What was compiled just now holds as it is.
    pub fn effective_now(&self, hash: &str) -> Effective {
        let (pinned, policy) = (hash.to_owned(), hash.to_owned());
        let protocol = self.configuration().policy.protocol.clone();
        let protocol = protocol.filter(|name| name != builtin::PROTOCOL);
        Effective { stamp: stamp(self, protocol.as_deref()), pinned, policy, protocol }
    }

    /// What was compiled just now holds for a conversation: its tool calls need not work that out.
    pub fn remember_policy(&self, entry: &Registration, hash: &str) -> Result<(), AppError> {
        let known = self.registered(&entry.harness, &entry.conversation)?;
        let entry = known.unwrap_or_else(|| entry.clone());
        let effective = Some(self.effective_now(hash));
        if entry.effective == effective {
            return Ok(());
        }
        self.register(&Registration { effective, ..entry })
    }

    /// What holds where `pinned` was pinned last.
    fn in_force(&self, pinned: Option<&str>) -> Result<Rc<InForce>, AppError> {
        let key = pinned.map(str::to_owned);
        if let Some(known) = self.cache.policies.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let in_force = Rc::new(self.work_out(pinned)?);
        self.cache.policies.borrow_mut().insert(key, Rc::clone(&in_force));
        Ok(in_force)
    }

    fn work_out(&self, pinned: Option<&str>) -> Result<InForce, AppError> {
        let sources = self.sources();
        let mut warnings = sources.warnings.clone();
        if let Some(error) = &sources.error {
            warnings.push(format!("{error}; the gates stay as they were"));
        }
        let Some(pinned) = pinned else {
            return match (&sources.policy, &sources.error) {
                (None, Some(error)) => Err(error.clone()),
                (fresh, _) => {
                    let policy = Rc::new(fresh.clone().unwrap_or_default());
                    let hash = self.keep_policy(Rc::clone(&policy))?;
                    Ok(InForce { hash, policy, waiting: Vec::new(), warnings })
                }
            };
        };
        let (hash, base) = match self.policy_by_hash(pinned) {
            Ok(base) => (pinned.to_owned(), base),
            Err(error) => {
                let (hash, base, told) = self.make_again(pinned, &error)?;
                warnings.push(told);
                (hash, base)
            }
        };
        let Some(fresh) = &sources.policy else {
            // A checkout without the file keeps the last policy.
            return Ok(InForce { hash, policy: base, waiting: Vec::new(), warnings });
        };
        let tightened = base.tightened_by(fresh);
        let waiting = tightened.changes_to(fresh);
        if tightened == *base {
            return Ok(InForce { hash, policy: base, waiting, warnings });
        }
        let policy = Rc::new(tightened);
        let hash = self.keep_policy(Rc::clone(&policy))?;
        self.tighten_project(fresh)?;
        Ok(InForce { hash, policy, waiting, warnings })
    }

    /// What is tighter holds for everybody from now on, and that is recorded.
    fn tighten_project(&self, fresh: &Policy) -> Result<(), AppError> {
        let last = self.project_state()?.policy.clone();
        let last = last.and_then(|hash| self.policy_by_hash(&hash).ok());
        let policy = last.as_ref().map_or_else(|| fresh.clone(), |last| last.tightened_by(fresh));
        self.note_compiled(&Rc::new(policy), last.as_deref(), false).map(drop)
    }

    fn note_compiled(
        &self,
        policy: &Rc<Policy>,
        last: Option<&Policy>,
        present: bool,
    ) -> Result<String, AppError> {
        let hash = self.keep_policy(Rc::clone(policy))?;
        let state = self.project_state()?;
        if state.policy.as_ref() != Some(&hash) || (present && state.lost.is_some()) {
            let changes = last.unwrap_or(&Policy::default()).changes_to(policy);
            let compile = ProjectCommand::Compile { policy: hash.clone(), changes, present };
            self.execute_for_project(&Actor::Waypost, compile)?;
        }
        Ok(hash)
    }

    /// A policy that cannot be read is made again: from the one that was pinned last in the project,
    /// else from the files. Whether it is the same, its hash tells; where it is not, that is recorded.
    fn make_again(
        &self,
        expected: &str,
        error: &StoreError,
    ) -> Result<(String, Rc<Policy>, String), AppError> {
        let last = self.project_state()?.policy.clone().filter(|last| last != expected);
        let last = last.and_then(|last| Some((last.clone(), self.policy_by_hash(&last).ok()?)));
        let made = match (last, &self.sources().policy) {
            (Some(last), _) => Some(last),
            (None, Some(fresh)) => {
                let policy = Rc::new(fresh.clone());
                Some((self.keep_policy(Rc::clone(&policy))?, policy))
            }
            (None, None) => None,
        };
        let Some((made, policy)) = made else {
            return Err(AppError::integrity(format!(
                "the gates cannot be read ({error}), and waypost.toml is not there to make them again"
            ))
            .hint(amid("the user brings waypost.toml back, from git or by ", Mend::SetUp, "")));
        };
        let missing = PolicyLost { expected: expected.to_owned(), made: made.clone() };
        let told = format!("{} ({error})", missing.told());
        self.execute_for_project(&Actor::Waypost, ProjectCommand::LosePolicy(missing))?;
        Ok((made, policy, told))
    }

    /// Where published sessions lie, by the policy that was compiled last: changing the file in the
    /// middle of a turn hides nothing from the gates.
    pub fn sessions_dir(&self) -> &str {
        self.cache.sessions_dir.get_or_init(|| {
            let last = self.project_state().ok().and_then(|state| state.policy.clone());
            let last = last.and_then(|hash| self.policy_by_hash(&hash).ok());
            match last {
                Some(last) => last.sessions_dir.clone(),
                None => self.configuration().policy.sessions_dir.clone(),
            }
        })
    }
}

/// Compiles the project's files while somebody is there. `known` is the policy that held until now,
/// `trusted` whether the caller may loosen it.
pub fn compile(view: &View<'_>, known: Option<&str>, trusted: bool) -> Result<Compiled, AppError> {
    let last = match known {
        Some(hash) => Some(hash.to_owned()),
        None => view.project_state()?.policy.clone(),
    };
    if !trusted {
        let in_force = view.in_force(last.as_deref())?;
        let InForce { hash, policy, warnings, .. } = &*in_force;
        if view.project_state()?.policy.is_none() {
            view.note_compiled(policy, None, false)?;
        }
        let (hash, policy) = (hash.clone(), Rc::clone(policy));
        return Ok(Compiled { hash, policy, warnings: warnings.clone() });
    }
    let sources = view.sources();
    let mut warnings = sources.warnings.clone();
    let missing = view.project_state()?.lost.as_ref().map(|lost| lost.told().to_owned());
    let unread = || {
        let error = view.policy_by_hash(last.as_deref()?).err()?;
        Some(format!("the gates could not be read ({error}) and were made again"))
    };
    warnings.extend(missing.or_else(unread));
    let before = last.as_deref().map(|hash| view.policy_by_hash(hash));
    let policy = match (&sources.policy, &sources.error, before) {
        // A protocol that cannot be read takes nothing away.
        (Some(fresh), _, Some(Ok(last))) if sources.protocol_error.is_some() => {
            Rc::new(builtin::keeping_protocol_of(fresh, &last))
        }
        (Some(fresh), _, _) => Rc::new(fresh.clone()),
        // Without a file that can be read the last policy stays.
        (None, None, None) => Rc::new(Policy::default()),
        (None, Some(error), None) => return Err(error.clone()),
        (None, error, Some(Ok(last))) => {
            warnings
                .extend(error.iter().map(|error| format!("{error}; the gates stay as they were")));
            last
        }
        (None, _, Some(Err(_))) => {
            let in_force = view.in_force(last.as_deref())?;
            warnings.extend(in_force.warnings.iter().cloned());
            Rc::clone(&in_force.policy)
        }
    };
    let project = view.project_state()?.policy.clone();
    let project = project.and_then(|hash| view.policy_by_hash(&hash).ok());
    let hash = view.note_compiled(&policy, project.as_deref(), true)?;
    Ok(Compiled { hash, policy, warnings })
}

/// A session that a conversation belongs to knows nothing of it: its records are gone.
fn unknown() -> AppError {
    AppError::refused("no policy is pinned for this conversation: its session has no records")
        .hint("the user's next prompt goes on in another session, and tells what is missing")
}

/// The hash of the policy that is pinned for a conversation.
pub fn pinned<'s>(state: &'s SessionState, conversation: &ConversationId) -> Option<&'s str> {
    state.conversations.get(conversation)?.policy.as_deref()
}
