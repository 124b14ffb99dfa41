//! Which verdicts are remembered, which settle which, and that no flood displaces what a gate asks for.

use super::*;
use crate::actor::Actor;

struct Judged {
    ledger: Ledger,
    seq: u64,
}

fn verdict(agent: &str, content: &str) -> VerdictGiven {
    VerdictGiven {
        agent: agent.into(),
        verdict: VerdictWord::Approve,
        confidence: Confidence::new(1.0).unwrap(),
        reasoning: "r".into(),
        conditions: Vec::new(),
        blockers: Vec::new(),
        provenance: Provenance::Observed,
        seen_as: None,
        tree_before: None,
        tree_after: Some(Tree::Id(content.into())),
        own_work: Vec::new(),
        undone: false,
        unwatched: false,
        asked: true,
    }
}

fn claimed(agent: &str, content: &str) -> VerdictGiven {
    VerdictGiven { provenance: Provenance::Claimed, ..verdict(agent, content) }
}

impl Judged {
    fn new() -> Self {
        Self { ledger: Ledger::default(), seq: 0 }
    }

    fn by(&mut self, actor: &Actor, given: &VerdictGiven) {
        self.seq += 1;
        let time = Timestamp::from_millis(i64::try_from(self.seq).unwrap()).unwrap();
        self.ledger.add_verdict(EvidenceOrigin { seq: self.seq, time, actor }, given);
    }

    fn add(&mut self, given: &VerdictGiven) {
        self.by(&Actor::Human, given);
    }

    fn seqs(&self) -> Vec<u64> {
        self.ledger.verdicts.iter().map(|known| known.seq).collect()
    }
}

fn conversation(name: &str) -> Actor {
    let conversation = name.parse().unwrap();
    Actor::Agent { harness: "h".into(), conversation, subagent: None }
}

#[test]
fn of_one_agent_on_one_content_only_the_latest_stays() {
    let mut judged = Judged::new();
    judged.add(&verdict("security", "t1"));
    judged.add(&verdict("security", "t2"));
    let reject = VerdictGiven { verdict: VerdictWord::Reject, ..verdict("security", "t1") };
    judged.add(&reject);
    assert_eq!(judged.seqs(), [2, 3]);
    assert_eq!(judged.ledger.verdicts[1].verdict, VerdictWord::Reject);
}

#[test]
fn capitals_make_no_other_agent() {
    let mut judged = Judged::new();
    judged.add(&verdict("security", "t1"));
    judged.add(&verdict("Security", "t1"));
    assert_eq!(judged.seqs(), [2]);
    let many = ["security", "Security", "SECURITY", "sEcurity"].into_iter().cycle();
    for (number, agent) in many.take(200).enumerate() {
        judged.add(&verdict(agent, &format!("c{number}")));
    }
    assert_eq!(judged.seqs().len(), MAX_CONTENTS);
}

#[test]
fn what_an_agent_says_next_settles_what_it_wanted_before() {
    let mut judged = Judged::new();
    let wants = |agent: &str, content: &str| VerdictGiven {
        conditions: vec!["a".into()],
        blockers: vec!["b".into()],
        ..verdict(agent, content)
    };
    judged.add(&wants("security", "t1"));
    judged.add(&wants("tester", "t1"));
    judged.add(&VerdictGiven { conditions: vec!["c".into()], ..claimed("security", "t1") });
    let open =
        |judged: &Judged| judged.ledger.verdicts.iter().map(|known| known.open).collect::<Vec<_>>();
    assert_eq!(open(&judged), [2, 2, 1], "what is only said settles nothing that was seen");
    judged.add(&verdict("SECURITY", "t2"));
    assert_eq!(open(&judged), [0, 2, 1, 0]);
    judged.ledger.resolve_verdict(2);
    assert_eq!(open(&judged), [0, 0, 1, 0]);
}

#[test]
fn an_approval_of_ones_own_work_settles_and_displaces_nothing() {
    let mut judged = Judged::new();
    judged.add(&VerdictGiven { conditions: vec!["a".into()], ..verdict("security", "t1") });
    let own = VerdictGiven { own_work: vec!["f".into()], ..verdict("security", "t1") };
    judged.add(&own);
    judged.add(&VerdictGiven { unwatched: true, ..verdict("security", "t1") });
    let open: Vec<u64> = judged.ledger.verdicts.iter().map(|known| known.open).collect();
    assert_eq!((judged.seqs(), open), (vec![1, 3], vec![1, 0]));
    // Whoever did the work may still say that it is not good.
    judged.add(&VerdictGiven { verdict: VerdictWord::NeedsRevision, ..own });
    assert_eq!(judged.seqs(), [3, 4]);
}

#[test]
fn what_somebody_claims_displaces_nothing_that_was_seen() {
    let mut judged = Judged::new();
    judged.add(&verdict("security", "t1"));
    for number in 0..100 {
        judged.add(&claimed("security", "t1"));
        judged.add(&claimed("security", &format!("c{number}")));
        let unasked = VerdictGiven { asked: false, ..verdict(&format!("agent-{number}"), "t1") };
        judged.add(&unasked);
    }
    assert_eq!(judged.seqs()[0], 1, "the one that counts is still there");
    assert_eq!(judged.seqs().len(), 1 + MAX_CONTENTS + MAX_UNASKED);
}

#[test]
fn one_agent_that_is_asked_displaces_nothing_of_another() {
    let mut judged = Judged::new();
    judged.add(&verdict("tester", "t1"));
    for number in 0..100 {
        judged.add(&verdict("security", &format!("c{number}")));
    }
    assert_eq!(judged.seqs()[0], 1);
    let contents: Vec<&str> =
        judged.ledger.verdicts[1..].iter().filter_map(|known| known.content.as_deref()).collect();
    assert_eq!((contents.len(), contents[0], contents[31]), (MAX_CONTENTS, "c68", "c99"));
}

#[test]
fn verdicts_of_two_conversations_stay_apart_until_one_is_forgotten() {
    let mut judged = Judged::new();
    judged.by(&conversation("one"), &verdict("security", "t1"));
    judged.by(&conversation("two"), &verdict("security", "t1"));
    judged.by(&conversation("two"), &verdict("security", "t2"));
    judged.by(&conversation("one"), &verdict("security", "t3"));
    assert_eq!(judged.seqs(), [1, 2, 3, 4]);
    judged.ledger.forget(&"one".parse().unwrap());
    assert_eq!(judged.seqs(), [2, 3, 4], "of what it did, only the latest of all stays");
}

#[test]
fn the_content_is_known_where_it_stood_still_while_somebody_looked() {
    let id = |name: &str| Some(Tree::Id(name.into()));
    let looked = |before, after| {
        let mut judged = Judged::new();
        let (tree_before, tree_after) = (before, after);
        judged.add(&VerdictGiven { tree_before, tree_after, ..verdict("security", "t") });
        let known = &judged.ledger.verdicts[0];
        (known.content.clone(), known.moved)
    };
    assert_eq!(looked(id("a"), id("a")), (Some("a".into()), false));
    assert_eq!(looked(None, id("a")), (Some("a".into()), false));
    assert_eq!(looked(id("a"), id("b")), (None, true));
    assert_eq!(looked(id("a"), None), (None, false));
    assert_eq!(looked(None, None), (None, false));
}
