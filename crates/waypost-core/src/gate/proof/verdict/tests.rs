//! Given verdicts, a gate that asks for one is met, or says what is missing.

use super::*;
use crate::evidence::VerdictGiven;
use crate::gate::action::Action;
use crate::gate::facts::Facts;
use crate::gate::{Before, Proof};
use crate::ledger::{EvidenceOrigin, Ledger};
use crate::time::Timestamp;

const NOW: i64 = 1_000_000;

/// Which verdicts there are, and the content of now.
struct World {
    ledger: Ledger,
    seq: u64,
    facts: Facts,
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn given(word: VerdictWord, tree: &str) -> VerdictGiven {
    VerdictGiven {
        agent: "security".into(),
        verdict: word,
        confidence: Confidence::new(0.8).unwrap(),
        reasoning: "r".into(),
        conditions: Vec::new(),
        blockers: Vec::new(),
        provenance: Provenance::Observed,
        seen_as: None,
        tree_before: Some(Tree::Id(tree.into())),
        tree_after: Some(Tree::Id(tree.into())),
        own_work: Vec::new(),
        undone: false,
        unwatched: false,
        asked: true,
    }
}

fn approval(tree: &str) -> VerdictGiven {
    given(VerdictWord::Approve, tree)
}

fn proof(fresh: Fresh) -> VerdictProof {
    VerdictProof { fresh, ..VerdictProof::new("security", VerdictWord::Approve) }
}

impl World {
    fn of(verdicts: impl IntoIterator<Item = VerdictGiven>) -> Self {
        let facts = Facts { tree: Some(Tree::Id("now".into())), ..Facts::at(at(NOW), None) };
        let mut world = Self { ledger: Ledger::default(), seq: 0, facts };
        verdicts.into_iter().for_each(|given| world.add(0, &given));
        world
    }

    fn add(&mut self, time: i64, given: &VerdictGiven) {
        self.seq += 1;
        let (seq, actor) = (self.seq, &crate::actor::Actor::Human);
        self.ledger.add_verdict(EvidenceOrigin { seq, time: at(time), actor }, given);
    }

    fn asked<T>(
        &self,
        proof: &VerdictProof,
        change: impl FnOnce(&mut Gate),
        ask: impl FnOnce(&GateInput<'_>) -> T,
    ) -> T {
        let asked = Proof::Verdict(proof.clone());
        let mut gate = Gate::new("reviewed", vec![Before::Commit], asked);
        change(&mut gate);
        let action = Action::new(vec![Before::Commit], "c1".parse().unwrap());
        ask(&GateInput {
            gate: &gate,
            action: &action,
            facts: &self.facts,
            ledger: Some(&self.ledger),
            inherited_from: Vec::new(),
            began_at: None,
            began_with: None,
            began_on: None,
            handoffs: &[],
        })
    }

    fn found(&self, proof: &VerdictProof) -> (FindingStatus, String) {
        let finding = self.asked(proof, |_| {}, |input| proof.find(input));
        (finding.status, finding.why)
    }

    fn says(&self, proof: &VerdictProof, status: FindingStatus, why: &str) {
        let found = self.found(proof);
        assert_eq!(found.0, status, "{}", found.1);
        assert!(found.1.contains(why), "{}", found.1);
    }
}

#[test]
fn an_approval_of_this_content_is_enough() {
    for fresh in [Fresh::Once, Fresh::Tree, Fresh::Within(NOW)] {
        let world = World::of([approval("now")]);
        world.says(&proof(fresh), FindingStatus::Met, "security said `approve`");
    }
    let capitals = VerdictGiven { agent: "Security".into(), ..approval("now") };
    World::of([capitals]).says(&proof(Fresh::Tree), FindingStatus::Met, "approve");
}

#[test]
fn without_a_verdict_it_is_missing_and_whom_to_ask_is_said() {
    let proof = proof(Fresh::Tree);
    let world = World::of([VerdictGiven { agent: "tester".into(), ..approval("now") }]);
    world.says(&proof, FindingStatus::Missing, "security has given no verdict");
    let next = world.asked(&proof, |_| {}, |input| proof.find(input)).next;
    let mut asks = false;
    next.each(&mut |step| {
        asks |= matches!(step, NextStep::AskAgent { agent, .. } if agent == "security");
    });
    assert!(asks, "{next:?}");
}

#[test]
fn another_word_fails_with_what_is_open() {
    let conditions = vec!["rotate".into(), "log".into()];
    let verdict = VerdictGiven { conditions, ..given(VerdictWord::Conditional, "now") };
    let world = World::of([verdict]);
    let why = "security said `conditional`, with 2 conditions and blockers that are open";
    world.says(&proof(Fresh::Tree), FindingStatus::Failed, why);
    let world = World::of([given(VerdictWord::Reject, "now")]);
    world.says(&proof(Fresh::Once), FindingStatus::Failed, "security said `reject`");
    // A gate may ask for another word than an approval.
    let conditional = VerdictProof::new("security", VerdictWord::Conditional);
    World::of([given(VerdictWord::Conditional, "x")]).says(&conditional, FindingStatus::Met, "");
}

#[test]
fn somebody_has_to_be_as_sure_as_the_gate_wants() {
    let wants =
        |least| VerdictProof { min_confidence: Confidence::new(least), ..proof(Fresh::Tree) };
    let world = World::of([approval("now")]);
    world.says(&wants(0.8), FindingStatus::Met, "");
    world.says(&wants(0.81), FindingStatus::Failed, "with a confidence of 0.8, below 0.81");
}

#[test]
fn a_verdict_on_other_content_is_stale_and_names_what_changed() {
    let mut world = World::of([approval("before")]);
    world.facts.changed.insert("before".into(), vec!["src/login.rs".into()]);
    let why = "src/login.rs changed since security gave its verdict";
    world.says(&proof(Fresh::Tree), FindingStatus::Stale, why);
    world.says(&proof(Fresh::Once), FindingStatus::Met, "");
    // Only what others changed is not of whoever acts.
    world.facts.own.insert("before".into(), Vec::new());
    world.says(&proof(Fresh::Tree), FindingStatus::Met, "");
}

#[test]
fn of_several_contents_the_verdict_on_this_one_counts() {
    let world = World::of([approval("now"), given(VerdictWord::Reject, "other")]);
    world.says(&proof(Fresh::Tree), FindingStatus::Met, "");
    world.says(&proof(Fresh::Once), FindingStatus::Failed, "reject");
    let world = World::of([approval("now"), given(VerdictWord::Reject, "now")]);
    world.says(&proof(Fresh::Tree), FindingStatus::Failed, "reject");
}

#[test]
fn what_moved_under_its_eyes_was_judged_by_nobody() {
    let moved = VerdictGiven { tree_before: Some(Tree::Id("before".into())), ..approval("now") };
    let world = World::of([moved]);
    world.says(&proof(Fresh::Tree), FindingStatus::Stale, "files changed while security was");
    let unknown = VerdictGiven { tree_after: None, tree_before: None, ..approval("now") };
    let world = World::of([unknown]);
    world.says(&proof(Fresh::Tree), FindingStatus::Stale, "not known which content security");
    let mut world = World::of([approval("now")]);
    world.facts.tree = None;
    world.says(&proof(Fresh::Tree), FindingStatus::Stale, "was not looked at");
}

#[test]
fn nobody_judges_their_own_work() {
    let own = VerdictGiven { own_work: vec!["src/login.rs".into()], ..approval("now") };
    let world = World::of([own.clone()]);
    let why = "security judged its own work (it changed src/login.rs)";
    for fresh in [Fresh::Once, Fresh::Tree, Fresh::Within(NOW)] {
        world.says(&proof(fresh), FindingStatus::Missing, why);
    }
    // Not even where the gate takes an agent's word.
    let proof = proof(Fresh::Once);
    let taken = world.asked(&proof, |gate| gate.accept_claimed = true, |input| proof.find(input));
    assert_eq!(taken.status, FindingStatus::Missing);
}

#[test]
fn what_was_put_back_is_nobodys_work_in_just_that_content() {
    let own = vec!["report.txt".to_owned()];
    let undone = VerdictGiven { own_work: own, undone: true, ..approval("now") };
    let world = World::of([undone]);
    world.says(&proof(Fresh::Tree), FindingStatus::Met, "security said `approve`");
    let why = "security judged its own work (it changed report.txt)";
    world.says(&proof(Fresh::Once), FindingStatus::Missing, why);
}

#[test]
fn one_that_nobody_watched_from_its_beginning_cannot_approve() {
    let unwatched = VerdictGiven { unwatched: true, ..approval("now") };
    let world = World::of([unwatched.clone()]);
    for fresh in [Fresh::Once, Fresh::Tree, Fresh::Within(NOW)] {
        world.says(&proof(fresh), FindingStatus::Missing, "was not watched from its beginning");
    }
    let world = World::of([approval("now"), unwatched]);
    world.says(&proof(Fresh::Tree), FindingStatus::Met, "security said `approve`");
}

#[test]
fn whoever_cannot_approve_can_object_and_so_can_one_whose_content_moved() {
    let moved = Some(Tree::Id("before".into()));
    for objection in [
        VerdictGiven { own_work: vec!["a".into()], ..given(VerdictWord::Reject, "now") },
        VerdictGiven { unwatched: true, ..given(VerdictWord::Reject, "now") },
        VerdictGiven { tree_before: moved, ..given(VerdictWord::Reject, "now") },
    ] {
        for fresh in [Fresh::Once, Fresh::Tree, Fresh::Within(NOW)] {
            let mut world = World::of([]);
            world.add(NOW, &approval("now"));
            world.add(NOW, &objection);
            world.says(&proof(fresh), FindingStatus::Failed, "security said `reject`");
            world.add(NOW, &approval("now"));
            world.says(&proof(fresh), FindingStatus::Met, "security said `approve`");
        }
    }
}

#[test]
fn what_is_only_said_to_be_its_verdict_counts_where_the_gate_takes_that() {
    let claimed = VerdictGiven { provenance: Provenance::Claimed, ..approval("now") };
    let world = World::of([claimed]);
    let proof = proof(Fresh::Tree);
    world.says(&proof, FindingStatus::Missing, "but was not seen to be security");
    let taken = world.asked(&proof, |gate| gate.accept_claimed = true, |input| proof.find(input));
    assert_eq!(taken.status, FindingStatus::Met, "{}", taken.why);
    let reported = VerdictGiven { provenance: Provenance::Reported, ..approval("now") };
    World::of([reported]).says(&proof, FindingStatus::Missing, "caller could not be checked");
    let approved = VerdictGiven { provenance: Provenance::Approved, ..approval("now") };
    World::of([approved]).says(&proof, FindingStatus::Met, "");
}

#[test]
fn a_claim_does_not_undo_what_was_seen() {
    let claimed =
        VerdictGiven { provenance: Provenance::Claimed, ..given(VerdictWord::Reject, "now") };
    World::of([approval("now"), claimed]).says(&proof(Fresh::Tree), FindingStatus::Met, "");
}

#[test]
fn a_verdict_grows_too_old() {
    let mut world = World::of([]);
    world.add(NOW - 60_000, &approval("other"));
    world.says(&proof(Fresh::Within(60_000)), FindingStatus::Met, "");
    world.says(&proof(Fresh::Within(59_999)), FindingStatus::Stale, "verdict is too old");
}

#[test]
fn it_asks_for_the_content_only_where_that_matters() {
    let world = World::of([approval("before")]);
    let needs = |fresh| {
        let (proof, mut needs) = (proof(fresh), Needs::default());
        world.asked(&proof, |_| {}, |input| proof.needs(input, &mut needs));
        needs
    };
    let tree = needs(Fresh::Tree);
    assert_eq!((tree.tree, tree.compare), (true, vec!["before".to_owned()]));
    let once = needs(Fresh::Once);
    assert_eq!((once.tree, once.clock, once.compare.len()), (false, false, 0));
    assert!(needs(Fresh::Within(1)).clock);
}
