//! Making changes: each statement is prepared once, however many changes it makes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rusqlite::{CachedStatement, Connection, params_from_iter};
use waypost_core::tables::{Cell, Table};

use super::TEXTS;
use super::bound::Bound;
use super::text::{insert, remove, table_of};
use crate::index::{Change, Texts};

/// Changes that are made together.
pub(super) struct Writing<'c> {
    connection: &'c Connection,
    /// Whether nothing was there before.
    is_new: bool,
    puts: BTreeMap<&'static str, CachedStatement<'c>>,
}

impl<'c> Writing<'c> {
    pub(super) fn new(connection: &'c Connection, is_new: bool) -> Self {
        Self { connection, is_new, puts: BTreeMap::new() }
    }

    /// Makes changes, one after the other, and those of texts behind all others: they touch no rows.
    pub(super) fn make(mut self, changes: &[Change]) -> rusqlite::Result<()> {
        for change in changes {
            match change {
                Change::Put { table, rows } => self.put(table, rows)?,
                Change::Remove { table, with } => self.remove(table, with)?,
                Change::Text { .. } => {}
            }
        }
        TEXTS.into_iter().try_for_each(|texts| self.texts(texts, changes))
    }

    fn put(&mut self, table: &'static Table, rows: &[Vec<Cell>]) -> rusqlite::Result<()> {
        let statement = match self.puts.entry(table.name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(self.connection.prepare_cached(&insert(table))?),
        };
        for row in rows {
            statement.execute(params_from_iter(row.iter().map(Bound)))?;
        }
        Ok(())
    }

    fn remove(&self, table: &Table, with: &[(&'static str, Cell)]) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&remove(table, with))?;
        statement.execute(params_from_iter(with.iter().map(|(_, cell)| Bound(cell))))?;
        Ok(())
    }

    /// Puts texts where they are searched, in the order of their numbers: whenever one is smaller than the one before, the
    /// database writes down what it has gathered, and a text at a time takes longer than all else.
    fn texts(&self, texts: Texts, changes: &[Change]) -> rusqlite::Result<()> {
        let of_these = changes.iter().filter_map(|change| match change {
            Change::Text { of, id, text } if *of == texts => Some((*id, text.as_deref())),
            _ => None,
        });
        // Of several about one number the last one counts.
        let last: BTreeMap<i64, Option<&str>> = of_these.collect();
        if last.is_empty() {
            return Ok(());
        }
        let table = table_of(texts);
        let mut gone =
            self.connection.prepare_cached(&format!("DELETE FROM {table} WHERE rowid = ?1"))?;
        let put = format!("INSERT INTO {table} (rowid, text) VALUES (?1, ?2)");
        let mut put = self.connection.prepare_cached(&put)?;
        for (id, text) in last {
            if !self.is_new {
                gone.execute([id])?;
            }
            if let Some(text) = text {
                put.execute((id, text))?;
            }
        }
        Ok(())
    }
}
