//! Cells and columns, and how a row of its own type becomes cells and comes back.

use crate::time::Timestamp;

/// What stands in one column of one row.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number, a moment in milliseconds, or yes and no as 1 and 0.
    Int(i64),
    /// Any other number.
    Real(f64),
    /// Text.
    Text(String),
}

/// What may stand in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers.
    Int,
    /// Numbers.
    Real,
    /// Text.
    Text,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What may stand in it.
    pub kind: ColumnType,
    /// Whether nothing may stand in it.
    pub nullable: bool,
}

/// A table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// How many of them, from the first, tell its rows apart.
    pub key: usize,
    /// What else its rows are looked for by.
    pub indexes: &'static [&'static [&'static str]],
}

impl Table {
    /// The names of the columns that tell its rows apart.
    pub fn key_names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().take(self.key).map(|column| column.name)
    }
}

/// A row of a table, with a type of its own.
pub trait Row: Sized {
    /// The table.
    const TABLE: &'static Table;

    /// Its cells, in the order of the columns.
    fn cells(&self) -> Vec<Cell>;

    /// The row that these cells are; none if they are of another table.
    fn from_cells(cells: Vec<Cell>) -> Option<Self>;
}

/// What can stand in a column.
pub trait AsCell: Sized {
    /// What the column has to take.
    const KIND: ColumnType;
    /// Whether it may be nothing.
    const NULLABLE: bool = false;

    /// As a cell.
    fn to_cell(&self) -> Cell;

    /// From a cell, if it is one of this type.
    fn from_cell(cell: Cell) -> Option<Self>;
}

impl AsCell for i64 {
    const KIND: ColumnType = ColumnType::Int;

    fn to_cell(&self) -> Cell {
        Cell::Int(*self)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Int(number) = cell { Some(number) } else { None }
    }
}

impl AsCell for u64 {
    const KIND: ColumnType = ColumnType::Int;

    fn to_cell(&self) -> Cell {
        Cell::Int(i64::try_from(*self).unwrap_or(i64::MAX))
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        Self::try_from(i64::from_cell(cell)?).ok()
    }
}

impl AsCell for bool {
    const KIND: ColumnType = ColumnType::Int;

    fn to_cell(&self) -> Cell {
        Cell::Int(i64::from(*self))
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        Some(i64::from_cell(cell)? != 0)
    }
}

impl AsCell for f64 {
    const KIND: ColumnType = ColumnType::Real;

    fn to_cell(&self) -> Cell {
        Cell::Real(*self)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Real(number) = cell { Some(number) } else { None }
    }
}

impl AsCell for String {
    const KIND: ColumnType = ColumnType::Text;

    fn to_cell(&self) -> Cell {
        Cell::Text(self.clone())
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Text(text) = cell { Some(text) } else { None }
    }
}

impl AsCell for Timestamp {
    const KIND: ColumnType = ColumnType::Int;

    fn to_cell(&self) -> Cell {
        Cell::Int(self.as_millis())
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        Self::from_millis(i64::from_cell(cell)?).ok()
    }
}

impl<T: AsCell> AsCell for Option<T> {
    const KIND: ColumnType = T::KIND;
    const NULLABLE: bool = true;

    fn to_cell(&self) -> Cell {
        self.as_ref().map_or(Cell::Null, T::to_cell)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        if cell == Cell::Null { Some(None) } else { T::from_cell(cell).map(Some) }
    }
}

/// A struct that is a row: its fields are the columns.
macro_rules! row {
    (
        $(#[$about:meta])*
        $name:ident in $table:literal, key $key:literal, indexes [$([$($index:literal),*]),*] {
            $($(#[$field_about:meta])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $type,)*
        }

        impl Row for $name {
            const TABLE: &'static Table = &Table {
                name: $table,
                columns: &[$(Column {
                    name: stringify!($field),
                    kind: <$type as AsCell>::KIND,
                    nullable: <$type as AsCell>::NULLABLE,
                }),*],
                key: $key,
                indexes: &[$(&[$($index),*]),*],
            };

            fn cells(&self) -> Vec<Cell> {
                vec![$(self.$field.to_cell()),*]
            }

            fn from_cells(cells: Vec<Cell>) -> Option<Self> {
                let mut cells = cells.into_iter();
                Some(Self { $($field: AsCell::from_cell(cells.next()?)?,)* })
            }
        }
    };
}

pub(super) use row;
