//! Programs that run the command in their arguments, and how they find it.

use super::args::OptionSpec;

/// How a program finds the command in its arguments.
pub(super) struct Wrapper {
    pub(super) spec: OptionSpec,
    /// Operands before the command.
    pub(super) operands: usize,
    /// What it does besides running the command.
    pub(super) kind: Kind,
}

/// How a program treats the command in its arguments.
#[derive(PartialEq, Eq)]
pub(super) enum Kind {
    /// Only runs it.
    Simple,
    /// Takes `X=1` before the command.
    Assigning,
    /// Adds words that it reads.
    Adding,
    /// Has more options than anyone can keep in mind.
    Unclear,
    /// Is a part of the shell.
    Builtin,
    /// Gives its words to a shell.
    Line,
}

const fn wrapper(valued: &'static str, operands: usize, kind: Kind) -> Wrapper {
    Wrapper { spec: OptionSpec { valued, attached: "", long: &[] }, operands, kind }
}

const SUDO: &[&str] = &[
    "user",
    "group",
    "chdir",
    "host",
    "prompt",
    "chroot",
    "role",
    "type",
    "command-timeout",
    "other-user",
    "close-from",
];
const XARGS: &[&str] =
    &["arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"];

/// The program called `name`, if it runs the command in its arguments.
pub(super) fn wrapper_named(name: &str) -> Option<Wrapper> {
    Some(match name {
        "builtin" | "command" => wrapper("", 0, Kind::Builtin),
        "chronic" | "nohup" | "setsid" => wrapper("", 0, Kind::Simple),
        "exec" => wrapper("a", 0, Kind::Simple),
        "time" => Wrapper {
            spec: OptionSpec { valued: "fo", attached: "", long: &["format", "output"] },
            ..wrapper("", 0, Kind::Simple)
        },
        "nice" => Wrapper {
            spec: OptionSpec { valued: "n", attached: "", long: &["adjustment"] },
            ..wrapper("", 0, Kind::Simple)
        },
        "ionice" => Wrapper {
            spec: OptionSpec { valued: "cnpPu", attached: "", long: &["class", "classdata"] },
            ..wrapper("", 0, Kind::Simple)
        },
        "stdbuf" => Wrapper {
            spec: OptionSpec { valued: "ioe", attached: "", long: &["input", "output", "error"] },
            ..wrapper("", 0, Kind::Simple)
        },
        "timeout" => Wrapper {
            spec: OptionSpec { valued: "ks", attached: "", long: &["kill-after", "signal"] },
            ..wrapper("", 1, Kind::Simple)
        },
        "waypost" => wrapper("", 1, Kind::Simple),
        "doas" => wrapper("uC", 0, Kind::Simple),
        "env" => Wrapper {
            spec: OptionSpec {
                valued: "uCS",
                attached: "",
                long: &["unset", "chdir", "split-string"],
            },
            ..wrapper("", 0, Kind::Assigning)
        },
        "sudo" => Wrapper {
            spec: OptionSpec { valued: "ugChpDRrtTU", attached: "", long: SUDO },
            ..wrapper("", 0, Kind::Assigning)
        },
        "xargs" => Wrapper {
            spec: OptionSpec { valued: "adEILnPs", attached: "iel", long: XARGS },
            ..wrapper("", 0, Kind::Adding)
        },
        "parallel" => wrapper("jnNILS", 0, Kind::Adding),
        "watch" => Wrapper {
            spec: OptionSpec { valued: "nq", attached: "d", long: &["interval", "equexit"] },
            ..wrapper("", 0, Kind::Line)
        },
        "busybox" | "chroot" | "chrt" | "direnv" | "entr" | "flock" | "hyperfine" | "ltrace"
        | "mise" | "runuser" | "script" | "setarch" | "strace" | "su" | "systemd-run"
        | "taskset" | "unshare" => wrapper("", 0, Kind::Unclear),
        _ => return None,
    })
}
