//! Files of every system with hostile values in every place, and cut anywhere: an answer comes for each, nothing is
//! written outside of the project's folders, and what was imported verifies.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::picture::Picture;

use crate::fixtures::{first_version, second_version};
use crate::{everything, import, project};

/// What somebody may put in the place of a value.
fn hostile() -> Vec<Value> {
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    vec![
        json!("../../../../evil"),
        json!("/tmp/evil"),
        json!(".."),
        json!("a\u{0}b\u{202e}c\n# d"),
        json!("x".repeat(3_000)),
        json!(-1),
        json!(1e300),
        json!(18_446_744_073_709_551_615_u64),
        json!({"a": {"b": []}}),
        json!([null, [], {}]),
        json!(null),
        deep,
    ]
}

/// The value with another in one place, for every place.
fn replaced(value: &Value, with: &Value) -> Vec<Value> {
    let mut all = vec![with.clone()];
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                for changed in replaced(inner, with) {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), changed);
                    all.push(Value::Object(fields));
                }
            }
        }
        Value::Array(items) => {
            for (place, inner) in items.iter().enumerate() {
                for changed in replaced(inner, with) {
                    let mut items = items.clone();
                    items[place] = changed;
                    all.push(Value::Array(items));
                }
            }
        }
        _ => {}
    }
    all
}

fn write(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn hostile_values_in_any_place_end_in_an_answer_and_write_nothing_elsewhere() {
    let mut files = everything::files();
    for (name, manifest) in [("one", first_version("one")), ("two", second_version("two"))] {
        files.push((format!("{name}/state.json"), manifest.to_string()));
    }
    let env = project();
    let hostile_files = env.home().join("hostile");
    let mut number = 0;
    for (path, text) in files {
        let name = path.rsplit('/').next().unwrap();
        let mut put = |bytes: &[u8]| {
            number += 1;
            write(&hostile_files.join(format!("{number}")).join(name), bytes);
        };
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            for with in hostile() {
                for one in replaced(&value, &with) {
                    put(one.to_string().as_bytes());
                }
            }
        } else {
            for (place, _) in text.char_indices().step_by(7) {
                put(&text.as_bytes()[..place]);
                put([&text[..place], "../../evil | `", &text[place..]].concat().as_bytes());
            }
        }
    }
    assert!(number > 3_000, "{number}");
    let around = [env.home().to_owned(), env.project().to_owned()];
    let around: Vec<&Path> = around.iter().map(std::path::PathBuf::as_path).collect();
    let before = Picture::of(&around);
    let report = import(&env, &hostile_files);
    let told = report.to_string();
    let is_told = |number: &usize| {
        let ways = ["\"", ", ", "hostile/"].map(|before| format!("{before}{number}/"));
        ways.iter().any(|way| told.contains(way)) || told.contains(&format!("hostile/{number}\""))
    };
    let untold: Vec<usize> = (1..=number).filter(|number| !is_told(number)).collect();
    assert_eq!(untold, Vec::<usize>::new(), "of {number}");
    let elsewhere: Vec<String> = before
        .changes(&Picture::of(&around))
        .into_iter()
        .filter(|change| !change.contains("/.git/waypost/") && !change.contains("/agents"))
        .collect();
    assert_eq!(elsewhere, Vec::<String>::new());
    env.ok(&["verify", "--all"]);
    env.ok(&["list", "--all"]);
}
