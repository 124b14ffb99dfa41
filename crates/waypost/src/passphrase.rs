//! Asking for a passphrase on the controlling terminal, whatever stdin and stdout are.
//!
//! It is not shown while it is typed, never taken from a pipe, a file or the environment, and wiped
//! when it is dropped. The terminal is as before afterwards, unless the process is killed outright.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use waypost_app::error::AppError;
use waypost_app::machine::signing;
use waypost_core::text::one_line;
use zeroize::Zeroizing;

const MAX_BYTES: usize = 1024;

/// Asks for the passphrase of a key that is there.
pub(crate) fn ask(question: &str) -> Result<Zeroizing<String>, AppError> {
    ask_on(&terminal()?, question)
}

/// Asks for the passphrase of a new key, twice, because nobody sees what they type.
pub(crate) fn ask_for_new(question: &str) -> Result<Zeroizing<String>, AppError> {
    ask_twice_on(&terminal()?, question)
}

fn terminal() -> Result<File, AppError> {
    // Opening the controlling terminal never makes it one, so no flag has to say so.
    OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(|error| {
        AppError::refused(format!("there is no terminal to ask for the passphrase on: {error}"))
            .because(error)
            .hint("call this in a terminal of your own; a passphrase is taken from nowhere else")
    })
}

fn ask_twice_on(terminal: &File, question: &str) -> Result<Zeroizing<String>, AppError> {
    let first = ask_on(terminal, question)?;
    signing::acceptable(&first)?;
    if *ask_on(terminal, "The same again")? != *first {
        return Err(AppError::refused("the two passphrases are not the same")
            .hint("nothing was made; try again"));
    }
    Ok(first)
}

fn ask_on(mut terminal: &File, question: &str) -> Result<Zeroizing<String>, AppError> {
    let failed = |error: io::Error| {
        AppError::refused(format!("the passphrase cannot be asked for on the terminal: {error}"))
            .because(error)
    };
    // Quiet first: what is typed once the question stands there is never shown.
    let quiet = Quiet::new(terminal).map_err(failed)?;
    write!(terminal, "{}: ", one_line(question)).map_err(failed)?;
    let answer = read_line(terminal, &quiet.interrupts()).map_err(failed);
    drop(quiet);
    // The line's end was not shown either. Whether it is now does not matter.
    let _ = writeln!(terminal);
    understood(&answer?)
}

/// What was read: a line with its end, or less if there was no more to come.
struct Line {
    bytes: Zeroizing<[u8; MAX_BYTES + 1]>,
    length: usize,
    interrupted: bool,
}

fn read_line(mut terminal: &File, interrupts: &[u8]) -> io::Result<Line> {
    let bytes = Zeroizing::new([0; MAX_BYTES + 1]);
    let mut line = Line { bytes, length: 0, interrupted: false };
    while line.length < line.bytes.len() {
        let read = match terminal.read(&mut line.bytes[line.length..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let new = &line.bytes[line.length..line.length + read];
        line.interrupted = new.iter().any(|byte| interrupts.contains(byte));
        let ended = read == 0 || line.interrupted || new.ends_with(b"\n");
        line.length += read;
        if ended {
            break;
        }
    }
    Ok(line)
}

fn understood(line: &Line) -> Result<Zeroizing<String>, AppError> {
    let bytes = &line.bytes[..line.length];
    if line.interrupted || bytes.is_empty() {
        return Err(AppError::refused("no passphrase was given").hint("nothing was done"));
    }
    let typed = bytes.strip_suffix(b"\n");
    if typed.is_none() && bytes.len() > MAX_BYTES {
        let message = format!("the passphrase is longer than {MAX_BYTES} bytes");
        return Err(AppError::refused(message).hint("nothing was done"));
    }
    let text = std::str::from_utf8(typed.unwrap_or(bytes)).ok();
    // An arrow key, say: unseen as it is, it would hardly be typed a second time.
    let text = text.filter(|text| !text.contains(char::is_control)).ok_or_else(|| {
        AppError::refused("what was typed holds more than text").hint("type letters and signs only")
    })?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// A terminal that shows nothing of what is typed, until this is dropped.
///
/// The kernel still edits the line, but sends no signals: Ctrl-C ends the line instead, so that the
/// way out is the same as for an answer, and leads past the terminal's restoration.
struct Quiet<'a> {
    terminal: &'a File,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn new(terminal: &'a File) -> io::Result<Self> {
        let quiet = Self { terminal, before: tcgetattr(terminal)? };
        let mut modes = quiet.before.clone();
        modes.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ISIG);
        modes.local_modes.insert(LocalModes::ICANON | LocalModes::IEXTEN);
        modes.input_modes.insert(InputModes::ICRNL);
        modes.special_codes[SpecialCodeIndex::VEOL] =
            quiet.before.special_codes[SpecialCodeIndex::VINTR];
        modes.special_codes[SpecialCodeIndex::VEOL2] =
            quiet.before.special_codes[SpecialCodeIndex::VQUIT];
        // What was typed before the question is no answer to it.
        tcsetattr(terminal, OptionalActions::Flush, &modes)?;
        Ok(quiet)
    }

    /// The bytes that mean no.
    fn interrupts(&self) -> Vec<u8> {
        let codes = &self.before.special_codes;
        let codes = [codes[SpecialCodeIndex::VINTR], codes[SpecialCodeIndex::VQUIT]];
        // 0 and 255 are how systems write that there is no such key.
        codes.into_iter().filter(|code| ![0, u8::MAX].contains(code)).collect()
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // The rest of a line that was too long must not be read by the shell, and so is thrown away.
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}

#[cfg(test)]
mod tests;
