//! The statements, made of what the tables are. Every name comes from there, every value is bound.

use waypost_core::tables::{Cell, ColumnType, Table};

use crate::index::Asked;

pub(super) fn create_table(table: &Table) -> String {
    let columns = table.columns.iter().map(|column| {
        let kind = match column.kind {
            ColumnType::Int => "INTEGER",
            ColumnType::Real => "REAL",
            ColumnType::Text => "TEXT",
        };
        let null = if column.nullable { "" } else { " NOT NULL" };
        format!("\"{}\" {kind}{null}", column.name)
    });
    format!("CREATE TABLE \"{}\" ({})", table.name, columns.collect::<Vec<_>>().join(", "))
}

/// What its rows are told apart and looked for by.
pub(super) fn create_index(table: &Table) -> Vec<String> {
    let name = table.name;
    let key = names(table.key_names());
    let first = format!("CREATE UNIQUE INDEX \"{name}_key\" ON \"{name}\" ({key})");
    let more = table.indexes.iter().map(|columns| {
        let (suffix, columns) = (columns.join("_"), names(columns.iter().copied()));
        format!("CREATE INDEX \"{name}_{suffix}\" ON \"{name}\" ({columns})")
    });
    std::iter::once(first).chain(more).collect()
}

pub(super) fn insert(table: &Table) -> String {
    let columns = names(table.columns.iter().map(|column| column.name));
    let places: Vec<String> = (1..=table.columns.len()).map(|n| format!("?{n}")).collect();
    let places = places.join(", ");
    format!("INSERT OR REPLACE INTO \"{}\" ({columns}) VALUES ({places})", table.name)
}

pub(super) fn remove(table: &Table, with: &[(&'static str, Cell)]) -> String {
    format!("DELETE FROM \"{}\"{}", table.name, conditions(with, None, None))
}

pub(super) fn select(asked: &Asked<'_>) -> String {
    let Asked { table, with, among, within, by, most } = asked;
    let columns = names(table.columns.iter().map(|column| column.name));
    let within = within.map(|(name, ..)| name);
    let among = among.map(|(name, cells)| (name, cells.len()));
    let order = match by {
        Some((name, true)) => format!("\"{name}\" DESC"),
        Some((name, false)) => format!("\"{name}\""),
        None => names(table.key_names()),
    };
    let most = most.map(|most| format!(" LIMIT {most}")).unwrap_or_default();
    let conditions = conditions(with, within, among);
    format!("SELECT {columns} FROM \"{}\"{conditions} ORDER BY {order}{most}", table.name)
}

fn conditions(
    with: &[(&'static str, Cell)],
    within: Option<&str>,
    among: Option<(&str, usize)>,
) -> String {
    let equal = with.iter().enumerate();
    let mut all: Vec<String> =
        equal.map(|(place, (name, _))| format!("\"{name}\" IS ?{}", place + 1)).collect();
    if let Some(name) = within {
        let next = with.len() + 1;
        all.push(format!("\"{name}\" >= ?{next} AND \"{name}\" < ?{}", next + 1));
    }
    if let Some((name, count)) = among {
        let first = with.len() + 1 + within.map_or(0, |_| 2);
        let places = (first..first + count).map(|place| format!("?{place}"));
        all.push(format!("\"{name}\" IN ({})", places.collect::<Vec<_>>().join(", ")));
    }
    if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Words as they are: none of them is taken for an operator of the search.
pub(super) fn quoted(words: &str) -> String {
    let quoted = words.split_whitespace().map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(" ")
}
