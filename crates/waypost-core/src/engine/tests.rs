//! Rulings over event lists: given what happened, may the agent go on?

use super::*;
use crate::actor::Actor;
use crate::command::{Command, decide};
use crate::event::{ConversationAttached, Event, Known, SessionStarted};
use crate::evidence::{Provenance, Run};
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::ruling::Ruling;
use crate::gate::{Before, Proof};
use crate::id::RulingId;
use crate::next_step::Voice;
use crate::record::Record;
use proptest::prelude::*;

fn conversation() -> ConversationId {
    "c1".parse().unwrap()
}

fn gate(level: Level) -> Gate {
    Gate {
        level,
        message: "Run the tests.".into(),
        ..Gate::new(
            "tests-pass",
            vec![Before::Stop, Before::Commit],
            Proof::Ran(RanProof::new("cargo test*", Fresh::Tree)),
        )
    }
}

fn rule(
    enforcement: Enforcement,
    gates: &[Gate],
    state: &SessionState,
    facts: &Facts,
    action: &Action,
) -> Judgement {
    let (project, gates) = (ProjectState::default(), &gates.to_vec().into());
    Case { enforcement, mode: "coding", gates, state, project: &project, facts, action }.rule()
}

/// A session in which things happen one after the other.
struct World {
    events: Vec<Known>,
    tree: String,
    gates: Vec<Gate>,
}

impl World {
    fn new() -> Self {
        let started = SessionStarted {
            objective: None,
            workflow: "none".into(),
            branch: None,
            commit: None,
            worktree: None,
        };
        let attached = ConversationAttached {
            conversation: conversation(),
            harness: "claude-code".into(),
            source: "startup".into(),
            checked: true,
            traceparent: None,
        };
        let mut world =
            Self { events: Vec::new(), tree: "t0".into(), gates: vec![gate(Level::Must)] };
        world.command(Command::Start(started));
        world.command(Command::Attach { attached, policy: "p".into() });
        world.turn();
        world
    }

    fn state(&self) -> SessionState {
        let records: Vec<Record> = self
            .events
            .iter()
            .zip(1..)
            .map(|(event, seq)| Record {
                seq,
                time: Timestamp::from_millis(0).unwrap(),
                actor: Actor::Human,
                event: Event::from(event.clone()),
            })
            .collect();
        SessionState::fold(&records)
    }

    fn facts(&self) -> Facts {
        let now = Timestamp::from_millis(0).unwrap();
        Facts { tree: Some(Tree::Id(self.tree.clone())), ..Facts::at(now, None) }
    }

    fn command(&mut self, command: Command) {
        let events = decide(&self.state(), command).unwrap();
        self.events.extend(events);
    }

    fn turn(&mut self) {
        self.command(Command::BeginTurn {
            conversation: conversation(),
            tree: Some(Tree::Id(self.tree.clone())),
            policy: "p".into(),
        });
    }

    fn edit(&mut self, tree: &str) {
        self.tree = tree.into();
        self.command(Command::ObserveEdit {
            elsewhere: None,
            subagent: None,
            conversation: conversation(),
            tool: "Edit".into(),
            path: "a".into(),
        });
    }

    fn run(&mut self, status: i32, provenance: Provenance) {
        self.command(Command::RecordRun(Run {
            worktree: None,
            command: "cargo".into(),
            sha256: "0".into(),
            patterns: vec!["cargo test*".into()],
            status,
            tree_before: Tree::Id(self.tree.clone()),
            tree_after: Tree::Id(self.tree.clone()),
            provenance,
            duration_ms: None,
            tests: None,
            before: None,
            failed: Vec::new(),
            compared: None,
            flaky: Vec::new(),
        }));
    }

    fn stop(&mut self) -> Judgement {
        let action = Action::stop(conversation());
        let verdict = rule(Enforcement::Block, &self.gates, &self.state(), &self.facts(), &action);
        let ruling = Ruling {
            id: RulingId::new([0; 4]),
            action,
            outcome: verdict.outcome,
            gave_way: verdict.gave_way,
            stop_block: verdict.stop_block,
            policy: "p".into(),
            state_version: self.state().version,
            facts: self.facts(),
            findings: verdict.findings.clone(),
            also: Vec::new(),
        };
        self.command(Command::SettleStop { ruling, found: Vec::new(), unenforced: false });
        verdict
    }

    fn commit(&self) -> Outcome {
        let action = Action::new(vec![Before::Commit], conversation());
        rule(Enforcement::Block, &self.gates, &self.state(), &self.facts(), &action).outcome
    }
}

#[test]
fn a_turn_without_edits_is_never_held() {
    let mut world = World::new();
    assert_eq!(world.stop().outcome, Outcome::Allow);
    world.turn();
    assert_eq!(world.stop().outcome, Outcome::Allow);
}

#[test]
fn an_edit_holds_the_stop_until_the_tests_ran() {
    let mut world = World::new();
    world.edit("t1");
    let verdict = world.stop();
    assert_eq!(verdict.outcome, Outcome::Deny);
    let next = verdict.findings[0].words(Voice::PERSON);
    assert_eq!(next, "waypost run -- cargo test");
    world.run(1, Provenance::Verified);
    assert_eq!(world.stop().findings[0].status, FindingStatus::Failed);
    world.run(0, Provenance::Verified);
    assert_eq!(world.stop().outcome, Outcome::Allow);
}

#[test]
fn a_run_before_the_last_edit_is_stale() {
    let mut world = World::new();
    world.edit("t1");
    world.run(0, Provenance::Observed);
    world.edit("t2");
    assert_eq!(world.stop().findings[0].status, FindingStatus::Stale);
}

#[test]
fn a_change_that_no_hook_saw_holds_the_stop_too() {
    let mut world = World::new();
    world.tree = "t1".into();
    assert_eq!(world.stop().outcome, Outcome::Deny);
    assert!(world.events.iter().any(|event| matches!(event, Known::EditsFound { .. })));
}

#[test]
fn what_the_user_changes_between_turns_holds_nothing() {
    let mut world = World::new();
    world.edit("t1");
    world.run(0, Provenance::Observed);
    assert_eq!(world.stop().outcome, Outcome::Allow);
    world.tree = "t2".into();
    world.turn();
    assert_eq!(world.stop().outcome, Outcome::Allow);
}

#[test]
fn an_interrupted_turn_stays_owed() {
    let mut world = World::new();
    world.edit("t1");
    world.turn();
    assert_eq!(world.stop().outcome, Outcome::Deny);
}

#[test]
fn a_change_that_no_hook_saw_in_an_interrupted_turn_stays_owed() {
    let mut world = World::new();
    world.tree = "t1".into();
    world.turn();
    world.turn();
    assert_eq!(world.stop().outcome, Outcome::Deny);
}

#[test]
fn reported_and_claimed_runs_prove_nothing_and_displace_nothing() {
    let mut world = World::new();
    world.edit("t1");
    world.run(0, Provenance::Reported);
    assert_eq!(world.stop().findings[0].status, FindingStatus::Missing);
    world.run(0, Provenance::Observed);
    world.run(1, Provenance::Claimed);
    assert_eq!(world.stop().outcome, Outcome::Allow);
}

#[test]
fn a_stop_gives_way_after_three_blocks_without_progress_and_that_is_recorded() {
    let mut world = World::new();
    world.edit("t1");
    for block in 1..=3 {
        let verdict = world.stop();
        assert_eq!((verdict.outcome, verdict.stop_block), (Outcome::Deny, Some(block)));
    }
    let verdict = world.stop();
    assert!(verdict.gave_way);
    assert_eq!(verdict.outcome, Outcome::Allow);
    assert_eq!(world.state().violations, 1);
    world.turn();
    assert_eq!(world.stop().outcome, Outcome::Allow, "a turn without edits is not held");
    world.edit("t2");
    assert_eq!(world.stop().outcome, Outcome::Deny, "the next edit is");
}

#[test]
fn progress_starts_the_count_of_blocks_again() {
    let mut world = World::new();
    world.edit("t1");
    for _ in 0..3 {
        world.stop();
    }
    world.tree = "t3".into();
    assert_eq!(world.stop().stop_block, Some(1));
    assert_eq!(world.stop().stop_block, Some(2));
}

#[test]
fn running_what_fails_once_more_is_no_progress() {
    let mut world = World::new();
    world.edit("t1");
    for block in 1..=3 {
        assert_eq!(world.stop().stop_block, Some(block));
        world.run(1, Provenance::Verified);
    }
    assert!(world.stop().gave_way);
}

#[test]
fn a_run_that_changed_the_tree_proves_nothing_about_it() {
    let mut world = World::new();
    world.edit("t1");
    world.command(Command::RecordRun(Run {
        worktree: None,
        command: "cargo".into(),
        sha256: "0".into(),
        patterns: vec!["cargo test*".into()],
        status: 0,
        tree_before: Tree::Id("t1".into()),
        tree_after: Tree::Id("t2".into()),
        provenance: Provenance::Verified,
        duration_ms: None,
        tests: None,
        before: None,
        failed: Vec::new(),
        compared: None,
        flaky: Vec::new(),
    }));
    world.tree = "t2".into();
    assert_eq!(world.stop().findings[0].status, FindingStatus::Stale);
}

#[test]
fn what_cannot_be_found_out_is_not_met() {
    let mut world = World::new();
    world.edit("t1");
    world.run(0, Provenance::Verified);
    let mut facts = world.facts();
    facts.tree = Some(Tree::Unknown("git took too long".into()));
    let action = Action::stop(conversation());
    let verdict = rule(Enforcement::Block, &world.gates, &world.state(), &facts, &action);
    assert_eq!(verdict.findings[0].status, FindingStatus::Unknown);
    assert_eq!(verdict.outcome, Outcome::Deny);
}

#[test]
fn a_commit_is_denied_without_proof_even_if_nothing_was_edited() {
    let mut world = World::new();
    assert_eq!(world.commit(), Outcome::Deny);
    world.run(0, Provenance::Observed);
    assert_eq!(world.commit(), Outcome::Allow);
}

#[test]
fn should_warns_may_allows_and_report_never_denies() {
    let mut world = World::new();
    world.edit("t1");
    let action = Action::new(vec![Before::Commit], conversation());
    for (enforcement, level, expected) in [
        (Enforcement::Block, Level::Should, Outcome::Warn),
        (Enforcement::Block, Level::May, Outcome::Allow),
        (Enforcement::Report, Level::Must, Outcome::Warn),
    ] {
        let verdict = rule(enforcement, &[gate(level)], &world.state(), &world.facts(), &action);
        assert_eq!(verdict.outcome, expected);
    }
}

#[test]
fn a_run_expires_where_the_gate_says_so() {
    let mut world = World::new();
    world.gates[0].proof = Proof::Ran(RanProof::new("cargo test*", Fresh::Within(60_000)));
    world.edit("t1");
    world.run(0, Provenance::Verified);
    let action = Action::stop(conversation());
    for (now, expected) in [(60_000, Outcome::Allow), (60_001, Outcome::Deny), (-1, Outcome::Deny)]
    {
        let facts = Facts { now: Timestamp::from_millis(now).unwrap(), ..world.facts() };
        let verdict = rule(Enforcement::Block, &world.gates, &world.state(), &facts, &action);
        assert_eq!(verdict.outcome, expected, "{now}");
    }
}

#[derive(Debug, Clone)]
enum Happening {
    Turn,
    Edit(u8),
    Sneak(u8),
    Run(bool, bool),
    Stop,
}

fn step() -> impl Strategy<Value = Happening> {
    prop_oneof![
        Just(Happening::Turn),
        (0u8..4).prop_map(Happening::Edit),
        (0u8..4).prop_map(Happening::Sneak),
        (any::<bool>(), any::<bool>()).prop_map(|(passes, counts)| Happening::Run(passes, counts)),
        Just(Happening::Stop),
    ]
}

proptest! {
    /// Whatever happened: doing what the ruling says next leads to an allowed stop, the number of
    /// blocks without progress is bounded, and a ruling is a function of its inputs.
    #[test]
    fn following_the_next_step_always_leads_out(steps in prop::collection::vec(step(), 0..30)) {
        let mut world = World::new();
        for step in steps {
            match step {
                Happening::Turn => world.turn(),
                Happening::Edit(n) => world.edit(&format!("t{n}")),
                Happening::Sneak(n) => world.tree = format!("t{n}"),
                Happening::Run(passes, counts) => world.run(
                    i32::from(!passes),
                    if counts { Provenance::Observed } else { Provenance::Reported },
                ),
                Happening::Stop => {
                    let action = Action::stop(conversation());
                    let (state, facts) = (world.state(), world.facts());
                    let first = rule(Enforcement::Block, &world.gates, &state, &facts, &action);
                    let again = rule(Enforcement::Block, &world.gates, &state, &facts, &action);
                    prop_assert_eq!(&first, &again);
                    prop_assert!(world.stop().stop_block.unwrap_or(0) <= MAX_STOP_BLOCKS + 1);
                }
            }
        }
        if world.stop().outcome == Outcome::Deny {
            world.run(0, Provenance::Verified);
            prop_assert_eq!(world.stop().outcome, Outcome::Allow);
        }
    }

    /// The state after all events is the state after some, and then the rest.
    #[test]
    fn a_snapshot_and_the_rest_fold_to_the_same_state(steps in prop::collection::vec(step(), 0..20), cut in 0usize..60) {
        let mut world = World::new();
        for step in steps {
            match step {
                Happening::Turn => world.turn(),
                Happening::Edit(n) | Happening::Sneak(n) => world.edit(&format!("t{n}")),
                Happening::Run(passes, _) => world.run(i32::from(!passes), Provenance::Observed),
                Happening::Stop => { world.stop(); }
            }
        }
        let records: Vec<Record> = world.events.iter().zip(1..).map(|(event, seq)| Record {
            seq,
            time: Timestamp::from_millis(0).unwrap(),
            actor: Actor::Human,
            event: Event::from(event.clone()),
        }).collect();
        let cut = cut.min(records.len());
        let snapshot = serde_json::to_string(&SessionState::fold(&records[..cut])).unwrap();
        let mut state: SessionState = serde_json::from_str(&snapshot).unwrap();
        for record in &records[cut..] {
            state.apply(record);
        }
        prop_assert_eq!(state, world.state());
    }
}
