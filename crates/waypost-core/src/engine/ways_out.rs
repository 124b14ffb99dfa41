//! From every denial, doing what it says next leads out: to an allowed action, or to a human.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::scopes::{World, evidence, gate, run};
use super::*;
use crate::event::Known;
use crate::evidence::{Evidence, Provenance, Sort};
use crate::gate::facts::{AskedReport, FoundFile, FoundReport};
use crate::gate::proof::approval::ApprovalProof;
use crate::gate::proof::called::CalledProof;
use crate::gate::proof::fields::{Field, FieldsProof, Type};
use crate::gate::proof::file::FileProof;
use crate::gate::proof::git::GitProof;
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::proof::read::ReadProof;
use crate::gate::proof::report::ReportProof;
use crate::gate::proof::skill::SkillProof;
use crate::gate::{Before, Proof, Scope, When, graph};
use crate::next_step::{NextStep, Voice};

fn simple_proof() -> impl Strategy<Value = Proof> {
    prop_oneof![
        prop_oneof![Just(Fresh::Once), Just(Fresh::Tree), Just(Fresh::Within(60_000))]
            .prop_map(|fresh| Proof::Ran(RanProof::new("make check*", fresh))),
        any::<bool>()
            .prop_map(|unchanged| Proof::Read(ReadProof { file: "ADR.md".into(), unchanged })),
        Just(Proof::Called(CalledProof { tool: "mcp__x__y".into() })),
        Just(Proof::Skill(SkillProof::new("review"))),
        Just(Proof::File(FileProof { pattern: "plan.md".into() })),
        Just(Proof::Git(GitProof::On("main".into()))),
        Just(Proof::Report(ReportProof {
            pattern: "qa/1.md".into(),
            asked: AskedReport {
                with: BTreeMap::from([("verdict".to_owned(), "PASS".to_owned())]),
                passes: None,
            },
        })),
        Just(Proof::Fields(FieldsProof {
            fields: vec![Field::new("n", Type::Integer)],
            ..FieldsProof::default()
        })),
        Just(Proof::Approval(ApprovalProof { signed_by: None, ttl: None })),
    ]
}

fn proof() -> impl Strategy<Value = Proof> {
    let leaf = simple_proof();
    prop_oneof![
        4 => simple_proof(),
        1 => prop::collection::vec(leaf, 1..3).prop_map(Proof::All),
        1 => prop::collection::vec(simple_proof(), 1..3).prop_map(Proof::Any),
    ]
}

fn any_gate() -> impl Strategy<Value = Gate> {
    let scope =
        prop_oneof![Just(Scope::Session), Just(Scope::Conversation), Just(Scope::SingleUse),];
    let before = prop_oneof![
        Just(Before::Edit),
        Just(Before::Commit),
        Just(Before::Tool("Bash".to_owned())),
        Just(Before::Tool("Read".to_owned())),
    ];
    let level = prop_oneof![3 => Just(Level::Must), 1 => Just(Level::Should)];
    (proof(), scope, prop::collection::vec(before, 1..3), level, any::<bool>()).prop_map(
        |(proof, scope, before, level, claimed)| Gate {
            scope,
            before,
            level,
            accept_claimed: claimed,
            when: When::default(),
            ..gate(proof)
        },
    )
}

/// Does what satisfies a gate. Whether it was something that an agent can do.
fn do_it(world: &mut World, gate: &str, step: &NextStep) -> bool {
    let observed = Provenance::Observed;
    let recorded = |sort, subject: &str| Known::EvidenceRecorded(evidence(sort, subject, observed));
    match step {
        NextStep::Switch(_) => world.facts.branch = Some("main".into()),
        NextStep::Run(_) => world.agent("one", Known::CommandRan(run(observed))),
        NextStep::Read(file) => {
            world.agent("one", recorded(Sort::Read, file));
            let found = FoundFile { path: file.clone(), sha256: Some("h1".into()) };
            world.facts.files.insert(file.clone(), vec![found]);
        }
        NextStep::Call(tool) => world.agent("one", recorded(Sort::Called, tool)),
        NextStep::UseSkill(name) => world.agent("one", recorded(Sort::Skill, name)),
        NextStep::Write { file: pattern, .. } => {
            let fields = BTreeMap::from([("verdict".to_owned(), "PASS".to_owned())]);
            let report = FoundReport::of_fields(pattern, fields);
            world.facts.reports.insert(pattern.clone(), vec![report]);
            let file = FoundFile { path: pattern.clone(), sha256: None };
            world.facts.files.insert(pattern.clone(), vec![file]);
        }
        NextStep::Record { .. } => {
            let Value::Object(fields) = json!({"n": 1}) else { return false };
            let given = Evidence { fields, ..evidence(Sort::Fields, gate, Provenance::Claimed) };
            world.agent("one", Known::EvidenceRecorded(given));
        }
        NextStep::All(_) | NextStep::Any(_) => {}
        _ => return false,
    }
    true
}

/// Whether one of the steps that it is made of is for a human alone.
fn wants_human(next: &NextStep) -> bool {
    let mut wants = false;
    next.each(&mut |step| wants |= matches!(step, NextStep::Approve(_) | NextStep::Meet { .. }));
    wants
}

fn case<'a>(
    gates: &'a Gates,
    (state, project): (&'a SessionState, &'a ProjectState),
    facts: &'a Facts,
    action: &'a Action,
) -> Case<'a> {
    let enforcement = Enforcement::Block;
    Case { enforcement, mode: "coding", gates, state, project, facts, action }
}

#[derive(Debug, Clone)]
enum Happening {
    Ran(bool),
    Seen(u8),
    Cleared(u8),
    Used(u8),
    Branch(bool),
}

fn step() -> impl Strategy<Value = Happening> {
    prop_oneof![
        any::<bool>().prop_map(Happening::Ran),
        (0u8..3).prop_map(Happening::Seen),
        (0u8..4).prop_map(Happening::Cleared),
        (0u8..4).prop_map(Happening::Used),
        any::<bool>().prop_map(Happening::Branch),
    ]
}

fn happen(world: &mut World, step: &Happening) {
    let conversation: ConversationId = "one".parse().unwrap();
    match step {
        Happening::Ran(passes) => {
            let status = i32::from(!passes);
            world.agent(
                "one",
                Known::CommandRan(crate::evidence::Run { status, ..run(Provenance::Observed) }),
            );
        }
        Happening::Seen(n) => {
            let (sort, subject) =
                [(Sort::Read, "ADR.md"), (Sort::Called, "mcp__x__y"), (Sort::Skill, "review")]
                    [usize::from(*n)];
            world.agent(
                "one",
                Known::EvidenceRecorded(evidence(sort, subject, Provenance::Observed)),
            );
        }
        Happening::Cleared(n) => {
            let gate = format!("gate-{n}");
            world.agent("one", Known::GateCleared { gate, conversation: None });
        }
        Happening::Used(n) => {
            let consumed = vec![format!("gate-{n}")];
            world
                .agent("one", Known::GatesPassed { conversation, triggered: Vec::new(), consumed });
        }
        Happening::Branch(main) => {
            world.facts.branch = Some(if *main { "main" } else { "feature/x" }.to_owned());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever the gates are and whatever happened: a ruling is a function of what it depends on,
    /// also after state and facts went through their stored form, and the named steps lead out.
    #[test]
    fn the_named_steps_lead_to_allow_or_to_a_human(
        mut gates in prop::collection::vec(any_gate(), 0..4),
        steps in prop::collection::vec(step(), 0..20),
        kind in 0usize..3,
    ) {
        for (number, gate) in gates.iter_mut().enumerate() {
            gate.id = format!("gate-{number}");
        }
        prop_assert!(graph::circles(&gates).is_empty(), "exact steps make no circle");
        let mut world = World::new();
        world.facts.tree = Some(Tree::Id("t".into()));
        for pattern in ["ADR.md", "plan.md"] {
            world.facts.files.insert(pattern.into(), Vec::new());
        }
        world.facts.reports.insert("qa/1.md".into(), Vec::new());
        for step in &steps {
            happen(&mut world, step);
        }
        let kinds = [Before::Edit, Before::Commit, Before::Tool("Bash".to_owned())];
        let action = Action::new(vec![kinds[kind].clone()], "one".parse().unwrap());
        let gates = Gates::from(gates);
        let mut seen = BTreeSet::new();
        loop {
            let (state, project) = (world.state(), world.project());
            let verdict = case(&gates, (&state, &project), &world.facts, &action).rule();
            let stored = serde_json::to_string(&(&state, &project, &world.facts)).unwrap();
            let (state, project, facts): (SessionState, ProjectState, Facts) =
                serde_json::from_str(&stored).unwrap();
            let again = case(&gates, (&state, &project), &facts, &action).rule();
            prop_assert_eq!(&verdict, &again);
            if verdict.outcome != Outcome::Deny {
                break;
            }
            let unmet = verdict.findings.iter().find(|finding| {
                finding.status != FindingStatus::Met && finding.level == Level::Must
            });
            let unmet = unmet.unwrap();
            let words = unmet.words(Voice::PERSON);
            prop_assert!(!words.is_empty() && !unmet.why.is_empty());
            let gate = gates.iter().find(|gate| gate.id == unmet.gate).unwrap();
            let case = case(&gates, (&state, &project), &facts, &action);
            let next = gate.proof.find(&case.input(gate)).next;
            if wants_human(&next) {
                prop_assert!(words.contains("waypost gate approve"), "{}", words);
                break;
            }
            let mut steps = Vec::new();
            next.each(&mut |step| steps.push(step.clone()));
            let before = stored;
            for step in &steps {
                prop_assert!(do_it(&mut world, &gate.id, step), "{:?}", step);
            }
            let after = serde_json::to_string(&(&world.state(), &world.project(), &world.facts)).unwrap();
            prop_assert!(before != after && seen.insert(before), "it goes on");
            prop_assert!(seen.len() < 40, "it ends");
        }
    }
}
