//! A session's page over HTTP: what it tells of each sort of session, that what was written for it is shown as text, and
//! that nothing outside of its folder is. How it looks is tested with a real browser.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::os::unix::fs::symlink;

use serde_json::Value;
use waypost_testkit::TestEnv;
use waypost_testkit::serve::Server;

const ASKS: &str = "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\", \"stop\"]\nproof = { approval = \"local\" }\nmessage = \"Deploys wait for a person.\"\n";
const TABS: [&str; 10] = [
    "overview",
    "files",
    "gates",
    "evidence",
    "decisions",
    "violations",
    "touched",
    "cost",
    "brief",
    "verify",
];
const PHASES: [&str; 4] = ["spec", "plan", "build", "docs"];

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A server whose index has everything that is there, and the address of the project.
fn served(env: TestEnv) -> (Server, String) {
    // What is damaged makes it fail, and everything else is read all the same.
    let listed = env.waypost(&["onboard", ".", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let project = listed["projects"][0]["id"].as_str().unwrap();
    let address = format!("/projects/{project}/sessions");
    (Server::of(env), address)
}

fn asked(server: &Server, address: &str) -> Value {
    let (status, answer) = server.ask(&format!("GET /api{address}"), &[], "");
    assert_eq!(status, 200, "{address}: {answer}");
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

fn shown(server: &Server, address: &str) -> (u16, String) {
    server.ask(&format!("GET {address}"), &[], "")
}

fn kinds(told: &Value) -> Vec<&str> {
    let events = told["overview"]["events"].as_array().unwrap();
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

#[test]
fn what_happened_is_told_the_latest_first_by_its_kind_and_in_parts() {
    let env = env();
    env.init_with(ASKS);
    let session = env.start("Deploy <b>it</b>");
    for number in 0..63 {
        env.ok(&["note", "add", &format!("note {number}")]);
    }
    env.ok(&["run", "--", "./check.sh"]);
    let (server, sessions) = served(env);
    let address = format!("{sessions}/{session}");
    let told = asked(&server, &address);
    assert_eq!(told["session_id"], session.as_str());
    assert_eq!(told["kept"], "live");
    assert_eq!(told["standing"]["open"], serde_json::json!(["deploy"]), "{told}");
    assert_eq!(kinds(&told)[..2], ["command_ran", "note_added"]);
    let notes = asked(&server, &format!("{address}?kind=notes"));
    assert_eq!(kinds(&notes), ["note_added"; 60]);
    let before = &notes["overview"]["before"];
    let rest = asked(&server, &format!("{address}?kind=notes&before={before}"));
    assert_eq!(kinds(&rest), ["note_added"; 3]);
    assert_eq!(rest["overview"]["before"], Value::Null);
    assert_eq!(rest["overview"]["events"][2]["what"], "note: note 0");
    assert_eq!(kinds(&asked(&server, &format!("{address}?kind=commits"))), [""; 0]);
    let (status, page) = shown(&server, &address);
    assert!(status == 200 && page.contains("Deploy &lt;b&gt;it&lt;/b&gt;"), "{page}");
    assert!(!page.contains("<b>it"), "{page}");
}

#[test]
fn what_was_written_is_shown_as_text_and_nothing_outside_of_its_folder() {
    let env = env();
    env.init_with("[project]\npublish = \"always\"\n");
    let session = env.start("Write it down");
    let folder = env.copy_of(&session);
    let below = folder.strip_prefix(env.project()).unwrap().to_str().unwrap().to_owned();
    env.write(
        &format!("{below}/spec.md"),
        "# <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1))\n\n## Open Questions\n\n- [ ] Which port?\n",
    );
    env.write(&format!("{below}/research/found.md"), "# Found\n\n<svg onload=alert(1)>\n");
    env.write("outside.md", "not for pages");
    symlink(env.project().join("outside.md"), folder.join("research/link.md")).unwrap();
    symlink(env.project(), folder.join("debug/all")).unwrap();
    let (server, sessions) = served(env);
    let address = format!("{sessions}/{session}");
    let (status, spec) = shown(&server, &format!("{address}?phase=spec"));
    assert!(status == 200 && spec.contains("&lt;script&gt;alert(1)"), "{spec}");
    assert!(spec.contains("open question"), "{spec}");
    let (status, file) = shown(&server, &format!("{address}?tab=files&file=research/found.md"));
    assert!(status == 200 && file.contains("&lt;svg onload=alert(1)&gt;"), "{file}");
    for page in [spec, file] {
        let scripts = page.matches("<script").count();
        assert_eq!(scripts, page.matches("<script defer src=\"/assets/").count(), "{page}");
        assert!(!page.contains("<img") && !page.contains("<svg onload"), "{page}");
        assert!(!page.contains("href=\"javascript"), "{page}");
    }
    let told = asked(&server, &format!("{address}?tab=files"));
    let listed = told["files"]["files"].to_string();
    assert!(listed.contains("research/found.md") && !listed.contains("link.md"), "{listed}");
    for file in [
        "research/link.md",
        "debug/all/outside.md",
        "../../../outside.md",
        "research/../../../../outside.md",
        "/etc/passwd",
        "research",
        "research/%00",
        ".git/config",
        "research/nothing.md",
    ] {
        let (status, page) = shown(&server, &format!("{address}?tab=files&file={file}"));
        assert_eq!(status, 404, "{file}: {page}");
        assert!(!page.contains("not for pages"), "{file}: {page}");
    }
}

#[test]
fn every_part_answers_for_every_sort_of_session_and_says_what_sort_it_is() {
    let env = env();
    env.init_with(ASKS);
    env.ok(&["start", "--objective", "Sound", "--workflow", "full"]);
    let live = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    env.ok(&["switch", "--none"]);
    let damaged = env.start("Damaged");
    env.ok(&["note", "add", "as it was"]);
    let log = env.log_of(&damaged);
    let text = std::fs::read_to_string(&log).unwrap().replace("as it was", "as it is!");
    std::fs::write(&log, text).unwrap();
    let legacy = "2026-02-19_older_enr0i6";
    env.write(
        &format!("agents/sessions/{legacy}/state.json"),
        r#"{"session_id":"2026-02-19_older_enr0i6","topic":"Older","current_phase":"build","status":"active",
            "doc_updates":[{"path":"README.md","done":true}]}"#,
    );
    let (server, sessions) = served(env);
    for (session, kept) in [(live.as_str(), "live"), (&damaged, "damaged"), (legacy, "legacy")] {
        let address = format!("{sessions}/{session}");
        let parts = TABS.iter().map(|tab| format!("?tab={tab}"));
        for part in parts.chain(PHASES.iter().map(|phase| format!("?phase={phase}"))) {
            let (status, page) = shown(&server, &format!("{address}{part}"));
            assert_eq!(status, 200, "{kept} {part}: {page}");
            let told = asked(&server, &format!("{address}{part}"));
            assert_eq!(told["kept"], kept, "{part}: {told}");
            assert_eq!(told["standing"].is_null(), kept != "live", "{part}: {told}");
            let here = told["tabs"].as_array().unwrap().iter().filter(|tab| tab["here"] == true);
            assert_eq!(here.count(), 1, "{kept} {part}: {told}");
        }
        let (status, _) = shown(&server, &format!("{address}?phase=nothing"));
        assert_eq!(status, 404);
        let (status, _) = shown(&server, &format!("{address}?tab=nothing"));
        assert_eq!(status, 400);
    }
    let told = asked(&server, &format!("{sessions}/{damaged}"));
    assert!(told["way_out"].to_string().contains("waypost repair"), "{told}");
    let told = asked(&server, &format!("{sessions}/{damaged}?tab=verify"));
    assert!(told["verify"]["verified"][0]["faults"].to_string().contains("record"), "{told}");
    let told = asked(&server, &format!("{sessions}/{legacy}?phase=docs"));
    let updates = &told["phase"]["content"]["docs"]["doc_updates"];
    assert_eq!(updates[0]["path"], "README.md", "{told}");
}

#[test]
fn a_gate_that_waits_is_offered_with_exactly_what_would_be_approved() {
    let env = env();
    env.init_with(ASKS);
    let session = env.start("Deploy it");
    env.begin();
    assert!(env.before_edit(&env.project().join("src/lib.txt")).denied().is_some());
    let (server, sessions) = served(env);
    let address = format!("{sessions}/{session}");
    let told = asked(&server, &format!("{address}?tab=gates"));
    assert_eq!(told["gates"]["past"]["deploy"]["held"], 1, "{told}");
    let offer = &told["gates"]["offers"][0];
    let (_, page) = shown(&server, &format!("{address}?tab=gates"));
    assert!(page.contains("Approve exactly this"), "{page}");
    let hash = offer["hash"].as_str().unwrap();
    assert!(page.contains(&format!("name=\"shown\" value=\"{hash}\"")), "{page}");
    let (status, json) = server.ask("GET /api/openapi.json", &[], "");
    assert!(status == 200 && json.contains("/api/projects/{project}/sessions/{session}"), "{json}");
}

#[test]
fn a_session_is_taken_away_as_one_page_that_runs_nothing() {
    let env = env();
    env.init_with(ASKS);
    let session = env.start("Take <script>it</script> away");
    let (server, sessions) = served(env);
    let address = format!("GET {sessions}/{session}/export.html");
    let (status, answer) = server.ask(&address, &[], "");
    assert_eq!(status, 200, "{answer}");
    let lower = answer.to_lowercase();
    assert!(lower.contains(&format!("attachment; filename=\"{session}.html\"")), "{answer}");
    assert!(lower.contains("content-security-policy: default-src 'none'"), "{answer}");
    assert!(answer.contains("Take &lt;script&gt;it") && !answer.contains("<script"), "{answer}");
    assert_eq!(server.ask(&address, &[("Authorization", None)], "").0, 401);
    let (status, _) = shown(&server, &format!("{sessions}/2026-11-19_nothing_abcdef/export.html"));
    assert_eq!(status, 404);
}
