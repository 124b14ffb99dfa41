//! What `--remove` gives back when nothing else changed: every byte, mode and folder.

use super::*;
use waypost_app::setup::init::Preset;

const ODD: &[&str] = &[
    "",
    "\n",
    "  \r\n\t",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "\u{feff}{\"a\":1}",
    r#"{"permissions":{"allow":["Bash(ls)"]},"x":[1,2,{"y":null}]}"#,
    "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    2\r\n  ]\r\n}\r\n",
    "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}",
    "{\n    \"a\": 1, // why\n    /* block */ \"b\": 2,\n}\n\n\n",
    "// only a comment",
    "/* first */ {} // last",
    r#"{"hooks":{}}"#,
    r#"{"hooks":{"Stop":[],"PreToolUse":[]}}"#,
    "{ \"hooks\": { \"Stop\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"x\" } ] } ] } }",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"/usr/bin/waypost\"}]},],},}",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/x/other\",\"args\":[\"hook\",\"claude-code\"]}]}]}}",
    "{\"emoji\":\"\u{1f600}\\u00e9\",\"n\":1e400,\"deep\":[[[[[[{}]]]]]]}",
    "{\"hooks\":{\"Notification\":\"odd\",\"Stop\":[1,\"x\",{\"hooks\":3},{}]}}",
];

#[test]
fn odd_settings_come_back_byte_for_byte() {
    for (number, content) in ODD.iter().enumerate() {
        for shared in [false, true] {
            let world = World::new();
            world.write(LOCAL, content);
            world.write(SHARED, content);
            let before = world.snapshot();
            let options = Options { shared, ..Options::default() };
            world.try_init(&options).unwrap();
            assert_eq!(world.registrations().len(), 1 + usize::from(shared), "{number}");
            let once = world.snapshot();
            world.try_init(&options).unwrap();
            assert_eq!(world.snapshot(), once, "init twice: {number}");
            world.remove();
            assert_eq!(world.snapshot(), before, "{number} {content:?}");
        }
    }
}

#[test]
fn a_project_without_any_of_it_is_as_before() {
    let world = World::new();
    let before = world.snapshot();
    world.init_shared();
    assert_ne!(world.snapshot(), before);
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn other_options_and_another_program_keep_the_first_original() {
    let world = World::new();
    world.write(LOCAL, "{\"a\":1}");
    let before = world.snapshot();
    world.init();
    world.init_shared();
    let moved = Host { exe: "/elsewhere/waypost".into(), ..world.host() };
    let options = Options { preset: Some(Preset::Minimal), ..Options::default() };
    init::run(&moved, &world.project(), &options).unwrap();
    let found = world.registrations();
    assert_eq!(found[0].command, "/elsewhere/waypost");
    assert_eq!(found.len(), 2);
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn modes_and_bytes_that_are_no_text_survive() {
    let world = World::new();
    world.write(LOCAL, "{}");
    world.write(".git/info/exclude", b"\xff\xfe no newline");
    fs::set_permissions(world.path(LOCAL), fs::Permissions::from_mode(0o600)).unwrap();
    let before = world.snapshot();
    world.init();
    assert_eq!(mode(&world.path(LOCAL)), 0o600);
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_plain_folder_is_as_before() {
    let world = World::new();
    fs::remove_dir_all(world.path(".git")).unwrap();
    let before = world.snapshot();
    world.init_shared();
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn what_was_recorded_stays() {
    let world = World::new();
    world.init();
    world.write(".git/waypost/project/events.jsonl", "{}");
    let outcome = world.remove();
    assert!(world.path(".git/waypost/project/events.jsonl").is_file());
    assert!(!world.path(".git/waypost/install.json").exists());
    assert!(world.host().key_file().is_file());
    assert!(notes(&outcome).iter().any(|note| note.contains("stays")));
    assert!(!world.path("waypost.toml").exists());
}
