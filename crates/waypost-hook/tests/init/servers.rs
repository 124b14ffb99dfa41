//! The MCP server: where it is registered, how it is approved, and what is left afterwards.

use std::process::Command;

use serde_json::json;

use super::*;
use waypost_app::error::Kind;

const EXCLUDE: &str = ".git/info/exclude";

/// A world whose repository git itself made, with `.mcp.json` in its index.
fn tracked(content: &str) -> World {
    let world = World::new();
    fs::remove_dir_all(world.path(".git")).unwrap();
    world.write(SERVERS, content);
    for args in [&["init", "-q"][..], &["add", SERVERS]] {
        let mut git = Command::new("git");
        assert!(git.args(args).current_dir(world.path("")).status().unwrap().success());
    }
    world
}

fn moved(world: &World) -> Host {
    Host { exe: "/elsewhere/waypost".into(), ..world.host() }
}

#[test]
fn a_new_list_has_the_path_and_is_left_out_of_commits() {
    let world = World::new();
    let before = world.snapshot();
    world.init();
    let expected = "{\n  \"mcpServers\": {\n    \"waypost\": {\n      \"command\": \
                    \"/opt/bin/waypost\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    assert_eq!(world.read(SERVERS), expected);
    assert_eq!(world.json(LOCAL)["enabledMcpjsonServers"], json!(["waypost"]));
    assert!(world.read(EXCLUDE).contains("\n/.mcp.json\n"));
    let once = world.snapshot();
    world.init();
    assert_eq!(world.snapshot(), once);
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_list_of_the_users_keeps_everything_and_is_not_left_out() {
    for content in [
        "",
        "{}",
        "{\n\t\"mcpServers\": {\n\t\t// mine\n\t\t\"b\": {\"command\": \"b\"}, /* and */\n\t\t\"a\": {\"url\": \"x\"}\n\t}\n}",
        "{\"mcpServers\":{},\"z\":1}\r\n",
        "\u{feff}{\n    \"mcpServers\": {\n        \"b\": {},\n    },\n}\n\n",
        "// nothing yet\n",
    ] {
        let world = World::new();
        world.write(SERVERS, content);
        let before = world.snapshot();
        let outcome = world.init();
        let text = world.read(SERVERS);
        assert!(text.contains("\"command\": \"/opt/bin/waypost\""), "{text}");
        for kept in ["// mine", "/* and */", "// nothing yet", "\"z\":1", "\u{feff}"] {
            assert_eq!(text.contains(kept), content.contains(kept), "{text}");
        }
        assert!(!world.read(EXCLUDE).contains(SERVERS), "{outcome:?}");
        world.init();
        assert_eq!(world.read(SERVERS), text);
        world.remove();
        assert_eq!(world.snapshot(), before, "{content:?}");
    }
}

#[test]
fn another_program_takes_the_place_of_the_first() {
    let world = World::new();
    let before = world.snapshot();
    world.init();
    init::run(&moved(&world), &world.project(), &Options::default()).unwrap();
    assert_eq!(world.json(SERVERS)["mcpServers"]["waypost"]["command"], "/elsewhere/waypost");
    assert!(world.read(EXCLUDE).contains("/.mcp.json"));
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn what_git_keeps_names_no_path_of_this_machine() {
    let world = tracked("{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}\n");
    let before = world.snapshot();
    world.init();
    let servers = world.json(SERVERS)["mcpServers"].clone();
    assert_eq!(servers["waypost"], json!({"command": "waypost", "args": ["mcp"]}));
    assert_eq!(servers["other"]["command"], "x");
    assert!(!world.read(EXCLUDE).contains(SERVERS));
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn what_a_teammate_registered_is_approved_and_stays() {
    let content =
        "{\"mcpServers\": {\"waypost\": {\"command\": \"waypost\", \"args\": [\"mcp\"]}}}";
    let world = tracked(content);
    world.init();
    assert_eq!(world.read(SERVERS), content);
    assert_eq!(world.json(LOCAL)["enabledMcpjsonServers"], json!(["waypost"]));
    let outcome = world.remove();
    assert_eq!(world.read(SERVERS), content);
    assert!(notes(&outcome).iter().any(|note| note.contains(".mcp.json registers")), "{outcome:?}");

    let theirs = content.replace("\"waypost\", ", "\"/opt/theirs/waypost\", ");
    let world = tracked(&theirs);
    world.init();
    assert_eq!(world.read(SERVERS), content, "a path of another machine is put right");
    world.remove();
    assert_eq!(world.read(SERVERS), theirs);
}

#[test]
fn shared_is_for_everyone_and_stays_so() {
    let world = World::new();
    let before = world.snapshot();
    world.init();
    world.init_shared();
    let shared = world.snapshot();
    assert_eq!(world.json(SERVERS)["mcpServers"]["waypost"]["command"], "waypost");
    assert!(!world.read(EXCLUDE).contains(SERVERS), "it is there to be committed");
    assert!(world.read(EXCLUDE).contains(LOCAL));
    world.init();
    assert_eq!(world.snapshot(), shared);
    world.remove();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_server_of_somebody_else_stays_and_is_not_approved() {
    for entry in [
        json!({"command": "/opt/bin/waypost", "args": ["mcp", "--more"]}),
        json!({"command": "npx", "args": ["mcp"]}),
        json!({"type": "http", "url": "http://127.0.0.1:1/mcp"}),
        json!({"type": "http", "command": "waypost", "args": ["mcp"]}),
    ] {
        let world = World::new();
        let content = json!({"mcpServers": {"waypost": entry}}).to_string();
        world.write(SERVERS, &content);
        let outcome = world.init();
        assert_eq!(world.read(SERVERS), content);
        assert!(world.json(LOCAL).get("enabledMcpjsonServers").is_none());
        assert!(notes(&outcome).iter().any(|note| note.contains("did not write")), "{outcome:?}");
        world.remove();
        assert_eq!(world.read(SERVERS), content);
    }
}

#[test]
fn what_the_user_said_about_servers_is_kept() {
    for (settings, expected) in [
        ("{\"enabledMcpjsonServers\": [\"b\"]}", json!(["b", "waypost"])),
        ("{\"enabledMcpjsonServers\": []}", json!(["waypost"])),
        ("{\"enabledMcpjsonServers\": [\"waypost\"]}", json!(["waypost"])),
        ("{\"enableAllProjectMcpServers\": true}", json!(null)),
        ("{\"enableAllProjectMcpServers\": false}", json!(["waypost"])),
        ("{\"disabledMcpjsonServers\": [\"waypost\"]}", json!(null)),
    ] {
        let world = World::new();
        world.write(LOCAL, settings);
        let before = world.snapshot();
        let outcome = world.init();
        assert_eq!(world.json(LOCAL)["enabledMcpjsonServers"], expected, "{settings}");
        let told = notes(&outcome).iter().any(|note| note.contains("disabledMcpjsonServers"));
        assert_eq!(told, settings.contains("disabled"), "{outcome:?}");
        world.remove();
        assert_eq!(world.snapshot(), before, "{settings}");
    }
}

#[test]
fn later_edits_stay_when_the_server_goes() {
    let world = World::new();
    world.init();
    let text = world.read(SERVERS).replacen('{', "{ \"mine\": 1,", 1);
    world.write(SERVERS, text);
    let approved = "\"enabledMcpjsonServers\": [\"waypost\"]";
    assert!(world.read(LOCAL).contains(approved));
    let more = approved.replace(']', ", \"mine\"]");
    world.write(LOCAL, world.read(LOCAL).replace(approved, &more));
    world.remove();
    assert_eq!(world.json(SERVERS), json!({"mine": 1}));
    assert_eq!(world.json(LOCAL), json!({"enabledMcpjsonServers": ["mine"]}));

    let world = World::new();
    let content = "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n";
    world.write(SERVERS, content);
    world.init();
    world.write(SERVERS, world.read(SERVERS).replace("\"a\"", "\"b\""));
    world.remove();
    assert_eq!(world.read(SERVERS), content.replace("\"a\"", "\"b\""));
}

#[test]
fn without_a_manifest_the_server_still_goes() {
    let world = World::new();
    world.init();
    fs::remove_file(world.path(".git/waypost/install.json")).unwrap();
    world.remove();
    assert_eq!(world.json(SERVERS), json!({}));
    assert_eq!(world.json(LOCAL), json!({}));
}

#[test]
fn a_list_that_cannot_be_read_stops_it_with_nothing_changed() {
    for (name, content, expected) in [
        (SERVERS, "{ broken", "line 1, column"),
        (SERVERS, "[]", "it is not an object"),
        (SERVERS, "{\"mcpServers\": []}", "mcpServers is not an object"),
        (SERVERS, "{\"mcpServers\": {\"waypost\": 1}}", "mcpServers.waypost is not an object"),
        (SERVERS, "{\"mcpServers\": {}, \"mcpServers\": {}}", "twice"),
        (LOCAL, "{\"enabledMcpjsonServers\": \"b\"}", "enabledMcpjsonServers is not an array"),
    ] {
        let world = World::new();
        world.write(name, content);
        let before = world.snapshot();
        let error = world.try_init(&Options::default()).unwrap_err();
        assert_eq!(error.kind, Kind::Configuration);
        assert!(error.message.contains(expected) && error.message.contains(name), "{error}");
        assert_eq!(world.snapshot(), before);
        assert!(!world.host().key_file().exists());
    }
}

#[test]
fn a_list_of_somebody_else_never_stops_the_removal() {
    let world = World::new();
    world.write(SERVERS, "{\"mcpServers\": {\"waypost\": {\"command\": \"x\"}}}");
    world.init();
    world.write(SERVERS, "{ broken");
    world.remove();
    assert_eq!(world.read(SERVERS), "{ broken");
    assert!(!world.path(LOCAL).exists());
}

#[test]
fn a_link_is_left_alone_and_the_hooks_are_registered() {
    let world = World::new();
    world.write("mcp.json", "{}");
    std::os::unix::fs::symlink("mcp.json", world.path(SERVERS)).unwrap();
    let outcome = world.init();
    assert_eq!(world.read("mcp.json"), "{}");
    assert!(notes(&outcome).iter().any(|note| note.contains("not registered")), "{outcome:?}");
    assert_eq!(world.registrations().len(), 1);
    world.remove();
    assert_eq!(world.read("mcp.json"), "{}");
}
