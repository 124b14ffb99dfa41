//! Agents do not write the workflows that hold them.

use crate::project::{SPEC, with};

#[test]
fn agents_neither_change_a_workflow_nor_write_one_of_their_own() {
    let env = with(SPEC);
    env.begin();
    for file in ["spec.toml", "easy.toml"] {
        let file = env.project().join(".waypost/workflows").join(file);
        let denied = env.before_edit(&file).denied().unwrap();
        assert!(denied.contains("one of the project's workflows"), "{denied}");
    }
    for (number, line) in [
        "echo x > .waypost/workflows/easy.toml",
        "mkdir -p .waypost/workflows && cat a > .waypost/workflows/easy.toml",
        "cp /tmp/easy.toml .waypost/workflows/",
        "cd .waypost && echo x > workflows/spec.toml",
        "cd .waypost/workflows && rm spec.toml",
        "rm -rf .waypost",
        "mv .waypost .old",
        "sed -i s/must/may/ .waypost/workflows/spec.toml",
        "python3 -c 'open(\".waypost/workflows/easy.toml\", \"w\")'",
        "git rm -f .waypost/workflows/spec.toml",
        "ln -s /tmp .waypost/workflows",
    ]
    .into_iter()
    .enumerate()
    {
        let answer = env.before_bash(line, &number.to_string());
        assert!(answer.denied().is_some(), "{line}: {}", answer.stdout);
    }
    for line in
        ["cat .waypost/workflows/spec.toml", "ls .waypost/workflows", "waypost workflow list"]
    {
        assert_eq!(env.before_bash(line, line).denied(), None, "{line}");
    }
}

#[test]
fn init_leaves_workflows_to_git() {
    let env = with(SPEC);
    env.write(".waypost/workflows/new.toml", SPEC);
    let status = env.git(&["status", "--porcelain", "-uall"]);
    assert!(status.contains("?? .waypost/workflows/new.toml"), "{status}");
}
