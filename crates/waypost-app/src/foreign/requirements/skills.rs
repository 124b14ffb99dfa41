//! Which skills satisfy a requirement.

use super::fields::Fields;

/// The framework's own skills and what each satisfies: those that it has now, and those that earlier ones had.
const BUILT_IN: &[(&str, &[&str])] = &[
    ("arch-review", &["commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"]),
    ("plan-review", &["commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"]),
    ("pre-commit", &["pre_commit_review"]),
    ("requesting-code-review", &["pre_commit_review"]),
    ("codex-review", &["codex_reviewer"]),
    ("deep-review", &["pre_pr_review"]),
    ("v3-review", &["pre_pr_review"]),
    ("quality-check", &["pre_pr_review"]),
    ("brainstorming", &["design_approved"]),
    ("writing-plans", &["plan_written", "commit_plan"]),
    ("test-driven-development", &["tdd_planned"]),
    ("systematic-debugging", &["debugging_systematic"]),
    ("verification-before-completion", &["verification_evidence"]),
];

/// The skills that satisfy it, the one that it tells agents to use first.
pub(super) fn of(fields: &Fields<'_>) -> Vec<String> {
    let named = ["auto_resolve_skill", "satisfied_by_skill"];
    let named = named.into_iter().filter_map(|field| fields.text(field));
    let built_in = BUILT_IN.iter().filter(|(_, satisfied)| satisfied.contains(&fields.name));
    let mut skills: Vec<String> = Vec::new();
    for skill in named.chain(built_in.map(|(skill, _)| *skill)) {
        let skill = skill.trim().trim_start_matches('/');
        // One that is known with its plugin's name is the same without it.
        let is_known = |known: &String| known == skill || known.rsplit(':').next() == Some(skill);
        if !skill.is_empty() && !skills.iter().any(is_known) {
            skills.push(skill.to_owned());
        }
    }
    skills
}
