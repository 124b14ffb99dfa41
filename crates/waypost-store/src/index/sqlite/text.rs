//! The statements, made of what the tables are. Every name comes from there, every value is bound.

use waypost_core::tables::{Cell, ColumnType, Table};

use crate::index::{Asked, Summed, Texts};

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
    format!("DELETE FROM \"{}\"{}", table.name, conditions(with, &[], None, None))
}

pub(super) fn select(asked: &Asked<'_>) -> String {
    let Asked { table, with, without, among, within, by, most, skip } = asked;
    let columns = names(table.columns.iter().map(|column| column.name));
    let within = within.map(|(name, ..)| name);
    let among = among.map(|(name, cells)| (name, cells.len()));
    let order = match by {
        Some((name, true)) => format!("\"{name}\" DESC"),
        Some((name, false)) => format!("\"{name}\""),
        None => names(table.key_names()),
    };
    let most = match (most, skip) {
        (None, 0) => String::new(),
        (most, skip) => format!(" LIMIT {} OFFSET {skip}", most.map_or(-1, i64::from)),
    };
    let conditions = conditions(with, without, within, among);
    format!("SELECT {columns} FROM \"{}\"{conditions} ORDER BY {order}{most}", table.name)
}

pub(super) fn sum(asked: &Asked<'_>, summed: &Summed<'_>) -> String {
    let Asked { table, with, without, among, within, .. } = asked;
    let each = summed.each.map_or("NULL".to_owned(), |name| format!("\"{name}\""));
    // A sum that no number holds is the largest one.
    let sums = summed.columns.iter().map(|name| format!("CAST(total(\"{name}\") AS INTEGER)"));
    let told: Vec<String> = [each, "count(*)".to_owned()].into_iter().chain(sums).collect();
    let conditions = conditions(
        with,
        without,
        within.map(|(name, ..)| name),
        among.map(|(name, cells)| (name, cells.len())),
    );
    let groups = if summed.each.is_some() { " GROUP BY 1 ORDER BY 1" } else { "" };
    format!("SELECT {} FROM \"{}\"{conditions}{groups}", told.join(", "), table.name)
}

/// The table that holds texts of this sort.
pub(super) fn table_of(texts: Texts) -> &'static str {
    match texts {
        Texts::Messages => "message_texts",
        Texts::Sessions => "session_texts",
    }
}

type Columns = [(&'static str, Cell)];

/// The conditions; what is bound to them comes in the same order.
fn conditions(
    with: &Columns,
    without: &Columns,
    within: Option<&str>,
    among: Option<(&str, usize)>,
) -> String {
    let mut next = 0;
    let mut bound = |name: &str, is: &str| {
        next += 1;
        format!("\"{name}\" {is} ?{next}")
    };
    let mut all: Vec<String> = with.iter().map(|(name, _)| bound(name, "IS")).collect();
    all.extend(without.iter().map(|(name, _)| bound(name, "IS NOT")));
    all.extend(
        within
            .into_iter()
            .flat_map(|name| [(name, ">="), (name, "<")])
            .map(|(name, is)| bound(name, is)),
    );
    if let Some((name, count)) = among {
        let places = (next + 1..=next + count).map(|place| format!("?{place}"));
        all.push(format!("\"{name}\" IN ({})", places.collect::<Vec<_>>().join(", ")));
    }
    if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Words as they are: none of them is taken for an operator of the search.
pub(super) fn quoted(words: &str, texts: Texts) -> String {
    let end = match texts {
        Texts::Messages => "\"",
        Texts::Sessions => "\"*",
    };
    let words = words.split_whitespace();
    let quoted = words.map(|word| format!("\"{}{end}", word.replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(" ")
}
