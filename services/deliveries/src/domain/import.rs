//! The effect of one line of an import on existing data.
//!
//! A line may create a delivery, add or change an item, change the delivery while it is Pending, change
//! nothing, or be refused. A repeated line changes nothing; of two lines of one file that contradict each
//! other, the second is refused. A field that the file does not have leaves existing data unchanged.
//!
//! An import either accepts and refuses whole documents, or accepts a part of a document and marks the
//! delivery. Start at [`document`].

use chrono::{DateTime, SubsecRound, Utc};
use kit::input::limits;
use kit::input::text::JOINERS;
use uuid::Uuid;

use super::article;
use super::delivery::{Priority, Status};
use super::document::{Header, Item, key};
use super::row::{Known, KnownItem, Outcome, Row, Write};
use super::state::FieldChange;
use super::text::{keep_spelling, same_name};

impl Known {
    /// Returns whether the delivery already has everything that the line contains.
    fn says(&self, row: &Row) -> bool {
        let item = row.item.as_ref();
        changed(&self.header, row).is_none()
            && item.is_none_or(|item| article::is_known(&self.items, row, item))
    }

    /// Sets or clears the mark of an incomplete import. If the delivery is already marked, another incomplete
    /// upload replaces the mark without creating a version.
    fn mark_incomplete(&mut self, by: Option<Uuid>) {
        if self.incomplete.is_some() != by.is_some() {
            self.write = self.write.or(Some(Write::Update));
        }
        self.incomplete = by;
    }
}

/// Applies the lines of one document, in order. With `whole`, one refused line refuses all lines, and nothing
/// changes. Otherwise a partly accepted delivery is marked with this upload, until another upload names it
/// without a refused line.
pub fn document(known: &mut Option<Known>, rows: &[&Row], upload: Uuid, whole: bool) -> Vec<Outcome> {
    let before = whole.then(|| known.clone());
    let mut outcomes: Vec<Outcome> = rows.iter().map(|row| apply(known, row, upload)).collect();
    let refused = outcomes.iter().position(|it| matches!(it, Outcome::Refused { .. }));
    if let (Some(before), Some(first)) = (before, refused) {
        *known = before;
        let text = format!("row {} of this document was refused", rows[first].line);
        for outcome in outcomes.iter_mut().filter(|it| !matches!(it, Outcome::Refused { .. })) {
            let text = text.clone();
            *outcome = Outcome::Refused { column: "Delivery Doc", code: "DOCUMENT_REFUSED", text };
        }
    }
    let taken = |it: &&mut Known| it.status == Status::Pending && it.upload == Some(upload);
    if let Some(delivery) = known.as_mut().filter(taken) {
        if refused.is_some() || rows.iter().any(|row| row.document_incomplete) {
            delivery.mark_incomplete(Some(upload));
        } else if delivery.incomplete != Some(upload) {
            delivery.mark_incomplete(None);
        }
    }
    outcomes
}

/// Returns the change of the mark of an incomplete import, for the edit record.
pub fn incomplete_change(before: Option<Uuid>, after: Option<Uuid>) -> Option<FieldChange> {
    let text = |upload: Option<Uuid>| upload.map(|id| id.to_string());
    let (before, after) = (text(before), text(after));
    (before != after).then_some(FieldChange {
        item_number: None,
        field: "incompleteUploadLogId",
        before,
        after,
    })
}

/// Applies a line to the existing state of its delivery, which is `None` if the delivery does not exist.
pub fn apply(known: &mut Option<Known>, row: &Row, upload: Uuid) -> Outcome {
    if let Some(refused) = &row.refused {
        return refused.clone();
    }
    let Some(delivery) = known else {
        *known = Some(created(row, upload));
        return Outcome::Created;
    };

    if delivery.status != Status::Pending {
        // Nothing new, as when an unchanged export is imported again.
        if delivery.says(row) {
            return Outcome::Skipped;
        }
        return Outcome::Refused {
            column: "Delivery Doc",
            code: "DELIVERY_MOVED_ON",
            text: format!(
                "{} is {} and can no longer be changed by an import",
                delivery.header.id,
                delivery.status.as_str()
            ),
        };
    }

    let header = changed(&delivery.header, row);
    let (file_head, contradicted) = match &delivery.file_head {
        None => (Some(new_header(row)), None),
        Some(before) => {
            let after = changed(before, row);
            let contradicted = after.as_ref().and_then(|after| contradiction(before, after));
            (after, contradicted)
        }
    };
    if let Some(column) = contradicted {
        let name = column.trim_end_matches('.');
        return Outcome::Refused {
            column,
            code: "LINES_CONTRADICT",
            text: format!("An earlier row of this document has a different {name}. Correct one of the rows."),
        };
    }
    let item = match changed_item(delivery, row, upload) {
        Ok(item) => item,
        Err(refused) => return refused,
    };

    let differing = header.is_some();
    if let Some(header) = header {
        if header.shipmentnumber != delivery.header.shipmentnumber && delivery.left_shipment.is_none() {
            delivery.left_shipment = Some(delivery.header.shipmentnumber.clone());
        }
        delivery.header = header;
    }
    delivery.upload = Some(upload);
    if file_head.is_some() {
        delivery.file_head = file_head;
    }
    delivery.seen = true;
    let (item, change) = item.unzip();
    if let Some(item) = item {
        delivery.items.insert(key(&item.item.item_number), item);
    }
    match (differing, change.flatten()) {
        (false, None) => Outcome::Skipped,
        // Further lines of a delivery that this file created are part of its creation.
        (_, Some(Write::Insert)) if delivery.created_by_upload == Some(upload) => {
            delivery.write = delivery.write.or(Some(Write::Update));
            Outcome::Created
        }
        _ => {
            delivery.write = delivery.write.or(Some(Write::Update));
            Outcome::Updated
        }
    }
}

/// Returns the delivery that a line creates.
fn created(row: &Row, upload: Uuid) -> Known {
    let item = row.item.iter().map(|item| (key(&item.item_number), inserted(item, upload)));
    Known {
        status: Status::Pending,
        header: new_header(row),
        items: item.collect(),
        created_by_upload: Some(upload),
        upload: Some(upload),
        file_head: Some(new_header(row)),
        write: Some(Write::Insert),
        seen: true,
        left_shipment: None,
        incomplete: None,
    }
}

/// Returns the item with the line applied, and whether the line inserts or updates it.
fn changed_item(
    delivery: &Known,
    row: &Row,
    upload: Uuid,
) -> Result<Option<(KnownItem, Option<Write>)>, Outcome> {
    let Some(line) = &row.item else { return Ok(None) };
    let refused = |code, text| Err(Outcome::Refused { column: "Item Number", code, text });
    let item = article::find(delivery, row, line, upload)?;
    let (write, change) = match delivery.items.get(&key(&item.item_number)) {
        Some(there) if there.item == item => (there.write, None),
        Some(there) if there.upload == Some(upload) => {
            let text = format!(
                "Item {} is on an earlier row of this document with other values. Correct one of the rows, or \
                 give this one its own number.",
                item.item_number
            );
            return refused("LINES_CONTRADICT", text);
        }
        Some(there) => (there.write.or(Some(Write::Update)), Some(Write::Update)),
        None if delivery.items.len() >= limits::ITEMS => {
            let text =
                format!("{} has {} items already, which is the maximum", delivery.header.id, limits::ITEMS);
            return refused("TOO_MANY_ITEMS", text);
        }
        None => (Some(Write::Insert), Some(Write::Insert)),
    };
    Ok(Some((KnownItem { item, upload: Some(upload), write, seen: true }, change)))
}

fn inserted(item: &Item, upload: Uuid) -> KnownItem {
    KnownItem { item: item.clone(), upload: Some(upload), write: Some(Write::Insert), seen: true }
}

fn new_header(row: &Row) -> Header {
    Header {
        id: row.id.clone(),
        shipmentnumber: row.shipmentnumber.clone(),
        customername: row.customername.clone(),
        scheduledatetime: row.scheduledatetime,
        trucker: row.trucker.clone().unwrap_or_default(),
        customeraddress: row.customeraddress.clone().unwrap_or_default(),
        texts: row.texts.clone(),
        priority: row.priority.unwrap_or(Priority::Normal),
        time_window_start: row.time_window_start,
        time_window_end: row.time_window_end,
    }
}

/// Returns the header with the line applied, or `None` if that changes nothing. Most lines of a document repeat the
/// header of its first line, so that case must be cheap.
fn changed(known: &Header, row: &Row) -> Option<Header> {
    if adds_nothing(known, row) {
        return None;
    }
    Some(merged(known, row)).filter(|after| after != known)
}

/// Returns whether each field of the line is absent or equals the known one. Copies nothing. A line that only spells a
/// name differently changes nothing either, but is left to [`merged`].
fn adds_nothing(known: &Header, row: &Row) -> bool {
    let Header {
        id: _,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        customeraddress,
        texts,
        priority,
        time_window_start,
        time_window_end,
    } = known;
    let is_known =
        |known: &Option<DateTime<Utc>>, line: &Option<DateTime<Utc>>| line.is_none() || line == known;
    *shipmentnumber == row.shipmentnumber
        && *customername == row.customername
        && *scheduledatetime == row.scheduledatetime
        && row.trucker.as_ref().is_none_or(|line| line == trucker)
        && row.customeraddress.as_ref().is_none_or(|line| line == customeraddress)
        && row.priority.is_none_or(|line| line == *priority)
        && is_known(time_window_start, &row.time_window_start)
        && is_known(time_window_end, &row.time_window_end)
        && texts.includes(&row.texts)
}

/// Returns the header with the line applied: fields of the line win. Ids and names keep their first spelling,
/// because a line in another one means the same record and contradicts nothing.
fn merged(known: &Header, row: &Row) -> Header {
    let trucker = row.trucker.as_deref().unwrap_or(&known.trucker);
    Header {
        id: known.id.clone(),
        shipmentnumber: keep_spelling(&known.shipmentnumber, &row.shipmentnumber, &[]).to_owned(),
        customername: keep_spelling(&known.customername, &row.customername, JOINERS).to_owned(),
        scheduledatetime: keep_time(known.scheduledatetime, row.scheduledatetime),
        // Invisible characters count here: they are stored, and a file without them is a correction.
        trucker: if same_name(&known.trucker, trucker) { known.trucker.clone() } else { trucker.to_owned() },
        customeraddress: row.customeraddress.clone().unwrap_or_else(|| known.customeraddress.clone()),
        texts: known.texts.after(&row.texts),
        priority: row.priority.unwrap_or(known.priority),
        time_window_start: keep_end(known.time_window_start, row.time_window_start),
        time_window_end: keep_end(known.time_window_end, row.time_window_end),
    }
}

/// Returns the time of a line, or the known one if only a fraction of a second is added: releases up to 1.0.30 dropped
/// fractions, and importing a file again must change nothing.
fn keep_time(known: DateTime<Utc>, line: DateTime<Utc>) -> DateTime<Utc> {
    if line.trunc_subsecs(0) == known { known } else { line }
}

fn keep_end(known: Option<DateTime<Utc>>, line: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    match (known, line) {
        (Some(known), Some(line)) => Some(keep_time(known, line)),
        (known, line) => line.or(known),
    }
}

/// Returns the label of the first field whose value on earlier lines of the file contradicts the merged one. An empty
/// field may be filled by a later line, because exports often have the head of a document on only one of its lines.
fn contradiction(old: &Header, new: &Header) -> Option<&'static str> {
    fn other<T: PartialEq>(old: &Option<T>, new: &Option<T>) -> bool {
        old.is_some() && old != new
    }
    fn other_text(old: &str, new: &str) -> bool {
        !old.is_empty() && old != new
    }
    let Header {
        id: _,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        customeraddress,
        texts,
        priority,
        time_window_start,
        time_window_end,
    } = old;
    let first = |fields: &[(bool, &'static str)]| {
        fields.iter().find_map(|(differs, label)| differs.then_some(*label))
    };
    first(&[
        (*shipmentnumber != new.shipmentnumber, "Shipment no."),
        (*customername != new.customername, "Customer Name"),
        (*scheduledatetime != new.scheduledatetime, "Dispatch Date and Time"),
        (other_text(trucker, &new.trucker), "Trucker"),
        (other_text(customeraddress, &new.customeraddress), "Customer Address"),
    ])
    .or_else(|| texts.contradiction(&new.texts))
    .or_else(|| {
        first(&[
            // Normal priority cannot contradict, because it is also the default.
            (*priority != Priority::Normal && *priority != new.priority, "Priority"),
            (other(time_window_start, &new.time_window_start), "Time Window Start"),
            (other(time_window_end, &new.time_window_end), "Time Window End"),
        ])
    })
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;
