//! Commands that concern the whole project: its gates, what is trusted, what counts beyond a session.

use super::{Refusal, gates, redacted};
use crate::event::{Known, PolicyCompiled, PolicyLost, SharedFact, Speaker};
use crate::id::SessionId;
use crate::project::{Interval, ProjectState};

/// The most changes of the gates that are told one by one.
const MAX_CHANGES: usize = 50;

/// What somebody wants of a project.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and none is kept")]
pub enum ProjectCommand {
    /// Keep it from now on, for the first time or again.
    Initialise {
        /// The version of Waypost that does.
        waypost: String,
        /// The linked work tree; none is the main one.
        worktree: Option<String>,
    },
    /// The gates were compiled into a policy.
    Compile {
        /// Its hash.
        policy: String,
        /// How the gates changed against the policy before.
        changes: Vec<String>,
        /// Whether a human was there to be told.
        present: bool,
    },
    /// The policy that held cannot be read any more, and another was made in its place.
    LosePolicy(PolicyLost),
    /// A human trusts the configuration file as it is.
    TrustConfig {
        /// SHA-256 of the file.
        sha256: String,
    },
    /// A human accepts a published copy whose signatures cannot be checked here.
    TrustCopy {
        /// The session.
        session: SessionId,
        /// How many records.
        records: u64,
        /// The last one's hash.
        head: String,
    },
    /// Something counts beyond its session: on a branch, or with an empty name everywhere.
    Share {
        /// The branch.
        branch: String,
        /// What it is.
        what: SharedFact,
    },
    /// Let new conversations in a work tree join this session, or none.
    ChooseCurrent {
        /// The linked work tree; none is the main one.
        worktree: Option<String>,
        /// The session.
        session: Option<SessionId>,
    },
    /// A session rests, is over or goes on elsewhere: it is no work tree's current one any more.
    LeaveCurrent {
        /// The linked work tree that it was in; none is the main one.
        worktree: Option<String>,
        /// The session.
        session: SessionId,
    },
    /// Waypost is about to be taken out of a work tree.
    Remove {
        /// The linked work tree; none is the main one.
        worktree: Option<String>,
        /// Who says so, as far as that can be told.
        said: Speaker,
    },
    /// Switch a session's gates off, or on again.
    SwitchGates {
        /// The session.
        session: SessionId,
        /// Whether they are off from now on.
        off: bool,
        /// Who says so, as far as that can be told.
        said: Speaker,
    },
    /// Go on without the acknowledged records that are gone.
    AcceptLoss,
}

/// What happens if `command` meets the project's `state`. Nothing that looks like a credential gets
/// into events.
pub fn decide_for_project(
    state: &ProjectState,
    command: ProjectCommand,
) -> Result<Vec<Known>, Refusal> {
    Ok(match command {
        ProjectCommand::Initialise { waypost, worktree } => {
            let again = state.removed(worktree.as_deref()).is_some_and(is_out);
            if state.version > 0 && !again {
                return Ok(Vec::new());
            }
            vec![Known::ProjectInitialised { waypost, worktree }]
        }
        ProjectCommand::Compile { policy, mut changes, present } => {
            let known = state.policy.as_ref() == Some(&policy);
            if known && !(present && state.lost.is_some()) {
                return Ok(Vec::new());
            }
            let more = changes.len().saturating_sub(MAX_CHANGES);
            changes.truncate(MAX_CHANGES);
            if more > 0 {
                changes.push(format!("and {more} more changes"));
            }
            vec![Known::PolicyCompiled(PolicyCompiled { policy, changes, present })]
        }
        ProjectCommand::LosePolicy(lost) => {
            let known = state.lost.as_ref() == Some(&lost);
            if known { Vec::new() } else { vec![Known::PolicyLost(lost)] }
        }
        ProjectCommand::TrustConfig { sha256 } => vec![Known::ConfigTrusted { sha256 }],
        ProjectCommand::TrustCopy { session, records, head } => {
            vec![Known::CopyTrusted { session, records, head }]
        }
        ProjectCommand::ChooseCurrent { worktree, session } => {
            if state.current(worktree.as_deref()) == session.as_ref() {
                return Ok(Vec::new());
            }
            vec![Known::CurrentChosen { worktree, session }]
        }
        ProjectCommand::LeaveCurrent { worktree, session } => {
            if state.current(worktree.as_deref()) != Some(&session) {
                return Ok(Vec::new());
            }
            vec![Known::CurrentChosen { worktree, session: None }]
        }
        ProjectCommand::Remove { worktree, said } => {
            let is_out = state.removed(worktree.as_deref()).is_some_and(is_out);
            if is_out { Vec::new() } else { vec![Known::ProjectRemoved { worktree, said }] }
        }
        ProjectCommand::SwitchGates { session, off, said } => {
            let is_off = state.switched_off(&session).is_some_and(|known| known.until.is_none());
            if is_off == off {
                Vec::new()
            } else {
                vec![Known::GatesSwitched { session, off, said }]
            }
        }
        ProjectCommand::AcceptLoss => super::accept(state.loss)?,
        ProjectCommand::Share { branch, what } => vec![Known::shared(branch, checked(what)?)],
    })
}

fn is_out(removed: &Interval) -> bool {
    removed.until.is_none()
}

/// What counts beyond a session goes through the same door as what counts in one.
fn checked(mut what: SharedFact) -> Result<SharedFact, Refusal> {
    redacted::of_shared(&mut what);
    match &what {
        SharedFact::Evidence(evidence) => gates::check_fields(evidence)?,
        SharedFact::Mark(mark) => gates::check_mark(mark)?,
        SharedFact::Run(_)
        | SharedFact::Cleared(_)
        | SharedFact::Proven(_)
        | SharedFact::Failing(_) => {}
    }
    Ok(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::MAX_NOTE;
    use crate::evidence::{Evidence, Mark, Provenance, Sort};
    use serde_json::json;

    fn mark(note: &str) -> SharedFact {
        SharedFact::Mark(Mark {
            gate: "deploy".into(),
            provenance: Provenance::Claimed,
            conversation: None,
            until: None,
            tree: None,
            note: Some(note.into()),
            shown: None,
            signature: None,
            signed_at: None,
        })
    }

    fn share(what: SharedFact) -> Result<String, Refusal> {
        let command = ProjectCommand::Share { branch: "main".into(), what };
        let events = decide_for_project(&ProjectState::default(), command)?;
        Ok(serde_json::to_string(&events).unwrap())
    }

    #[test]
    fn what_counts_beyond_a_session_is_redacted_and_limited_like_what_counts_in_one() {
        let secret = ["hunter", "2hunter2"].concat();
        let text = share(mark(&format!("password={secret}"))).unwrap();
        assert!(!text.contains(&secret), "{text}");
        let long = share(mark(&"x".repeat(MAX_NOTE + 1)));
        assert!(matches!(long, Err(Refusal::TooLong { what: "note", .. })));
        let evidence = |value: String| {
            SharedFact::Evidence(Evidence {
                sort: Sort::Fields,
                subject: "deploy".into(),
                sha256: None,
                fields: json!({"how": value}).as_object().unwrap().clone(),
                provenance: Provenance::Claimed,
            })
        };
        let text = share(evidence(format!("--token {secret}"))).unwrap();
        assert!(!text.contains(&secret), "{text}");
        let long = share(evidence("x".repeat(super::super::MAX_FIELDS)));
        assert!(matches!(long, Err(Refusal::TooLong { what: "evidence", .. })));
    }

    #[test]
    fn a_policy_that_is_known_is_recorded_again_only_where_a_human_was_told_of_a_loss() {
        let compile =
            |present| ProjectCommand::Compile { policy: "a".into(), changes: Vec::new(), present };
        let lost = PolicyLost { expected: "b".into(), made: "a".into() };
        let mut state = ProjectState::default();
        state.policy = Some("a".into());
        assert_eq!(decide_for_project(&state, compile(true)), Ok(Vec::new()));
        state.lost = Some(lost);
        assert_eq!(decide_for_project(&state, compile(false)), Ok(Vec::new()));
        assert_eq!(decide_for_project(&state, compile(true)).unwrap().len(), 1);
    }

    #[test]
    fn a_session_stops_being_current_only_where_it_was() {
        let (one, other): (SessionId, SessionId) =
            ("2026-11-15_one_aaaaaa".parse().unwrap(), "2026-11-15_two_bbbbbb".parse().unwrap());
        let mut state = ProjectState::default();
        let choose = |session: &SessionId| ProjectCommand::ChooseCurrent {
            worktree: None,
            session: Some(session.clone()),
        };
        let leave = |session: &SessionId| ProjectCommand::LeaveCurrent {
            worktree: None,
            session: session.clone(),
        };
        let chosen = decide_for_project(&state, choose(&one)).unwrap();
        let [event] = <[Known; 1]>::try_from(chosen).unwrap();
        let time = crate::time::Timestamp::saturating_from_millis(0);
        let actor = crate::actor::Actor::Human;
        state.apply(&crate::record::Record { seq: 1, time, actor, event: event.into() });
        assert_eq!(decide_for_project(&state, choose(&one)), Ok(Vec::new()), "it is already");
        assert_eq!(decide_for_project(&state, leave(&other)), Ok(Vec::new()), "it never was");
        let none = Known::CurrentChosen { worktree: None, session: None };
        assert_eq!(decide_for_project(&state, leave(&one)), Ok(vec![none]));
    }
}
