//! The terminal while it shows screens: it is left as it was found.

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::style::Print;
use crossterm::terminal::{
    self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};
use std::io::{self, Stdout, Write};
use std::time::{Duration, Instant};

/// How long it may take to notice a signal.
const STEP: Duration = Duration::from_millis(100);

/// What happened while it was waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Nothing,
    Resized,
    Quit,
}

/// A terminal that shows screens until this is dropped.
#[derive(Debug)]
pub(crate) struct Terminal {
    out: Stdout,
}

impl Terminal {
    /// # Errors
    /// If standard output is no terminal that can be used.
    pub(crate) fn enter() -> io::Result<Self> {
        let mut out = io::stdout();
        enable_raw_mode()?;
        // From here on it is put back, also if the rest fails.
        let terminal = Self { out: io::stdout() };
        execute!(out, EnterAlternateScreen, Hide)?;
        Ok(terminal)
    }

    /// Columns and rows.
    pub(crate) fn size() -> (usize, usize) {
        terminal::size().map_or((80, 24), |(columns, rows)| (columns.into(), rows.into()))
    }

    /// Shows these lines, of which there are at most `rows`, and nothing else.
    pub(crate) fn show(&mut self, lines: &[String], rows: usize) -> io::Result<()> {
        for (row, line) in lines.iter().enumerate() {
            let row = u16::try_from(row).unwrap_or(u16::MAX);
            // Before it is printed: behind a line that fills its row the cursor is still in it.
            queue!(self.out, MoveTo(0, row), Clear(ClearType::CurrentLine), Print(line))?;
        }
        if lines.len() < rows {
            let below = u16::try_from(lines.len()).unwrap_or(u16::MAX);
            queue!(self.out, MoveTo(0, below), Clear(ClearType::FromCursorDown))?;
        }
        self.out.flush()
    }

    /// Waits for so long, or until something happens; `is_ending` is asked now and then.
    pub(crate) fn wait(duration: Duration, is_ending: impl Fn() -> bool) -> io::Result<Happening> {
        let end = Instant::now() + duration;
        loop {
            if is_ending() {
                return Ok(Happening::Quit);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Happening::Nothing);
            }
            if event::poll(left.min(STEP))? {
                match event::read()? {
                    Event::Resize(..) => return Ok(Happening::Resized),
                    Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                        KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Ok(Happening::Quit),
                        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                            return Ok(Happening::Quit);
                        }
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nothing else that could be tried.
        let _ = execute!(self.out, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}
