//! Output for people: colour only on a terminal, foreign text made harmless.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_core::text::printable;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub(crate) const WARN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub(crate) const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// Text in a style, where the output is a terminal.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{}{style:#}", printable(&text.to_string()))
}

/// Writes a line. Nobody listening any more is no error.
pub(crate) fn line(text: impl Display) {
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// Writes a line for people beside the output.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{} {text}", paint(DIM, "note:"));
}

/// Writes a warning.
pub(crate) fn warning(text: impl Display) {
    let text = printable(&text.to_string());
    let _ = writeln!(anstream::stderr(), "{} {text}", paint(WARN, "warning:"));
}

/// Writes what went wrong and what to do next.
pub(crate) fn error(message: &str, hints: &[String]) {
    let mut stderr = anstream::stderr();
    let _ = writeln!(stderr, "{} {}", paint(BAD, "error:"), printable(message));
    for hint in hints {
        let _ = writeln!(stderr, "{} {}", paint(GOOD, " next:"), printable(hint));
    }
}

/// Writes a value as JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), AppError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| AppError::refused(format!("cannot be written as JSON: {error}")))?;
    line(text);
    Ok(())
}

/// Whether somebody sits at a terminal and can be asked.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for a line of text; empty means the default.
pub(crate) fn ask(question: &str, default: &str) -> Option<String> {
    let mut stderr = anstream::stderr();
    let _ = write!(stderr, "{} {} ", paint(BOLD, question), paint(DIM, format!("[{default}]")));
    let _ = stderr.flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    let answer = answer.trim();
    Some(if answer.is_empty() { default.to_owned() } else { answer.to_owned() })
}
