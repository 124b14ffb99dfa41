//! Two copies of one repository: one with Waypost, one with plain git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use waypost_testkit::TestEnv;

use crate::state::{self, State};
use crate::steps::Step;

/// Which other hooks a repository has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hooks {
    None,
    /// A `pre-commit` that brings files into shape and stages them again, as lint-staged does.
    Formatting,
    /// A folder of hooks in the work tree that git ignores, as husky's.
    Husky,
    /// A `reference-transaction` of somebody else's, which writes down what it is told.
    Listening,
}

const FORMATTING: &str = "#!/bin/sh
git diff --cached --name-only --diff-filter=ACM | while read -r file; do
    sed -i 's/ *$//' \"$file\" && git add -- \"$file\"
done
";
const LISTENING: &str = "#!/bin/sh
[ -d .git ] && log=.git/listened || log=$(git rev-parse --git-common-dir)/listened
{ echo \"$1\"; cat; } >> \"$log\"
";

/// What `waypost init` would write there.
const ATTRIBUTES: &str = "# Waypost: published copies of sessions
/agents/sessions/*/state.json linguist-generated -diff merge=binary
/agents/sessions/*/events.jsonl linguist-generated -diff merge=binary
";

/// A repository as both copies begin with it, a remote, and somebody else's clone of that.
pub(crate) struct Template {
    folder: tempfile::TempDir,
    hooks: Hooks,
}

impl Template {
    pub(crate) fn new(hooks: Hooks, config: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let template = Self { folder, hooks };
        let base = template.base();
        fs::create_dir_all(base.join("home")).unwrap();
        fs::create_dir_all(base.join("project/dir")).unwrap();
        fs::write(
            base.join("home/.gitconfig"),
            "[user]\nname=T\nemail=t@example.com\n[core]\nfsync=none\n[gc]\nauto=0\n[maintenance]\nauto=false\n[init]\ndefaultBranch=main\ntemplateDir=\n\
             [rebase]\nstat=false\n[protocol \"file\"]\nallow=always\n",
        )
        .unwrap();
        for file in ["a.txt", "b.txt", "dir/c.txt"] {
            fs::write(base.join("project").join(file), "1\n2\n3\n4\n5\n6\n").unwrap();
        }
        fs::write(base.join("project/waypost.toml"), config).unwrap();
        fs::write(base.join("project/.gitattributes"), ATTRIBUTES).unwrap();
        let begin = "git init -q && git add -A && git commit -qm first && sed -i 2s/2/two/ a.txt && git commit -qam second \
            && git init -q --bare ../remote.git && git remote add origin ../remote.git && git push -q -u origin main \
            && git clone -q ../remote.git ../other && git -C ../other remote set-url origin ../remote.git \
            && git switch -q -c b1 && sed -i 1s/1/b1/ a.txt && git commit -qam b1-1 \
            && sed -i 3s/3/b1/ b.txt && git commit -qam b1-2 && git switch -q -c b2 main && sed -i 1s/1/b2/ b.txt \
            && git commit -qam b2-1 && sed -i 4s/4/b2/ dir/c.txt && git commit -qam b2-2 && git switch -q main \
            && sed -i 3s/3/main/ a.txt && git commit -qam third && sed -i 6s/6/six/ dir/c.txt && git commit -qam fourth \
            && git branch b3 main~1 && for one in . ../other ../remote.git; do git -C $one gc -q --prune=now; done";
        run(&base, begin, 0, &[]);
        template.add_hooks();
        waypost(&base).ok(&["init", "--harness", "claude-code"]);
        let hook = fs::symlink_metadata(base.join("project").join(template.hook())).unwrap();
        assert_eq!(hook.is_symlink(), hooks != Hooks::Listening);
        assert_eq!(fs::read_to_string(base.join("project/waypost.toml")).unwrap(), config);
        template
    }

    /// Where git looks for Waypost's hook.
    fn hook(&self) -> &'static str {
        match self.hooks {
            Hooks::Husky => ".husky/_/reference-transaction",
            Hooks::None | Hooks::Formatting | Hooks::Listening => {
                ".git/hooks/reference-transaction"
            }
        }
    }

    fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("template")
    }

    fn add_hooks(&self) {
        let project = self.base().join("project");
        let write = |path: &str, content: &str| {
            let path = project.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        match self.hooks {
            Hooks::None => {}
            Hooks::Formatting => write(".git/hooks/pre-commit", FORMATTING),
            Hooks::Listening => write(".git/hooks/reference-transaction", LISTENING),
            Hooks::Husky => {
                write(".husky/_/.gitignore", "*\n");
                write(".husky/_/pre-commit", FORMATTING);
                run(&self.base(), "git config core.hooksPath .husky/_", 0, &[]);
            }
        }
    }

    /// Both copies, one of them with Waypost.
    pub(crate) fn twins(&self, is_agent: bool) -> Twins {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for name in ["ours", "plain"] {
            let copied =
                Command::new("cp").arg("-a").arg(self.base()).arg(base.join(name)).status();
            assert!(copied.unwrap().success());
        }
        let (ours, plain) = (base.join("ours"), base.join("plain"));
        let hook = plain.join("project").join(self.hook());
        fs::remove_file(&hook).unwrap();
        if self.hooks == Hooks::Listening {
            fs::rename(hook.with_extension("before-waypost"), &hook).unwrap();
        }
        fs::remove_dir_all(plain.join("project/.git/waypost")).unwrap();
        if is_agent {
            waypost(&ours).begin();
        }
        Twins { _folder: folder, ours, plain, agent: is_agent.then_some("s1"), number: 0 }
    }
}

/// The two copies.
pub(crate) struct Twins {
    _folder: tempfile::TempDir,
    ours: PathBuf,
    plain: PathBuf,
    agent: Option<&'static str>,
    number: usize,
}

impl Twins {
    /// What git is in the middle of.
    pub(crate) fn midway(&self) -> Option<&'static str> {
        state::midway(&self.plain.join("project/.git"))
    }

    /// Whether a commit would come onto a branch.
    pub(crate) fn is_on_branch(&self) -> bool {
        fs::read_to_string(self.plain.join("project/.git/HEAD")).unwrap().starts_with("ref:")
    }

    /// Does a line in plain git's copy while a hook refuses what comes onto a branch.
    pub(crate) fn refused_in_plain(&self, line: &str) -> Output {
        let hook = self.plain.join("project/.git/hooks/reference-transaction");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\n[ $1 != prepared ] || ! grep -q refs/heads/\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        let output = self.in_plain(line);
        fs::remove_file(&hook).unwrap();
        output
    }

    /// What Waypost's copy is like.
    pub(crate) fn ours(&self) -> State {
        state::of(&self.ours)
    }

    /// Does a line in Waypost's copy alone.
    pub(crate) fn in_ours(&self, line: &str) -> Output {
        let agent: Vec<(&str, &str)> =
            self.agent.iter().map(|id| ("CLAUDE_CODE_SESSION_ID", *id)).collect();
        run(&self.ours, line, self.number, &agent)
    }

    /// Does a line in plain git's copy alone.
    pub(crate) fn in_plain(&self, line: &str) -> Output {
        run(&self.plain, line, self.number, &[])
    }

    /// Does a step in both copies, and says how they differ then.
    pub(crate) fn play(&mut self, step: &Step) -> Result<(), String> {
        self.prepare(step)?;
        match &step.commit {
            Some(commit) => self.both(commit),
            None => Ok(()),
        }
    }

    /// Does what a step does before its commit.
    pub(crate) fn prepare(&mut self, step: &Step) -> Result<(), String> {
        self.number += 1;
        if step.line.is_empty() { Ok(()) } else { self.both(&step.line) }
    }

    fn both(&self, line: &str) -> Result<(), String> {
        let (ours, plain) = (self.in_ours(line), self.in_plain(line));
        let said = told(&ours, &self.ours);
        let expected = told(&plain, &self.plain);
        if said != expected {
            return Err(format!("{line}\n{said}\nand plain git:\n{expected}"));
        }
        self.compare(line)
    }

    /// Says how the copies differ.
    pub(crate) fn compare(&self, line: &str) -> Result<(), String> {
        match state::difference(&state::of(&self.ours), &state::of(&self.plain)) {
            None => Ok(()),
            Some(difference) => Err(format!("{line}\n{difference}")),
        }
    }
}

fn waypost(base: &Path) -> TestEnv {
    TestEnv::at(env!("CARGO_BIN_EXE_waypost"), base.join("home"), base.join("project"))
}

/// Runs a line for the shell in a copy, at a certain time.
fn run(base: &Path, line: &str, number: usize, more: &[(&str, &str)]) -> Output {
    let date = format!("{} +0000", 1_800_000_000 + 60 * number);
    Command::new("sh")
        .args(["-c", line])
        .current_dir(base.join("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", base.join("home"))
        .env("TZ", "UTC")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .env("WAYPOST_TEST_LIMITS", "1000")
        .envs(more.iter().copied())
        .output()
        .unwrap()
}

/// How a line ended, and what it said.
fn told(output: &Output, base: &Path) -> String {
    let text =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*base.to_string_lossy(), "BASE");
    format!("{:?}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}
