//! Git in the middle of a live conversation: no event is lost, nothing is denied because of it, and
//! what was proven stays proven for exactly the content that it was proven for.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

/// A conversation that changed a file on `main` and ran the checks afterwards; all is committed.
/// The branch `other` has one more file, and lacks `waypost.toml` and the change.
struct Conversation {
    env: TestEnv,
}

impl Conversation {
    fn new() -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.git(&["checkout", "-q", "-b", "other"]);
        env.write("other.txt", "of the other branch\n");
        env.git(&["add", "."]);
        env.git(&["commit", "-q", "-m", "other"]);
        env.git(&["checkout", "-q", "main"]);
        env.init();
        env.git(&["add", "-A"]);
        env.git(&["commit", "-q", "-m", "waypost"]);
        env.begin();
        env.edit("src/lib.txt", "two\n");
        assert_eq!(env.bash("./check.sh", "first").status, 0);
        env.git(&["commit", "-q", "-am", "two"]);
        let conversation = Self { env };
        assert!(conversation.is_proven(), "committing does not change the content");
        conversation
    }

    fn events(&self) -> Vec<Value> {
        let history = self.env.json(&["history", "--json"]);
        history["events"].as_array().cloned().unwrap_or_default()
    }

    /// Whether the checks count for the content as it is now.
    fn is_proven(&self) -> bool {
        self.env.before_bash("git commit -am x", "commit").denied().is_none()
    }

    /// Runs git, after which everything has to go on as if it had not.
    fn git(&self, args: &[&str]) {
        let before = self.events();
        self.env.git(args);
        let after = self.events();
        assert_eq!(after, before, "git {args:?}: no event is lost, none made up");
        let edit = self.env.before_edit(&self.env.project().join("src/new.txt"));
        assert_eq!((edit.status, edit.stdout.as_str()), (0, ""), "git {args:?}");
        let prompt = self.env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
        assert_eq!((prompt.status, prompt.held()), (0, None), "git {args:?}");
        assert_eq!(self.events()[..before.len()], before, "git {args:?}");
        self.env.ok(&["note", "add", &format!("after git {}", args.join(" "))]);
        self.env.ok(&["verify", "--all"]);
    }

    fn is_one_session(&self) {
        let sessions = self.env.json(&["list", "--all", "--json"]);
        assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{sessions}");
    }
}

#[test]
fn a_checkout_of_another_branch_and_back_changes_nothing() {
    let live = Conversation::new();
    live.git(&["checkout", "-q", "other"]);
    assert!(!live.env.project().join("waypost.toml").exists());
    assert!(!live.is_proven(), "the gates stay, and the content is another");
    live.git(&["checkout", "-q", "main"]);
    assert!(live.is_proven());
    live.git(&["checkout", "-q", "--detach", "main"]);
    assert!(live.is_proven(), "no branch, the same content");
    live.is_one_session();
}

#[test]
fn stash_with_untracked_files_takes_no_event_along() {
    let live = Conversation::new();
    live.env.edit("src/lib.txt", "three\n");
    live.env.edit("src/untracked.txt", "new\n");
    assert!(!live.is_proven());
    live.git(&["stash", "-q", "-u"]);
    assert!(live.is_proven(), "the content is back to what was checked");
    live.git(&["stash", "pop", "-q"]);
    assert!(!live.is_proven());
    assert!(live.env.stop().held().is_some());
    assert_eq!(live.env.bash("./check.sh", "again").status, 0);
    assert_eq!(live.env.stop().held(), None);
    live.git(&["stash", "-q", "-a"]);
    live.git(&["stash", "pop", "-q"]);
    assert!(live.is_proven());
    live.is_one_session();
}

#[test]
fn reset_and_clean_remove_no_event() {
    let live = Conversation::new();
    let rules = live.env.read(".git/info/exclude") + "*.ignored\n";
    live.env.write(".git/info/exclude", &rules);
    assert!(!live.is_proven(), "what is ignored is not what was ignored when it ran");
    assert_eq!(live.env.bash("./check.sh", "anew").status, 0);
    live.env.edit("src/lib.txt", "three\n");
    live.env.write("src/untracked.txt", "new\n");
    live.env.write("src/x.ignored", "ignored\n");
    assert!(!live.is_proven());
    live.git(&["reset", "-q", "--hard"]);
    assert!(!live.is_proven(), "the untracked file is still there");
    live.git(&["clean", "-q", "-xffd"]);
    assert!(!live.env.project().join("src/x.ignored").exists());
    assert!(live.is_proven());
    live.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert!(!live.is_proven());
    live.git(&["reset", "-q", "--hard", "ORIG_HEAD"]);
    assert!(live.is_proven());
    live.is_one_session();
}

#[test]
fn a_rebase_keeps_the_events_and_the_proof_follows_the_content() {
    let live = Conversation::new();
    live.git(&["rebase", "-q", "other"]);
    assert!(!live.is_proven(), "other.txt came in");
    live.env.ok(&["run", "--", "./check.sh"]);
    assert!(live.is_proven());
    // Other commits, the same content: reachability means nothing.
    live.git(&["commit", "-q", "--amend", "-m", "two, in other words"]);
    assert!(live.is_proven());
    live.git(&["rebase", "-q", "--force-rebase", "HEAD~2"]);
    assert!(live.is_proven());
    live.git(&["reflog", "expire", "--expire=now", "--all"]);
    live.git(&["gc", "-q", "--prune=now"]);
    assert!(live.is_proven());
    live.is_one_session();
}

#[test]
fn a_squash_merge_keeps_what_was_proven_on_the_branch() {
    let live = Conversation::new();
    live.git(&["checkout", "-q", "-b", "feature"]);
    for text in ["three\n", "four\n"] {
        live.env.edit("src/lib.txt", text);
        live.env.git_unasked(&["commit", "-q", "-am", text.trim()]);
    }
    assert!(!live.is_proven());
    assert_eq!(live.env.bash("./check.sh", "feature").status, 0);
    live.git(&["checkout", "-q", "main"]);
    assert!(live.is_proven(), "the content of the beginning, which passed then");
    live.git(&["merge", "-q", "--squash", "feature"]);
    assert!(live.is_proven(), "staged, and the content is that of the branch");
    live.git(&["commit", "-q", "-m", "feature"]);
    live.git(&["branch", "-q", "-D", "feature"]);
    assert!(live.is_proven());
    assert_eq!(live.env.stop().held(), None);
    live.is_one_session();
}

#[test]
fn a_second_work_tree_shares_the_streams_and_does_not_disturb() {
    let live = Conversation::new();
    live.git(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let second = live.env.project().with_file_name("second");
    let session = live.env.json(&["history", "--json"])["session_id"].clone();
    let session = session.as_str().unwrap_or_default();
    let verified = live.env.waypost_in(&second, &["verify", "--all"]);
    assert!(verified.status.success(), "{verified:?}");
    let noted = live.env.waypost_in(&second, &["note", "add", "from there", "--session", session]);
    assert!(noted.status.success(), "{noted:?}");
    assert!(live.env.notes(session).contains(&"from there".to_owned()));
    fs::write(second.join("src/lib.txt"), "changed there\n").unwrap();
    assert!(live.is_proven(), "what changed there did not change here");
    live.git(&["worktree", "remove", "--force", "../second"]);
    live.git(&["worktree", "prune"]);
    assert!(live.is_proven());
    live.is_one_session();
}

#[test]
fn a_bisect_goes_through_old_commits_and_comes_back() {
    let live = Conversation::new();
    for text in ["three\n", "four\n", "five\n"] {
        live.env.edit("src/lib.txt", text);
        live.env.git_unasked(&["commit", "-q", "-am", text.trim()]);
    }
    live.env.ok(&["run", "--", "./check.sh"]);
    assert!(live.is_proven());
    live.git(&["bisect", "start", "HEAD", "HEAD~4"]);
    assert!(!live.is_proven());
    live.git(&["bisect", "good"]);
    live.git(&["bisect", "bad"]);
    live.git(&["bisect", "reset"]);
    assert!(live.is_proven());
    live.is_one_session();
}
