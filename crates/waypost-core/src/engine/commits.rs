//! Rulings on commits that exist already, and on what happens in several work trees, over event lists.

use super::*;
use crate::actor::Actor;
use crate::command::{Command, decide};
use crate::event::{CommitAdded, ConversationAttached, Event, Known, SessionStarted};
use crate::evidence::{Provenance, Run, Tree};
use crate::gate::Proof;
use crate::gate::action::NewCommit;
use crate::gate::facts::UnprovenCommit;
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::ruling::Ruling;
use crate::id::RulingId;
use crate::record::Record;

const WHAT: &str = "make test";

fn conversation() -> ConversationId {
    "c1".parse().unwrap()
}

/// A session in which things happen one after the other.
struct World {
    events: Vec<(Actor, Known)>,
    gates: Vec<Gate>,
}

impl World {
    fn new(before: &[Before]) -> Self {
        let proof = Proof::Ran(RanProof::new(WHAT, Fresh::Tree));
        let gates = vec![Gate::new("tests", before.to_vec(), proof)];
        let mut world = Self { events: Vec::new(), gates };
        let started = SessionStarted {
            objective: None,
            workflow: "none".into(),
            branch: None,
            commit: None,
            worktree: None,
        };
        world.command(Command::Start(started));
        let attached = ConversationAttached {
            conversation: conversation(),
            harness: "h".into(),
            source: "startup".into(),
            checked: true,
            traceparent: None,
        };
        world.command(Command::Attach { attached, policy: "p".into() });
        let (conversation, tree) = (conversation(), Some(Tree::Id("t0".into())));
        world.command(Command::BeginTurn { conversation, tree, policy: "p".into() });
        world
    }

    fn state(&self) -> SessionState {
        let time = Timestamp::from_millis(0).unwrap();
        let records = self.events.iter().zip(1..).map(|((actor, event), seq)| Record {
            seq,
            time,
            actor: actor.clone(),
            event: Event::from(event.clone()),
        });
        SessionState::fold(&records.collect::<Vec<_>>())
    }

    fn command(&mut self, command: Command) {
        self.command_by(&Actor::Human, command);
    }

    fn command_by(&mut self, actor: &Actor, command: Command) {
        let events = decide(&self.state(), command).unwrap();
        self.events.extend(events.into_iter().map(|event| (actor.clone(), event)));
    }

    fn run(&mut self, tree: &str, worktree: Option<&str>, status: i32) {
        self.command(Command::RecordRun(Run {
            worktree: worktree.map(str::to_owned),
            command: "make".into(),
            sha256: "0".into(),
            patterns: vec![WHAT.into()],
            status,
            tree_before: Tree::Id(tree.into()),
            tree_after: Tree::Id(tree.into()),
            provenance: Provenance::Observed,
            duration_ms: None,
            tests: None,
            before: None,
            failed: Vec::new(),
            compared: None,
            flaky: Vec::new(),
        }));
    }

    fn judge(&self, facts: &Facts, action: &Action) -> Judgement {
        let (project, gates) = (ProjectState::default(), &self.gates.clone().into());
        let (enforcement, state) = (Enforcement::Block, &self.state());
        Case { enforcement, mode: "coding", gates, state, project: &project, facts, action }.rule()
    }

    fn needs(&self, action: &Action) -> Needs {
        let (project, gates) = (ProjectState::default(), &self.gates.clone().into());
        let (enforcement, state, facts) = (Enforcement::Block, &self.state(), &facts("t0", None));
        Case { enforcement, mode: "coding", gates, state, project: &project, facts, action }.needs()
    }

    fn settle(&mut self, facts: Facts, action: Action) -> Judgement {
        let verdict = self.judge(&facts, &action);
        let ruling = Ruling {
            id: RulingId::new([0; 4]),
            action,
            outcome: verdict.outcome,
            gave_way: verdict.gave_way,
            stop_block: verdict.stop_block,
            policy: "p".into(),
            state_version: self.state().version,
            facts,
            findings: verdict.findings.clone(),
            also: Vec::new(),
        };
        self.command(Command::SettleStop { ruling, found: Vec::new(), unenforced: false });
        verdict
    }
}

fn facts(tree: &str, worktree: Option<&str>) -> Facts {
    let now = Timestamp::from_millis(0).unwrap();
    let worktree = worktree.map(str::to_owned);
    Facts { tree: Some(Tree::Id(tree.into())), worktree, ..Facts::at(now, None) }
}

fn stop_with(commits: &[&str]) -> Action {
    let commits = commits.iter().map(|sha| NewCommit::new(*sha)).collect();
    Action { commits, ..Action::stop(conversation()) }
}

fn unproven(facts: Facts, commit: &str, file: &str) -> Facts {
    let one = UnprovenCommit {
        sha: commit.into(),
        changed: vec![file.into()],
        files: vec![file.into()],
        on: None,
        away: false,
        changed_since: false,
    };
    Facts { unproven: [(WHAT.to_owned(), vec![one])].into(), ..facts }
}

#[test]
fn an_unproven_commit_holds_the_stop_also_where_the_gate_stands_before_commits_alone() {
    for before in [&[Before::Commit][..], &[Before::Stop], &[Before::Stop, Before::Commit]] {
        let mut world = World::new(before);
        let held = world.settle(unproven(facts("t0", None), "abc", "src/a"), stop_with(&["abc"]));
        assert_eq!(held.outcome, Outcome::Deny, "{before:?}");
        assert!(held.findings[0].why.contains("was not seen to pass on commit abc"), "{held:?}");
        let proven = world.settle(facts("t0", None), stop_with(&["abc"]));
        assert_eq!(proven.outcome, Outcome::Allow, "{before:?}");
    }
}

#[test]
fn commits_alone_do_not_ask_about_content_that_nobody_changed() {
    let mut world = World::new(&[Before::Stop, Before::Commit]);
    let allowed = world.settle(facts("t0", None), stop_with(&["abc"]));
    assert_eq!(allowed.outcome, Outcome::Allow, "no run was ever seen, and nothing changed");
}

#[test]
fn a_gate_about_other_files_does_not_ask_about_a_commit() {
    let mut world = World::new(&[Before::Commit]);
    world.gates[0].when.paths = Some("src/**".into());
    // What such a gate waits for is a run for these files.
    let renamed = |mut facts: Facts| {
        let found = facts.unproven.remove(WHAT).unwrap();
        facts.unproven.insert(format!("{WHAT} for src/**"), found);
        facts
    };
    let docs = renamed(unproven(facts("t0", None), "abc", "docs/a.md"));
    assert_eq!(world.settle(docs, stop_with(&["abc"])).outcome, Outcome::Allow);
    let source = renamed(unproven(facts("t0", None), "abc", "src/a.rs"));
    assert_eq!(world.settle(source, stop_with(&["abc"])).outcome, Outcome::Deny);
}

#[test]
fn a_commit_gives_way_like_any_stop_and_is_a_violation_then() {
    let mut world = World::new(&[Before::Commit]);
    for held in 1..=MAX_STOP_BLOCKS {
        let found = unproven(facts("t0", None), "abc", "a");
        let verdict = world.settle(found, stop_with(&["abc"]));
        assert_eq!(verdict.stop_block, Some(held));
        assert_eq!(verdict.outcome, Outcome::Deny);
    }
    let found = unproven(facts("t0", None), "abc", "a");
    assert!(world.settle(found, stop_with(&["abc"])).gave_way);
    assert_eq!(world.state().violations, 1);
}

#[test]
fn what_passed_is_what_commits_are_compared_with_until_it_fails_there() {
    let mut world = World::new(&[Before::Commit]);
    for number in 0..40 {
        world.run(&format!("t{number}"), None, 0);
    }
    let contents = world.needs(&stop_with(&["abc"])).contents[WHAT].clone();
    assert_eq!(contents.len(), 32, "the latest, and no more of them");
    assert_eq!(contents.last().map(String::as_str), Some("t39"));
    world.run("t39", None, 1);
    let contents = world.needs(&stop_with(&["abc"])).contents[WHAT].clone();
    assert!(!contents.contains(&"t39".to_owned()), "it failed since");
    assert!(world.needs(&Action::stop(conversation())).contents.is_empty(), "nobody asks");
}

#[test]
fn a_run_in_another_work_tree_counts_only_where_the_content_is_the_same() {
    let mut world = World::new(&[Before::Commit]);
    let commit = Action::new(vec![Before::Commit], conversation());
    world.run("t1", Some("second"), 0);
    let here = world.judge(&facts("t0", None), &commit);
    assert_eq!(here.outcome, Outcome::Deny);
    assert!(here.findings[0].why.contains("another work tree (second)"), "{here:?}");
    assert_eq!(world.judge(&facts("t1", None), &commit).outcome, Outcome::Allow);
    // One here does not displace one there.
    world.run("t0", None, 0);
    assert_eq!(world.judge(&facts("t1", Some("second")), &commit).outcome, Outcome::Allow);
    assert_eq!(world.judge(&facts("t0", None), &commit).outcome, Outcome::Allow);
}

#[test]
fn what_is_owed_in_another_work_tree_is_asked_and_settled_there() {
    let mut world = World::new(&[Before::Stop]);
    let (worktree, tree) = ("second".to_owned(), Some(Tree::Id("s0".into())));
    world.command(Command::EnterWorktree { conversation: conversation(), worktree, tree });
    let there = Action { elsewhere: Some("second".into()), ..Action::stop(conversation()) };
    let own = Action::stop(conversation());
    assert_eq!(world.judge(&facts("s0", Some("second")), &there).outcome, Outcome::Allow);
    assert_eq!(world.judge(&facts("s1", Some("second")), &there).outcome, Outcome::Deny);
    assert_eq!(world.judge(&facts("t0", None), &own).outcome, Outcome::Allow);
    world.run("s1", Some("second"), 0);
    assert_eq!(world.settle(facts("s1", Some("second")), there).outcome, Outcome::Allow);
    assert!(world.state().conversations[&conversation()].elsewhere.is_empty());
}

#[test]
fn a_subagent_answers_for_its_own_edits_and_settles_nothing_for_others() {
    let mut world = World::new(&[Before::Stop]);
    for subagent in ["reader", "writer"] {
        let (subagent, agent_type) = (subagent.to_owned(), "x".to_owned());
        let conversation = conversation();
        let begin = Command::StartSubagent { conversation, subagent, agent_type, tree: None };
        world.command(begin);
    }
    let by = Actor::Agent {
        harness: "h".into(),
        conversation: conversation(),
        subagent: Some("writer".into()),
    };
    world.command_by(
        &by,
        Command::ObserveEdit {
            conversation: conversation(),
            subagent: Some("writer".into()),
            tool: "Edit".into(),
            path: "a".into(),
            elsewhere: None,
        },
    );
    let end =
        |name: &str| Action { subagent: Some(name.to_owned()), ..Action::stop(conversation()) };
    assert_eq!(world.settle(facts("t1", None), end("reader")).outcome, Outcome::Allow);
    assert_eq!(world.settle(facts("t1", None), end("writer")).outcome, Outcome::Deny);
    world.run("t1", None, 0);
    assert_eq!(world.settle(facts("t1", None), end("writer")).outcome, Outcome::Allow);
    assert!(world.state().conversations[&conversation()].edited, "the conversation's stop asks");
}

#[test]
fn a_commit_is_open_until_a_stop_is_allowed() {
    let mut world = World::new(&[Before::Commit]);
    let commit = |sha: &str, unproven: &[&str], unruled| {
        let unproven = unproven.iter().map(|file| (*file).to_owned()).collect();
        Command::AddCommit(CommitAdded { unproven, unruled, ..CommitAdded::new(sha, "x") })
    };
    let shas = ["a", "b", "c", "d"].map(|digit| digit.repeat(40));
    let by = Actor::Agent { harness: "h".into(), conversation: conversation(), subagent: None };
    world.command_by(&by, commit(&shas[0], &[], false));
    world.command_by(&by, commit(&shas[1], &["a"], false));
    world.command_by(&by, commit(&shas[2], &[], true));
    let state = world.state();
    assert_eq!(shas.each_ref().map(|sha| state.is_settled(sha)), [true, false, false, false]);
    world.settle(facts("t0", None), Action::stop(conversation()));
    let state = world.state();
    assert_eq!(shas.each_ref().map(|sha| state.is_settled(sha)), [true, true, true, false]);
}
