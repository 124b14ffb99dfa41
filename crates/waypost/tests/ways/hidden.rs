//! Edits that git is told not to see.

use crate::play::{Play, Way};

macro_rules! same_size_and_time {
    ($file:literal) => {
        concat!(
            "touch -r ",
            $file,
            " ~/stamp; printf 'two\\n' > ",
            $file,
            "; touch -r ~/stamp ",
            $file
        )
    };
}

const EDIT: &str = same_size_and_time!("src/lib.txt");

macro_rules! then_edit {
    ($script:literal) => {
        concat!($script, "\n", same_size_and_time!("src/lib.txt"))
    };
}

const LIBRARY: &str = "mkdir -p ~/library; cd ~/library; git init -q; printf 'one\\n' > lib.c; git add -A; git commit -qm x; \
    cd - > /dev/null; git -c protocol.file.allow=always submodule add -q ~/library lib; git commit -qm library";

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "an edit behind `git update-index --assume-unchanged`",
        real: "ways.an_edit_that_git_was_told_not_to_see_is_seen",
        play: Play::Hidden {
            before: "",
            script: then_edit!("git update-index --assume-unchanged src/lib.txt"),
            name: "src/lib.txt",
        },
    },
    Way {
        title: "an edit behind `git update-index --skip-worktree`",
        real: "",
        play: Play::Hidden {
            before: "",
            script: then_edit!("git update-index --skip-worktree src/lib.txt"),
            name: "src/lib.txt",
        },
    },
    Way {
        title: "an edit of what a sparse checkout leaves out",
        real: "",
        play: Play::Hidden {
            before: "mkdir left; echo b > left/b.txt; git add -A; git commit -qm left; git sparse-checkout set --no-cone '/*' '!/left/'",
            script: "mkdir -p left; echo two > left/b.txt",
            name: "left/b.txt",
        },
    },
    Way {
        title: "private ignore rules: `.git/info/exclude`",
        real: "ways.private_ignore_rules_that_changed_are_named",
        play: Play::Hidden {
            before: "",
            script: "echo hidden.txt >> .git/info/exclude; echo x > hidden.txt",
            name: "info/exclude",
        },
    },
    Way {
        title: "private ignore rules elsewhere: `core.excludesFile`",
        real: "",
        play: Play::Hidden {
            before: "",
            script: "echo hidden.txt > ~/rules; git config core.excludesFile ~/rules; echo x > hidden.txt",
            name: "rules",
        },
    },
    Way {
        title: "a filter that gives git the old content: `.git/info/attributes`",
        real: "",
        play: Play::Hidden {
            before: "",
            script: then_edit!(
                "git config filter.old.clean 'git show HEAD:%f'; mkdir -p .git/info; echo 'src/** filter=old' > .git/info/attributes"
            ),
            name: "src/lib.txt",
        },
    },
    Way {
        title: "the same through `core.attributesFile`",
        real: "",
        play: Play::Hidden {
            before: "",
            script: then_edit!(
                "git config filter.old.clean 'git show HEAD:%f'; echo 'lib.txt filter=old' > ~/rules; git config core.attributesFile ~/rules"
            ),
            name: "src/lib.txt",
        },
    },
    Way {
        title: "an edit of the same length with the time set back",
        real: "",
        play: Play::Hidden { before: "", script: EDIT, name: "src/lib.txt" },
    },
    Way {
        title: "the same, with git told to trust times: `core.trustctime`, `core.checkStat`",
        real: "",
        play: Play::Hidden {
            before: "",
            script: then_edit!(
                "git config core.trustctime false; git config core.checkStat minimal"
            ),
            name: "src/lib.txt",
        },
    },
    Way {
        title: "git told of another work tree: `core.worktree`",
        real: "",
        play: Play::Hidden {
            before: "",
            script: then_edit!(
                "mkdir -p ~/other/src; cp src/lib.txt ~/other/src/; git config core.worktree ~/other"
            ),
            name: "src/lib.txt",
        },
    },
    Way {
        title: "an edit in a submodule",
        real: "",
        play: Play::Hidden {
            before: LIBRARY,
            script: same_size_and_time!("lib/lib.c"),
            name: "lib/lib.c",
        },
    },
    Way {
        title: "an edit in an embedded repository, with or without commits",
        real: "",
        play: Play::Hidden {
            before: "mkdir -p tools/new; printf 'one\\n' > tools/new/file; git init -q tools/new",
            script: same_size_and_time!("tools/new/file"),
            name: "tools/new/file",
        },
    },
];
