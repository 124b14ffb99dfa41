//! What keys mean.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Another row, or another part of the text.
    Move(isize),
    /// The same by pages.
    Pages(isize),
    /// Everything about the session.
    Open,
    /// Its brief.
    Brief,
    /// Approving one of its gates.
    Approve,
    /// Yes, where something was asked.
    Yes,
    /// No, or back.
    Back,
    /// The keys.
    Help,
    /// The end.
    Quit,
    /// Being stopped for a while.
    Rest,
}

/// What a key means, if anything.
pub(super) fn wish(key: KeyEvent) -> Option<Wish> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Wish::Quit),
            KeyCode::Char('z') => Some(Wish::Rest),
            _ => None,
        };
    }
    Some(match key.code {
        KeyCode::Up | KeyCode::Char('k') => Wish::Move(-1),
        KeyCode::Down | KeyCode::Char('j') => Wish::Move(1),
        KeyCode::PageUp => Wish::Pages(-1),
        KeyCode::PageDown | KeyCode::Char(' ') => Wish::Pages(1),
        KeyCode::Home | KeyCode::Char('g') => Wish::Move(isize::MIN),
        KeyCode::End | KeyCode::Char('G') => Wish::Move(isize::MAX),
        KeyCode::Enter | KeyCode::Char('o') => Wish::Open,
        KeyCode::Char('b') => Wish::Brief,
        KeyCode::Char('a') => Wish::Approve,
        KeyCode::Char('y') => Wish::Yes,
        KeyCode::Esc | KeyCode::Char('n') | KeyCode::Backspace | KeyCode::Left => Wish::Back,
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => Wish::Help,
        KeyCode::Char('q') => Wish::Quit,
        _ => return None,
    })
}
