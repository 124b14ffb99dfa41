//! Bringing together what a ruling depends on: gates, state, project and the facts that they need.

use std::rc::Rc;

use waypost_core::alongside::AT_IT;
use waypost_core::command::Command;
use waypost_core::engine::{Case, Judgement};
use waypost_core::evidence::Tree;
use waypost_core::gate::action::Action;
use waypost_core::gate::facts::{Facts, Needs};
use waypost_core::gate::gates::Gates;
use waypost_core::gate::policy::{Enforcement, Excerpt, Policy};
use waypost_core::gate::ruling::{GateFinding, Outcome, Ruling};
use waypost_core::gate::{Before, Gate, modes};
use waypost_core::id::{ConversationId, RulingId, SessionId};
use waypost_core::next_step::NextStep;
use waypost_core::project::ProjectState;
use waypost_core::session::SessionState;
use waypost_store::seen;

use crate::error::AppError;
use crate::machine::signing;
use crate::rulings::{facts, whose};
use crate::view::{Session, View, edits};

/// The gates that hold in a session, and how.
#[derive(Debug)]
pub struct Rules {
    enforcement: Enforcement,
    mode: String,
    /// The gates, those of the mode included.
    pub gates: Gates,
    /// The protocol that conversations follow, where the whole policy is known.
    pub protocol: Option<String>,
    session: SessionId,
}

impl Rules {
    /// Of a whole policy.
    pub fn of(policy: Policy, session: &SessionId, state: &SessionState) -> Self {
        let by_humans = policy.modes_by_humans;
        let Policy { enforcement, mode, gates, sessions_dir, protocol, .. } = policy;
        let rules =
            Self::with_mode(enforcement, mode, gates, &sessions_dir, session, state, by_humans);
        Self { protocol, ..rules }
    }

    /// Of gates that are only looked at, whatever mode the session is in.
    pub fn of_gates(gates: Vec<Gate>, session: &SessionId) -> Self {
        let Policy { enforcement, mode, .. } = Policy::default();
        let (gates, session) = (gates.into(), session.clone());
        Self { enforcement, mode, gates, protocol: None, session }
    }

    /// Of the part of a policy that an action needs.
    pub fn of_excerpt(excerpt: Excerpt, session: &SessionId, state: &SessionState) -> Self {
        let by_humans = excerpt.modes_by_humans;
        let Excerpt { enforcement, mode, gates, sessions_dir, .. } = excerpt;
        Self::with_mode(enforcement, mode, gates, &sessions_dir, session, state, by_humans)
    }

    fn with_mode(
        enforcement: Enforcement,
        mode: String,
        mut gates: Vec<Gate>,
        sessions_dir: &str,
        session: &SessionId,
        state: &SessionState,
        by_humans: bool,
    ) -> Self {
        let now = state.mode.as_deref().unwrap_or(&mode);
        if now != modes::CODING {
            let artifacts = format!("{}/{session}", sessions_dir.trim_matches('/'));
            gates.extend(modes::gates(now, &artifacts, by_humans));
        }
        let (gates, session) = (gates.into(), session.clone());
        Self { enforcement, mode, gates, protocol: None, session }
    }

    /// The mode that the session is in.
    pub fn mode<'a>(&'a self, state: &'a SessionState) -> &'a str {
        state.mode.as_deref().unwrap_or(&self.mode)
    }

    /// What a gate stands before.
    pub fn stands_before(&self, gate: &str) -> &[Before] {
        let found = self.gates.iter().find(|known| known.id == gate);
        found.map_or(&[], |known| &known.before)
    }

    fn project(&self, view: &View<'_>) -> Result<Rc<ProjectState>, AppError> {
        // Only gates that reach beyond the session look there.
        if self.gates.iter().any(|gate| gate.scope.is_shared()) {
            view.project_state()
        } else {
            Ok(Rc::default())
        }
    }

    fn case<'a>(
        &'a self,
        state: &'a SessionState,
        project: &'a ProjectState,
        facts: &'a Facts,
        action: &'a Action,
    ) -> Case<'a> {
        let Self { enforcement, mode, gates, .. } = self;
        Case { enforcement: *enforcement, mode, gates, state, project, facts, action }
    }

    fn facts(
        &self,
        view: &View<'_>,
        state: &SessionState,
        project: &ProjectState,
        needs: &Needs,
        at_hand: Facts,
    ) -> Facts {
        if needs.clock {
            seen::beyond_files();
        }
        let mut facts = facts::gather(view, (&self.session, state), needs, at_hand);
        if needs.signed {
            let own = (format!("session/{}", self.session), &state.ledger);
            let shared = project.all_shared();
            let shared = shared.map(|(branch, ledger)| (format!("project/{branch}"), ledger));
            for (stream, ledger) in std::iter::once(own).chain(shared) {
                let marks = ledger.marks.iter().map(|known| &known.mark);
                let hold = marks.filter(|mark| signing::holds(&stream, mark));
                facts.signed.extend(hold.filter_map(|mark| mark.signature.clone()));
            }
        }
        facts
    }

    /// Rules on an action.
    pub fn judge(
        &self,
        view: &View<'_>,
        state: &SessionState,
        action: &Action,
    ) -> Result<(Judgement, Facts), AppError> {
        self.judge_knowing(view, state, action, facts::at_hand(view))
    }

    /// The same, where what is at hand is known already.
    pub fn judge_knowing(
        &self,
        view: &View<'_>,
        state: &SessionState,
        action: &Action,
        at_hand: Facts,
    ) -> Result<(Judgement, Facts), AppError> {
        let project = self.project(view)?;
        let needs = self.case(state, &project, &at_hand, action).needs();
        let mut facts = self.facts(view, state, &project, &needs, at_hand);
        if needs.alongside && !action.paths.is_empty() {
            let others = edits::of_others_at(view, &action.conversation, AT_IT, &action.paths);
            facts.alongside = Some(others);
        }
        facts.keep_to(action);
        let verdict = self.case(state, &project, &facts, action).rule();
        Ok((verdict, facts))
    }

    /// Rules on a stop. What changed since the turn began is found out, whatever gates ask for.
    pub fn judge_stop(
        &self,
        view: &View<'_>,
        state: &SessionState,
        action: &Action,
    ) -> Result<(Judgement, Facts), AppError> {
        let project = self.project(view)?;
        let at_hand = facts::at_hand(view);
        let mut needs = self.case(state, &project, &at_hand, action).needs();
        let known = state.conversations.get(&action.conversation);
        let then = known.and_then(|known| known.turn_tree(action.elsewhere.as_deref()));
        if let Some(then) = then.and_then(Tree::id) {
            needs.tree = true;
            needs.compare.push(then.to_owned());
        }
        let mut facts = self.facts(view, state, &project, &needs, at_hand);
        whose::look(view, action, &mut facts);
        facts.keep_to(action);
        let verdict = self.case(state, &project, &facts, action).rule();
        Ok((verdict, facts))
    }

    /// What the gates before an action say of the work as it stands, where no turn ends.
    pub fn judge_content(
        &self,
        view: &View<'_>,
        state: &SessionState,
        action: &Action,
    ) -> Result<Judgement, AppError> {
        let project = self.project(view)?;
        let at_hand = facts::at_hand(view);
        let needs = self.case(state, &project, &at_hand, action).needs();
        let facts = self.facts(view, state, &project, &needs, at_hand);
        Ok(self.case(state, &project, &facts, action).rule_on_content())
    }

    /// Rules again on what was ruled on before.
    pub fn judge_again(
        &self,
        view: &View<'_>,
        state: &SessionState,
        facts: &Facts,
        action: &Action,
    ) -> Result<Judgement, AppError> {
        let project = self.project(view)?;
        Ok(self.case(state, &project, facts, action).rule())
    }

    /// What every gate finds now for a conversation, whatever it stands before.
    pub fn examine(
        &self,
        view: &View<'_>,
        state: &SessionState,
        conversation: &ConversationId,
    ) -> Result<Vec<GateFinding>, AppError> {
        let project = self.project(view)?;
        let action = Action::new(Vec::new(), conversation.clone());
        let at_hand = facts::at_hand(view);
        let needs = self.case(state, &project, &at_hand, &action).needs_of_all();
        let facts = self.facts(view, state, &project, &needs, at_hand);
        Ok(self.case(state, &project, &facts, &action).examine())
    }

    /// Whether `is` what would satisfy some gate that is not met now, whatever it stands before.
    pub fn any_way_out(
        &self,
        view: &View<'_>,
        state: &SessionState,
        action: &Action,
        is: impl Fn(&NextStep) -> bool,
    ) -> Result<bool, AppError> {
        let everything = Action {
            kinds: self.gates.iter().flat_map(|gate| gate.before.clone()).collect(),
            ..action.clone()
        };
        // A stop that is not armed has no say; remedies are asked for whatever is about to happen.
        let kinds = everything.kinds.iter().filter(|kind| kind.to_string() != "stop");
        let everything = Action { kinds: kinds.cloned().collect(), ..everything };
        let (verdict, _) = self.judge(view, state, &everything)?;
        Ok(verdict.any_way_out(is))
    }
}

/// Rules on an action for whoever calls, and records the ruling. `None` if nothing is in the way.
pub fn settle(
    view: &View<'_>,
    session: &Session,
    hash: String,
    policy: Policy,
    action: Action,
) -> Result<Option<Ruling>, AppError> {
    let Session { id, state } = session;
    let rules = Rules::of(policy, id, state);
    let (verdict, facts) = rules.judge(view, state, &action)?;
    if verdict.outcome == Outcome::Allow {
        return Ok(None);
    }
    let ruling = ruling(view, verdict, state, facts, hash, action)?;
    view.execute(id, &view.actor(), Command::Rule(ruling.clone()))?;
    Ok(Some(ruling))
}

/// Gives a verdict its name and everything that it depended on.
pub fn ruling(
    view: &View<'_>,
    verdict: Judgement,
    state: &SessionState,
    facts: Facts,
    policy: String,
    action: Action,
) -> Result<Ruling, AppError> {
    Ok(Ruling {
        id: RulingId::new(view.host.random()?),
        action,
        outcome: verdict.outcome,
        gave_way: verdict.gave_way,
        stop_block: verdict.stop_block,
        policy,
        state_version: state.version,
        facts,
        findings: verdict.findings,
        also: Vec::new(),
    })
}
