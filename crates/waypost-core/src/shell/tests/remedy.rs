//! Command lines that are one simple command.

use super::*;

#[test]
fn one_simple_command_is_told_apart_from_everything_else() {
    for (line, remedy) in [
        ("cargo test", Some("cargo test")),
        ("cargo  'test' --workspace", Some("cargo test --workspace")),
        ("cd sub && cargo test", Some("cargo test")),
        ("cd /a && cd 'b c' && cargo test", Some("cargo test")),
        ("RUST_BACKTRACE=1 cargo test", Some("cargo test")),
        ("cargo test 2>&1", Some("cargo test")),
        ("cargo test > /dev/null", Some("cargo test")),
        ("cargo test < /dev/null", Some("cargo test")),
        ("rm a", Some("rm a")),
        ("", None),
        ("cd sub", None),
        ("X=1", None),
        ("cargo test | tail", None),
        ("cargo test && rm a", None),
        ("rm a && cargo test", None),
        ("cd sub; cargo test", None),
        ("cd sub || cargo test", None),
        ("cd $D && cargo test", None),
        ("cd - && cargo test", None),
        ("cd && cargo test", None),
        ("/tmp/cd x && cargo test", None),
        ("cargo test &", None),
        ("! cargo test", None),
        ("(cargo test)", None),
        ("{ cargo test; }", None),
        ("cargo test > out", None),
        ("cargo test 2> out", None),
        ("cargo test &> out", None),
        ("cargo test < in", None),
        ("cargo test <<< in", None),
        ("cargo test <<E\nE", None),
        ("cargo test $(rm a)", None),
        ("cargo test `rm a`", None),
        ("cargo test <(rm a)", None),
        ("cargo test > $(rm a)", None),
        ("X=$(rm a) cargo test", None),
        ("cargo test $X", None),
        ("cargo test *", None),
        ("$X test", None),
        ("PATH=/evil cargo test", None),
        ("LD_PRELOAD=x cargo test", None),
        ("RUSTC_WRAPPER=x cargo test", None),
        ("CDPATH=/x cd sub && cargo test", None),
        ("bash -c 'cargo test'", None),
        ("eval cargo test", None),
        ("cargo() { rm a; } && cargo test", None),
        ("if cargo test; then true; fi", None),
        ("cargo test 'unclosed", None),
    ] {
        let analysis = analyse(line);
        assert_eq!(analysis.remedy().map(Simple::text).as_deref(), remedy, "{line}");
    }
}
