//! Documents whose rows may be in several batches, and rows of them that contradict each other.
//!
//! Deliveries compares the rows of a batch with each other and with what earlier batches stored. For a document in
//! several batches that is too late, because a part of it is stored by then, and a check, which stores nothing, finds no
//! contradiction at all. So these documents are compared here before the first batch. Two values of one field contradict
//! each other as in deliveries, which still compares what depends on its data: rows without an item number, and fields
//! that only one of two rows has.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use ::store::jobs::{Halt, Hold};
use kit::text::{fold, normalize};
use proto::deliveries::v1::{ImportItem, ImportRow, Priority};
use tokio_util::sync::CancellationToken;

use super::batches::{Batches, MAX_BYTES, MAX_DOCUMENT, text_bytes, validated};
use super::blocking;
use super::corrections::{Corrections, apply};
use super::documents::{Contradiction, RefusedDocuments, key};
use crate::file::ordinals::hash;
use crate::file::{Field, RawRow};

/// Maximum number of values that are kept, in 36 MB of hash table. Further ones are compared by deliveries only.
const KEPT: usize = 7 << 18;
/// Number of rows between two checks whether to stop.
pub(super) const LOOK: u32 = 1_000;

/// The documents whose rows may be in several batches, by their keys.
#[derive(Debug, Default)]
pub struct SplitDocuments(HashSet<u64>);

/// Finds these documents while the rows of a file are read in order.
#[derive(Debug, Default)]
pub struct DocumentRuns {
    seen: HashSet<u64>,
    split: HashSet<u64>,
    /// The document of the current run of rows, and the length of the run.
    current: Option<u64>,
    rows: usize,
    bytes: usize,
}

impl DocumentRuns {
    /// Adds the next row. One without a document continues the run before it, as in a batch.
    pub fn add(&mut self, delivery: Option<&str>, raw: &RawRow) {
        if let Some(document) = delivery.map(key)
            && self.current != Some(document)
        {
            if self.current.replace(document).is_some() {
                (self.rows, self.bytes) = (0, 0);
            }
            if !self.seen.insert(document) {
                self.split.insert(document);
            }
        }
        self.rows += 1;
        self.bytes += text_bytes(raw);
        if self.rows > MAX_DOCUMENT || self.bytes > MAX_BYTES {
            self.split.extend(self.current);
        }
    }

    pub fn split(self) -> SplitDocuments {
        SplitDocuments(self.split)
    }
}

/// Adds to `refused` the rows of split documents that contradict an earlier row. With `corrections`, compares the
/// refused rows as they were corrected.
pub async fn compare(
    batches: Batches,
    corrections: Option<Corrections>,
    split: SplitDocuments,
    mut refused: RefusedDocuments,
    hold: &Hold,
) -> Result<(Batches, RefusedDocuments), Halt> {
    if split.0.is_empty() {
        return Ok((batches, refused));
    }
    let stop = hold.interrupted().clone();
    let compared = blocking(move || {
        let is_done = read(&batches, corrections, &split, &mut refused, &stop)?;
        Ok::<_, Halt>(is_done.then_some((batches, refused)))
    });
    compared.await??.ok_or_else(|| hold.interruption())
}

/// Reads the file as `batches` does. Returns false when stopped.
fn read(
    batches: &Batches,
    mut corrections: Option<Corrections>,
    split: &SplitDocuments,
    refused: &mut RefusedDocuments,
    stop: &CancellationToken,
) -> Result<bool, Halt> {
    let mut rows = batches.source.open()?;
    let (mapping, context) = (rows.mapping().clone(), batches.reading.rows());
    let (mut values, mut count) = (Values::default(), 0_u32);
    while let Some(mut raw) = rows.next()? {
        count += 1;
        if count.is_multiple_of(LOOK) && stop.is_cancelled() {
            return Ok(false);
        }
        if let Some(corrections) = &mut corrections {
            let Some(corrected) = corrections.of(raw.line)? else { continue };
            apply(&mut raw, corrected, &mapping);
        }
        let Ok(row) = validated(&raw, &mapping, &context, &batches.replacements) else { continue };
        let document = key(&row.delivery_id);
        if !split.0.contains(&document) {
            continue;
        }
        if let Some(contradiction) = values.add(document, &row) {
            refused.add_contradiction(&row.delivery_id, row.line, contradiction);
        }
    }
    Ok(true)
}

/// The values of documents and their numbered items, by the hash of what they belong to.
#[derive(Default)]
struct Values(HashMap<u64, Value>);

struct Value {
    /// A shortened hash: if two values share one, deliveries still finds their contradiction.
    hash: u32,
    line: u32,
}

impl Values {
    /// Adds the values of a row, unless one contradicts that of an earlier row.
    fn add(&mut self, document: u64, row: &ImportRow) -> Option<Contradiction> {
        let item = row.item.as_ref().filter(|item| !item.item_number.is_empty());
        let number = item.map(|item| fold(&item.item_number));
        let of_head = head_of(row).into_iter().map(|(field, value)| (field, false, value));
        let of_item = item.map(item_of).into_iter().flatten().map(|(field, value)| (field, true, value));
        let mut added = Vec::new();
        for (field, is_item, value) in of_head.chain(of_item) {
            let Some(value) = value else { continue };
            let key = hash((document, number.as_ref().filter(|_| is_item), field));
            match self.0.get(&key) {
                Some(earlier) if earlier.hash != value => {
                    return Some(Contradiction { field, is_item, earlier: earlier.line });
                }
                Some(_) => {}
                // Normal priority cannot contradict a later line, because it is also the default.
                None if field == Field::Priority && row.priority() == Priority::Normal => {}
                None => added.push((key, Value { hash: value, line: row.line })),
            }
        }
        let free = KEPT.saturating_sub(self.0.len());
        self.0.extend(added.into_iter().take(free));
        None
    }
}

type Hashed = (Field, Option<u32>);

/// Returns what a row has of its head. Of times only the seconds count, as for a time that is stored without fractions.
fn head_of(row: &ImportRow) -> [Hashed; 15] {
    let ImportRow {
        line: _,
        delivery_id: _,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        driver_id,
        referencedoc,
        customeraddress,
        // The customer's, not the document's.
        customer_email: _,
        contact_name,
        contact_phone,
        contact_email,
        instructions,
        internal_note,
        priority,
        time_window_start,
        time_window_end,
        item: _,
        item_number_given: _,
        document_incomplete: _,
    } = row;
    [
        (Field::ShipmentNumber, Some(short(fold(shipmentnumber)))),
        (Field::CustomerName, Some(short(fold(customername)))),
        (Field::Schedule, scheduledatetime.as_ref().map(|at| short(at.seconds))),
        (Field::Trucker, name(trucker)),
        (Field::CustomerAddress, text(customeraddress)),
        (Field::DriverId, name(driver_id)),
        (Field::ReferenceDoc, text(referencedoc)),
        (Field::ContactName, text(contact_name)),
        (Field::ContactPhone, text(contact_phone)),
        (Field::ContactEmail, text(contact_email)),
        (Field::Instructions, text(instructions)),
        (Field::InternalNote, text(internal_note)),
        (Field::Priority, priority.map(short)),
        (Field::TimeWindowStart, time_window_start.as_ref().map(|at| short(at.seconds))),
        (Field::TimeWindowEnd, time_window_end.as_ref().map(|at| short(at.seconds))),
    ]
}

fn item_of(item: &ImportItem) -> [Hashed; 6] {
    let ImportItem { item_number: _, sku, description, unit, quantity_thousandths, weight_grams, barcode } =
        item;
    [
        (Field::Quantity, Some(short(quantity_thousandths))),
        (Field::Sku, name(sku)),
        (Field::Description, text(description)),
        (Field::Unit, text(unit)),
        (Field::WeightKg, weight_grams.map(short)),
        (Field::Barcode, text(barcode)),
    ]
}

/// Hashes a name or id, which is the same in any case.
fn name(value: &Option<String>) -> Option<u32> {
    value.as_deref().map(|value| short(fold(value)))
}

fn text(value: &Option<String>) -> Option<u32> {
    value.as_deref().map(|value| short(normalize(value)))
}

fn short(value: impl Hash) -> u32 {
    u32::try_from(hash(value) >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: u32) -> ImportRow {
        ImportRow {
            line,
            shipmentnumber: "S-1".into(),
            customername: "Aling Nena Store".into(),
            item: Some(ImportItem {
                item_number: "1".into(),
                sku: Some("S1".into()),
                quantity_thousandths: 1_000,
                ..ImportItem::default()
            }),
            ..ImportRow::default()
        }
    }

    fn with_item(line: u32, change: impl Fn(&mut ImportItem)) -> ImportRow {
        let mut row = row(line);
        row.item.iter_mut().for_each(change);
        row
    }

    #[test]
    fn rows_contradict_each_other_as_in_deliveries() {
        let mut values = Values::default();
        let filled = |line, text: &str| ImportRow { trucker: Some(text.into()), ..row(line) };
        let prior = |line, priority: Priority| ImportRow { priority: Some(priority.into()), ..row(line) };
        let no_item = ImportRow { item: None, ..row(9) };
        for accepted in [
            row(2),
            ImportRow { customername: " ALING nena store ".into(), ..row(3) },
            // A later row may fill what is empty, and the default priority says nothing.
            filled(4, "Isla"),
            prior(5, Priority::Normal),
            prior(6, Priority::High),
            with_item(7, |item| item.item_number = "2".into()),
            // Items without a number are found by their articles.
            with_item(8, |item| (item.item_number, item.quantity_thousandths) = (String::new(), 5)),
            no_item,
        ] {
            assert_eq!(values.add(1, &accepted), None, "{accepted:?}");
        }
        let customer = ImportRow { customername: "Another Store".into(), ..row(10) };
        for (refused, field, is_item, earlier) in [
            (customer.clone(), Field::CustomerName, false, 2),
            (filled(11, "Habagat"), Field::Trucker, false, 4),
            (prior(12, Priority::Normal), Field::Priority, false, 6),
            (with_item(13, |item| item.quantity_thousandths = 5), Field::Quantity, true, 2),
            (with_item(14, |item| item.sku = Some("S2".into())), Field::Sku, true, 2),
        ] {
            assert_eq!(values.add(1, &refused), Some(Contradiction { field, is_item, earlier }));
        }
        assert_eq!(values.add(2, &customer), None, "each document is compared with itself");
    }

    #[test]
    fn documents_are_split_where_their_rows_are_apart_or_too_many() {
        let split = |documents: &[(Option<&str>, usize)]| {
            let (mut runs, raw) = (DocumentRuns::default(), RawRow { line: 2, cells: Vec::new() });
            for (document, rows) in documents {
                (0..*rows).for_each(|_| runs.add(*document, &raw));
            }
            runs.split().0
        };
        let (a, b) = (Some("A"), Some("B"));
        assert!(split(&[(a, 2), (None, 1), (Some(" a "), 1), (b, MAX_DOCUMENT)]).is_empty());
        assert_eq!(split(&[(a, 2), (b, 1), (a, 1)]), HashSet::from([key("A")]));
        assert_eq!(split(&[(a, 2), (b, MAX_DOCUMENT), (None, 1)]), HashSet::from([key("B")]));
    }
}
