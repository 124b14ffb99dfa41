//! The folder of the project's own workflows.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const ONE: &str = "[[phase]]\nname = \"Only\"\n";

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir_all(project.path().join(FOLDER)).unwrap();
    for (name, text) in files {
        fs::write(project.path().join(FOLDER).join(name), text).unwrap();
    }
    project
}

#[test]
fn they_are_listed_by_name_and_other_files_are_left_alone() {
    let project = project(&[("b.toml", ONE), ("a.toml", ONE), ("notes.md", "x"), ("x.toml~", "")]);
    let found = all(project.path()).unwrap();
    let names: Vec<&str> = found.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(found.iter().all(|own| own.parsed.definition.is_some()));
    assert!(named(project.path(), "../workflows/a").unwrap().is_none());
    assert!(all(tempfile::tempdir().unwrap().path()).unwrap().is_empty());
}

#[test]
fn what_cannot_be_one_is_listed_with_the_reason() {
    let large = "#".repeat(2 * 1024 * 1024);
    let project = project(&[("full.toml", ONE), ("a b.toml", ONE), ("large.toml", &large)]);
    fs::create_dir(project.path().join(FOLDER).join("folder.toml")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.toml"), ONE).unwrap();
    let link = project.path().join(FOLDER).join("link.toml");
    symlink(outside.path().join("secret.toml"), link).unwrap();
    for (name, said) in [
        ("full", "built-in"),
        ("a b", "letters, digits"),
        ("large", "at most 1048576 are read"),
        ("folder", "no file"),
        ("link", "outside the project"),
    ] {
        let own = named(project.path(), name).unwrap().unwrap();
        assert!(own.parsed.definition.is_none(), "{name}");
        let told = own.parsed.problems[0].to_string();
        assert!(told.starts_with(&format!("{FOLDER}/{name}.toml:1: ")), "{told}");
        assert!(told.contains(said), "{told}");
    }
}
