//! What a session works on, as its use cases are called: builds, focus, git, status, archiving.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "tests look at what they made")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_app::error::AppError;
use waypost_app::machine::caller::Caller;
use waypost_app::machine::host::{Clock, Host};
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
use waypost_core::session::Lifecycle;
use waypost_core::time::Timestamp;

const GATE: &str =
    "[project]\n\n[[gate]]\nid = \"notes\"\nbefore = [\"end\"]\nproof = { file = \"NOTES.md\" }\n";

/// A repository and a home, for one test.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.put("repo/.git/HEAD", "ref: refs/heads/main\n");
        world.put("repo/waypost.toml", "[project]\n");
        world
    }

    fn put(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn host(&self) -> Host {
        let home = self.path("home");
        let time = Timestamp::from_millis(1_800_000_000_000).unwrap();
        Host::from_env(self.path("repo"), "waypost".into(), Clock::Fixed(time), |name| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "WAYPOST_SESSION_SECRET" => Some("0123456789abcdef0123456789abcdef".into()),
            _ => None,
        })
    }

    fn manifest(&self, session: &str) -> Value {
        let path = self.path(&format!("repo/agents/sessions/{session}/state.json"));
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }
}

fn started(view: &View<'_>) -> String {
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    start::start(view, &begin).unwrap().session.to_string()
}

fn refused<T: std::fmt::Debug>(result: Result<T, AppError>) -> String {
    let error = result.unwrap_err();
    assert!(!error.hints.is_empty(), "{error}");
    error.full_text()
}

#[test]
fn a_build_is_published_checkpoint_by_checkpoint() {
    let world = World::new();
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
    assert_eq!(world.manifest(&id)["build_progress"], expected);
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

#[test]
fn what_does_not_fit_a_build_is_refused_with_a_next_step_and_leaves_no_record() {
    let world = World::new();
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view).parse().unwrap();
    assert!(refused(build::start_checkpoint(&view, None, 1)).contains("session_init_build"));
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

#[test]
fn a_status_is_set_through_what_stands_before_it() {
    let world = World::new();
    world.put("repo/waypost.toml", GATE);
    let host = world.host();
    let view = View::open(&host).unwrap();
    let id = started(&view);
    let set = |status: &str| set_status::set(&view, Some(&id), status);
    assert_eq!(set("paused").unwrap().lifecycle, Lifecycle::Paused);
    let pause = view.load(&id.parse().unwrap()).unwrap().pause.clone().unwrap();
    assert_eq!(pause.reason, "set by session_set_status");
    assert!(refused(set("paused")).contains("is paused"));
    assert_eq!(set("active").unwrap().lifecycle, Lifecycle::Active);
    assert!(refused(set("active")).contains("nothing to resume"));
    assert!(refused(set("complete")).contains("notes"), "the gate before the end is asked");
    world.put("repo/NOTES.md", "x");
    assert_eq!(set("complete").unwrap().lifecycle, Lifecycle::Completed);
    assert_eq!(world.manifest(&id)["status"], "complete");
    set("active").unwrap();
    assert_eq!(set("failed").unwrap().lifecycle, Lifecycle::Failed);
    for unknown in ["completed", "Active", "", "archived"] {
        assert!(refused(set(unknown)).contains("active, paused, complete, failed"));
    }
}

#[test]
fn git_changes_only_to_what_can_be() {
    let world = World::new();
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
    assert!(refused(update(branch("a..b"))).contains("no name that a branch can have"));
    let changed = GitChanged {
        branch: Some("feature/login".into()),
        worktree: None,
        base_branch: Some("main".into()),
    };
    let (id, context, _) = update(changed).unwrap();
    assert_eq!(context.branch.as_deref(), Some("feature/login"));
    waypost_app::share::publish::publish(&view, &id).unwrap();
    let expected = json!({"branch": "feature/login", "worktree": null, "base_branch": "main"});
    assert_eq!(world.manifest(id.as_str())["git"], expected);
    let (_, context, _) = update(worktree("wt")).unwrap();
    assert_eq!(context.worktree.as_deref(), Some("wt"));
    let named = Some(id.as_str());
    let (_, context, _) = update_git::update(&view, named, worktree("")).unwrap();
    assert_eq!(context.worktree, None);
}

#[test]
fn the_focus_is_kept_and_shown() {
    let world = World::new();
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
    assert_eq!(world.manifest(id.as_str())["waypost"]["focus"], expected);
    assert!(refused(focus::set(&view, None, FocusChange::default())).contains("feature"));
}

#[test]
fn archiving_without_a_human_is_refused_and_recorded_nowhere() {
    let world = World::new();
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

#[test]
fn what_was_put_away_is_listed_only_when_asked_for_and_goes_on_when_resumed() {
    let world = World::new();
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

#[test]
fn a_numbered_session_that_nobody_could_join_is_taken_by_whoever_asks_for_the_same() {
    let world = World::new();
    world.put("repo/waypost.toml", "[project]\nprotocol = \"builtin\"\n");
    let host = Host { caller: Caller::Agent, ..world.host() };
    let view = View::open(&host).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    // As far as a server came that was killed right then.
    let orphan = view.start(&view.actor(), &Begin { numbered: true, ..begin }).unwrap();
    assert_eq!(start::start(&view, &begin).unwrap().session, orphan);
    assert!(refused(start::start(&view, &begin)).contains("Session already active"));
}

#[test]
fn a_session_is_found_however_many_others_were_busier_since() {
    let world = World::new();
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
