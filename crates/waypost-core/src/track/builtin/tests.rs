//! What comes with Waypost is what it says.

use super::*;

#[test]
fn the_protocol_has_its_states_and_nine_gates_between_them() {
    let protocol = protocol("2026-11-15-session-01", Watching::ByHooks, None);
    let phases: Vec<&str> = protocol.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(
        phases,
        [
            "INIT",
            "SERENA_READY",
            "SKILLS_VALIDATED",
            "CONTEXT_LOADED",
            "READY",
            "WORKING",
            "DOCUMENTING",
            "QUALITY_CHECKED",
            "QA_COMPLETE",
            "COMPLETE"
        ]
    );
    let gates: Vec<_> = protocol
        .entries()
        .map(|(phase, entry)| (phase.name.as_str(), entry.gate.as_str(), entry.blocking))
        .collect();
    assert_eq!(
        gates,
        [
            ("SERENA_READY", "SERENA_INIT", true),
            ("SKILLS_VALIDATED", "SKILL_VALIDATION", true),
            ("CONTEXT_LOADED", "CONTEXT_RETRIEVAL", true),
            ("READY", "SESSION_LOG", true),
            ("WORKING", "GIT_STATE", false),
            ("DOCUMENTING", "DOCS_UPDATE", false),
            ("QUALITY_CHECKED", "QUALITY_CHECKS", true),
            ("QA_COMPLETE", "QA_VALIDATION", true),
            ("COMPLETE", "GIT_COMMIT", true),
        ]
    );
}

#[test]
fn hooks_hold_edits_only_by_what_they_can_see_at_once() {
    let definition = protocol("s", Watching::ByHooks, None);
    let held: Vec<String> = standing(&definition)
        .into_iter()
        .filter(|(_, gate)| gate.before.contains(&Before::Edit))
        .map(|(_, gate)| gate.id)
        .collect();
    assert_eq!(
        held,
        [
            "SERENA_INIT/activate_project",
            "SERENA_INIT/initial_instructions",
            "SKILL_VALIDATION/read_skill_usage",
            "CONTEXT_RETRIEVAL/read_handoff",
            "CONTEXT_RETRIEVAL/read_constraints",
        ]
    );
}

#[test]
fn what_nobody_could_see_may_be_said() {
    let accepted = |watched| {
        let definition = protocol("s", watched, None);
        let (_, entry) = definition.entry("SERENA_INIT").unwrap();
        entry.steps[0].gate.accept_claimed
    };
    assert!(accepted(Watching::ByNobody));
    assert!(!accepted(Watching::ByHooks));
}

#[test]
fn every_workflow_but_none_has_phases() {
    for name in WORKFLOWS {
        let phases = workflow(name).map(|found| found.phases.len());
        let expected = [("full", Some(4)), ("quick", Some(2)), ("research", Some(1))];
        let expected = expected.iter().find(|(known, _)| *known == name);
        assert_eq!(phases, expected.and_then(|(_, count)| *count), "{name}");
        for phase in ["spec", "plan", "build", "docs", "complete", ""] {
            let found = workflow(name).is_some_and(|found| found.phase(phase).is_some());
            assert_eq!(has_phase(name, phase), found, "{name}: {phase}");
        }
    }
}

#[test]
fn a_definition_reads_back_as_it_was_written() {
    let definition = protocol("s", Watching::ByHooks, None);
    let text = serde_json::to_string(&definition).unwrap();
    assert_eq!(serde_json::from_str::<Definition>(&text).unwrap(), definition);
    assert!(text.len() < 8 * 1024, "{} bytes", text.len());
}

#[test]
fn what_is_so_for_any_session_is_filled_in_for_one() {
    let skills = Some(".tool/skills/**");
    let definition = protocol("2026-11-15-session-07", Watching::ByHooks, skills);
    let text = serde_json::to_string(&definition).unwrap();
    assert!(!text.contains('\u{2039}'), "{text}");
    assert!(text.contains(".agents/sessions/2026-11-15-session-07*"), "{text}");
    assert!(text.contains(".tool/skills/**"), "{text}");
    let without = protocol("s", Watching::ByHooks, None);
    let (_, entry) = without.entry("SKILL_VALIDATION").unwrap();
    assert!(matches!(entry.steps[0].subject, StepSubject::Absent(_)));
}

#[test]
fn a_protocol_that_cannot_be_read_any_more_keeps_its_gates() {
    let gate = |id: &str, file: &str| Gate {
        source: Source::new(file, 3),
        ..Gate::new(id, vec![Before::Edit], Proof::Never(String::new()))
    };
    let of =
        |gates: Vec<Gate>| Policy { protocol: Some("P.md".to_owned()), gates, ..Policy::default() };
    let last = of(vec![gate("own", "waypost.toml"), gate("A/read", "P.md")]);
    let kept = keeping_protocol_of(&of(vec![gate("new", "waypost.toml")]), &last);
    let ids: Vec<&str> = kept.gates.iter().map(|gate| gate.id.as_str()).collect();
    assert_eq!(ids, ["new", "A/read"]);
    let other = Policy { protocol: Some("Q.md".to_owned()), ..Policy::default() };
    assert!(keeping_protocol_of(&other, &last).gates.is_empty());
}
