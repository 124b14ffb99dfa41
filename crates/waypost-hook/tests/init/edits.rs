//! What `--remove` does where the user went on editing: takes out ours, and nothing else.

use super::*;

const PRETTY: &str = "{\n  \"model\": \"x\",\n  \"list\": [\n    1\n  ]\n}\n";

#[test]
fn later_edits_stay_with_their_layout() {
    let world = World::new();
    world.write(LOCAL, PRETTY);
    world.init();
    let edit = |text: &str| text.replace("\"x\"", "\"y\" /* mine */");
    world.write(LOCAL, edit(&world.read(LOCAL)));
    world.remove();
    assert_eq!(world.read(LOCAL), edit(PRETTY));
    assert!(world.registrations().is_empty());
}

#[test]
fn edits_between_two_inits_stay_too() {
    let world = World::new();
    world.write(LOCAL, PRETTY);
    world.init();
    world.write(LOCAL, world.read(LOCAL).replace("\"x\"", "\"y\""));
    let moved = Host { exe: "/elsewhere/waypost".into(), ..world.host() };
    init::run(&moved, &world.project(), &Options::default()).unwrap();
    world.remove();
    assert_eq!(world.read(LOCAL), PRETTY.replace("\"x\"", "\"y\""));
}

#[test]
fn a_hook_of_the_user_in_our_group_stays() {
    let world = World::new();
    world.init();
    let own = r#"{"type": "command", "command": "mine"}, {"#;
    let text = world.read(LOCAL);
    let at = text.find("\"Stop\"").unwrap();
    let at = at + text[at..].find("\"hooks\": [").unwrap() + "\"hooks\": [".len();
    let text = format!("{}{}", &text[..at], text[at..].replacen('{', own, 1));
    world.write(LOCAL, text);
    world.remove();
    let expected = serde_json::json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "mine"}
    ]}]}});
    assert_eq!(world.json(LOCAL), expected);
}

#[test]
fn containers_that_were_the_users_stay_even_if_empty() {
    let world = World::new();
    world.write(LOCAL, "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n");
    world.init();
    world.write(LOCAL, format!("{}\n", world.read(LOCAL)));
    world.remove();
    assert_eq!(world.json(LOCAL), serde_json::json!({"hooks": {"Stop": []}}));
}

#[test]
fn a_file_of_ours_that_was_only_laid_out_anew_goes() {
    let world = World::new();
    let before = world.snapshot();
    world.init();
    world.write(LOCAL, world.json(LOCAL).to_string());
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_settings_file_that_the_user_deleted_stays_deleted() {
    let world = World::new();
    world.write(LOCAL, PRETTY);
    world.init();
    fs::remove_file(world.path(LOCAL)).unwrap();
    world.remove();
    assert!(!world.path(LOCAL).exists());
}

#[test]
fn a_changed_configuration_and_wrapper_stay() {
    let world = World::new();
    world.init_shared();
    for name in ["waypost.toml", ".waypost/hook"] {
        world.write(name, format!("{}# mine\n", world.read(name)));
    }
    let outcome = world.remove();
    for name in ["waypost.toml", ".waypost/hook"] {
        assert!(world.path(name).exists());
        assert!(notes(&outcome).iter().any(|note| note.starts_with(name)), "{outcome:?}");
    }
}

#[test]
fn lines_added_to_the_exclude_file_stay() {
    let world = World::new();
    world.write(".git/info/exclude", "*.log\n");
    world.init();
    let text = world.read(".git/info/exclude");
    world.write(".git/info/exclude", format!("{text}later\n"));
    world.remove();
    assert_eq!(world.read(".git/info/exclude"), "*.log\nlater\n");
}

#[test]
fn without_a_manifest_our_entries_still_go() {
    let world = World::new();
    world.write(LOCAL, PRETTY);
    world.init();
    fs::remove_file(world.path(".git/waypost/install.json")).unwrap();
    world.remove();
    assert_eq!(world.read(LOCAL), PRETTY);
}

#[test]
fn broken_later_edits_stop_the_removal_with_nothing_changed() {
    let world = World::new();
    world.init_shared();
    world.write(LOCAL, "{ broken");
    let before = world.snapshot();
    let error = init::remove(&world.host(), &world.project()).unwrap_err();
    assert!(error.message.contains("line 1, column"), "{error}");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn shared_settings_that_a_teammate_committed_stay() {
    let world = World::new();
    world.init_shared();
    fs::remove_dir_all(world.path(".git/waypost")).unwrap();
    let shared = world.read(SHARED);
    world.init_shared();
    let outcome = world.remove();
    assert_eq!(world.read(SHARED), shared);
    assert!(notes(&outcome).iter().any(|note| note.contains("for everyone")), "{outcome:?}");
}
