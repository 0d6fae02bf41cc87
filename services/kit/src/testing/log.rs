use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Level;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::format::FmtSpan;

/// Collects what is logged. Clones share the text: give the subscriber a clone for each line.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects all lines that this thread logs, until the guard is dropped.
    pub fn watch(&self) -> DefaultGuard {
        self.collect(Level::TRACE, FmtSpan::NONE)
    }

    /// Collects the lines and spans of this thread, until the guard is dropped. Leaves out level TRACE, at which libraries
    /// have spans of their own.
    pub fn watch_with_spans(&self) -> DefaultGuard {
        self.collect(Level::DEBUG, FmtSpan::FULL)
    }

    fn collect(&self, level: Level, spans: FmtSpan) -> DefaultGuard {
        let sink = self.clone();
        let lines = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_span_events(spans)
            .with_ansi(false)
            .with_writer(move || sink.clone())
            .finish();
        tracing::subscriber::set_default(lines)
    }

    /// Returns everything that was logged so far.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
