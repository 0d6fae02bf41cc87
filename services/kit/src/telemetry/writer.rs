//! Writes log lines from its own thread, so that logging never waits for the reader of the log.
//!
//! When the reader is too slow, like a stuck collector or a paused terminal, lines beyond a limit are
//! dropped and counted, and so are lines that cannot be written, as on a full disk. The count is logged as soon
//! as there is room again.

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
                count_dropped(&self.dropped);
            }
        }
    }
}

/// Counts a line that is lost. The metric rises now; the log line about the loss waits until it can be written.
fn count_dropped(dropped: &AtomicU64) {
    dropped.fetch_add(1, Ordering::Relaxed);
    crate::metrics::log_lines_dropped(1);
}

/// An output that begins each line at the beginning of a line, even if the line before was cut off.
struct Lines<W> {
    output: W,
    is_mid_line: bool,
}

impl<W: Write> Lines<W> {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_mid_line {
            self.write_all(b"\n")?;
        }
        self.write_all(line)
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        if let Some(last) = bytes[..written].last() {
            self.is_mid_line = *last != b'\n';
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

fn write_all(
    output: impl Write,
    messages: &Receiver<Message>,
    dropped: &AtomicU64,
    dropped_line: fn(u64) -> String,
) {
    let mut output = Lines { output, is_mid_line: false };
    for message in messages {
        match message {
            Message::Line(line) => {
                if output.line(&line).is_err() {
                    // The count of dropped lines could not be written either; it follows the next line that can be.
                    count_dropped(dropped);
                    continue;
                }
            }
            Message::Flush(done) => {
                let _ = done.send(());
            }
        }
        let count = dropped.swap(0, Ordering::Relaxed);
        if count > 0 && output.line(format!("{}\n", dropped_line(count)).as_bytes()).is_err() {
            dropped.fetch_add(count, Ordering::Relaxed);
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
    use std::collections::VecDeque;
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

    /// A disk that takes so many bytes of each write, and all of the later ones.
    struct Disk {
        takes: VecDeque<usize>,
        text: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.takes.pop_front() {
                Some(0) => Err(io::ErrorKind::StorageFull.into()),
                takes => {
                    let taken = takes.map_or(bytes.len(), |takes| takes.min(bytes.len()));
                    self.text.extend_from_slice(&bytes[..taken]);
                    Ok(taken)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_a_full_disk_loses_are_counted_and_the_next_line_stands_alone() {
        // The first line fits, half of the second, and nothing of the third.
        let mut disk = Disk { takes: [100, 3, 0, 0].into(), text: Vec::new() };
        let (lines, messages) = sync_channel(5);
        for line in ["first\n", "second\n", "third\n", "fourth\n", "fifth\n"] {
            lines.send(Message::Line(line.into())).unwrap();
        }
        drop(lines);
        let count = AtomicU64::new(0);
        write_all(&mut disk, &messages, &count, dropped);
        assert_eq!(String::from_utf8(disk.text).unwrap(), "first\nsec\nfourth\n2 dropped\nfifth\n");
        assert_eq!(count.into_inner(), 0);
    }
}
