//! What a session works on, as its use cases are called: builds, focus, git, status, archiving.

use std::fs;

use serde_json::{Value, json};
use waypost_app::error::AppError;
use waypost_app::machine::caller::Caller;
use waypost_app::machine::host::Host;
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::end;
use waypost_app::sessions::focus;
use waypost_app::sessions::history;
use waypost_app::sessions::list::{self, Filter};
use waypost_app::sessions::pause;
use waypost_app::sessions::set_status;
use waypost_app::sessions::start;
use waypost_app::sessions::update_git;
use waypost_app::share::archive;
use waypost_app::tracks::build;
use waypost_app::view::View;
use waypost_core::command::{Command, FocusChange};
use waypost_core::event::{GitChanged, SessionEnded, SessionOutcome};
use waypost_core::next_step::Voice;
use waypost_core::session::Lifecycle;

use crate::world::World;

const GATE: &str =
    "[project]\n\n[[gate]]\nid = \"notes\"\nbefore = [\"end\"]\nproof = { file = \"NOTES.md\" }\n";

/// What the published copy says.
fn manifest(world: &World, session: &str) -> Value {
    let path = world.path(&format!("repo/agents/sessions/{session}/state.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn started(view: &View<'_>) -> String {
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    start::start(view, &begin).unwrap().session.to_string()
}

fn refused<T: std::fmt::Debug>(result: Result<T, AppError>) -> String {
    let error = result.unwrap_err();
    assert!(!error.hints.is_empty(), "{error}");
    error.full_text(Voice::PERSON)
}

on_each_store!(a_build_is_published_checkpoint_by_checkpoint);
fn a_build_is_published_checkpoint_by_checkpoint(world: &World) {
    world.put("repo/waypost.toml", "[project]\npublish = \"always\"\n");
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view);
    build::init(&view, None, Some(3)).unwrap();
    build::start_checkpoint(&view, Some(&id), 2).unwrap();
    let built = build::complete_checkpoint(&view, None, 3).unwrap();
    assert_eq!(built.warnings, Vec::<String>::new());
    let expected = json!({
        "checkpoints_total": 3,
        "checkpoints_completed": [3],
        "current_checkpoint": 2,
    });
    assert_eq!(manifest(world, &id)["build_progress"], expected);
    let built = build::complete_task(&view, None, "2.1.1").unwrap();
    assert_eq!((built.session.as_str(), built.version), (id.as_str(), 5));
    let progress = serde_json::to_value(built.progress).unwrap();
    assert_eq!(
        (&progress["current_checkpoint"], &progress["tasks_completed"]),
        (&json!(2), &json!(1))
    );
    let (_, entries) = history::of(&view, None).unwrap();
    let told: Vec<&str> = entries.iter().map(|entry| entry.summary.as_str()).collect();
    assert!(told.ends_with(&["checkpoint 3 completed", "task 2.1.1 completed"]), "{told:?}");
}

on_each_store!(what_does_not_fit_a_build_is_refused_with_a_next_step_and_leaves_no_record);
fn what_does_not_fit_a_build_is_refused_with_a_next_step_and_leaves_no_record(world: &World) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view).parse().unwrap();
    assert!(refused(build::start_checkpoint(&view, None, 1)).contains("waypost checkpoint init"));
    assert!(refused(build::init(&view, None, Some(0))).contains("1 to 1000 checkpoints, not 0"));
    build::init(&view, None, Some(2)).unwrap();
    build::complete_checkpoint(&view, None, 2).unwrap();
    let version = view.load(&id).unwrap().version;
    let told = refused(build::init(&view, None, Some(2)));
    assert!(told.contains("1 of its 2 checkpoints are completed"), "{told}");
    let told = refused(build::complete_checkpoint(&view, None, 2));
    assert!(told.contains("Next: go on with checkpoint 1"), "{told}");
    refused(build::complete_checkpoint(&view, None, 0));
    refused(build::start_checkpoint(&view, None, 3));
    assert_eq!(view.load(&id).unwrap().version, version);
}

on_each_store!(a_status_is_set_through_what_stands_before_it);
fn a_status_is_set_through_what_stands_before_it(world: &World) {
    world.put("repo/waypost.toml", &GATE.replace("[project]", "[project]\npublish = \"always\""));
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view);
    let set = |status: &str| set_status::set(&view, Some(&id), status);
    assert_eq!(set("paused").unwrap().lifecycle, Lifecycle::Paused);
    let pause = view.load(&id.parse().unwrap()).unwrap().pause.clone().unwrap();
    assert_eq!(pause.reason, "its status was set to paused");
    assert!(refused(set("paused")).contains("is paused"));
    assert_eq!(set("active").unwrap().lifecycle, Lifecycle::Active);
    assert!(refused(set("active")).contains("nothing to resume"));
    assert!(refused(set("complete")).contains("notes"), "the gate before the end is asked");
    world.put("repo/NOTES.md", "x");
    assert_eq!(set("complete").unwrap().lifecycle, Lifecycle::Completed);
    assert_eq!(manifest(world, &id)["status"], "complete");
    set("active").unwrap();
    assert_eq!(set("failed").unwrap().lifecycle, Lifecycle::Failed);
    for unknown in ["completed", "Active", "", "archived"] {
        assert!(refused(set(unknown)).contains("active, paused, complete, failed"));
    }
}

on_each_store!(git_changes_only_to_what_can_be);
fn git_changes_only_to_what_can_be(world: &World) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    started(&view);
    let update = |changed: GitChanged| update_git::update(&view, None, changed);
    let worktree = |name: &str| GitChanged { worktree: Some(name.into()), ..GitChanged::default() };
    assert!(refused(update(worktree("wt"))).contains("no linked work tree `wt`"));
    world.put("repo/.git/worktrees/wt/HEAD", "ref: refs/heads/x\n");
    assert!(refused(update(worktree("wt/../wt"))).contains("there are: wt"));
    refused(update(GitChanged::default()));
    let branch = |name: &str| GitChanged { branch: Some(name.into()), ..GitChanged::default() };
    assert!(refused(update(branch("a..b"))).contains("cannot be the name of a branch"));
    let changed = GitChanged {
        branch: Some("feature/login".into()),
        worktree: None,
        base_branch: Some("main".into()),
    };
    let (id, context, _) = update(changed).unwrap();
    assert_eq!(context.branch.as_deref(), Some("feature/login"));
    waypost_app::share::publish::publish(&view, &id).unwrap();
    let expected = json!({"branch": "feature/login", "worktree": null, "base_branch": "main"});
    assert_eq!(manifest(world, id.as_str())["git"], expected);
    let (_, context, _) = update(worktree("wt")).unwrap();
    assert_eq!(context.worktree.as_deref(), Some("wt"));
    let named = Some(id.as_str());
    let (_, context, _) = update_git::update(&view, named, worktree("")).unwrap();
    assert_eq!(context.worktree, None);
}

on_each_store!(the_focus_is_kept_and_shown);
fn the_focus_is_kept_and_shown(world: &World) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    started(&view);
    let change = |feature: Option<&str>, task: Option<&str>| FocusChange {
        feature: feature.map(str::to_owned),
        task: task.map(str::to_owned),
        workflow_phase: Some("implementation".to_owned()),
    };
    focus::set(&view, None, change(Some("login"), Some("form"))).unwrap();
    let (id, focus, _) = focus::set(&view, None, change(Some("search"), None)).unwrap();
    assert_eq!(focus.to_string(), "feature search, implementation");
    let status = waypost_app::standing::status::of(&view, None).unwrap();
    assert_eq!(status.focus, focus);
    waypost_app::share::publish::publish(&view, &id).unwrap();
    let expected = json!({"feature": "search", "workflow_phase": "implementation"});
    assert_eq!(manifest(world, id.as_str())["waypost"]["focus"], expected);
    assert!(refused(focus::set(&view, None, FocusChange::default())).contains("feature"));
}

on_each_store!(archiving_without_a_human_is_refused_and_recorded_nowhere);
fn archiving_without_a_human_is_refused_and_recorded_nowhere(world: &World) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view);
    // No test runs at a terminal of its own.
    let host = Host { markers: vec!["AI_AGENT"], ..world.host() };
    let as_agent = View::open(&host).unwrap();
    let told = refused(archive::archive(&as_agent, None, "a trial"));
    assert!(told.contains("for people"), "{told}");
    assert!(told.contains(&format!("waypost session delete {id} --reason")), "{told}");
    assert_eq!(view.load(&id.parse().unwrap()).unwrap().version, 1);
}

on_each_store!(what_was_put_away_is_listed_only_when_asked_for_and_goes_on_when_resumed);
fn what_was_put_away_is_listed_only_when_asked_for_and_goes_on_when_resumed(world: &World) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view).parse().unwrap();
    let archive = Command::Archive { reason: "a trial".into() };
    view.execute(&id, &view.actor(), archive).unwrap();
    let listed = |filter: &Filter| list::list(&view, filter).unwrap().sessions.len();
    assert_eq!(listed(&Filter::default()), 0);
    assert_eq!(listed(&Filter { all: true, ..Filter::default() }), 1);
    let archived = Some(Lifecycle::Archived);
    assert_eq!(listed(&Filter { lifecycle: archived, ..Filter::default() }), 1);
    let named = Some(id.as_str());
    assert!(refused(build::init(&view, named, Some(2))).contains("archived"));
    refused(pause::pause(&view, named, "x", None));
    let ended = SessionEnded { outcome: SessionOutcome::Failed, summary: None, next_notes: None };
    refused(end::end(&view, named, ended));
    refused(build::complete_task(&view, None, "1"));
    set_status::set(&view, named, "active").unwrap();
    assert_eq!(listed(&Filter::default()), 1);
    build::init(&view, None, Some(2)).unwrap();
}

on_each_store!(a_numbered_session_that_nobody_could_join_is_taken_by_whoever_asks_for_the_same);
fn a_numbered_session_that_nobody_could_join_is_taken_by_whoever_asks_for_the_same(world: &World) {
    world.put("repo/waypost.toml", "[project]\nprotocol = \"builtin\"\n");
    let host = Host { caller: Caller::Agent, ..world.host() };
    let view = View::open(&host).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    // As far as a server came that was killed right then.
    let orphan = view.start(&view.actor(), &Begin { numbered: true, ..begin }).unwrap();
    assert_eq!(start::start(&view, &begin).unwrap().session, orphan);
    assert!(refused(start::start(&view, &begin)).contains("Session already active"));
}

on_each_store!(a_session_is_found_however_many_others_were_busier_since);
fn a_session_is_found_however_many_others_were_busier_since(world: &World) {
    let host = world.host();
    let started = |name: &str| {
        let view = View::open(&host).unwrap();
        let begin = Begin { objective: Some(name), ..Begin::default() };
        view.start(&waypost_core::actor::Actor::Human, &begin).unwrap()
    };
    let first = started("the one that is meant");
    for number in 0..40 {
        let id = started(&format!("other {number}"));
        let view = View::open(&host).unwrap();
        pause::pause(&view, Some(id.as_str()), "later", None).unwrap();
    }
    let view = View::open(&host).unwrap();
    assert_eq!(view.session(None).unwrap().id, first);
}

on_each_store!(what_a_call_saw_before_others_went_on_is_not_written_down_as_what_is_there);
fn what_a_call_saw_before_others_went_on_is_not_written_down_as_what_is_there(world: &World) {
    let host = world.host();
    let id = started(&View::open(&host).unwrap());
    let early = View::open(&host).unwrap();
    early.session(Some(&id)).unwrap();
    pause::pause(&View::open(&host).unwrap(), Some(&id), "lunch", None).unwrap();
    fs::remove_dir_all(world.path("repo/.git/waypost/index")).unwrap();
    list::list(&early, &Filter::default()).unwrap();
    let late = View::open(&host).unwrap();
    let listed = list::list(&late, &Filter::default()).unwrap().sessions;
    assert_eq!(listed[0].lifecycle, Lifecycle::Paused, "{listed:?}");
}

on_each_store!(tidying_up_leaves_alone_what_another_process_is_just_writing);
fn tidying_up_leaves_alone_what_another_process_is_just_writing(world: &World) {
    let folder = "home/.local/state/waypost/processes";
    let (gone, begun) = (format!("{folder}/4194305"), format!("{folder}/4711.4712-0123abcd.tmp"));
    world.put(&gone, "of a process that cannot run any more");
    world.put(&begun, "");
    View::open(&world.host()).unwrap().registry().forget_old();
    assert!(!world.path(&gone).exists());
    assert!(world.path(&begun).exists());
}
