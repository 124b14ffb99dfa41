//! What starts Codex without hooks.

use waypost_app::harness::{StartOnly, Switch, Switches, Takes};

/// What keeps hooks from firing. That it trusts every hook for once is no such thing, but brings hooks of others.
pub(super) const SWITCHES: Switches = Switches {
    options: &[
        Switch { name: "--disable", takes: Takes::OneOf(&["hooks"]) },
        Switch { name: "--config", takes: Takes::OneOf(&["hooks"]) },
        Switch { name: "-c", takes: Takes::OneOf(&["hooks"]) },
        Switch { name: "--dangerously-bypass-hook-trust", takes: Takes::Anything },
    ],
    commands: &[&["plugin", "add"], &["plugin", "install"], &["features", "disable"]],
    variables: &[],
    places: &["HOME", "CODEX_HOME"],
    settings: &[],
    variables_in: "",
    // Without a key for the model it calls its hooks, and ends before it asks anybody.
    start_only: Some(StartOnly {
        args: &[
            "exec",
            "--ephemeral",
            "--skip-git-repo-check",
            "-c",
            "model_provider=\"nobody\"",
            "-c",
            "model_providers.nobody={name=\"nobody\",base_url=\"http://127.0.0.1:9/v1\",wire_api=\"responses\",\
             env_key=\"WAYPOST_NOBODY\"}",
            "hello",
        ],
        env: &[],
    }),
};
