//! What names of servers' tools say: a row for each. Only data.

/// A tool that commits or pushes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deed {
    /// Its name, in words that are joined by `_`.
    pub(super) tool: &'static str,
    /// Whether only one that names a repository elsewhere is meant: others of the name change files here.
    pub(super) hosted: bool,
    pub(super) commits: bool,
    pub(super) pushes: bool,
}

const fn published(tool: &'static str) -> Deed {
    Deed { tool, hosted: true, commits: true, pushes: true }
}

const fn merged(tool: &'static str) -> Deed {
    Deed { tool, hosted: false, commits: false, pushes: true }
}

/// Tools whose names do not say it by beginning with `commit` or `push`.
pub(super) const DEEDS: &[Deed] = &[
    Deed { tool: "push_files", hosted: false, commits: true, pushes: true },
    // The one that is hosted comes first: it is both.
    published("create_commit"),
    Deed { tool: "create_commit", hosted: false, commits: true, pushes: false },
    Deed { tool: "make_commit", hosted: false, commits: true, pushes: false },
    published("create_or_update_file"),
    published("create_or_update_files"),
    published("create_file"),
    published("update_file"),
    published("edit_file"),
    published("delete_file"),
    published("upload_file"),
    published("cherry_pick_commit"),
    published("revert_commit"),
    merged("merge_pull_request"),
    merged("merge_merge_request"),
    merged("accept_merge_request"),
    merged("rebase_merge_request"),
    merged("update_pull_request_branch"),
];

/// With one of these, a tool that writes files of a repository elsewhere makes a commit there.
pub(super) const HOSTED_EDIT: &[&str] = &["commitmessage", "branch", "branchname"];

/// Tools of editors that change files which they do not name.
pub(super) const UNNAMED: &[&str] = &[
    "replace_selected_text",
    "replace_current_file_text",
    "reformat_current_file",
    "rename_symbol_at_caret",
    "apply_code_action",
    "apply_quick_fix",
];

/// Verbs of tools that write files.
pub(super) const WRITING: &[&str] = &[
    "append",
    "apply",
    "change",
    "copy",
    "create",
    "delete",
    "edit",
    "erase",
    "fix",
    "format",
    "insert",
    "modify",
    "move",
    "overwrite",
    "patch",
    "prepend",
    "put",
    "refactor",
    "reformat",
    "remove",
    "rename",
    "replace",
    "restore",
    "rewrite",
    "save",
    "substitute",
    "touch",
    "truncate",
    "undo",
    "unlink",
    "update",
    "upsert",
    "write",
];

/// Verbs of tools that read, whatever else is in their names.
pub(super) const READING: &[&str] = &[
    "blame",
    "browse",
    "cat",
    "check",
    "count",
    "describe",
    "diff",
    "explain",
    "fetch",
    "find",
    "get",
    "glob",
    "grep",
    "head",
    "info",
    "inspect",
    "list",
    "log",
    "lookup",
    "open",
    "preview",
    "query",
    "read",
    "search",
    "show",
    "stat",
    "status",
    "summarize",
    "tail",
    "tree",
    "validate",
    "view",
];

/// Words of tools that run what they are given.
pub(super) const RUNNING: &[&str] =
    &["bash", "exec", "execute", "run", "shell", "spawn", "terminal"];

/// Words of tools that are shells: whatever text they are given, they run.
pub(super) const SHELLS: &[&str] =
    &["bash", "console", "powershell", "pwsh", "sh", "shell", "terminal", "tmux", "zsh"];

/// Words with which a tool only speaks of command lines: `explain_command`.
pub(super) const SPEAKING: &[&str] =
    &["describe", "explain", "help", "parse", "search", "suggest", "validate"];

/// What follows `commit` and `push` where they are no verbs: `commit_history`.
pub(super) const NOUNS: &[&str] = &[
    "comment",
    "comments",
    "convention",
    "details",
    "diff",
    "graph",
    "hash",
    "history",
    "info",
    "list",
    "log",
    "message",
    "search",
    "show",
    "stats",
    "status",
    "template",
];
