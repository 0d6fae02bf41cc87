//! Splits a file into batches, the same ones in every pass.
//!
//! A batch ends at the end of a document, so that deliveries can refuse a document as a whole; only a
//! document longer than [`MAX_DOCUMENT`] lines is split. A thread reads and validates one batch while the one before
//! it is sent, which bounds the memory.

use ::store::filter::fold;
use ::store::jobs::Halt;
use proto::deliveries::v1::ImportRow;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::corrections::{Corrections, apply};
use super::documents::{Contradiction, RefusedDocuments};
use super::rows::Source;
use super::values::Replacements;
use crate::entity::upload_row::{Message, Messages};
use crate::file::columns::Columns;
use crate::file::ordinals::Ordinals;
use crate::file::place::row_text;
use crate::file::row::{self, check};
use crate::file::{self, Cell, Field, Mapping, RawRow, refused};
use crate::settings::Reading;
use crate::store::Refused;

/// Maximum number of lines in a batch, accepted and refused. Deliveries stores a batch in one transaction. A
/// document with more lines gets its own batch.
const BATCH: usize = 1_000;
/// Maximum number of lines of one document that stay together.
pub(super) const MAX_DOCUMENT: usize = 5_000;
/// Maximum bytes of text in a batch, because messages between services have a limit, too.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// A part of the file: rows to send, and rows refused by validation.
pub struct Batch {
    pub number: i32,
    pub rows: Vec<ImportRow>,
    /// The accepted rows as they are in the file, in the order of `rows`.
    pub raw: Vec<RawRow>,
    pub refused: Vec<Refused>,
    pub bytes_read: u64,
    /// Line of the batch's last row.
    pub last: u32,
    pub mapping: std::sync::Arc<Mapping>,
    pub columns: Columns,
}

impl Batch {
    /// Returns the file's heading for the field with this label.
    pub fn heading(&self, label: &str) -> Option<String> {
        let found = field_of(label).and_then(|field| self.mapping.header_of(field)).unwrap_or(label);
        (!found.is_empty()).then(|| found.to_owned())
    }

    /// Returns the position of the column, from 0, for the field with this label.
    pub fn position(&self, label: &str) -> Option<u32> {
        field_of(label).and_then(|field| self.mapping.position(field))
    }

    /// Explains why a row is refused that contradicts an earlier one. Deliveries refuses such rows of a batch under the
    /// same code.
    fn contradicts(&self, Contradiction { field, is_item, earlier }: Contradiction) -> Message {
        let (label, earlier) = (field.label(), row_text(earlier));
        let name = label.trim_end_matches('.');
        let text = if is_item {
            format!(
                "Row {earlier} of this document has a different {name} for the same Item Number. Correct one of the rows, or give this one its own number."
            )
        } else {
            format!("Row {earlier} of this document has a different {name}. Correct one of the rows.")
        };
        let column = self.heading(label);
        Message { column, column_index: self.position(label), code: "LINES_CONTRADICT".to_owned(), text }
    }

    /// Refuses the rows that contradict an earlier one. With `whole`, refuses the other rows of documents that have a
    /// refused row, too; otherwise marks these rows.
    pub fn refuse_documents(&mut self, documents: &RefusedDocuments, whole: bool) {
        let (rows, raw) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.raw));
        for (mut row, raw) in rows.into_iter().zip(raw) {
            let reason = documents.line(&row.delivery_id);
            let refusal = match documents.contradiction(row.line) {
                Some(contradiction) => Some(self.contradicts(contradiction)),
                None => reason.filter(|_| whole).map(|line| message(refused::with_document(line))),
            };
            if let Some(refusal) = refusal {
                let messages = Messages(vec![refusal]);
                self.refused.push(refused_row(&raw, &self.mapping, &self.columns, messages));
                continue;
            }
            row.document_incomplete = reason.is_some();
            self.rows.push(row);
            self.raw.push(raw);
        }
    }
}

fn field_of(label: &str) -> Option<Field> {
    Field::all().find(|field| field.label() == label)
}

/// Reads a file into batches. Blocks.
pub struct Batches {
    pub source: Source,
    pub reading: Reading,
    pub replacements: Replacements,
    /// The first batch to send. The batches before it are confirmed.
    pub first: i32,
    /// Set to import corrected rows. Then only refused rows are sent; the other rows only count for
    /// numbering.
    pub corrections: Option<Corrections>,
}

/// A validated row.
struct Line {
    raw: RawRow,
    /// The folded document id; `None` when the row has none.
    document: Option<String>,
    checked: Result<ImportRow, Vec<row::Message>>,
    bytes: usize,
}

/// The lines of a document or of a batch.
#[derive(Default)]
struct Lines {
    lines: Vec<Line>,
    bytes: usize,
}

impl Lines {
    fn add(&mut self, line: Line) {
        self.bytes += line.bytes;
        self.lines.push(line);
    }

    fn append(&mut self, other: Lines) {
        self.bytes += other.bytes;
        self.lines.extend(other.lines);
    }

    /// Returns whether the line may join these lines: it has their document id or none, and the limits allow
    /// it.
    fn continues(&self, line: &Line) -> bool {
        let document = self.lines.iter().rev().find_map(|it| it.document.as_ref());
        let same = line.document.is_none() || document.is_none() || document == line.document.as_ref();
        same && self.lines.len() < MAX_DOCUMENT && self.bytes + line.bytes <= MAX_BYTES
    }

    fn has_room_for(&self, other: &Lines) -> bool {
        self.lines.is_empty()
            || (self.lines.len() + other.lines.len() <= BATCH && self.bytes + other.bytes <= MAX_BYTES)
    }
}

/// Sends batches. Takes a permit of the channel before a batch is read, so that no second batch is in memory while the
/// first one waits.
struct BatchSender<'a> {
    channel: &'a mpsc::Sender<Batch>,
    permit: Option<mpsc::Permit<'a, Batch>>,
}

impl BatchSender<'_> {
    /// Waits for a permit, unless it has one. Returns false when the receiver is gone.
    fn reserve(&mut self) -> bool {
        if self.permit.is_none() {
            self.permit = Handle::current().block_on(self.channel.reserve()).ok();
        }
        self.permit.is_some()
    }

    /// Returns false when the receiver is gone.
    fn send(&mut self, batch: Batch) -> bool {
        let has_permit = self.reserve();
        if let Some(permit) = self.permit.take() {
            permit.send(batch);
        }
        has_permit
    }
}

impl Batches {
    /// Sends every batch that is not confirmed yet. Stops when the receiver is gone. Call it from a blocking task.
    pub fn read(&mut self, send: &mpsc::Sender<Batch>) -> Result<(), Halt> {
        let mut sender = BatchSender { channel: send, permit: None };
        let mut rows = self.source.open()?;
        let mapping = std::sync::Arc::new(rows.mapping().clone());
        let context = self.reading.rows();
        let mut ordinals = Ordinals::new();
        let (mut batch, mut document) = (Lines::default(), Lines::default());
        let mut number = if self.corrections.is_some() { self.first } else { 0 };
        loop {
            if !sender.reserve() {
                return Ok(());
            }
            let next = rows.next()?;
            if let Some(raw) = next {
                let Some(line) = self.line(raw, &mapping, &context, &mut ordinals)? else { continue };
                if document.continues(&line) {
                    document.add(line);
                    continue;
                }
                if !batch.has_room_for(&document) {
                    let full = std::mem::take(&mut batch);
                    if !self.send(&mut sender, full, &mut number, &mapping, rows.bytes_read()) {
                        return Ok(());
                    }
                }
                batch.append(std::mem::take(&mut document));
                document.add(line);
                continue;
            }
            if !batch.has_room_for(&document) {
                let full = std::mem::take(&mut batch);
                if !self.send(&mut sender, full, &mut number, &mapping, rows.bytes_read()) {
                    return Ok(());
                }
            }
            batch.append(document);
            if !batch.lines.is_empty() {
                self.send(&mut sender, batch, &mut number, &mapping, rows.bytes_read());
            }
            return Ok(());
        }
    }

    /// Validates and numbers a row. Rows of confirmed batches are numbered, too, because a number depends on
    /// all rows before it. Returns `None` for a row that must not be imported again.
    fn line(
        &mut self,
        mut raw: RawRow,
        mapping: &Mapping,
        context: &row::RowContext,
        ordinals: &mut Ordinals,
    ) -> Result<Option<Line>, Halt> {
        let replaced = &self.replacements;
        let mut checked = validated(&raw, mapping, context, replaced);
        let mut document = document_of(&checked, &raw, mapping);
        let place = place(&mut checked, document.as_deref(), &raw, mapping, ordinals);
        if let Some(corrections) = &mut self.corrections {
            let Some(corrected) = corrections.of(raw.line)? else { return Ok(None) };
            if !corrected.cells.is_empty() {
                apply(&mut raw, corrected, mapping);
                checked = validated(&raw, mapping, context, replaced);
                let before = std::mem::replace(&mut document, document_of(&checked, &raw, mapping));
                let place = place.filter(|_| document == before);
                number_corrected(&mut checked, document.as_deref(), place, &mut corrections.moved);
            }
        }
        let bytes = text_bytes(&raw);
        Ok(Some(Line { raw, document, checked, bytes }))
    }

    /// Sends a batch to the receiver, unless the batch is confirmed already. Returns false when the receiver
    /// is gone.
    fn send(
        &self,
        sender: &mut BatchSender<'_>,
        lines: Lines,
        number: &mut i32,
        mapping: &std::sync::Arc<Mapping>,
        bytes_read: u64,
    ) -> bool {
        let this = *number;
        *number += 1;
        if this < self.first {
            return true;
        }
        let mut batch = Batch {
            number: this,
            rows: Vec::new(),
            raw: Vec::new(),
            refused: Vec::new(),
            bytes_read,
            last: lines.lines.last().map_or(0, |line| line.raw.line),
            mapping: mapping.clone(),
            columns: self.reading.columns(),
        };
        for line in lines.lines {
            match line.checked {
                Ok(row) => {
                    batch.rows.push(row);
                    batch.raw.push(line.raw);
                }
                Err(messages) => {
                    let messages = messages.into_iter().map(message).collect();
                    let refused = refused_row(&line.raw, mapping, &batch.columns, Messages(messages));
                    batch.refused.push(refused);
                }
            }
        }
        sender.send(batch)
    }
}

/// Returns the bytes of text in a row.
pub(super) fn text_bytes(raw: &RawRow) -> usize {
    raw.cells.iter().map(|cell| if let Cell::Text(text) = cell { text.len() } else { 8 }).sum()
}

/// Validates a row, and puts in the records that people chose for its values.
pub(super) fn validated(
    raw: &RawRow,
    mapping: &Mapping,
    context: &row::RowContext,
    replaced: &Replacements,
) -> Result<ImportRow, Vec<row::Message>> {
    let mut row = check(raw, mapping, context)?;
    replaced.apply(&mut row);
    Ok(row)
}

fn document_of(
    checked: &Result<ImportRow, Vec<row::Message>>,
    raw: &RawRow,
    mapping: &Mapping,
) -> Option<String> {
    match checked {
        Ok(row) => Some(fold(&row.delivery_id)),
        Err(_) => refused::delivery_of(raw, mapping).as_deref().map(fold),
    }
}

/// Numbers a row of the file; returns its place in its document, or `None` if the file has a number for it.
fn place(
    checked: &mut Result<ImportRow, Vec<row::Message>>,
    document: Option<&str>,
    raw: &RawRow,
    mapping: &Mapping,
    ordinals: &mut Ordinals,
) -> Option<String> {
    match (checked, document?) {
        (Ok(row), document) => {
            ordinals.number(document, row);
            row.item.as_ref().filter(|_| !row.item_number_given).map(|item| item.item_number.clone())
        }
        (Err(_), document) => {
            let item = refused::item_of(raw, mapping)?;
            ordinals.refused(document, &item).map(|place| place.to_string())
        }
    }
}

/// Numbers a corrected line. Without a number of its own, it keeps `place`, its place in the file, if it has
/// one.
fn number_corrected(
    checked: &mut Result<ImportRow, Vec<row::Message>>,
    document: Option<&str>,
    place: Option<String>,
    moved: &mut Ordinals,
) {
    let (Ok(row), Some(document)) = (checked, document) else { return };
    match (&mut row.item, place) {
        (Some(item), Some(place)) if item.item_number.is_empty() => item.item_number = place,
        _ => moved.number(document, row),
    }
}

fn message(message: row::Message) -> Message {
    let row::Message { column, column_index, code, text } = message;
    Message { column, column_index, code: code.to_owned(), text }
}

/// Builds a refused row and its problems, to be shown, corrected and imported again.
pub fn refused_row(raw: &file::RawRow, mapping: &Mapping, columns: &Columns, messages: Messages) -> Refused {
    Refused {
        line: raw.line,
        delivery: refused::delivery_of(raw, mapping),
        messages,
        cells: refused::cells(raw, mapping, columns),
    }
}
