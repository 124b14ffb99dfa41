//! The commands that are git's own in every version: aliases of these names mean nothing.
//!
//! Commands that only newer versions have, or that are packaged apart, are not here: where they are
//! missing, an alias could have their name.

/// Sorted.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "add", "am", "annotate", "apply", "archive", "bisect", "blame", "branch", "bundle",
    "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "checkout",
    "checkout-index", "cherry", "cherry-pick", "clean", "clone", "column", "commit",
    "commit-graph", "commit-tree", "config", "count-objects", "credential", "credential-cache",
    "credential-store", "describe", "diff", "diff-files", "diff-index", "diff-tree", "difftool",
    "fast-export", "fast-import", "fetch", "fetch-pack", "filter-branch", "fmt-merge-msg",
    "for-each-ref", "format-patch", "fsck", "fsck-objects", "gc", "get-tar-commit-id", "grep",
    "hash-object", "help", "index-pack", "init", "init-db", "interpret-trailers", "log",
    "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit", "merge", "merge-base",
    "merge-file", "merge-index", "merge-ours", "merge-recursive", "merge-recursive-ours",
    "merge-recursive-theirs", "merge-subtree", "merge-tree", "mergetool", "mktag", "mktree", "mv",
    "name-rev", "notes", "pack-objects", "pack-refs", "patch-id", "prune", "prune-packed", "pull",
    "push", "range-diff", "read-tree", "rebase", "receive-pack", "reflog", "remote", "remote-ext",
    "remote-fd", "repack", "replace", "request-pull", "rerere", "reset", "restore", "rev-list",
    "rev-parse", "revert", "rm", "send-pack", "shortlog", "show", "show-branch", "show-index",
    "show-ref", "stage", "stash", "status", "stripspace", "submodule", "switch", "symbolic-ref",
    "tag", "unpack-file", "unpack-objects", "update-index", "update-ref", "update-server-info",
    "upload-archive", "upload-pack", "var", "verify-commit", "verify-pack", "verify-tag",
    "version", "worktree", "write-tree",
];

/// Whether git itself knows the command.
pub(super) fn is_own(name: &str) -> bool {
    OWN.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(OWN.is_sorted());
        assert!(is_own("add") && is_own("write-tree") && is_own("push") && !is_own("psuh"));
    }
}
