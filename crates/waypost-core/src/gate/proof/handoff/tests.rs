//! Given handoffs, whoever goes on accepts them first; whoever made one does not have to.

use super::*;
use crate::gate::action::Action;
use crate::gate::facts::Facts;
use crate::gate::{Before, Gate, Proof};
use crate::session::PendingHandoff;
use crate::time::Timestamp;

fn handoff(seq: u64, by: Option<&str>) -> PendingHandoff {
    PendingHandoff {
        seq,
        from_agent: "architect".into(),
        to_agent: "coder".into(),
        by: by.map(|name| name.parse().unwrap()),
        checklist: Vec::new(),
    }
}

fn found(handoffs: &[PendingHandoff]) -> Finding {
    let gate = Gate::new("taken", vec![Before::Edit], Proof::Handoff);
    let action = Action::new(vec![Before::Edit], "c1".parse().unwrap());
    let facts = Facts::at(Timestamp::from_millis(0).unwrap(), None);
    find(&GateInput {
        gate: &gate,
        action: &action,
        facts: &facts,
        ledger: None,
        inherited_from: Vec::new(),
        began_at: None,
        began_with: None,
        began_on: None,
        handoffs,
    })
}

#[test]
fn where_none_waits_it_is_met() {
    assert_eq!(found(&[]).status, FindingStatus::Met);
}

#[test]
fn whoever_made_it_need_not_accept_it() {
    assert_eq!(found(&[handoff(4, Some("c1"))]).status, FindingStatus::Met);
}

#[test]
fn one_that_waits_is_named_with_the_step_that_accepts_it() {
    for by in [None, Some("c2")] {
        let finding = found(&[handoff(4, by)]);
        assert_eq!(finding.status, FindingStatus::Missing);
        assert_eq!(finding.why, "handoff-4 from architect to coder is not accepted yet");
        assert_eq!(finding.next, NextStep::AcceptHandoff("handoff-4".into()));
    }
}

#[test]
fn of_several_the_first_is_named_and_the_others_are_counted() {
    let all = [handoff(3, Some("c1")), handoff(4, None), handoff(7, Some("c2")), handoff(9, None)];
    let finding = found(&all);
    assert!(finding.why.ends_with("is not accepted yet (and 2 more)"), "{}", finding.why);
    assert_eq!(finding.next, NextStep::AcceptHandoff("handoff-4".into()));
}
