//! The terminal as a screen: lines are painted where they changed. It is given back as it was, however this ends: quitting,
//! a signal, a panic.

use std::io::{self, Write};
use std::panic;

use anstream::ColorChoice;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    self, Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{execute, queue};

use super::line::{Line, Size};

/// The terminal, while it is a screen.
#[derive(Debug)]
pub(super) struct Screen {
    painted: Vec<Line>,
    size: Size,
    colours: bool,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn take() -> io::Result<Self> {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            give_back();
            usual(panicked);
        }));
        let colours = anstream::stdout().current_choice() != ColorChoice::Never;
        let screen = Self { painted: Vec::new(), size: Size { columns: 0, lines: 0 }, colours };
        begin().inspect_err(|_| give_back())?;
        Ok(screen)
    }

    /// How large it is now.
    pub(super) fn size() -> Size {
        // A terminal that does not know how large it is has the usual size.
        let known = terminal::size().ok().filter(|(columns, lines)| *columns > 0 && *lines > 0);
        let (columns, lines) = known.unwrap_or((80, 24));
        Size { columns: usize::from(columns), lines: usize::from(lines) }
    }

    /// Paints what differs from what is there.
    pub(super) fn paint(&mut self, lines: Vec<Line>, size: Size) -> io::Result<()> {
        let mut out = Vec::new();
        if self.size != size {
            queue!(out, Clear(ClearType::All))?;
            self.painted.clear();
            self.size = size;
        }
        for (at, line) in lines.iter().enumerate() {
            if self.painted.get(at).unwrap_or(&Line::default()) != line {
                let row = u16::try_from(at).unwrap_or(u16::MAX);
                queue!(out, MoveTo(0, row))?;
                self.write(&mut out, line)?;
                if line.width() < size.columns {
                    queue!(out, Clear(ClearType::UntilNewLine))?;
                }
            }
        }
        self.painted = lines;
        // At one go, so that nobody sees half of it.
        let mut stdout = io::stdout().lock();
        stdout.write_all(&out)?;
        stdout.flush()
    }

    fn write(&self, out: &mut Vec<u8>, line: &Line) -> io::Result<()> {
        for (style, text) in &line.0 {
            if self.colours {
                write!(out, "{style}{text}{style:#}")?;
            } else {
                write!(out, "{text}")?;
            }
        }
        Ok(())
    }

    /// Gives the terminal back for as long as something else needs it.
    pub(super) fn aside(&mut self, then: &mut dyn FnMut()) {
        give_back();
        then();
        // Where it cannot be taken again, the next painting says so.
        let _ = begin();
        self.painted.clear();
        self.size = Size { columns: 0, lines: 0 };
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn begin() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, Hide)
}

/// Gives the terminal back as it was. Whether that works, nobody could be told.
fn give_back() {
    let _ = execute!(io::stdout(), Show, EnableLineWrap, LeaveAlternateScreen);
    let _ = terminal::disable_raw_mode();
}
