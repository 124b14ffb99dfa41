//! Command lines that commit or push, with git's aliases and without.

use super::*;

fn aliases(name: &str) -> Option<String> {
    let alias = match name {
        "ci" => "commit -v",
        "up" | "status" => "push",
        "upstream" => "up origin",
        "quiet" => "-c advice.x=false push --quiet",
        "dry" => "push --dry-run",
        "l" => "log --grep push",
        "all" => "!git add . && git commit",
        "ship" => "!f() { git up \"$@\"; }; f",
        "hello" => "!echo push commit",
        "loop" => "loop",
        "twice" => "!git twice; git twice",
        "odd" => "push 'unclosed",
        "quoted" => "'pu'sh",
        _ => return None,
    };
    Some(alias.to_owned())
}

/// What a line does: `c` for commits, `p` for pushes.
fn deeds(line: &str) -> String {
    let analysis = analyse(line);
    assert_eq!(analysis.opaque, None, "{line}");
    let commits = if analysis.commits_with(&aliases) { "c" } else { "" };
    let pushes = if analysis.pushes_with(&aliases) { "p" } else { "" };
    format!("{commits}{pushes}")
}

fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(deeds(line), *expected, "{line}");
    }
}

#[test]
fn commits_and_pushes_are_found_wherever_they_hide() {
    check(&[
        ("git commit -m x", "c"),
        ("git push", "p"),
        ("git commit && git push", "cp"),
        ("X=1 git push", "p"),
        ("env X=1 git push", "p"),
        ("env -i X=1 Y=2 git push", "p"),
        ("env -S 'git push'", "p"),
        ("sudo git push", "p"),
        ("sudo -u me -E git push", "p"),
        ("nohup git push &", "p"),
        ("timeout 5 git push", "p"),
        ("timeout -s KILL 5 git push", "p"),
        ("timeout $T git push", "p"),
        ("ls | xargs git push", "p"),
        ("echo push | xargs git", "cp"),
        ("echo x | xargs -I{} sh -c 'git push {}'", "p"),
        ("echo x | xargs -n1 git log", ""),
        ("find . -exec git commit \\;", "c"),
        ("find . -exec sh -c 'git push' \\;", "p"),
        ("find . -name git -name push", ""),
        ("bash -c 'git push'", "p"),
        ("bash -cx 'git push'", "p"),
        ("bash -c 'git \"$@\"' _ push", "cp"),
        ("bash -c '$0 $1' git push", "p"),
        ("sh <<EOF\ngit push\nEOF", "p"),
        ("sh <<'EOF'\ngit commit\nEOF", "c"),
        ("cat <<EOF | sh\ngit push\nEOF", "p"),
        ("cat <<EOF\n'$(git push)'\nEOF", "p"),
        ("cat <<EOF\nit's git push\nEOF", ""),
        ("bash <<< 'git push'", "p"),
        ("echo git push | bash", "p"),
        ("echo -e 'true\\ngit push' | bash", "p"),
        ("echo git push | cat", ""),
    ]);
}

#[test]
fn no_spelling_hides_a_push() {
    check(&[
        ("eval git push", "p"),
        ("eval 'git push'", "p"),
        ("(git push)", "p"),
        ("(cd x; git push) | cat", "p"),
        ("{ git push; }", "p"),
        ("cd x && git push", "p"),
        ("trap 'git push' EXIT", "p"),
        ("alias g='git push'", "p"),
        ("git bisect run git push", "p"),
        ("git submodule foreach git push", "p"),
        ("git submodule update", ""),
        ("git rebase --exec 'git push' main", "p"),
        ("watch git push", "p"),
        ("strace -f git push", "p"),
        ("direnv exec . git push", "p"),
        ("waypost run -- git push", "p"),
        ("case $(git push) in x) ;; esac", "p"),
        ("strace -o tee git push", "p"),
        ("echo \"${x:-a}\" \"$(git push)\"", "p"),
        ("gi\\\nt push", "p"),
        ("g'i't \"push\"", "p"),
        ("$'\\x67it' $'push'", "p"),
        ("\\git push", "p"),
        ("/usr/lib/git-core/git-push", "p"),
        ("{git,push}", "p"),
        ("gi? push", "p"),
        ("cmd='git push'; $cmd", "p"),
        ("a=git b=push; $a $b", "p"),
        ("a=git b=log; $a $b", ""),
        ("a=(git push); \"${a[@]}\"", "p"),
        ("for x in 'git push'; do $x; done", "p"),
        ("set -- git push; \"$@\"", "p"),
        ("f() { \"$@\"; }; f git push", "p"),
        ("f() { \"$@\"; }; f git log", ""),
    ]);
}

#[test]
fn git_options_are_not_subcommands() {
    check(&[
        ("git -C dir commit", "c"),
        ("git -C 'a b' -c x.y=z commit", "c"),
        ("git --git-dir=x commit", "c"),
        ("git --git-dir x commit", "c"),
        ("git --work-tree x --no-pager push", "p"),
        ("git -p push", "p"),
        ("git --exec-path=/x push", "p"),
        ("git --git-dir=\"$X\" push", "p"),
        ("git --git-dir=\"$X\" log", ""),
        ("git -C \"$X\" log", ""),
        ("git -$X log", "cp"),
        ("git -C push log", ""),
        ("git --git-dir push log", ""),
        ("git -c push log", ""),
        ("git --help push", ""),
        ("git --version push", ""),
        ("git help push", ""),
        ("git log push", ""),
        ("git branch push", ""),
        ("git", ""),
        ("git -C", ""),
    ]);
}

#[test]
fn what_only_sounds_like_it_does_not_count() {
    check(&[
        ("git commit --dry-run", ""),
        ("git commit -a --dry-run", ""),
        ("git commit --dry-run -m x", ""),
        ("git commit -m x --dry-run", ""),
        ("git commit -m --dry-run", "c"),
        ("git commit --m --dry-run", "c"),
        ("git commit --message --dry-run", "c"),
        ("git commit -am --dry-run", "c"),
        ("git commit --author --dry-run", "c"),
        ("git commit -- --dry-run", "c"),
        ("git commit --dry-run --no-dry-run", "c"),
        ("git commit --dry-run $X", "c"),
        ("git commit -n", "c"),
        ("git commit --help", ""),
        ("git commit -h", ""),
        ("git push --dry-run", ""),
        ("git push -n", ""),
        ("git push -fn origin main", ""),
        ("git push -o -n", "p"),
        ("git push --push-option --dry-run", "p"),
        ("git push --repo --dry-run", "p"),
        ("git push origin -- -n", "p"),
        ("git push -n --no-dry-run", "p"),
        ("git push -n $X", "p"),
        ("git push --help", ""),
        ("git commit-tree x", ""),
        ("git commit-graph write", ""),
        ("git stash", ""),
        ("git stash push", ""),
        ("git pull", ""),
        ("git fetch", ""),
        ("git send-pack x", "p"),
        ("git subtree push -P x", "p"),
        ("git subtree pull -P x", ""),
        ("git config push.default simple", ""),
        ("gh pr create", ""),
        ("gh pr push", ""),
        ("npm run commit", ""),
        ("docker push x", ""),
        ("echo git push", ""),
        ("echo 'git commit' > x", ""),
        ("grep 'git push' x", ""),
        ("# git push", ""),
    ]);
}

#[test]
fn aliases_are_followed() {
    check(&[
        ("git ci -m x", "c"),
        ("git up", "p"),
        ("git upstream", "p"),
        ("git quiet", "p"),
        ("git -C x up", "p"),
        ("cd x && sudo git up", "p"),
        ("git dry", ""),
        ("git up --dry-run", ""),
        ("git l", ""),
        ("git all", "c"),
        ("git ship", "p"),
        ("git hello", ""),
        ("git quoted", "p"),
        ("git unknown", ""),
        ("git status", ""),
        // What cannot be followed may be anything.
        ("git loop", "cp"),
        ("git twice", "cp"),
        ("git odd", "cp"),
        // The line's own aliases count, too.
        ("git -c alias.x=push x", "p"),
        ("git -c ALIAS.X=push x", "p"),
        ("git -c alias.x='!git push' x", "p"),
        ("git -c alias.x=log x", ""),
        ("git -c alias.y=push x", ""),
        ("git -c alias.log=push log", ""),
        ("git -c alias.x=$Y x", "cp"),
        ("git -c include.path=y x", "cp"),
        ("git -c include.path=y log", ""),
        ("git -c help.autocorrect=immediate psuh", "cp"),
        ("git --config-env=alias.x=Y x", "cp"),
        ("GIT_CONFIG_COUNT=1 git x", "cp"),
        ("export GIT_CONFIG_COUNT=1; git x", "cp"),
        ("env HOME=/y git x", "cp"),
        ("HOME=/y git log", ""),
        ("git config alias.x push && git x", "p"),
        ("git config --global alias.x '!git commit' && git x", "c"),
        ("git config alias.x push && git y", ""),
    ]);
}

#[test]
fn aliases_are_asked_for_only_where_they_count() {
    let asked = std::cell::RefCell::new(Vec::new());
    let ask = |name: &str| {
        asked.borrow_mut().push(name.to_owned());
        None
    };
    let line = "git log && git -C x status; ls; git frob; echo git x; $GIT y";
    assert!(!analyse(line).pushes_with(&ask));
    assert_eq!(*asked.borrow(), ["frob"]);
    assert!(!analyse("git up").pushes());
    let many = "git frob;".repeat(1000);
    asked.borrow_mut().clear();
    assert!(analyse(&many).pushes_with(&ask));
    assert!(asked.borrow().len() < 100);
}
