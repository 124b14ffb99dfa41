//! Ways to Waypost's files by commands that go over many, or by names that only look like others.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use waypost_testkit::{GATE, TestEnv};

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("waypost.toml", GATE);
    env.write(".claude/settings.json", "{}\n");
    std::fs::create_dir_all(env.home().join(".claude")).unwrap();
    env.ok(&["init", "--harness", "claude-code"]);
    env.begin();
    env
}

/// None of the lines may run.
fn all_denied(env: &TestEnv, lines: &[&str]) {
    for line in lines {
        assert!(env.before_bash(line, "x").denied().is_some(), "{line}");
    }
}

#[test]
fn what_sweeps_over_many_files_spares_waypost_s() {
    all_denied(
        &env(),
        &[
            "find . -path '*waypost*' -delete",
            "find . -name '*.toml' -delete",
            "find . -name '*.TOML' -delete -o -iname '*.TOML' -delete",
            "find . -name '*.toml' -not -path './src/*' -delete",
            "find . ! -name '*.rs' -delete",
            "find . \\( -name '*.orig' -o -name '*.toml' \\) -delete",
            "find . -name '*.orig' -o -name '*.toml' -delete",
            "find . -name '*.toml' -o -name '*.orig' | xargs rm",
            "find . -path ./.git -prune -o -name '*.toml' -exec rm {} +",
            "find . -path ./.git -prune -o -name x | xargs rm -rf",
            "find . -path ./src -prune -o -type f -print0 | xargs -0 rm",
            "find . -name src -prune , -name '*.toml' -delete",
            "find . -maxdepth 1 -type f -delete",
            "find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +",
            "find . -type f -size -100k -delete",
            "find . -type f -mtime -30 -delete",
            "find . -type f -regex '.*\\.\\(md\\|toml\\)' -delete",
            "find . -regex '.*toml' -delete",
            "find . -name '[vwx]aypost.t?ml' -delete",
            "find . -name \"*.$EXT\" -delete",
            "for e in orig toml; do find . -name \"*.$e\" -delete; done",
            "find . -type d -name '.g*' -exec rm -rf {} +",
            "find .c* -name '*.json' -delete",
            "find * .* -name '*.toml' -delete",
            "find . -name waypost.toml -exec ./fix.sh {} +",
            "find . -name waypost.toml -exec sh -c 'cat \"$1\"; rm \"$1\"' _ {} +",
            "find . -name waypost.toml | xargs -I{} sh -c 'echo > {}'",
            "timeout 5 find . -name waypost.toml -delete",
            "cd src && find .. -name waypost.toml -delete",
            "cd .. && find . -name waypost.toml -delete",
            "find . -empty -o -name '*.toml' -delete",
            "find . -not -empty -type f -delete",
            "chmod -R 000 .git/waypost",
            "chmod -R 000 .",
            "chmod -R u-w .",
            "chmod -R a-r .claude",
            "chmod -R 755 .git",
            "chmod -R a+rwX .",
            "chmod -R g=u .",
            "chmod -R --reference=src .",
            "chmod -R $MODE .",
            "chown -R nobody .",
            "chown -R root:root .git",
            "USER=nobody; chown -R $USER .",
            "chown -R $(echo nobody) .",
            "chgrp -R nogroup .",
            "rm -rf src .claude",
            "shopt -s extglob; rm -rf !(src)",
            "rm -rf .git/@(hooks|waypost)",
            "mktemp() { echo .git/waypost; }; rm -rf $(mktemp)",
            "sed -i d $(echo waypost.toml)",
            "echo x > $(echo waypost.toml)",
            "find -O3 . -name '*.toml' -delete",
            "find . -samefile waypost.toml -delete",
            "find ./ -path './waypost.toml' -delete",
            "find $PWD -path \"$PWD/waypost.toml\" -delete",
            "find . -not -path './.git/*' -not -name '*.toml' -type f -delete",
            "cp /tmp/evil/{waypost.toml,x} .",
            "cp $X/waypost.toml .",
            "mv .claude .claude.old",
            "cp -al waypost.toml twin",
            "cp --symbolic-link waypost.toml twin",
        ],
    );
}

#[test]
fn names_that_only_look_like_others_open_no_way() {
    let env = env();
    env.write("tests/fixtures/.claude/settings.json", "{}\n");
    all_denied(
        &env,
        &[
            "unknown-program tests/../waypost.toml",
            "unknown-program --config=waypost.toml",
            "unknown-program -owaypost.toml",
            "unknown-program a:waypost.toml",
            "cd tests && unknown-program ../waypost.toml",
            "cd $X && unknown-program waypost.toml",
            "cd tests; unknown-program ../.claude/settings.json",
            "cd tests/fixtures && cd ../.. && unknown-program .claude/settings.json",
            "unknown-program project/waypost.toml",
            "npx prettier --write .claude/settings.json",
            "npx unknown waypost.toml",
            "uv run python -c \"open('waypost.toml', 'w')\"",
            "timeout 5 python3 -c \"open('waypost.toml', 'w')\"",
            "echo \"open('waypost.toml', 'w')\" | python3",
            "printf 'unlink \"waypost.toml\"' | perl -",
            "python3 -c \"import json; json.dump({}, open('.claude/settings.json', 'w'))\"",
            "python3 - <<'EOF'\nfrom pathlib import Path\nPath('waypost.toml').write_text('')\nEOF",
            "python3 scripts/any.py waypost.toml",
            "python3 -c \"import os; os.chdir('..'); open('project/waypost.toml', 'w')\"",
            "node -e 'require(\"fs\").rmSync(\"waypost.toml\")'",
            "yq -i .x=1 .claude/settings.json",
            "taplo fmt waypost.toml",
            "echo .claude/settings.json | xargs sed -i d",
            "tar -C .git/waypost -xf /tmp/x.tar",
            "tar xf /tmp/x.tar waypost.toml",
            "tar --remove-files -cf /tmp/x.tar waypost.toml",
            "touch .claude/settings.{json,local.json}",
            "cat > x.py <<'EOF'\nopen('waypost.toml', 'w')\nEOF\npython3 x.py",
        ],
    );
    for line in [
        "unknown-program tests/fixtures/.claude/settings.json",
        "cd tests/fixtures && unknown-program .claude/settings.json",
        "rm tests/fixtures/.claude/settings.json",
        "python3 -c \"open('tests/fixtures/.claude/settings.json', 'w')\"",
        "echo tests/fixtures/.claude/settings.json | xargs rm",
    ] {
        assert_eq!(env.before_bash(line, "x").denied(), None, "{line}");
    }
}
