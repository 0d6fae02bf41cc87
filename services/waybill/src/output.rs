//! Standard output of the commands.

use std::cell::Cell;
use std::io::{self, ErrorKind, Write};

/// Prints a line. A closed pipe is no error: readers such as `head` close it once they have enough.
pub fn say(text: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error:#}")))
        }
        _ => Ok(()),
    }
}

/// Lines that a command prints while it works. A line that cannot be printed does not stop the work.
#[derive(Default)]
pub struct Progress(Cell<Option<io::Error>>);

impl Progress {
    /// Prints a line.
    pub fn say(&self, text: &str) {
        if let Err(error) = say(text) {
            self.0.set(Some(error));
        }
    }

    /// Returns the error of the last line that could not be printed.
    pub fn end(self) -> io::Result<()> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}
