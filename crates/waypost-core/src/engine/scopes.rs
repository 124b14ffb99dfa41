//! Every kind of proof in every scope: given what happened, does the gate hold?

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::*;
use crate::actor::Actor;
use crate::event::{ConversationAttached, Event, Known, SessionStarted, SharedFact};
use crate::evidence::{Evidence, Mark, Provenance, Run, Sort};
use crate::gate::facts::{AskedReport, FoundFile, FoundReport};
use crate::gate::proof::approval::ApprovalProof;
use crate::gate::proof::called::CalledProof;
use crate::gate::proof::check::CheckProof;
use crate::gate::proof::fields::{Field, FieldsProof, Type};
use crate::gate::proof::file::FileProof;
use crate::gate::proof::git::GitProof;
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::proof::read::ReadProof;
use crate::gate::proof::report::ReportProof;
use crate::gate::proof::skill::SkillProof;
use crate::gate::{Before, Proof, Scope, When};
use crate::record::Record;

pub(super) fn id(text: &str) -> ConversationId {
    text.parse().unwrap()
}

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1000).unwrap()
}

pub(super) fn gate(proof: Proof) -> Gate {
    Gate { message: "Do it.".into(), ..Gate::new("gate", vec![Before::Edit], proof) }
}

pub(super) fn ran() -> Proof {
    Proof::Ran(RanProof::new("make check*", Fresh::Once))
}

/// Two streams in which things happen, and the world around them.
pub(super) struct World {
    session: Vec<Record>,
    project: Vec<Record>,
    pub(super) facts: Facts,
    second: i64,
}

impl World {
    pub(super) fn new() -> Self {
        let mut world = Self {
            session: Vec::new(),
            project: Vec::new(),
            facts: Facts::at(at(0), Some("feature/auth".into())),
            second: 0,
        };
        world.human(Known::SessionStarted(SessionStarted {
            objective: None,
            workflow: "none".into(),
            branch: None,
            commit: Some("c0".into()),
            worktree: None,
        }));
        world.attach("one");
        world
    }

    pub(super) fn push(&mut self, actor: Actor, event: Known) {
        self.second += 1;
        self.facts.now = at(self.second);
        let (seq, time) = (self.session.len() as u64 + 1, at(self.second));
        self.session.push(Record { seq, time, actor, event: Event::from(event) });
    }

    pub(super) fn human(&mut self, event: Known) {
        self.push(Actor::Human, event);
    }

    pub(super) fn agent(&mut self, conversation: &str, event: Known) {
        let harness = "claude-code".to_owned();
        let conversation = id(conversation);
        self.push(Actor::Agent { harness, conversation, subagent: None }, event);
    }

    fn share(&mut self, branch: &str, what: SharedFact) {
        let (seq, time) = (self.project.len() as u64 + 1, at(self.second));
        let event = Known::shared(branch.into(), what);
        self.project.push(Record { seq, time, actor: Actor::Human, event: event.into() });
    }

    pub(super) fn attach(&mut self, conversation: &str) {
        let attached = ConversationAttached {
            conversation: id(conversation),
            harness: "claude-code".into(),
            source: "startup".into(),
            checked: true,
            traceparent: None,
        };
        self.agent(conversation, Known::ConversationAttached(attached));
    }

    pub(super) fn detach(&mut self, conversation: &str) {
        let reason = "exit".to_owned();
        self.agent(
            conversation,
            Known::ConversationDetached { conversation: id(conversation), reason },
        );
    }

    pub(super) fn state(&self) -> SessionState {
        SessionState::fold(&self.session)
    }

    pub(super) fn project(&self) -> ProjectState {
        let mut state = ProjectState::default();
        self.project.iter().for_each(|record| state.apply(record));
        state
    }

    pub(super) fn verdict(&self, gate: &Gate, action: &Action) -> Judgement {
        let (state, project) = (self.state(), self.project());
        let gates = &vec![gate.clone()].into();
        let case = Case {
            enforcement: Enforcement::Block,
            mode: "coding",
            gates,
            state: &state,
            project: &project,
            facts: &self.facts,
            action,
        };
        case.rule()
    }

    pub(super) fn holds(&self, gate: &Gate, conversation: &str) -> bool {
        let action = Action::new(vec![Before::Edit], id(conversation));
        self.verdict(gate, &action).outcome == Outcome::Allow
    }
}

pub(super) fn run(provenance: Provenance) -> Run {
    Run {
        worktree: None,
        command: "make".into(),
        sha256: "0".into(),
        patterns: vec!["make check*".into()],
        status: 0,
        tree_before: Tree::Id("t".into()),
        tree_after: Tree::Id("t".into()),
        provenance,
        duration_ms: None,
        tests: None,
        before: None,
        failed: Vec::new(),
        compared: None,
        flaky: Vec::new(),
    }
}

pub(super) fn evidence(sort: Sort, subject: &str, provenance: Provenance) -> Evidence {
    let (subject, fields) = (subject.to_owned(), Map::new());
    Evidence { sort, subject, sha256: Some("h1".into()), fields, provenance }
}

fn mark(conversation: Option<&str>, provenance: Provenance, until: Option<i64>) -> Known {
    Known::GateMarked(Mark {
        gate: "gate".into(),
        provenance,
        conversation: conversation.map(id),
        until: until.map(at),
        tree: None,
        note: None,
        shown: None,
        signature: None,
        signed_at: None,
    })
}

#[test]
fn a_conversation_counts_for_itself_alone_unless_the_next_inherits() {
    let mut world = World::new();
    let narrow = Gate { scope: Scope::Conversation, ..gate(ran()) };
    world.agent("one", Known::CommandRan(run(Provenance::Observed)));
    world.detach("one");
    world.attach("two");
    assert!(world.holds(&narrow, "one"));
    assert!(!world.holds(&narrow, "two"), "a new conversation begins anew");
    assert!(world.holds(&gate(ran()), "two"), "in the session's scope everybody's run counts");
    let carried = Gate { carry_over: Some(5_000), ..narrow.clone() };
    assert!(world.holds(&carried, "two"));
    let brief = Gate { carry_over: Some(500), ..narrow };
    assert!(!world.holds(&brief, "two"), "it came too late");
}

#[test]
fn clearing_one_conversation_clears_no_other() {
    let mut world = World::new();
    world.attach("two");
    let narrow = Gate { scope: Scope::Conversation, ..gate(ran()) };
    world.agent("one", Known::CommandRan(run(Provenance::Observed)));
    world.agent("two", Known::CommandRan(run(Provenance::Observed)));
    let cleared = Known::GateCleared { gate: "gate".into(), conversation: Some(id("one")) };
    world.human(cleared);
    assert!(!world.holds(&narrow, "one"));
    assert!(world.holds(&narrow, "two"));
    let other = Gate { id: "other".into(), ..narrow };
    assert!(world.holds(&other, "one"), "exactly the gate that is named");
}

#[test]
fn branches_are_told_apart_by_their_whole_names_and_sessions_share_them() {
    let mut world = World::new();
    let wide = Gate { scope: Scope::Branch, ..gate(ran()) };
    world.agent("one", Known::CommandRan(run(Provenance::Observed)));
    assert!(!world.holds(&wide, "one"), "the session's own run is not the branch's");
    world.share("feature-auth", SharedFact::Run(run(Provenance::Observed)));
    assert!(!world.holds(&wide, "one"), "feature-auth is not feature/auth");
    world.share("feature/auth", SharedFact::Run(run(Provenance::Observed)));
    assert!(world.holds(&wide, "another"));
    world.share("feature/auth", SharedFact::Cleared("gate".into()));
    assert!(!world.holds(&wide, "one"));
    let forever = Gate { scope: Scope::Permanent, ..gate(ran()) };
    assert!(!world.holds(&forever, "one"));
    world.share("", SharedFact::Run(run(Provenance::Observed)));
    world.facts.branch = Some("main".into());
    assert!(world.holds(&forever, "one"));
}

#[test]
fn what_is_for_one_use_is_used_up_by_the_action_and_by_nothing_else() {
    let mut world = World::new();
    let once = Gate { scope: Scope::SingleUse, ..gate(ran()) };
    world.agent("one", Known::CommandRan(run(Provenance::Observed)));
    world.share("feature/auth", SharedFact::Run(run(Provenance::Observed)));
    world.share("", SharedFact::Run(run(Provenance::Observed)));
    world.agent("one", Known::StopAllowed { elsewhere: None, conversation: id("one"), tree: None });
    assert!(world.holds(&once, "one"));
    let passed = |consumed: Vec<String>| Known::GatesPassed {
        conversation: id("one"),
        triggered: Vec::new(),
        consumed,
    };
    world.agent("one", passed(vec!["other".into()]));
    assert!(world.holds(&once, "one"));
    world.agent("one", passed(vec!["gate".into()]));
    assert!(!world.holds(&once, "one"), "what counts on the branch does not make up for it");
    world.agent("one", Known::CommandRan(run(Provenance::Observed)));
    assert!(world.holds(&once, "one"));
}

#[test]
fn what_was_read_and_used_belongs_to_the_agent_that_did_it() {
    for (proof, sort, subject) in [
        (Proof::Read(ReadProof { file: "ADR.md".into(), unchanged: false }), Sort::Read, "ADR.md"),
        (Proof::Skill(SkillProof::new("review")), Sort::Skill, "plugin:review"),
    ] {
        let mut world = World::new();
        let gate = gate(proof);
        assert!(!world.holds(&gate, "one"));
        let seen = evidence(sort, subject, Provenance::Observed);
        world.agent("one", Known::EvidenceRecorded(seen));
        assert!(world.holds(&gate, "one"));
        assert!(!world.holds(&gate, "two"), "another conversation has not");
        let by_subagent =
            Action { subagent: Some("a1".into()), ..Action::new(vec![Before::Edit], id("one")) };
        assert_eq!(world.verdict(&gate, &by_subagent).outcome, Outcome::Deny);
    }
}

#[test]
fn a_file_that_changed_since_it_was_read_has_to_be_read_again() {
    let mut world = World::new();
    let gate = gate(Proof::Read(ReadProof { file: "ADR.md".into(), unchanged: true }));
    let read = evidence(Sort::Read, "ADR.md", Provenance::Observed);
    world.agent("one", Known::EvidenceRecorded(read));
    let file = |sha: &str| vec![FoundFile { path: "ADR.md".into(), sha256: Some(sha.into()) }];
    world.facts.files.insert("ADR.md".into(), file("h1"));
    assert!(world.holds(&gate, "one"));
    world.facts.files.insert("ADR.md".into(), file("h2"));
    assert!(!world.holds(&gate, "one"));
}

#[test]
fn calls_count_by_pattern() {
    let mut world = World::new();
    let gate = gate(Proof::Called(CalledProof { tool: "mcp__serena__activate*".into() }));
    let called = evidence(Sort::Called, "mcp__serena__activate_project", Provenance::Observed);
    assert!(!world.holds(&gate, "one"));
    world.agent("one", Known::EvidenceRecorded(called));
    assert!(world.holds(&gate, "one"));
}

#[test]
fn what_an_agent_says_counts_only_where_the_gate_says_so() {
    let mut world = World::new();
    let strict = gate(ran());
    let trusting = Gate { accept_claimed: true, ..gate(ran()) };
    world.agent("one", mark(None, Provenance::Claimed, None));
    assert!(!world.holds(&strict, "one"));
    assert!(world.holds(&trusting, "one"));
    world.human(mark(None, Provenance::Approved, None));
    assert!(world.holds(&strict, "one"), "a human's word is an approval");
}

#[test]
fn an_approval_expires_and_is_nothing_that_an_agent_can_give() {
    let mut world = World::new();
    let gate = gate(Proof::Approval(ApprovalProof { signed_by: None, ttl: None }));
    world.agent("one", mark(None, Provenance::Claimed, None));
    assert!(!world.holds(&Gate { accept_claimed: true, ..gate.clone() }, "one"));
    world.human(mark(None, Provenance::Approved, Some(1_000)));
    assert!(world.holds(&gate, "one"));
    world.facts.now = at(1_000);
    assert!(!world.holds(&gate, "one"));
    let signed = Gate {
        proof: Proof::Approval(ApprovalProof { signed_by: Some("abcd".into()), ttl: None }),
        ..gate
    };
    world.facts.now = at(10);
    assert!(!world.holds(&signed, "one"), "a local approval is not a signed one");
}

#[test]
fn approving_is_only_that_part_of_a_proof_that_asks_for_it() {
    let mut world = World::new();
    let approval = Proof::Approval(ApprovalProof { signed_by: None, ttl: None });
    let gate = gate(Proof::All(vec![ran(), approval]));
    world.human(mark(None, Provenance::Approved, None));
    assert!(!world.holds(&gate, "one"));
    world.agent("one", Known::CommandRan(run(Provenance::Observed)));
    assert!(world.holds(&gate, "one"));
}

#[test]
fn fields_are_judged_one_by_one_and_empty_words_prove_nothing() {
    let fields = FieldsProof {
        fields: vec![
            Field { check: Some("value > 0".into()), ..Field::new("tests", Type::Integer) },
            Field { optional: true, ..Field::new("summary", Type::String) },
        ],
        ..FieldsProof::default()
    };
    let gate = Gate { accept_claimed: true, ..gate(Proof::Fields(fields)) };
    for (given, holds) in [
        (json!({"tests": 3}), true),
        (json!({"tests": 0}), false),
        (json!({"tests": "3"}), false),
        (json!({}), false),
        (json!({"tests": 3, "summary": "all pass"}), true),
        (json!({"tests": 3, "summary": "skipped"}), false),
        (json!({"tests": 3, "summary": 3}), false),
    ] {
        let mut world = World::new();
        let Value::Object(fields) = given.clone() else { panic!() };
        let recorded = Evidence { fields, ..evidence(Sort::Fields, "gate", Provenance::Claimed) };
        world.agent("one", Known::EvidenceRecorded(recorded));
        assert_eq!(world.holds(&gate, "one"), holds, "{given}");
    }
}

#[test]
fn files_reports_git_and_expressions_are_facts() {
    let mut world = World::new();
    let file = gate(Proof::File(FileProof { pattern: "plan.md".into() }));
    assert!(!world.holds(&file, "one"), "what was not looked at is unknown, and that denies");
    world.facts.files.insert("plan.md".into(), Vec::new());
    assert!(!world.holds(&file, "one"));
    world
        .facts
        .files
        .insert("plan.md".into(), vec![FoundFile { path: "plan.md".into(), sha256: None }]);
    assert!(world.holds(&file, "one"));

    let with = BTreeMap::from([("verdict".to_owned(), "PASS".to_owned())]);
    let report = gate(Proof::Report(ReportProof {
        pattern: "qa/*.md".into(),
        asked: AskedReport { with, passes: None },
    }));
    let found = |verdict: &str| {
        let fields = BTreeMap::from([("verdict".to_owned(), verdict.to_owned())]);
        FoundReport::of_fields("qa/1.md", fields)
    };
    world.facts.reports.insert("qa/*.md".into(), vec![found("FAIL")]);
    assert!(!world.holds(&report, "one"));
    world.facts.reports.insert("qa/*.md".into(), vec![found("FAIL"), found("pass")]);
    assert!(world.holds(&report, "one"));

    assert!(world.holds(&gate(Proof::Git("off main".parse::<GitProof>().unwrap())), "one"));
    assert!(!world.holds(&gate(Proof::Git(GitProof::On("main".into()))), "one"));
    world.facts.clean = Some(Ok(vec!["a".into()]));
    assert!(!world.holds(&gate(Proof::Git(GitProof::Clean)), "one"));
    world.facts.clean = Some(Ok(Vec::new()));
    assert!(world.holds(&gate(Proof::Git(GitProof::Clean)), "one"));
    world.facts.head = Some("c0".into());
    assert!(!world.holds(&gate(Proof::Git(GitProof::Commit)), "one"));
    world.facts.head = Some("c1".into());
    assert!(world.holds(&gate(Proof::Git(GitProof::Commit)), "one"));

    let check = |text: &str| gate(Proof::Check(CheckProof { expression: text.into() }));
    world.facts.dynamic.insert("branch".into(), json!({"size": 399}));
    assert!(world.holds(&check("branch.size < 400"), "one"));
    assert!(!world.holds(&check("branch.size < 399"), "one"));
    assert!(!world.holds(&check("branch.sise < 400"), "one"), "an error denies");
    let lenient = Gate { on_error: OnError::Allow, ..check("branch.sise < 400") };
    assert!(world.holds(&lenient, "one"));
}

#[test]
fn a_gate_stands_only_where_and_when_it_says() {
    let world = World::new();
    for (when, stands) in [
        (When { branch: Some("feature/*".into()), ..When::default() }, true),
        (When { branch: Some("!feature/*".into()), ..When::default() }, false),
        (When { mode: Some("planning".into()), ..When::default() }, false),
        (When { phase: Some("build".into()), ..When::default() }, true),
        (When { paths: Some("src/**".into()), ..When::default() }, true),
        (When { paths: Some("docs/**".into()), ..When::default() }, false),
        (When { paths: Some("!src/**".into()), ..When::default() }, false),
    ] {
        let gate = Gate { when: when.clone(), ..gate(ran()) };
        let action = Action {
            paths: vec!["src/lib.rs".into()],
            ..Action::new(vec![Before::Edit], id("one"))
        };
        let denied = world.verdict(&gate, &action).outcome == Outcome::Deny;
        assert_eq!(denied, stands, "{when:?}");
    }
}

#[test]
fn modes_hold_what_they_say_and_unknown_ones_everything() {
    for (mode, edit, bash, own) in [
        ("coding", false, false, false),
        ("planning", true, false, false),
        ("analysis", true, true, false),
        ("", true, true, false),
        ("cooking", true, true, false),
    ] {
        let mut world = World::new();
        world.human(Known::ModeSet { mode: mode.into() });
        let gates = Gates::from(modes::gates(mode, "agents/sessions/s", false));
        let holds = |kinds: Vec<Before>, path: Option<&str>| {
            let (state, project) = (world.state(), world.project());
            let paths = path.map(str::to_owned).into_iter().collect();
            let action = Action { paths, ..Action::new(kinds, id("one")) };
            let case = Case {
                enforcement: Enforcement::Block,
                mode: "coding",
                gates: &gates,
                state: &state,
                project: &project,
                facts: &world.facts,
                action: &action,
            };
            case.rule().outcome == Outcome::Deny
        };
        assert_eq!(holds(vec![Before::Edit], Some("src/a.rs")), edit, "{mode}");
        assert_eq!(holds(vec![Before::Tool("Bash".into())], None), bash, "{mode}");
        assert_eq!(holds(vec![Before::Edit], Some("agents/sessions/s/spec.md")), own, "{mode}");
        assert_eq!(holds(vec![Before::Edit], Some(".agents/sessions/s.json")), own, "{mode}");
    }
}

#[test]
fn a_stop_gate_that_waits_for_its_trigger_is_silent_until_then() {
    let mut world = World::new();
    let gate = Gate {
        before: vec![Before::Edit, Before::Stop],
        level: Level::Must,
        when: When { triggered: true, ..When::default() },
        ..gate(ran())
    };
    let edited = Known::EditObserved {
        elsewhere: None,
        conversation: id("one"),
        tool: "Edit".into(),
        path: "a".into(),
    };
    world.agent("one", edited);
    let stop = Action::stop(id("one"));
    assert_eq!(world.verdict(&gate, &stop).outcome, Outcome::Allow);
    let passed = Known::GatesPassed {
        conversation: id("one"),
        triggered: vec!["gate".into()],
        consumed: Vec::new(),
    };
    world.agent("one", passed);
    assert_eq!(world.verdict(&gate, &stop).outcome, Outcome::Deny);
}
