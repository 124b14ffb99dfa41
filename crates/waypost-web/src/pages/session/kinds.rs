//! What stands on a session's timeline: which events belong together, and the words for each.

use crate::parts::Tone;

/// Events that belong together, and can be asked for.
pub(super) struct Group {
    /// In addresses.
    pub(super) name: &'static str,
    /// For people.
    pub(super) title: &'static str,
    /// Their types, and the word for each.
    events: &'static [(&'static str, &'static str, Tone)],
    /// Whether they are told unless something else is asked for.
    usual: bool,
}

#[rustfmt::skip]
pub(super) const GROUPS: &[Group] = &[
    Group { name: "phases", title: "Phases", usual: true, events: &[
        ("session_started", "began", Tone::Good),
        ("session_named", "named", Tone::Calm),
        ("session_paused", "paused", Tone::Warn),
        ("session_resumed", "resumed", Tone::Busy),
        ("session_ended", "ended", Tone::Good),
        ("session_archived", "archived", Tone::Calm),
        ("session_imported", "imported", Tone::Calm),
        ("session_adopted", "taken over", Tone::Calm),
        ("track_started", "workflow began", Tone::Calm),
        ("track_extended", "workflow grew", Tone::Calm),
        ("track_completed", "workflow complete", Tone::Good),
        ("phase_entered", "phase", Tone::Busy),
        ("phase_checked", "phase checked", Tone::Calm),
        ("phase_skipped", "phase skipped", Tone::Calm),
        ("phase_retried", "phase retried", Tone::Warn),
        ("rolled_back", "rolled back", Tone::Warn),
        ("build_started", "build began", Tone::Busy),
        ("build_extended", "build grew", Tone::Calm),
        ("checkpoint_started", "checkpoint began", Tone::Busy),
        ("checkpoint_completed", "checkpoint done", Tone::Good),
        ("task_completed", "task done", Tone::Good),
        ("git_changed", "branch", Tone::Calm),
        ("mode_set", "mode", Tone::Calm),
        ("focus_set", "focus", Tone::Calm),
    ]},
    Group { name: "conversations", title: "Conversations", usual: true, events: &[
        ("conversation_attached", "joined", Tone::Busy),
        ("conversation_detached", "left", Tone::Calm),
        ("worktree_entered", "work tree", Tone::Calm),
    ]},
    Group { name: "agents", title: "Agents", usual: true, events: &[
        ("subagent_started", "subagent began", Tone::Busy),
        ("subagent_ended", "subagent ended", Tone::Calm),
        ("agent_invoked", "agent invoked", Tone::Busy),
        ("agent_completed", "agent done", Tone::Good),
        ("decision_recorded", "decision", Tone::Calm),
        ("decision_reviewed", "decision reviewed", Tone::Calm),
        ("verdict_given", "verdict", Tone::Calm),
        ("verdict_resolved", "verdict met", Tone::Good),
        ("handoff_created", "handed over", Tone::Warn),
        ("handoff_accepted", "handoff accepted", Tone::Good),
    ]},
    Group { name: "gates", title: "Gates", usual: true, events: &[
        ("ruling_made", "ruling", Tone::Warn),
        ("gate_marked", "gate", Tone::Good),
        ("gate_cleared", "gate cleared", Tone::Warn),
        ("gates_paused", "gates paused", Tone::Warn),
        ("gates_unpaused", "gates unpaused", Tone::Calm),
        ("gates_switched", "gates switched", Tone::Warn),
        ("violation_recorded", "violation", Tone::Bad),
        ("violation_recovered", "met after all", Tone::Good),
    ]},
    Group { name: "runs", title: "Runs", usual: true, events: &[
        ("command_ran", "run", Tone::Calm),
        ("evidence_recorded", "evidence", Tone::Calm),
    ]},
    Group { name: "commits", title: "Commits", usual: true, events: &[
        ("commit_added", "commit", Tone::Good),
    ]},
    Group { name: "notes", title: "Notes", usual: true, events: &[
        ("note_added", "note", Tone::Calm),
    ]},
    Group { name: "files", title: "Files", usual: false, events: &[
        ("artifacts_changed", "files written", Tone::Calm),
        ("edit_observed", "edit", Tone::Calm),
        ("edits_found", "edits found", Tone::Calm),
    ]},
    Group { name: "", title: "", usual: true, events: &[
        ("tail_cut", "record cut off", Tone::Bad),
        ("loss_accepted", "loss accepted", Tone::Warn),
        ("copy_set_aside", "copy set aside", Tone::Warn),
        ("copy_trusted", "copy trusted", Tone::Calm),
        ("config_trusted", "configuration trusted", Tone::Calm),
        ("policy_lost", "gates lost", Tone::Bad),
    ]},
    Group { name: "", title: "", usual: false, events: &[
        ("turn_started", "turn", Tone::Calm),
        ("usage_counted", "tokens counted", Tone::Calm),
        ("policy_pinned", "gates in force", Tone::Calm),
        ("stop_allowed", "stop allowed", Tone::Good),
        ("gates_passed", "gates passed", Tone::Good),
        ("debt_handed_on", "owed elsewhere", Tone::Calm),
        ("subagent_called", "subagent's answer", Tone::Calm),
        ("carried_over", "carried over", Tone::Calm),
        ("history_compacted", "history archived", Tone::Calm),
        ("shared", "told to the project", Tone::Calm),
    ]},
];

/// The types of events that are told: of one group, or of all that are told usually. None where everything is.
pub(super) fn types(name: Option<&str>) -> Option<Vec<&'static str>> {
    if name == Some("all") {
        return None;
    }
    let wanted = |group: &&Group| match name {
        Some(name) => group.name == name && !name.is_empty(),
        None => group.usual,
    };
    let groups = GROUPS.iter().filter(wanted);
    Some(groups.flat_map(|group| group.events.iter().map(|(kind, ..)| *kind)).collect())
}

/// The word for an event of this type.
pub(super) fn word(kind: &str, what: Option<&str>) -> (String, Tone) {
    if kind == "ruling_made" {
        return ruled(what.unwrap_or_default());
    }
    let all = GROUPS.iter().flat_map(|group| group.events);
    let known = all.into_iter().find(|(name, ..)| *name == kind);
    match known {
        // How it ended stands in the words.
        Some((_, word, _)) if kind == "command_ran" => {
            let passed = what.is_some_and(|what| what.ends_with(" ended with 0"));
            ((*word).to_owned(), if passed { Tone::Good } else { Tone::Bad })
        }
        Some((_, word, tone)) => ((*word).to_owned(), *tone),
        None => (kind.replace('_', " "), Tone::Calm),
    }
}

/// What a ruling was about and why it came out so: its outcome has a word of its own.
pub(super) fn ruled_on(what: &str) -> (String, Option<&str>) {
    let (ruled, why) =
        what.split_once('\n').map_or((what, None), |(ruled, why)| (ruled, Some(why)));
    let on = ruled.split_once(' ').map_or(ruled, |(_, rest)| rest);
    let (kinds, gates) = on.rsplit_once(": ").unwrap_or((on.trim_end_matches(':'), ""));
    let plain: Vec<&str> = kinds.split(", ").filter(|kind| !kind.starts_with("tool:")).collect();
    let kinds = if plain.is_empty() { kinds.to_owned() } else { plain.join(", ") };
    // Where nothing stood in the way, no gate is named.
    (if gates.is_empty() { kinds } else { format!("{kinds} by {gates}") }, why)
}

fn ruled(what: &str) -> (String, Tone) {
    match what.split(' ').next().unwrap_or_default() {
        "deny" if what.starts_with("deny stop") => ("held".to_owned(), Tone::Bad),
        "deny" => ("denied".to_owned(), Tone::Bad),
        "warn" => ("warned".to_owned(), Tone::Warn),
        _ => ("allowed".to_owned(), Tone::Good),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_type_of_event_has_one_word() {
        let all: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.events.iter().map(|(kind, ..)| *kind)).collect();
        let once: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len());
        assert_eq!(word("something_new", None).0, "something new");
        assert_eq!(word("ruling_made", Some("deny stop: tests-pass")).0, "held");
        assert_eq!(word("ruling_made", Some("deny edit: plan")).0, "denied");
        assert_eq!(word("command_ran", Some("cargo test ended with 101")).1, Tone::Bad);
    }

    #[test]
    fn a_ruling_is_told_with_its_gates_and_its_reason() {
        let told = |what| ruled_on(what);
        let why = Some("no run was seen");
        assert_eq!(told("deny stop: a, b\nno run was seen"), ("stop by a, b".to_owned(), why));
        assert_eq!(told("warn edit, tool:Write: a"), ("edit by a".to_owned(), None));
        assert_eq!(told("allow tool:Bash: "), ("tool:Bash".to_owned(), None));
    }

    #[test]
    fn what_nobody_asks_for_is_left_out_unless_all_is_told() {
        assert!(!types(None).unwrap().contains(&"turn_started"));
        assert_eq!(types(Some("commits")).unwrap(), ["commit_added"]);
        assert_eq!(types(Some("all")), None);
        assert_eq!(types(Some("nothing like it")).unwrap(), [""; 0]);
    }
}
