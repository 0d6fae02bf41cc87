//! Writes log lines from its own thread, so that logging never waits for the reader of the log.
//!
//! When the reader is too slow, like a stuck collector or a paused terminal, lines beyond a limit are
//! dropped and counted; the count is logged as soon as there is room again.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

use crate::{Error, Result};

/// Maximum queued lines: some megabytes.
const LINES: usize = 8_192;
/// How long the end of the process waits for queued lines.
const PATIENCE: Duration = Duration::from_secs(1);

enum Message {
    Line(Vec<u8>),
    /// Answered once everything queued before it has been written.
    Flush(SyncSender<()>),
}

/// Accepts lines. Cheap to clone.
#[derive(Clone)]
pub struct LogWriter {
    lines: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

impl LogWriter {
    /// Creates a writer to a duplicate of the descriptor. The standard library's own handles have a lock,
    /// and all threads would wait for it during a stuck write.
    pub fn to(output: impl AsFd, dropped_line: fn(u64) -> String) -> Result<Self> {
        let file = File::from(output.as_fd().try_clone_to_owned().map_err(Error::internal)?);
        Self::start(file, LINES, dropped_line)
    }

    fn start(
        output: impl Write + Send + 'static,
        lines: usize,
        dropped_line: fn(u64) -> String,
    ) -> Result<Self> {
        let (lines, receive) = sync_channel(lines);
        let dropped = Arc::new(AtomicU64::new(0));
        let count = dropped.clone();
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(output, &receive, &count, dropped_line))
            .map_err(Error::internal)?;
        Ok(Self { lines, dropped })
    }

    /// Waits until everything queued so far is written, for [`PATIENCE`] at most.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        // If the queue is full, nobody is reading, and waiting is useless.
        if self.lines.try_send(Message::Flush(done)).is_ok() {
            let _ = written.recv_timeout(PATIENCE);
        }
    }

    fn line(&self, line: Vec<u8>) {
        match self.lines.try_send(Message::Line(line)) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                // Count the dropped line in metrics now. The log line about the loss waits for the reader.
                crate::metrics::log_lines_dropped(1);
            }
        }
    }
}

fn write_all(
    mut output: impl Write,
    messages: &Receiver<Message>,
    dropped: &AtomicU64,
    dropped_line: fn(u64) -> String,
) {
    for message in messages {
        // Continue when the output is gone: there is no place to report that.
        match message {
            Message::Line(line) => {
                let _ = output.write_all(&line);
            }
            Message::Flush(done) => {
                let _ = done.send(());
            }
        }
        let count = dropped.swap(0, Ordering::Relaxed);
        if count > 0 {
            let _ = writeln!(output, "{}", dropped_line(count));
        }
    }
}

/// One line in progress, which the formatter writes whole or in pieces.
pub struct Line<'a> {
    writer: &'a LogWriter,
    text: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if !self.text.is_empty() {
            self.writer.line(std::mem::take(&mut self.text));
        }
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { writer: self, text: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn dropped(count: u64) -> String {
        format!("{count} dropped")
    }

    /// A log that nobody reads must not stop requests; the loss is reported.
    #[test]
    fn a_reader_that_is_stuck_costs_lines_and_no_time_and_the_loss_is_counted() {
        let (mut reader, output) = io::pipe().unwrap();
        let writer = LogWriter::start(output, 10, dropped).unwrap();
        let line = [b'x'; 1_000];
        for _ in 0..1_000 {
            writer.make_writer().write_all(&line).unwrap();
        }
        writer.flush();
        // The reader is back.
        let collecting = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        while writer.dropped.load(Ordering::Relaxed) > 0 {
            writer.make_writer().write_all(b"again\n").unwrap();
            std::thread::yield_now();
        }
        writer.flush();
        drop(writer);
        let text = collecting.join().unwrap();
        let lost: u64 = text
            .lines()
            .filter_map(|line| line.strip_suffix(" dropped"))
            .map(|count| count.trim_start_matches(|it: char| !it.is_ascii_digit()).parse::<u64>().unwrap())
            .sum();
        let written = text.bytes().filter(|byte| *byte == b'x').count() / 1_000;
        assert!(written < 1_000, "the pipe took everything, and nothing was tested");
        assert!(lost as usize >= 1_000 - written, "{lost} of {} are said to be lost", 1_000 - written);
    }
}
