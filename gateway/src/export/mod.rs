//! Deliveries as a table for spreadsheets: its columns, and its two file formats.
//!
//! The table has one row per item and repeats the delivery's own data. First come the columns of an import,
//! under the names that imports recognize, so that importing the unchanged file changes nothing. The other
//! columns are informative and not imported. The service selects and orders the deliveries and streams them.
//! Who may export is checked elsewhere.
//!
//! In CSV, a formula at the start of a text, or behind a separator or line break within it, gets an apostrophe before
//! it, even if it has some already: imports remove one apostrophe, so nothing is lost.
//!
//! Positions of drivers are in `positions` and `gpx`.

pub mod csv;
pub mod gpx;
pub mod positions;
pub mod xlsx;

use chrono::{DateTime, SecondsFormat, TimeZone, Utc};
pub use kit::sheet::Cell;
use kit::{Error, Result};
use prost_types::Timestamp;
use proto::deliveries::v1::{
    Condition, DeliveryItem, DeliveryStatus, ExportedDelivery, Priority, Relation, ScanMode,
};

/// The header row: first the columns that imports recognize, then informative ones.
pub const HEADER: [&str; 45] = [
    "Delivery Doc",
    "Reference Doc",
    "Shipment no.",
    "Customer Name",
    "Customer Address",
    "Trucker",
    "Driver ID",
    "Dispatch Date and Time",
    "Item Number",
    "SKU",
    "Description",
    "Unit",
    "Quantity",
    "Weight (kg)",
    "Barcode",
    "Contact Name",
    "Contact Phone",
    "Contact Email",
    "Instructions",
    "Internal Note",
    "Priority",
    "Time Window Start",
    "Time Window End",
    // The columns from here on are not imported.
    "Delivery Status",
    "Processed at Date",
    "Scan Mode",
    "Attempt",
    "Line Count",
    "Delivered Quantity",
    "Rejected Quantity",
    "Condition",
    "Variance Reason",
    "Variance Reason Label",
    "Variance Note",
    "Received By",
    "Received By Relation",
    "Outcome Reason",
    "Outcome Reason Label",
    "Outcome Note",
    "Recorded Late",
    "Conflict",
    "Driver Name",
    "Source Name",
    "Created At",
    "Last Updated At",
];

pub const COLUMNS: usize = HEADER.len();

fn text(text: &str) -> Cell<'_> {
    if text.is_empty() { Cell::Empty } else { Cell::Text(text.into()) }
}

fn maybe(content: &Option<String>) -> Cell<'_> {
    content.as_deref().map_or(Cell::Empty, text)
}

fn said(yes: bool) -> Cell<'static> {
    Cell::Text(if yes { "Yes" } else { "No" }.into())
}

pub type Row<'a> = [Cell<'a>; COLUMNS];

/// Writes the rows of one delivery: one per item, or a single row for a delivery without items.
pub fn rows<Z: TimeZone>(
    exported: &ExportedDelivery,
    zone: &Z,
    mut write: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()>
where
    Z::Offset: std::fmt::Display,
{
    if exported.items.is_empty() {
        return write(&row(exported, None, zone)?);
    }
    for item in exported.items.iter().enumerate() {
        write(&row(exported, Some(item), zone)?)?;
    }
    Ok(())
}

/// Returns the row of an item, which comes with its place among the items, or of a delivery without items.
fn row<'a, Z: TimeZone>(
    exported: &'a ExportedDelivery,
    item: Option<(usize, &'a DeliveryItem)>,
    zone: &Z,
) -> Result<Row<'a>>
where
    Z::Offset: std::fmt::Display,
{
    use Cell::{Count, Empty, Number};
    let missing = || Error::internal("an exported delivery came without itself");
    let it = exported.delivery.as_ref().ok_or_else(missing)?;
    // A service of the previous release sends no labels.
    let variance = item.and_then(|(place, _)| exported.variance_reason_labels.get(place));
    let item = item.map(|(_, item)| item);
    let time = |at: Option<Timestamp>| local(at, zone);
    let relation = it.received_by_relation.map(|it| word::<Relation>(it, Relation::as_str_name, "RELATION_"));
    Ok([
        text(&it.id),
        maybe(&it.referencedoc),
        text(&it.shipmentnumber),
        text(&it.customername),
        text(&it.customeraddress),
        text(&it.trucker),
        maybe(&it.driver_id),
        time(it.scheduledatetime)?,
        item.map_or(Empty, |it| text(&it.item_number)),
        item.map_or(Empty, |it| maybe(&it.sku)),
        item.map_or(Empty, |it| maybe(&it.description)),
        item.map_or(Empty, |it| maybe(&it.unit)),
        item.map_or(Empty, |it| Number(it.quantity_thousandths)),
        item.and_then(|it| it.weight_grams).map_or(Empty, Number),
        item.map_or(Empty, |it| maybe(&it.barcode)),
        maybe(&it.contact_name),
        maybe(&it.contact_phone),
        maybe(&it.contact_email),
        maybe(&it.instructions),
        maybe(&it.internal_note),
        word::<Priority>(it.priority, Priority::as_str_name, "PRIORITY_"),
        time(it.time_window_start)?,
        time(it.time_window_end)?,
        status(it.deliverystatus),
        time(it.deliverydatetime)?,
        said(it.scanmode == i32::from(ScanMode::Yes)),
        Count(it.attempt),
        Count(it.linecount),
        item.map_or(Empty, |it| Number(it.delivered_thousandths)),
        item.map_or(Empty, |it| Number(it.rejected_thousandths)),
        item.map_or(Empty, |it| word::<Condition>(it.condition, Condition::as_str_name, "CONDITION_")),
        item.map_or(Empty, |it| maybe(&it.variance_reason)),
        variance.map_or(Empty, |label| text(label)),
        item.map_or(Empty, |it| maybe(&it.variance_note)),
        maybe(&it.received_by),
        relation.unwrap_or(Empty),
        maybe(&it.outcome_reason),
        text(&exported.outcome_reason_label),
        maybe(&it.outcome_note),
        said(it.late),
        said(it.conflict),
        text(&exported.driver_name),
        text(&exported.source_name),
        time(it.created_at)?,
        time(it.updated_at)?,
    ])
}

/// Formats a time with its offset, so that it means the same instant everywhere.
fn local<Z: TimeZone>(at: Option<Timestamp>, zone: &Z) -> Result<Cell<'static>>
where
    Z::Offset: std::fmt::Display,
{
    let Some(at) = at else { return Ok(Cell::Empty) };
    let at: DateTime<Utc> =
        proto::instant(at).ok_or_else(|| Error::internal("a service sent a time out of range"))?;
    Ok(Cell::Text(at.with_timezone(zone).to_rfc3339_opts(SecondsFormat::AutoSi, false).into()))
}

fn status(number: i32) -> Cell<'static> {
    // The exact spellings that the product uses everywhere.
    let name = match DeliveryStatus::try_from(number) {
        Ok(DeliveryStatus::Pending) => "Pending",
        Ok(DeliveryStatus::CompleteNoVariance) => "Complete_No_Variance",
        Ok(DeliveryStatus::CompleteWithVariance) => "Complete_With_Variance",
        Ok(DeliveryStatus::Undelivered) => "Undelivered",
        Ok(DeliveryStatus::Rejected) => "Rejected",
        Ok(DeliveryStatus::Unspecified) | Err(_) => return Cell::Empty,
    };
    Cell::Text(name.into())
}

/// Converts `RELATION_SAFE_PLACE` to `safe_place`; empty if unspecified.
fn word<E: TryFrom<i32>>(number: i32, name: fn(&E) -> &'static str, prefix: &str) -> Cell<'static> {
    let value = if number == 0 { None } else { E::try_from(number).ok() };
    let word = value.and_then(|value| name(&value).strip_prefix(prefix));
    word.map_or(Cell::Empty, |word| Cell::Text(word.to_lowercase().into()))
}

#[cfg(test)]
pub mod testing {
    use proto::deliveries::v1::Delivery;

    use super::*;

    /// Returns a delivery with texts that look like formulas or markup, and with this many items.
    pub fn exported(items: usize) -> ExportedDelivery {
        let at = Some(Timestamp { seconds: 1_800_000_000, nanos: 0 });
        let delivery = Delivery {
            id: "D/1 \"100%\", é".into(),
            deliverystatus: DeliveryStatus::CompleteWithVariance.into(),
            shipmentnumber: "=1+1".into(),
            customername: "'=A".into(),
            customeraddress: "12 Rizal St\nManila".into(),
            trucker: "'plain".into(),
            scheduledatetime: at,
            scanmode: ScanMode::Yes.into(),
            contact_phone: Some("+63 917 000 0000".into()),
            priority: Priority::High.into(),
            received_by_relation: Some(Relation::SafePlace.into()),
            attempt: 2,
            linecount: 1,
            ..Delivery::default()
        };
        let item = |n: usize| DeliveryItem {
            item_number: n.to_string(),
            quantity_thousandths: 2_050,
            weight_grams: Some(999_999_999_999),
            delivered_thousandths: 1,
            condition: Condition::WrongItem.into(),
            ..DeliveryItem::default()
        };
        let items = (1..=items).map(item).collect();
        ExportedDelivery {
            delivery: Some(delivery),
            items,
            source_name: "@files".into(),
            ..ExportedDelivery::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proto::deliveries::v1::Delivery;

    use super::*;

    #[test]
    fn times_tell_their_offset() {
        let manila = chrono::FixedOffset::east_opt(8 * 3600).unwrap();
        let show = |seconds, nanos| match local(Some(Timestamp { seconds, nanos }), &manila) {
            Ok(Cell::Text(text)) => text.into_owned(),
            _ => String::new(),
        };
        assert_eq!(show(1_800_000_000, 0), "2027-01-15T16:00:00+08:00");
        assert_eq!(show(1_800_000_000, 250_000_000), "2027-01-15T16:00:00.250+08:00");
        assert!(matches!(local(None, &Utc), Ok(Cell::Empty)));
        assert!(local(Some(Timestamp { seconds: i64::MAX, nanos: 0 }), &Utc).is_err());
    }

    #[test]
    fn each_text_stands_under_its_own_heading() {
        let text = |name: &str| Some(name.to_owned());
        let item = DeliveryItem {
            item_number: "Item Number".into(),
            sku: text("SKU"),
            description: text("Description"),
            unit: text("Unit"),
            barcode: text("Barcode"),
            variance_reason: text("Variance Reason"),
            variance_note: text("Variance Note"),
            ..DeliveryItem::default()
        };
        let delivery = Delivery {
            id: "Delivery Doc".into(),
            referencedoc: text("Reference Doc"),
            shipmentnumber: "Shipment no.".into(),
            customername: "Customer Name".into(),
            customeraddress: "Customer Address".into(),
            trucker: "Trucker".into(),
            driver_id: text("Driver ID"),
            contact_name: text("Contact Name"),
            contact_phone: text("Contact Phone"),
            contact_email: text("Contact Email"),
            instructions: text("Instructions"),
            internal_note: text("Internal Note"),
            received_by: text("Received By"),
            outcome_reason: text("Outcome Reason"),
            outcome_note: text("Outcome Note"),
            ..Delivery::default()
        };
        let exported = ExportedDelivery {
            delivery: Some(delivery),
            items: vec![DeliveryItem::default(), item],
            source_name: "Source Name".into(),
            driver_name: "Driver Name".into(),
            outcome_reason_label: "Outcome Reason Label".into(),
            variance_reason_labels: vec![String::new(), "Variance Reason Label".into()],
        };
        let item = exported.items.iter().enumerate().next_back();
        let row = row(&exported, item, &Utc).unwrap_or_else(|_| panic!("a row"));
        let mut texts = 0;
        for (heading, cell) in HEADER.into_iter().zip(row) {
            if let Cell::Text(text) = cell
                && !["Yes", "No"].contains(&&*text)
            {
                assert_eq!(text, heading);
                texts += 1;
            }
        }
        assert_eq!(texts, 26);
    }

    #[test]
    fn no_two_columns_are_called_the_same() {
        let names: std::collections::HashSet<_> = HEADER.iter().map(|it| it.to_lowercase()).collect();
        assert_eq!(names.len(), COLUMNS);
    }
}
