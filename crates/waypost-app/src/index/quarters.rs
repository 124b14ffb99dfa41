//! What the messages used that count, by quarters of an hour. A message that stands in several files counts once, in one
//! of them; so whenever a file changed, the others that share messages with it are looked at, too.

use std::collections::{BTreeMap, BTreeSet};

use waypost_core::tables::{Cell, Row, TranscriptRow, UsageQuarterRow, UsageRow};
use waypost_store::index::{Change, IndexError};

use super::reading::Reading;

/// Which other files have messages of this one.
pub(super) fn sharing(file: i64, reading: &Reading<'_>) -> Result<BTreeSet<i64>, IndexError> {
    let mut all = BTreeSet::new();
    for row in of_file(file, reading)? {
        all.extend(same(&row, reading)?.iter().map(|row| row.file));
    }
    all.remove(&file);
    Ok(all)
}

/// Sums up anew what counts for these files, and for those that share messages with them.
pub(super) fn make(files: BTreeSet<i64>, reading: &mut Reading<'_>) -> Result<(), IndexError> {
    let mut all = files.clone();
    for file in files {
        all.extend(sharing(file, reading)?);
    }
    let clients = clients(reading)?;
    for file in all {
        let mut quarters = Quarters::default();
        counting(file, &clients, reading)?.iter().for_each(|row| quarters.add(row));
        let with = vec![("file", Cell::Int(file))];
        reading.change(Change::Remove { table: UsageQuarterRow::TABLE, with });
        reading.change(Change::put(quarters.0.values()));
    }
    Ok(())
}

/// Sums up all of it.
pub(super) fn make_all(reading: &mut Reading<'_>) -> Result<(), IndexError> {
    let mut quarters = Quarters::default();
    all_counting(&clients(reading)?, reading)?.iter().for_each(|row| quarters.add(row));
    reading.change(Change::Remove { table: UsageQuarterRow::TABLE, with: Vec::new() });
    reading.change(Change::put(quarters.0.values()));
    Ok(())
}

/// The messages that count for a file.
pub(super) fn counting(
    file: i64,
    clients: &Clients,
    reading: &Reading<'_>,
) -> Result<Vec<UsageRow>, IndexError> {
    let (mut all, client) = (Vec::new(), clients.get(&file));
    for row in of_file(file, reading)? {
        let mut rows = same(&row, reading)?;
        rows.retain(|other| clients.get(&other.file) == client);
        all.extend(UsageRow::that_counts(&rows).filter(|counts| counts.file == file));
    }
    Ok(all)
}

/// All messages that count.
pub(super) fn all_counting(
    clients: &Clients,
    reading: &Reading<'_>,
) -> Result<Vec<UsageRow>, IndexError> {
    let mut named: BTreeMap<(Option<&String>, String), Vec<UsageRow>> = BTreeMap::new();
    let mut all = Vec::new();
    for row in reading.rows::<UsageRow>(&[])? {
        if row.is_named() {
            let name = (clients.get(&row.file), row.message.clone());
            named.entry(name).or_default().push(row);
        } else {
            all.push(row);
        }
    }
    all.extend(named.values().filter_map(UsageRow::that_counts));
    Ok(all)
}

fn of_file(file: i64, reading: &Reading<'_>) -> Result<Vec<UsageRow>, IndexError> {
    reading.rows(&[("file", Cell::Int(file))])
}

/// The rows of the same message, this one among them.
fn same(row: &UsageRow, reading: &Reading<'_>) -> Result<Vec<UsageRow>, IndexError> {
    if row.is_named() {
        reading.rows(&[("message", Cell::Text(row.message.clone()))])
    } else {
        Ok(vec![row.clone()])
    }
}

/// Which client wrote which file: different ones may call their messages alike.
pub(super) type Clients = BTreeMap<i64, String>;

fn clients(reading: &Reading<'_>) -> Result<Clients, IndexError> {
    let rows = reading.rows::<TranscriptRow>(&[])?.into_iter();
    Ok(rows.map(|row| (row.file, row.client)).collect())
}

#[derive(Default)]
struct Quarters(BTreeMap<(i64, i64, String, String), UsageQuarterRow>);

impl Quarters {
    fn add(&mut self, row: &UsageRow) {
        let new = UsageQuarterRow::like(row);
        let key = (new.file, new.quarter, new.agent.clone(), new.model.clone());
        self.0.entry(key).or_insert(new).add(row);
    }
}
