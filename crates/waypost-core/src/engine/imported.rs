//! What rules of other tools ask of the engine: given what happened, what is held, and how often?

use super::scopes::{World, at, evidence, gate, id};
use super::*;
use crate::actor::Actor;
use crate::alongside::{ChangedFile, OtherConversation};
use crate::event::{Known, PausedGates};
use crate::evidence::{CarriedEvidence, CarriedOver, Provenance, Sort};
use crate::gate::proof::fields::FieldsProof;
use crate::gate::proof::skill::SkillProof;
use crate::gate::ruling::Ruling;
use crate::gate::{Proof, When};
use crate::id::RulingId;
use crate::next_step::Voice;

fn planned(lasts: Option<i64>) -> Gate {
    let proof = SkillProof { name: "rules:plan".into(), anybody: true, lasts };
    Gate { imported: true, scope: Scope::Conversation, ..gate(Proof::Skill(proof)) }
}

fn edit() -> Known {
    let (conversation, elsewhere) = (id("one"), None);
    Known::EditObserved { elsewhere, conversation, tool: "Edit".into(), path: "a".into() }
}

fn used(skill: &str) -> Known {
    Known::EvidenceRecorded(evidence(Sort::Skill, skill, Provenance::Observed))
}

/// Rules on a stop, and records that.
fn stop(world: &mut World, gate: &Gate) -> Outcome {
    let action = Action::stop(id("one"));
    let verdict = world.verdict(gate, &action);
    let outcome = verdict.outcome;
    let ruling = Ruling {
        id: RulingId::new([0; 4]),
        action,
        outcome,
        gave_way: verdict.gave_way,
        stop_block: verdict.stop_block,
        policy: String::new(),
        state_version: 0,
        facts: world.facts.clone(),
        findings: verdict.findings,
        also: Vec::new(),
    };
    let allowed = Known::StopAllowed { elsewhere: None, conversation: id("one"), tree: None };
    let held = Known::RulingMade(Box::new(ruling));
    world.agent("one", if outcome == Outcome::Deny { held } else { allowed });
    outcome
}

#[test]
fn it_holds_the_stops_of_a_turn_once_and_those_of_the_next_again() {
    let mut world = World::new();
    let gate = Gate {
        before: vec![Before::Edit, Before::Stop],
        when: When { triggered: true, ..When::default() },
        ..planned(None)
    };
    let passed = |world: &mut World| {
        let (conversation, triggered) = (id("one"), vec!["gate".to_owned()]);
        world.agent("one", edit());
        world.agent("one", Known::GatesPassed { conversation, triggered, consumed: Vec::new() });
    };
    passed(&mut world);
    assert_eq!(stop(&mut world, &gate), Outcome::Deny);
    world.agent("one", edit());
    assert_eq!(stop(&mut world, &gate), Outcome::Allow, "whatever moved since");
    passed(&mut world);
    assert_eq!(stop(&mut world, &gate), Outcome::Deny);
    let own = Gate { imported: false, ..gate };
    assert_eq!(stop(&mut world, &own), Outcome::Deny, "its own gates hold more often");
}

#[test]
fn what_only_stands_before_stops_lets_everything_else_pass() {
    let world = World::new();
    let silent = Gate { when: When { stop_only: true, ..When::default() }, ..planned(None) };
    assert!(world.holds(&silent, "one"));
    assert!(!world.holds(&planned(None), "one"));
}

#[test]
fn files_that_it_leaves_alone_are_left_alone_unless_others_are_with_them() {
    let world = World::new();
    let unless = vec!["docs/plans/**".to_owned(), "**/.claude/plans/**".to_owned()];
    let gate = Gate { when: When { unless, ..When::default() }, ..planned(None) };
    let outcome = |paths: &[&str]| {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        let action = Action { paths, ..Action::new(vec![Before::Edit], id("one")) };
        world.verdict(&gate, &action).outcome
    };
    assert_eq!(outcome(&["docs/plans/a.md"]), Outcome::Allow);
    assert_eq!(outcome(&["docs/plans/a.md", "x/.claude/plans/b.md"]), Outcome::Allow);
    assert_eq!(outcome(&["docs/plans/a.md", "src/a.rs"]), Outcome::Deny);
    assert_eq!(outcome(&["docs/plan.md"]), Outcome::Deny);
    assert_eq!(outcome(&[]), Outcome::Deny, "what cannot be told is not left alone");
}

#[test]
fn a_skill_counts_for_the_whole_conversation_with_or_without_its_plugin_and_as_long_as_it_lasts() {
    let mut world = World::new();
    let by_subagent = |world: &mut World, skill: &str| {
        let subagent = Some("a1".to_owned());
        let (harness, conversation) = ("claude-code".to_owned(), id("one"));
        world.push(Actor::Agent { harness, conversation, subagent }, used(skill));
    };
    for other in ["rules:plan-b", "other:plan", ":plan", "my-plan"] {
        by_subagent(&mut world, other);
        assert!(!world.holds(&planned(None), "one"), "{other}");
    }
    by_subagent(&mut world, "plan");
    assert!(world.holds(&planned(None), "one"));
    assert!(!world.holds(&planned(None), "two"));
    world.facts.now = at(100);
    assert!(!world.holds(&planned(Some(5_000)), "one"), "it is too long ago");
    assert!(world.holds(&planned(None), "one"));
}

#[test]
fn whoever_is_not_alone_is_told_who_else_is_there() {
    let mut world = World::new();
    let gate = gate(Proof::Alone);
    assert!(!world.holds(&gate, "one"), "nobody looked");
    let lenient = Gate { on_error: OnError::Allow, ..gate.clone() };
    assert!(world.holds(&lenient, "one"));
    world.facts.others = Some([(id("one"), "claude-code".to_owned())].into());
    assert!(world.holds(&gate, "one"));
    world.facts.others = Some([(id("two"), "codex".to_owned())].into());
    let verdict = world.verdict(&gate, &Action::new(vec![Before::Edit], id("one")));
    assert_eq!(verdict.outcome, Outcome::Deny);
    assert!(verdict.findings[0].why.contains("codex two"));
}

#[test]
fn whoever_edits_what_another_changed_minutes_ago_is_told_who_and_waits_or_takes_another_file() {
    let mut world = World::new();
    let gate = Gate { before: vec![Before::Edit, Before::Stop], ..gate(Proof::AlonePaths) };
    let edit = |paths: &[&str]| Action {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Action::new(vec![Before::Edit], id("one"))
    };
    let denies =
        |world: &World, action: &Action| world.verdict(&gate, action).outcome == Outcome::Deny;
    world.facts.now = at(20 * 60);
    assert!(denies(&world, &edit(&["a.txt"])), "nobody looked");
    let changed = |by: &str, minutes: i64| OtherConversation {
        harness: "codex".into(),
        conversation: id(by),
        session_id: "2026-11-15_work".parse().unwrap(),
        files: vec![ChangedFile { file: "a.txt".into(), at: at(minutes * 60), subagent: None }],
    };
    world.facts.alongside = Some(vec![changed("one", 19)]);
    assert!(!denies(&world, &edit(&["a.txt"])), "it is its own");
    world.facts.alongside = Some(vec![changed("two", 9)]);
    assert!(!denies(&world, &edit(&["a.txt"])), "it is long ago");
    world.facts.alongside = Some(vec![changed("two", 17)]);
    assert!(!denies(&world, &edit(&["b.txt"])));
    assert!(!denies(&world, &Action::stop(id("one"))), "a stop changes no file");
    assert!(denies(&world, &edit(&[])), "which files it changes cannot be told");
    let verdict = world.verdict(&gate, &edit(&["b.txt", "a.txt"]));
    assert_eq!(verdict.outcome, Outcome::Deny);
    assert_eq!(verdict.findings[0].why, "codex two changed a.txt (3 minutes ago)");
    let next = verdict.findings[0].next.words(Voice::HOOKED);
    assert!(next.starts_with("wait until") && next.contains("work on another file"), "{next}");
}

#[test]
fn gates_that_rest_hold_nobody_until_the_time_is_over_or_the_last_conversation_is() {
    let paused = |gates: &[&str], until| {
        let gates = gates.iter().map(|gate| (*gate).to_owned()).collect();
        Known::GatesPaused(PausedGates { gates, until })
    };
    let mut world = World::new();
    world.human(paused(&["other"], None));
    assert!(!world.holds(&planned(None), "one"));
    world.human(paused(&[], Some(at(50))));
    assert!(world.holds(&planned(None), "one"));
    world.facts.now = at(50);
    assert!(!world.holds(&planned(None), "one"));
    world.human(paused(&["gate"], None));
    assert!(world.holds(&planned(None), "one"));
    world.human(Known::GatesUnpaused { gates: vec!["gate".into()] });
    world.facts.now = at(50);
    assert!(!world.holds(&planned(None), "one"));
    world.human(paused(&[], None));
    world.detach("one");
    world.attach("one");
    assert!(!world.holds(&planned(None), "one"));
}

#[test]
fn what_knows_no_field_waits_until_somebody_says_something() {
    let mut world = World::new();
    let said = Gate { accept_claimed: true, ..gate(Proof::Fields(FieldsProof::default())) };
    assert!(!world.holds(&said, "one"));
    let given = evidence(Sort::Fields, "gate", Provenance::Claimed);
    world.agent("one", Known::EvidenceRecorded(given));
    assert!(world.holds(&said, "one"));
}

#[test]
fn whoever_switched_other_tools_rules_off_is_let_alone_by_them_and_by_no_others() {
    let mut world = World::new();
    world.facts.imported_off = true;
    assert!(world.holds(&planned(None), "one"));
    assert!(!world.holds(&Gate { imported: false, ..planned(None) }, "one"));
}

#[test]
fn what_carries_over_is_as_old_as_it_was() {
    let mut world = World::new();
    let time = at(0);
    world.attach("two");
    let evidence = evidence(Sort::Skill, "plan", Provenance::Observed);
    world.agent(
        "two",
        Known::CarriedOver(CarriedOver {
            conversation: id("two"),
            from: id("before"),
            session: "2026-01-01_other_abcdef".parse().unwrap(),
            evidence: vec![CarriedEvidence { time, evidence }],
            marks: Vec::new(),
        }),
    );
    assert!(world.holds(&planned(None), "two"));
    assert!(!world.holds(&planned(None), "one"));
    assert!(!world.holds(&planned(Some(2_000)), "two"), "it does not begin anew");
}
