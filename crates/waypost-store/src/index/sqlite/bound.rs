//! Cells as SQLite takes and gives them.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use waypost_core::tables::Cell;

/// A cell that is given to a statement.
pub(super) struct Bound<'a>(pub(super) &'a Cell);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Int(number) => ValueRef::Integer(*number),
            Cell::Real(number) => ValueRef::Real(*number),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// A cell that a statement gave. Texts are ours; where they are not, whoever reads the row sees it.
pub(super) fn taken(value: ValueRef<'_>) -> rusqlite::Result<Cell> {
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(_) | ValueRef::Blob(_) => Cell::Text(value.as_str()?.to_owned()),
    })
}
