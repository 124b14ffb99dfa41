//! Output for people: colour only on a terminal, foreign text made harmless.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Display;
use std::io::{IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::machine::local_time::utc_offset;
use waypost_core::next_step::{NextStep, Voice};
use waypost_core::text::spoken::{local, local_exactly};
use waypost_core::text::{escaped_json, is_hidden, one_line, printable};
use waypost_core::time::Timestamp;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub(crate) const WARN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub(crate) const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// Text in a style, where the output is a terminal.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{}{style:#}", printable(&text.to_string()))
}

/// Every style that `paint` is asked for.
const STYLES: [Style; 5] = [BOLD, DIM, GOOD, WARN, BAD];

/// Writes a line. Nobody listening any more is no error.
///
/// Everything that commands print goes through here, so this is where hidden characters stop, whoever
/// put the line together.
pub(crate) fn line(text: impl Display) {
    // At one go: whoever reads it sees all of it, or nothing.
    let text = format!("{}\n", harmless(&text.to_string()));
    let is_gathered = GATHERED.with_borrow_mut(|gathered| {
        gathered.as_mut().map(|gathered| gathered.push_str(&text)).is_some()
    });
    if !is_gathered {
        write(&text);
    }
}

/// Writes the lines that `tell` writes at one go: of many, each by itself takes as long as making it.
pub(crate) fn together(tell: impl FnOnce()) {
    if GATHERED.with_borrow(Option::is_some) {
        return tell();
    }
    GATHERED.set(Some(String::new()));
    tell();
    write(&GATHERED.take().unwrap_or_default());
}

fn write(text: &str) {
    let _ = anstream::stdout().write_all(text.as_bytes());
}

thread_local! {
    /// The lines that are gathered instead of written.
    static GATHERED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Gives the lines that `tell` writes, without styles: to be shown in another place.
pub(crate) fn gathered(tell: impl FnOnce()) -> String {
    GATHERED.set(Some(String::new()));
    tell();
    let text = GATHERED.take().unwrap_or_default();
    anstream::adapter::strip_str(&text).to_string()
}

/// Writes a document: byte for byte for whoever reads it from a file or pipe, made harmless on a terminal.
pub(crate) fn document(text: &str) {
    let mut to = std::io::stdout();
    if to.is_terminal() {
        line(text.trim_end_matches('\n'));
    } else {
        let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    }
}

/// Writes a line for people beside the output.
pub(crate) fn note(text: impl Display) {
    let text = text.to_string();
    let _ = writeln!(anstream::stderr(), "{} {}", paint(DIM, "note:"), harmless(&text));
}

/// Writes a line that goes with a question, beside the output.
pub(crate) fn aside(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{}", harmless(&text.to_string()));
}

/// Text without hidden characters but those that `paint` writes.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split('\u{1b}');
    let mut clean = printable(pieces.next().unwrap_or_default());
    for piece in pieces {
        let code = style_code(piece).unwrap_or_default();
        if !code.is_empty() {
            clean.push('\u{1b}');
            clean.push_str(code);
        }
        clean.push_str(&printable(piece.get(code.len()..).unwrap_or_default()));
    }
    Cow::Owned(clean)
}

/// What of `text`, which follows an escape character, is the rest of a style that `paint` writes.
fn style_code(text: &str) -> Option<&str> {
    let code = text.get(..=text.find('m')?)?;
    let is_known = |written: String| written.strip_prefix('\u{1b}') == Some(code);
    let begins = |style: &Style| is_known(style.render().to_string());
    let ends = |style: &Style| is_known(style.render_reset().to_string());
    STYLES.iter().any(|style| begins(style) || ends(style)).then_some(code)
}

/// Writes a warning.
pub(crate) fn warning(text: impl Display) {
    let text = printable(&text.to_string());
    let _ = writeln!(anstream::stderr(), "{} {text}", paint(WARN, "warning:"));
}

/// Writes warnings.
pub(crate) fn warnings(texts: &[String]) {
    texts.iter().for_each(warning);
}

/// Writes what went wrong and what to do next. Whoever reads it is at a terminal, or has a shell at least.
pub(crate) fn error(message: &str, hints: &[NextStep]) {
    let mut stderr = anstream::stderr();
    let _ = writeln!(stderr, "{} {}", paint(BAD, "error:"), printable(message));
    for hint in hints {
        let _ =
            writeln!(stderr, "{} {}", paint(GOOD, " next:"), printable(&hint.words(Voice::PERSON)));
    }
}

/// Writes a value as JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), AppError> {
    line(json_text(value)?);
    Ok(())
}

/// A value as JSON. Hidden characters are escaped, so that nothing of it is lost and a terminal is safe.
pub(crate) fn json_text<T: Serialize>(value: &T) -> Result<String, AppError> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| escaped_json(&text)).map_err(|error| {
        AppError::refused(format!("cannot be written as JSON: {error}")).because(error)
    })
}

/// Writes what a thing is called and what it is, below each other aligned.
pub(crate) fn field(name: &str, value: impl Display) {
    field_in(Style::new(), name, value);
}

/// The same in a style.
pub(crate) fn field_in(style: Style, name: &str, value: impl Display) {
    let value = indented(&value.to_string(), 14);
    line(format!("  {}{}", paint(DIM, format!("{name:<12}")), paint(style, value)));
}

/// Foreign text of several lines, those after the first moved in by `columns`.
pub(crate) fn indented(text: &str, columns: usize) -> String {
    let text = printable(text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.join(&format!("\n{}", " ".repeat(columns)))
}

/// Foreign text on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    one_line(text)
}

/// Foreign text on one line, with the blanks that it has.
pub(crate) fn on_one_line_as_it_is(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// A time to the minute, as clocks here show it.
pub(crate) fn moment(time: Timestamp) -> String {
    local(time, utc_offset(time))
}

/// The same to the second.
pub(crate) fn second(time: Timestamp) -> String {
    local_exactly(time, utc_offset(time))
}

/// How many columns the output has, where it is a terminal.
pub(crate) fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Whether somebody sits at a terminal and can be asked.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Whether an answer means yes.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer.to_lowercase().as_str(), "y" | "yes")
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
