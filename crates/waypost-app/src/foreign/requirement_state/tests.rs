//! Tests of what files tell together.

use serde_json::{Value, json};
use waypost_core::time::Timestamp;

use super::*;
use crate::foreign::mutations::each_mutation;
use crate::foreign::session::times::Times;

const UUID: &str = "cad0ac4d-0f3a-4c55-9a51-2d7a6f1e0c11";

fn branch(name: &str, key: &str, at: i64) -> Value {
    json!({
        "version": "2.0", "branch": name, "project": "/home/dev/repo", "created_at": 1_794_729_325, "updated_at": at,
        "requirements": {
            "commit plan": {"scope": "session", "sessions": {(key): {
                "satisfied": true, "satisfied_at": at, "satisfied_by": "skill", "metadata": {"skill": "review"},
                "expires_at": at + 3600, "triggered": true}}},
            "ticket": {"scope": "branch", "satisfied": true, "satisfied_at": at, "satisfied_by": "cli",
                "metadata": {"ticket": "#12"}, "expires_at": null},
            "licence": {"scope": "permanent", "satisfied": true, "satisfied_at": at},
            "guard": {"scope": "session", "sessions": {(key): {"triggered": true, "triggered_at": at}}},
            "push": {"scope": "single_use", "sessions": {}},
            "odd": {"scope": 7, "sessions": []},
        }
    })
}

fn registry() -> Value {
    json!({"version": "1.0", "sessions": {(UUID): {"pid": 1, "ppid": 2, "project_dir": "/home/dev/repo",
        "branch": "feature/auth", "started_at": 1_794_729_327, "last_active": 1_794_729_400}}})
}

fn metrics() -> Value {
    json!({"version": "1.0", "session_id": "cad0ac4d", "branch": "feature/auth", "started_at": 1_794_729_326,
        "ended_at": null, "tools": {"Edit": {"count": 3, "blocked_count": 2}},
        "requirements": {"commit_plan": {"blocked_count": 1}}, "errors": ["it broke"],
        "skills": [{"name": "review", "timestamp": 1_794_729_326}], "unknown": {"kept": [1, 2]}})
}

fn pause() -> Value {
    json!({"paused_at": "2026-11-15T07:56:04.061697+00:00", "reason": "hotfix"})
}

fn part(name: &str, value: &Value) -> (String, Part) {
    let text = value.to_string();
    let file = ForeignFile::of(name, name, text.as_bytes()).unwrap();
    (name.to_owned(), read(&file).unwrap().unwrap())
}

fn times(test: impl Fn(&Times<'_>)) {
    test(&Times::new(&|_: Timestamp| 0));
}

#[test]
fn what_files_tell_of_one_session_is_one_session_whatever_their_order() {
    let parts = [
        part("feature-auth.json", &branch("feature/auth", "cad0ac4d", 1_794_729_326)),
        part("newer.json", &branch("other", UUID, 1_794_729_999)),
        part("sessions.json", &registry()),
        part("sessions_cad0ac4d.metrics.json", &metrics()),
        part("cad0ac4d.paused", &pause()),
    ];
    times(|times| {
        let told = |parts: Vec<(String, Part)>| {
            let combined = combine(parts, times);
            (format!("{:?}", combined.sessions), combined.shared)
        };
        let mut backwards = parts.to_vec();
        backwards.reverse();
        assert_eq!(told(parts.to_vec()), told(backwards));
        let combined = combine(parts.to_vec(), times);
        let names: Vec<&str> = combined.sessions.iter().map(|(one, _)| one.name.as_str()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        let (session, paths) = &combined.sessions[2];
        assert_eq!((session.name.as_str(), paths.len()), ("requirements_cad0ac4d", 5));
        let [mark] = &session.past.satisfied[..] else { panic!("{:?}", session.past.satisfied) };
        assert_eq!(mark.gate, "commit-plan");
        assert_eq!(mark.time.unwrap().to_string(), "2026-11-15T08:06:39.000Z", "the newer wins");
        assert_eq!(mark.conversation.as_ref().unwrap().as_str(), UUID);
        assert_eq!(session.past.conversations[0].conversation.as_str(), UUID);
        assert!(session.remarks[0].contains("hotfix"));
        assert_eq!(
            session.original["sessions_cad0ac4d.metrics.json"]["unknown"],
            json!({"kept": [1, 2]})
        );
        let cut = &session.original["feature-auth.json"]["requirements"];
        assert_eq!(cut["guard"]["sessions"]["cad0ac4d"]["triggered"], true);
        assert_eq!(session.manifest["status"], "active");
    });
}

#[test]
fn what_counts_beyond_a_session_is_told_apart_by_branch() {
    times(|times| {
        let parts = vec![
            part("a.json", &branch("feature/auth", "cad0ac4d", 1_794_729_326)),
            part("b.json", &branch("feature-auth", "cad0ac4d", 1_794_729_327)),
        ];
        let combined = combine(parts, times);
        let shared: Vec<(&str, &str)> =
            combined.shared.iter().map(|one| (one.branch.as_str(), one.gate.as_str())).collect();
        assert_eq!(
            shared,
            [("", "licence"), ("feature-auth", "ticket"), ("feature/auth", "ticket")]
        );
        let branches: Vec<&Value> = combined
            .sessions
            .iter()
            .filter(|(one, _)| one.name.starts_with("requirements_branch_"))
            .map(|(one, _)| one.original.values().next().unwrap())
            .collect();
        assert_eq!(branches.len(), 2);
        assert!(branches.iter().all(|whole| whole["requirements"]["odd"]["scope"] == 7));
    });
}

#[test]
fn an_older_file_of_a_branch_is_kept_and_does_not_count() {
    times(|times| {
        let mut newer = branch("main", "cad0ac4d", 1_794_729_999);
        newer["requirements"]["commit plan"]["sessions"] = json!({});
        newer["requirements"]["ticket"]["satisfied"] = json!(false);
        let older = branch("main", "cad0ac4d", 1_794_729_326);
        let mut elsewhere = branch("main", "8f9a1b2c", 1_794_729_000);
        elsewhere["project"] = json!("/home/dev/another");
        let parts = vec![
            part("a/main.json", &newer),
            part("b/main.json", &older),
            part("c/main.json", &elsewhere),
        ];
        let combined = combine(parts, times);
        let named = |name: &str| {
            &combined.sessions.iter().find(|(one, _)| one.name.starts_with(name)).unwrap().0
        };
        assert_eq!(named("requirements_cad0ac4d").past.satisfied, []);
        assert_eq!(named("requirements_8f9a1b2c").past.satisfied.len(), 1);
        let whole = named("requirements_branch_main");
        assert_eq!(whole.original.len(), 3, "{:?}", whole.original.keys());
        assert!(whole.remarks.iter().any(|told| told.contains("does not count")));
    });
}

#[test]
fn a_session_keeps_what_files_of_the_same_name_say() {
    times(|times| {
        let parts = vec![
            part("a/feature-auth.json", &branch("feature/auth", "cad0ac4d", 1_794_729_326)),
            part("b/feature-auth.json", &branch("feature-auth", UUID, 1_794_729_327)),
            part("sessions.json", &registry()),
        ];
        let combined = combine(parts, times);
        let (session, _) =
            combined.sessions.iter().find(|(one, _)| one.name == "requirements_cad0ac4d").unwrap();
        let branches: Vec<&Value> =
            session.original.values().filter_map(|file| file.get("branch")).collect();
        assert_eq!(branches, ["feature/auth", "feature-auth"]);
        assert_eq!(session.original["sessions.json"]["version"], "1.0");
        assert_eq!(session.manifest["git"]["branch"], "feature/auth", "it was there last");
    });
}

#[test]
fn a_session_is_one_by_its_uuid_and_by_its_beginning_alone() {
    times(|times| {
        let keys = [
            "CAD0AC4D-0f3a-4c55-9a51-2d7a6f1e0c11",
            "cad0ac4d0f3a4c559a512d7a6f1e0c11",
            "cad0ac4d",
        ];
        let others = ["session-one", "session-two", "abc"];
        let parts = keys.iter().chain(&others).enumerate();
        let parts = parts.map(|(at, key)| {
            part(&format!("{at}.json"), &branch(&format!("b{at}"), key, 1_794_729_326))
        });
        let combined = combine(parts.collect(), times);
        let names = combined.sessions.iter().map(|(one, _)| one.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.contains("_branch_")).collect();
        assert_eq!(
            names,
            [
                "requirements_abc",
                "requirements_cad0ac4d",
                "requirements_sessionone",
                "requirements_sessiontwo"
            ]
        );
    });
}

#[test]
fn a_pause_counts_whatever_is_in_its_file() {
    times(|times| {
        for (text, reason) in
            [("", "no reason given"), ("lunch\n", "lunch"), ("{}", "no reason given")]
        {
            let file = ForeignFile::of("cad0ac4d.paused", "x", text.as_bytes()).unwrap();
            let parts = vec![("cad0ac4d.paused".to_owned(), read(&file).unwrap().unwrap())];
            let combined = combine(parts, times);
            let (session, _) = &combined.sessions[0];
            assert!(session.remarks[0].contains(reason), "{:?}", session.remarks);
        }
    });
}

#[test]
fn other_files_are_none_of_the_framework() {
    for other in [
        json!({"session_id": "x", "current_phase": "spec", "topic": "x"}),
        json!({"requirements": []}),
        json!({"sessions": {"a": {"x": 1}}, "version": "1"}),
        json!([1]),
    ] {
        let text = other.to_string();
        let file = ForeignFile::of("x.json", "x.json", text.as_bytes()).unwrap();
        assert_eq!(read(&file), None, "{text}");
    }
    let config = "version: '1.0'\nrequirements:\n  plan:\n    enabled: true\n";
    assert!(is_config(&ForeignFile::of("requirements.yaml", "x", config.as_bytes()).unwrap()));
}

#[test]
fn damaged_files_are_read_or_not() {
    let kinds = [
        ("a.json", branch("main", "cad0ac4d", 1)),
        ("sessions.json", registry()),
        ("m.json", metrics()),
        ("cad0ac4d.paused", pause()),
    ];
    times(|times| {
        for (name, value) in &kinds {
            each_mutation(&value.to_string(), 10_000, |bytes| {
                let Ok(file) = ForeignFile::of(name, name, bytes) else { return };
                if let Some(Ok(part)) = read(&file) {
                    let _ = combine(vec![((*name).to_owned(), part)], times);
                }
            });
        }
    });
}
