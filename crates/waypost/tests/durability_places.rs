//! Odd places and odd names: Waypost works there, or refuses with what, why and what next, and then
//! changes nothing.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::picture::Picture;
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A folder beside the project.
fn beside(env: &TestEnv, name: &str) -> PathBuf {
    env.project().with_file_name(name)
}

fn git_in(env: &TestEnv, folder: &Path, args: &[&str]) {
    let allowed = ["-c", "protocol.file.allow=always"];
    let output = env.command("git", folder).args(allowed).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", everything(&output));
}

/// Runs a command that has to succeed, and gives its output.
fn ok_in(env: &TestEnv, folder: &Path, args: &[&str]) -> String {
    let output = env.waypost_in(folder, args);
    assert!(output.status.success(), "waypost {args:?}: {}", everything(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json_in(env: &TestEnv, folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&ok_in(env, folder, args)).unwrap()
}

/// The objectives of all sessions that a folder's project has.
fn objectives(env: &TestEnv, folder: &Path) -> Vec<String> {
    let listed = json_in(env, folder, &["list", "--all", "--json"]);
    let sessions = listed.as_array().unwrap().iter();
    sessions.map(|session| session["objective"].as_str().unwrap().to_owned()).collect()
}

/// Commands are refused with `status`, in the words of `why`, and change not a byte anywhere.
fn refused_with(env: &TestEnv, folder: &Path, commands: &[&[&str]], status: i32, why: &str) {
    let everywhere = env.project().parent().unwrap().to_owned();
    for args in commands {
        let shown: String = args.join(" ").chars().take(80).collect();
        let before = Picture::of(&[&everywhere]);
        let output = env.waypost_in(folder, args);
        let told = everything(&output);
        assert_eq!(output.status.code(), Some(status), "waypost {shown}: {told}");
        assert!(told.contains(why), "waypost {shown}: expected `{why}` in: {told}");
        assert!(told.contains("error: ") && told.contains(" next: "), "{shown}: {told}");
        let changes = before.changes(&Picture::of(&[&everywhere]));
        assert!(changes.is_empty(), "waypost {shown} changed something: {changes:#?}");
    }
}

/// Commands that read, and commands that would write.
const ALL: [&[&str]; 7] = [
    &["init"],
    &["start", "--objective", "x"],
    &["note", "add", "x"],
    &["run", "--", "touch", "made"],
    &["status"],
    &["list"],
    &["verify"],
];

#[test]
fn given_a_path_with_spaces_and_letters_of_other_scripts_everything_works() {
    let mut env =
        TestEnv::below(env!("CARGO_BIN_EXE_waypost"), "Söme 'odd' $(folder) 日本\u{a0}語");
    env.init();
    env.ok(&["doctor"]);
    env.begin();
    let session = env.json(&["start", "--objective", "Größe", "--json"])["session_id"].clone();
    let session = session.as_str().unwrap();
    env.ok(&["note", "add", "schön"]);
    env.edit("src/ein Name mit Ümläuten.txt", "two\n");
    let held = env.stop().held().unwrap();
    assert!(held.contains("waypost run -- ./check.sh"), "{held}");
    assert_eq!(env.bash("./check.sh", "one").status, 0);
    assert_eq!(env.stop().held(), None, "the run in the odd place counts");
    env.ok(&["run", "--", "./check.sh"]);
    assert_eq!(env.json(&["status", "--json"])["gates"][0]["status"], "met");
    assert_eq!(env.notes(session), ["schön"]);
    let own = env.before_edit(&env.project().join("waypost.toml")).denied().unwrap();
    assert!(own.contains("日本"), "the path is told as it is: {own}");

    // Below the project, the next step leads back to it, in words that a shell takes.
    env.edit("src/lib.txt", "three\n");
    let below = json!({"cwd": env.project().join("src"), "stop_hook_active": false});
    let held = env.hook("Stop", &below).json()["reason"].as_str().unwrap().to_owned();
    let next = held.lines().find_map(|line| line.trim().strip_prefix("Next: ")).unwrap().to_owned();
    let shell = env.command("sh", env.home()).args(["-c", &next]).output().unwrap();
    assert!(shell.status.success(), "{next}: {}", everything(&shell));

    let tree = beside(&env, "zweiter Ärbeitsbaum");
    env.git(&["worktree", "add", "-q", "-b", "zweig/ä", &tree.display().to_string()]);
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "none".into()));
    ok_in(&env, &tree, &["start", "--objective", "dort"]);
    ok_in(&env, &tree, &["run", "--", "./check.sh"]);
    let there = json_in(&env, &tree, &["status", "--json"]);
    assert_eq!((&there["branch"], &there["objective"]), (&json!("zweig/ä"), &json!("dort")));
    assert_eq!(objectives(&env, &tree).len(), 2, "one store for both");
    for folder in [env.project(), &tree] {
        ok_in(&env, folder, &["verify", "--all"]);
    }
}

#[test]
fn given_a_plain_folder_without_git_everything_works_and_stays_in_it() {
    let env = env();
    let plain = beside(&env, "plain");
    fs::create_dir_all(plain.join("deep/er")).unwrap();
    fs::write(plain.join("a.txt"), "one\n").unwrap();
    let project = Picture::of(&[env.project()]);
    fs::write(plain.join("waypost.toml"), waypost_testkit::GATE).unwrap();
    fs::copy(env.project().join("check.sh"), plain.join("check.sh")).unwrap();
    ok_in(&env, &plain, &["init"]);
    ok_in(&env, &plain.join("deep/er"), &["start", "--objective", "Plain"]);
    ok_in(&env, &plain, &["note", "add", "kept"]);
    ok_in(&env, &plain, &["run", "--", "./check.sh"]);
    let gate = || json_in(&env, &plain, &["status", "--json"])["gates"][0]["status"].clone();
    assert_eq!(gate(), "met");
    fs::write(plain.join("a.txt"), "two\n").unwrap();
    assert_eq!(gate(), "stale", "changes are seen without git, too");
    ok_in(&env, &plain, &["verify", "--all"]);
    assert!(plain.join(".waypost/sessions").is_dir());
    assert!(!plain.join(".git").exists());
    assert_eq!(project.changes(&Picture::of(&[env.project()])), [] as [String; 0]);
}

#[test]
fn given_a_bare_clone_every_command_is_refused_and_nothing_is_written_into_it() {
    let env = env();
    env.init();
    let bare = beside(&env, "bare.git");
    env.git(&["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    refused_with(&env, &bare, &ALL, 2, "bare.git is a git repository without a work tree");
    refused_with(&env, &bare.join("refs/heads"), &ALL, 2, "without a work tree");
    fs::write(bare.join("waypost.toml"), "[project]\n").unwrap();
    refused_with(&env, &bare, &ALL, 2, "without a work tree");
    let fields = json!({"cwd": bare, "tool_name": "Bash", "tool_input": {"command": "git gc"}});
    let before = Picture::of(&[&bare]);
    assert_eq!(env.hook("PreToolUse", &fields).stdout, "", "nobody set Waypost up here");
    assert_eq!(before.changes(&Picture::of(&[&bare])), [] as [String; 0]);
}

#[test]
fn given_a_work_tree_of_a_bare_clone_everything_works() {
    let env = env();
    let (bare, tree) = (beside(&env, "bare.git"), beside(&env, "tree"));
    env.git(&["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    git_in(&env, &bare, &["worktree", "add", "-q", &tree.display().to_string(), "main"]);
    for args in [&["init"][..], &["start", "--objective", "x"], &["run", "--", "true"]] {
        ok_in(&env, &tree, args);
    }
    ok_in(&env, &tree, &["verify", "--all"]);
    assert!(bare.join("waypost/sessions").is_dir());
}

#[test]
fn given_a_bare_repository_within_a_project_its_folder_belongs_to_the_project() {
    let env = env();
    env.init();
    env.git(&["clone", "-q", "--bare", ".", "fixture.git"]);
    let bare = env.project().join("fixture.git");
    let before = Picture::of(&[&bare]);
    ok_in(&env, &bare, &["start", "--objective", "Outer"]);
    assert_eq!(objectives(&env, env.project()), ["Outer"]);
    assert_eq!(before.changes(&Picture::of(&[&bare])), [] as [String; 0]);
}

/// An outer project with a submodule `sub`, and a linked work tree of it, all set up.
fn with_submodule(env: &TestEnv) -> [PathBuf; 4] {
    let (outer, tree) = (beside(env, "outer"), beside(env, "tree"));
    git_in(env, env.home(), &["init", "-q", "-b", "main", &outer.display().to_string()]);
    let origin = env.project().display().to_string();
    git_in(env, &outer, &["submodule", "--quiet", "add", &origin, "sub"]);
    git_in(env, &outer, &["commit", "-q", "-am", "sub"]);
    git_in(env, &outer, &["worktree", "add", "-q", &tree.display().to_string()]);
    git_in(env, &tree, &["submodule", "--quiet", "update", "--init"]);
    let folders = [outer.clone(), outer.join("sub"), tree.clone(), tree.join("sub")];
    for folder in &folders {
        ok_in(env, folder, &["init"]);
    }
    folders
}

#[test]
fn given_a_submodule_it_and_the_project_around_it_have_a_store_each() {
    let env = env();
    let [outer, sub, tree, tree_sub] = with_submodule(&env);
    for (folder, objective) in
        [(&outer, "Outer"), (&sub, "Inner"), (&tree, "Tree"), (&tree_sub, "Inner of the tree")]
    {
        ok_in(&env, folder, &["start", "--objective", objective]);
        ok_in(&env, folder, &["run", "--", "true"]);
    }
    assert_eq!(objectives(&env, &outer), ["Outer", "Tree"], "work trees share one");
    assert_eq!(objectives(&env, &tree), ["Outer", "Tree"]);
    assert_eq!(objectives(&env, &sub), ["Inner"]);
    assert_eq!(objectives(&env, &sub.join("src")), ["Inner"]);
    assert_eq!(objectives(&env, &tree_sub), ["Inner of the tree"], "git keeps these apart, too");
    assert!(outer.join(".git/waypost/sessions").is_dir());
    assert!(outer.join(".git/modules/sub/waypost/sessions").is_dir());
    for folder in [&outer, &sub, &tree, &tree_sub] {
        ok_in(&env, folder, &["verify", "--all"]);
    }
}

#[test]
fn given_a_git_file_that_leads_elsewhere_nothing_is_written_there() {
    let env = env();
    env.init();
    let tree = beside(&env, "tree");
    env.git(&["worktree", "add", "-q", &tree.display().to_string()]);
    let crafted = beside(&env, "crafted");
    fs::create_dir_all(crafted.join("own/worktrees/x")).unwrap();
    let victim = env.project().join(".git").display().to_string();
    let here = crafted.display();
    let does_not_know = "points to a repository that does not know this folder";
    let files = |content: &str, commondir: Option<&str>| {
        fs::write(crafted.join(".git"), content).unwrap();
        let _ = fs::remove_file(crafted.join("own/worktrees/x/commondir"));
        if let Some(commondir) = commondir {
            fs::write(crafted.join("own/worktrees/x/commondir"), commondir).unwrap();
        }
    };
    fs::write(crafted.join("own/worktrees/x/gitdir"), format!("{here}/.git\n")).unwrap();
    fs::write(crafted.join("own/worktrees/x/HEAD"), "ref: refs/heads/main\n").unwrap();
    for (content, commondir) in [
        (format!("gitdir: {victim}\n"), None),
        (format!("gitdir: {victim}/worktrees/tree\n"), None),
        ("gitdir: ../project/.git\n".to_owned(), None),
        (format!("gitdir: {here}/own/worktrees/x\n"), Some(format!("{victim}\n"))),
        ("gitdir: own/worktrees/x\n".to_owned(), Some(format!("{victim}/\n"))),
        ("gitdir: own/worktrees/x\n".to_owned(), Some("../../../../project/.git\n".to_owned())),
        ("gitdir: /no/such/place\n".to_owned(), None),
        ("gitdir: \n".to_owned(), None),
        ("nonsense".to_owned(), None),
        (String::new(), None),
    ] {
        files(&content, commondir.as_deref());
        refused_with(&env, &crafted, &ALL, 2, does_not_know);
        refused_with(&env, &crafted.join("own"), &ALL, 2, does_not_know);
    }
}

#[test]
fn given_a_link_in_the_place_of_git_folder_or_store_nothing_is_written_through_it() {
    let env = env();
    env.init();
    let linked = beside(&env, "linked");
    fs::create_dir_all(&linked).unwrap();
    symlink(env.project().join(".git"), linked.join(".git")).unwrap();
    refused_with(&env, &linked, &ALL, 2, "is a symbolic link");

    let (plain, elsewhere) = (beside(&env, "plain"), beside(&env, "elsewhere"));
    fs::create_dir_all(&plain).unwrap();
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(plain.join("waypost.toml"), "[project]\n").unwrap();
    symlink(&elsewhere, plain.join(".waypost")).unwrap();
    refused_with(&env, &plain, &ALL, 2, "is a symbolic link");

    fs::rename(env.store(), elsewhere.join("store")).unwrap();
    symlink(elsewhere.join("store"), env.store()).unwrap();
    refused_with(&env, env.project(), &ALL, 2, "is a symbolic link");
    let edit = env.before_edit(&env.project().join("src/lib.txt"));
    assert!(edit.denied().is_some_and(|why| why.contains("symbolic link")), "{edit:?}");
}

/// Ids that lead out of a folder, or are none for another reason.
const BAD_IDS: [&str; 17] = [
    "../x",
    "a/b",
    "/",
    "..",
    ".",
    "./x",
    "a\\b",
    "..\\x",
    "a\nb",
    "a b",
    "",
    "~",
    "*",
    "-",
    "%2e%2e",
    "2026-11-15_inside/..",
    "\u{ff0e}\u{ff0e}\u{2215}x",
];

#[test]
fn given_an_id_that_could_leave_its_folder_every_command_refuses_it() {
    let env = env();
    env.init();
    env.start("Inside");
    for id in BAD_IDS {
        let commands: [&[&str]; 9] = [
            &["status", "--", id],
            &["show", "--", id],
            &["history", "--", id],
            &["violations", "--", id],
            &["export", "--", id],
            &["pause", "--reason", "x", "--", id],
            &["resume", "--", id],
            &["end", "--", id],
            &["note", "add", "x", &format!("--session={id}")],
        ];
        refused_with(&env, env.project(), &commands, 1, "cannot be an id");
    }
}

#[test]
fn given_a_text_that_cannot_be_an_id_verify_refuses_it_as_every_command_does() {
    let env = env();
    env.init();
    env.start("Inside");
    for id in BAD_IDS {
        refused_with(&env, env.project(), &[&["verify", "--", id]], 1, "`");
    }
}

#[test]
fn given_a_prefix_that_fits_several_sessions_every_command_asks_for_more_of_it() {
    let env = env();
    env.init();
    let first = env.start("Same");
    env.start("Same");
    let prefix = &first[.."2026-11-15_same".len()];
    let commands: [&[&str]; 11] = [
        &["status", prefix],
        &["show", prefix],
        &["history", prefix],
        &["verify", prefix],
        &["violations", prefix],
        &["export", prefix],
        &["pause", "--reason", "x", prefix],
        &["resume", prefix],
        &["end", prefix],
        &["note", "add", "x", "--session", prefix],
        &["commit", "HEAD", "-m", "x", "--session", prefix],
    ];
    refused_with(&env, env.project(), &commands, 1, &format!("`{prefix}` fits "));
}

#[test]
fn given_a_secret_of_31_characters_every_command_says_how_long_it_has_to_be() {
    let mut env = env();
    env.init();
    let session = env.start("Signed");
    env.vars.push(("WAYPOST_SESSION_SECRET".into(), "ä".repeat(31)));
    let commands: [&[&str]; 10] = [
        &["init"],
        &["start", "--objective", "x"],
        &["note", "add", "x"],
        &["run", "--", "touch", "made"],
        &["status"],
        &["list"],
        &["show", &session],
        &["verify"],
        &["pause", "--reason", "x"],
        &["end"],
    ];
    let why = "the secret has 31 characters; at least 32 are needed";
    refused_with(&env, env.project(), &commands, 3, why);
    let told = everything(&env.waypost(&["status"]));
    assert!(told.contains("WAYPOST_SESSION_SECRET") && !told.contains("ää"), "{told}");
    let edit = env.before_edit(&env.project().join("src/lib.txt"));
    assert!(edit.denied().is_some_and(|reason| reason.contains("31 characters")), "{edit:?}");
    env.vars.clear();
    env.vars.push(("WAYPOST_SESSION_SECRET".into(), "ä".repeat(32)));
    env.ok(&["verify", "--all"]);
}

/// The system passes no argument above 128 KB, and no command reads a text from anywhere else: this
/// is as long as a text can get. The core's own tests go up to 10 MB.
#[test]
fn given_texts_of_a_hundred_kilobytes_every_command_says_how_long_they_may_be() {
    let env = env();
    env.init();
    let session = env.start("Short");
    // Whoever reads a session writes its snapshot, which is derived: that is done beforehand.
    env.ok(&["status", &session]);
    let long = "x".repeat(100 * 1024);
    let lines = "ä\n".repeat(35_000);
    for text in [&long, &lines] {
        let commands: [&[&str]; 7] = [
            &["start", "--objective", text],
            &["note", "add", text],
            &["note", "add", "x", "--kind", text],
            &["pause", "--reason", text],
            &["end", "--summary", text],
            &["end", "--next-notes", text],
            &["commit", "HEAD", "-m", text, "--session", &session],
        ];
        refused_with(&env, env.project(), &commands, 1, "at most");
    }
}

#[test]
fn given_an_argument_above_the_system_s_limit_nothing_is_even_started() {
    let env = env();
    env.init();
    let before = Picture::of(&[env.project(), env.home()]);
    let long = "x".repeat(10 * 1024 * 1024);
    let mut start = env.command(env!("CARGO_BIN_EXE_waypost"), env.project());
    let error = start.args(["start", "--objective", &long]).output().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ArgumentListTooLong);
    assert_eq!(before.changes(&Picture::of(&[env.project(), env.home()])), [] as [String; 0]);
}
