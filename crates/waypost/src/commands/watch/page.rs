//! What stands over the rows for a while: a session, its brief, the keys, a gate that may be approved.

use anstyle::Style;

use super::approve::Approving;
use super::line::{Line, Size, wrapped};
use crate::ui::{BOLD, DIM};

/// The keys, one by one.
pub(super) const HELP: &str = "\
↑ ↓ or k j       choose a row; in a text, move it
PgUp PgDn        the same by pages
Home End or g G  the first row, the last one
o or Enter       show everything about the session
b                show its brief, as agents are told
a                approve one of its gates: it is shown first, and asked about
Esc              back; from the rows, quit
q or Ctrl-C      quit
Ctrl-Z           let it rest; fg takes it up again";

/// What stands over the rows.
#[derive(Debug)]
pub(super) enum Page {
    /// A text to read.
    Text(Text),
    /// A gate that may be approved.
    Approve(Approving),
}

/// A text to read.
#[derive(Debug)]
pub(super) struct Text {
    title: String,
    content: String,
    /// The first line that is seen.
    top: usize,
}

impl Page {
    /// A text to read.
    pub(super) fn text(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text(Text { title: title.into(), content: text.into(), top: 0 })
    }

    /// Its lines.
    pub(super) fn lines(&self, size: Size, message: Option<&str>) -> Vec<Line> {
        let (title, text, top, keys) = match self {
            Self::Text(text) => {
                (text.title.clone(), text.content.clone(), text.top, "↑↓ move  Esc back  q quit")
            }
            Self::Approve(approving) => (approving.title(), approving.text(), 0, approving.keys()),
        };
        let body = wrapped(&text, size.columns);
        let room = size.lines.saturating_sub(3);
        let top = top.min(body.len().saturating_sub(room));
        let mut lines = vec![Line::of(BOLD, &title), Line::default()];
        lines.extend(body.iter().skip(top).take(room).map(|line| Line::of(Style::new(), line)));
        lines.resize(size.lines.saturating_sub(1), Line::default());
        let last = match message {
            Some(message) => Line::of(BOLD, message),
            None => Line::of(DIM, keys).with(DIM, &seen(top, room, body.len())),
        };
        lines.push(last);
        lines
    }

    /// Moves a text by so many lines, as far as there are any.
    pub(super) fn scroll(&mut self, by: isize, size: Size) {
        if let Self::Text(text) = self {
            let all = wrapped(&text.content, size.columns).len();
            let last = all.saturating_sub(size.lines.saturating_sub(3));
            text.top = text.top.saturating_add_signed(by).min(last);
        }
    }
}

/// Which part of a text is seen, if not all of it.
fn seen(top: usize, room: usize, all: usize) -> String {
    if all <= room {
        return String::new();
    }
    format!("  lines {} to {} of {all}", top + 1, (top + room).min(all))
}
