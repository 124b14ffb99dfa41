//! The files of an index: who sees what while it is made anew, and what is taken for damage.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use waypost_core::tables::{ProjectRow, Row};
use waypost_store::Patience;
use waypost_store::index::{Change, Index, IndexError, IndexPlace};

/// Something that becomes of a file.
type Damage = fn(&Path);

fn row(id: &str) -> ProjectRow {
    ProjectRow {
        id: id.to_owned(),
        name: id.to_owned(),
        working_dir: "/x".to_owned(),
        store: "/x/.waypost".to_owned(),
        present: true,
        archived: false,
    }
}

/// Makes an index with one row.
fn make(place: &IndexPlace, id: &str) {
    let hold = place.hold(Patience::default()).unwrap();
    let mut building = place.begin(&hold).unwrap();
    building.index.write(&[Change::put([&row(id)])]).unwrap();
    place.finish(building).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with("lock"));
    names.sort();
    names
}

#[test]
fn whoever_reads_an_index_goes_on_while_another_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let place = IndexPlace::new(folder.path().join("index"));
    assert!(place.open().unwrap().is_none());
    make(&place, "one");
    let reader = place.open().unwrap().unwrap();
    make(&place, "two");
    let first = reader.rows(&waypost_store::index::Asked::all(ProjectRow::TABLE)).unwrap();
    assert_eq!(ProjectRow::from_cells(first[0].clone()), Some(row("one")));
    let mut now = place.open().unwrap().unwrap();
    now.write(&[Change::put([&row("three")])]).unwrap();
    // As it ends, it tidies up by names that are nobody else's.
    drop(reader);
    assert_eq!(now.count(ProjectRow::TABLE).unwrap(), 2);
    drop(now);
    assert_eq!(place.open().unwrap().unwrap().count(ProjectRow::TABLE).unwrap(), 2);
    make(&place, "four");
    assert_eq!(names(&folder.path().join("index")), ["index-3.db"]);
}

#[test]
fn its_files_are_for_their_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let place = IndexPlace::new(folder.path().join("index"));
    make(&place, "one");
    let mut index = place.open().unwrap().unwrap();
    index.write(&[Change::put([&row("two")])]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("index")), 0o700);
    for name in ["index-1.db", "index-1.db-wal", "index-1.db-shm"] {
        assert_eq!(mode(&folder.path().join("index").join(name)), 0o600, "{name}");
    }
}

#[test]
fn what_somebody_left_unfinished_is_no_index_and_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let place = IndexPlace::new(folder.path().join("index"));
    let hold = place.hold(Patience::default()).unwrap();
    drop(place.begin(&hold).unwrap());
    drop(hold);
    assert!(place.open().unwrap().is_none());
    make(&place, "one");
    assert_eq!(names(&folder.path().join("index")), ["index-1.db"]);
}

#[test]
fn every_sort_of_damage_is_noticed_and_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    let place = IndexPlace::new(folder.path().join("index"));
    let damages: [(&str, Damage); 5] = [
        ("it is too short", |file| fs::write(file, "").unwrap()),
        ("it is no database", |file| fs::write(file, vec![b'x'; 9_000]).unwrap()),
        ("it was cut off", |file| {
            let half = fs::metadata(file).unwrap().len() / 2;
            fs::OpenOptions::new().write(true).open(file).unwrap().set_len(half).unwrap();
        }),
        ("it is no file", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
        ("it is no file", |file| {
            fs::remove_file(file).unwrap();
            std::os::unix::fs::symlink("/dev/zero", file).unwrap();
        }),
    ];
    for (why, damage) in damages {
        make(&place, "one");
        damage(&place.file().unwrap());
        let error = place.open().unwrap_err();
        assert!(error.is_damage() && error.to_string().contains(why), "{error}");
        let hold = place.hold(Patience::default()).unwrap();
        let aside = place.set_aside(&hold).unwrap().unwrap();
        assert!(fs::symlink_metadata(aside).is_ok());
        assert!(place.open().unwrap().is_none());
    }
}

#[test]
fn an_index_of_another_version_is_told_apart_from_damage() {
    let folder = tempfile::tempdir().unwrap();
    let place = IndexPlace::new(folder.path().join("index"));
    make(&place, "one");
    let file = place.file().unwrap();
    let whole = fs::read(&file).unwrap();
    // Where SQLite keeps the number that a program gave its database.
    let with = |version: u8| {
        let mut bytes = whole.clone();
        bytes[60..64].copy_from_slice(&[0, 0, 0, version]);
        fs::write(&file, bytes).unwrap();
        place.open().unwrap_err()
    };
    assert!(matches!(with(0), IndexError::Older { .. }));
    assert!(matches!(with(200), IndexError::Newer { .. }));
}
