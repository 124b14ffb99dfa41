//! The policy that holds: compiled from the project's files when a human is present, kept by hash,
//! and never loosened by a call that the harness did not make.

use waypost_core::actor::Actor;
use waypost_core::event::{Known, PolicyCompiled};
use waypost_core::gate::policy::Policy;
use waypost_core::gate::{Gate, Proof};
use waypost_core::id::{ConversationId, StreamId};
use waypost_core::project::ProjectState;
use waypost_core::record::Draft;
use waypost_core::session::SessionState;
use waypost_store::policies;

use crate::config::proof::OWN_KEY;
use crate::config::{self, Config};
use crate::error::AppError;
use crate::view::View;
use crate::{protocol, signing};

/// A compiled policy and what there is to say about it.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Its hash.
    pub hash: String,
    /// The policy itself.
    pub policy: Policy,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Compiles the project's files. `known` is the policy that held until now, `trusted` whether the
/// caller may loosen it.
pub fn compile(view: &View<'_>, known: Option<&str>, trusted: bool) -> Result<Compiled, AppError> {
    let root = view.log.root();
    let last = match known {
        Some(hash) => Some(hash.to_owned()),
        None => last_compiled(view)?,
    };
    let mut warnings = Vec::new();
    let last = match last.map(|hash| policies::load(root, &hash)).transpose() {
        Ok(last) => last,
        // With a human there to be told, the gates are made anew from the project's files.
        Err(error) if trusted => {
            warnings.push(format!("the last gates cannot be read ({error}); they are made anew"));
            None
        }
        Err(error) => return Err(error.into()),
    };
    let fresh = match of_files(view) {
        Ok(Some((policy, told))) => {
            warnings.extend(told);
            Some(policy)
        }
        // A checkout without the file keeps the last policy.
        Ok(None) => None,
        Err(error) if last.is_some() => {
            warnings.push(format!("{error}; the gates stay as they were"));
            None
        }
        Err(error) => return Err(error),
    };
    let policy = match (last, fresh) {
        (Some(last), Some(fresh)) if !trusted => last.tightened_by(&fresh),
        (_, Some(fresh)) => fresh,
        (Some(last), None) => last,
        (None, None) => Policy::default(),
    };
    let hash = policies::keep(root, &policy)?;
    note_compiled(view, &hash, &policy)?;
    Ok(Compiled { hash, policy, warnings })
}

/// What the project's files say now, and what somebody should be told about them. `None` if this
/// checkout has no such file.
pub fn of_files(view: &View<'_>) -> Result<Option<(Policy, Vec<String>)>, AppError> {
    let Some(config) = config::read(&view.project.config_file())? else {
        return Ok(None);
    };
    let mut warnings: Vec<String> = config.problems.iter().map(ToString::to_string).collect();
    let mut policy = config.policy;
    warnings.extend(name_own_key(view, policy.gates.iter_mut()));
    policy.gates.extend(protocol::standing(view, &policy));
    Ok(Some((policy, warnings)))
}

/// The hash of the policy that is pinned for a conversation.
pub fn pinned(state: &SessionState, conversation: &ConversationId) -> Result<String, AppError> {
    let known = state.conversations.get(conversation);
    known.and_then(|known| known.policy.clone()).ok_or_else(|| {
        AppError::refused("no policy is pinned for this conversation")
            .hint("the user's next prompt pins one")
    })
}

/// Gates that ask for the user's signature get the public key that it is made with.
pub(crate) fn name_own_key<'g>(
    view: &View<'_>,
    gates: impl Iterator<Item = &'g mut Gate>,
) -> Option<String> {
    let asks = |proof: &Proof| matches!(proof, Proof::Approval(approval) if approval.signed_by.as_deref() == Some(OWN_KEY));
    let asking = |gate: &&mut Gate| {
        let mut asked = false;
        gate.proof.each(&mut |proof| asked |= asks(proof));
        asked
    };
    let mut gates = gates.filter(asking).peekable();
    gates.peek()?;
    let own = signing::public(&view.host.approval_key_file());
    let (own, warning) = match own {
        Ok(Some(own)) => (own.to_string(), None),
        Ok(None) => {
            let told = "a gate asks for your signature, and there is no approval key: \
                        `waypost key approval` makes one";
            // Nobody's signature fits, so the gate stays shut.
            ("nobody".to_owned(), Some(told.to_owned()))
        }
        Err(error) => ("nobody".to_owned(), Some(error.full_text())),
    };
    for gate in gates {
        replace_key(&mut gate.proof, &own);
    }
    warning
}

fn replace_key(proof: &mut Proof, own: &str) {
    match proof {
        Proof::Approval(approval) if approval.signed_by.as_deref() == Some(OWN_KEY) => {
            approval.signed_by = Some(own.to_owned());
        }
        Proof::All(proofs) | Proof::Any(proofs) => {
            for proof in proofs {
                replace_key(proof, own);
            }
        }
        _ => {}
    }
}

/// The configuration as it stands in the work tree, or the defaults.
pub fn configuration(view: &View<'_>) -> Config {
    config::read(&view.project.config_file()).ok().flatten().unwrap_or_default()
}

/// Where published sessions lie, by the policy that was compiled last: changing the file in the
/// middle of a turn hides nothing from the gates.
pub fn sessions_dir(view: &View<'_>) -> String {
    let last = last_compiled(view).ok().flatten();
    let last = last.and_then(|hash| policies::load(view.log.root(), &hash).ok());
    last.unwrap_or_else(|| configuration(view).policy).sessions_dir
}

/// The hash of the policy that was compiled last in this project.
pub fn last_compiled(view: &View<'_>) -> Result<Option<String>, AppError> {
    Ok(view.log.load::<ProjectState>(&StreamId::Project)?.state.policy)
}

fn note_compiled(view: &View<'_>, hash: &str, policy: &Policy) -> Result<(), AppError> {
    if last_compiled(view)?.as_deref() == Some(hash) {
        return Ok(());
    }
    view.log.create(&StreamId::Project)?;
    let now = view.host.now();
    view.log.transact(&StreamId::Project, now, |state: &ProjectState| {
        if state.policy.as_deref() == Some(hash) {
            return Ok::<_, AppError>((Vec::new(), ()));
        }
        let before = match &state.policy {
            Some(before) => policies::load(view.log.root(), before).unwrap_or_default(),
            None => Policy::default(),
        };
        let compiled =
            PolicyCompiled { policy: hash.to_owned(), changes: before.changes_to(policy) };
        let event = Known::PolicyCompiled(compiled).into();
        Ok((vec![Draft { time: now, actor: Actor::Waypost, event }], ()))
    })?;
    Ok(())
}
