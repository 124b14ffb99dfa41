//! What is done from pages, end to end: by the form of a page, as a browser sends it, it is done, recorded as a person's,
//! and shown; without the cookie, or by no form of ours, nothing is.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;

use serde_json::Value;
use waypost_testkit::TestEnv;
use waypost_testkit::serve::{Browser, Server};

/// A server beside a session, the project's id, and the session's.
fn served() -> (Server, String, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Add login");
    let listed = env.json(&["onboard", ".", "--json"]);
    let project = listed["projects"][0]["id"].as_str().unwrap().to_owned();
    (Server::of(env), project, session)
}

fn told(server: &Server, address: &str) -> Value {
    let (status, answer) = server.ask(&format!("GET /api{address}"), &[], "");
    assert_eq!(status, 200, "{address}: {answer}");
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// Whoever has not the cookie, or asks by no form of ours, is refused, whatever is asked.
fn refused(browser: &Browser<'_>, action: &str, fields: &str) {
    let carried = format!("form={}&{fields}", browser.form);
    assert_eq!(browser.send_as(action, &carried, None).0, 401, "{action} without the cookie");
    let cookie = format!("{}0", browser.cookie);
    assert_eq!(browser.send_as(action, &carried, Some(&cookie)).0, 401, "{action} with another");
    let other = format!("form={}&{fields}", "0".repeat(browser.form.len()));
    for fields in [other.as_str(), fields, &format!("form=&{fields}")] {
        let (status, answer) = browser.send_as(action, fields, Some(&browser.cookie));
        assert!(status == 403 && answer.contains("by no form"), "{action} {fields}: {answer}");
    }
}

/// What a browser asks for is done, and leads back to where it was asked.
fn done(browser: &Browser<'_>, action: &str, fields: &str) {
    let (status, answer) = browser.send(action, &format!("{fields}&back=/projects"));
    assert_eq!(status, 303, "{action}: {answer}");
    assert!(answer.lines().any(|line| line == "location: /projects"), "{action}: {answer}");
}

#[test]
fn what_is_done_to_a_session_is_recorded_as_a_persons_and_shown() {
    let (server, project, session) = served();
    let browser = server.open();
    let address = format!("/projects/{project}/sessions/{session}");
    let records = || fs::read_to_string(server.env.log_of(&session)).unwrap();
    let of = format!("project={project}&session={session}");
    for (action, fields, recorded, shown) in [
        ("note", "text=Keep+%3Cit%3E+short&kind=hint", "note_added", ("lifecycle", "active")),
        ("pause", "reason=Lunch&context=Go+on+there", "session_paused", ("lifecycle", "paused")),
        ("resume", "", "session_resumed", ("lifecycle", "active")),
        ("archive", "reason=All+done", "session_archived", ("lifecycle", "archived")),
    ] {
        let (fields, before) = (format!("{of}&{fields}"), records());
        refused(&browser, action, &fields);
        assert_eq!(records(), before, "{action}");
        done(&browser, action, &fields);
        let after = records();
        let new = after.strip_prefix(&before).unwrap_or_else(|| panic!("{action}: {after}"));
        let record = new.lines().find(|line| line.contains(&format!("\"{recorded}\"")));
        let record = record.unwrap_or_else(|| panic!("{action}: {new}"));
        assert!(record.contains("\"kind\":\"human\""), "{action}: {record}");
        let now = told(&server, &address);
        assert_eq!(now[shown.0], shown.1, "{action}: {now}");
    }
    assert_eq!(server.env.notes(&session), ["Keep <it> short"]);
    let (_, page) = browser.page(&address);
    for part in ["hint: Keep &lt;it&gt; short", "All done", "archived"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_current_session_is_chosen_and_none_is() {
    let (server, project, session) = served();
    let browser = server.open();
    let address = format!("/projects/{project}/sessions/{session}");
    let (none, it) = (format!("project={project}"), format!("project={project}&session={session}"));
    for (fields, is_current) in [(&none, false), (&it, true)] {
        refused(&browser, "switch", fields);
        assert_eq!(told(&server, &address)["current"], !is_current);
        done(&browser, "switch", fields);
        assert_eq!(told(&server, &address)["current"], is_current);
        let (_, page) = browser.page(&address);
        let offered = ["Make it the current one", "Let none be current"];
        assert_eq!(offered.map(|offer| page.contains(offer)), [!is_current, is_current], "{page}");
    }
}

#[test]
fn a_project_is_renamed_put_away_and_taken_out() {
    let (server, project, _) = served();
    let browser = server.open();
    let of = format!("project={project}");
    let named = |at: &str| told(&server, "/projects")[at][0]["name"].clone();
    let name = named("projects");
    for (action, more, at, is) in [
        ("rename", "&name=The+%3Cshop%3E", "projects", "The <shop>"),
        ("put_away", "", "archived", "The <shop>"),
        ("take_out", "", "projects", "The <shop>"),
        ("rename", "", "projects", name.as_str().unwrap()),
    ] {
        let (fields, before) = (format!("{of}{more}"), told(&server, "/projects"));
        refused(&browser, action, &fields);
        let now = told(&server, "/projects");
        assert_eq!(
            (&now["projects"][0]["name"], &now["archived"][0]["name"]),
            (&before["projects"][0]["name"], &before["archived"][0]["name"],)
        );
        done(&browser, action, &fields);
        assert_eq!(named(at), is, "{action}");
        let (_, page) = browser.page("/projects");
        assert!(page.contains(&is.replace('<', "&lt;").replace('>', "&gt;")), "{action}: {page}");
    }
    let listed = server.env.json(&["index", "status", "--json"]);
    assert_eq!(listed["projects"][0]["name"], name, "{listed}");
}

#[test]
fn a_folder_is_added_with_the_projects_below_it() {
    let (server, _, _) = served();
    let browser = server.open();
    let folder = server.env.project().parent().unwrap().join("more");
    let old = folder.join("old/agents/sessions/2026-02-14_dark-mode_a1b2c3");
    fs::create_dir_all(&old).unwrap();
    fs::write(
        old.join("state.json"),
        r#"{"session_id":"2026-02-14_dark-mode_a1b2c3","topic":"Dark mode","status":"active"}"#,
    )
    .unwrap();
    let fields = format!("path={}", folder.display());
    let projects = || told(&server, "/projects")["projects"].as_array().unwrap().len();
    refused(&browser, "onboard", &fields);
    assert_eq!(projects(), 1);
    let (status, answer) = browser.send("onboard", &fields);
    assert_eq!(status, 303, "{answer}");
    let to = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap().to_owned();
    assert!(to.starts_with("/projects/add?path="), "{to}");
    assert_eq!(projects(), 2);
    let (status, page) = browser.page(&to);
    assert!(status == 200 && page.contains("old"), "{page}");
    let (_, page) = browser.page("/search?q=dark");
    assert!(page.contains("2026-02-14_"), "{page}");
}

#[test]
fn everything_is_read_again_when_somebody_asks_for_it() {
    let (server, project, _) = served();
    let browser = server.open();
    refused(&browser, "scan", "");
    let later = server.env.start("Add logout");
    done(&browser, "scan", "");
    let found = told(&server, &format!("/projects/{project}"));
    assert!(found.to_string().contains(&later), "{found}");
}
