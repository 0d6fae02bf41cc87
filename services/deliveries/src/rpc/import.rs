//! Converts a batch from the wire to the types of the rules.

use kit::text::normalized;
use kit::{Error, Result};
use proto::deliveries::v1::{ImportDeliveriesRequest, ImportMode, ImportRow, Priority};

use crate::commands::import;
use crate::domain::document::Item;
use crate::domain::head::Texts;
use crate::domain::row::Row;

/// Maximum number of rows: twice the lines of the longest delivery, which is never split between batches.
const MAX_ROWS: usize = 10_000;

/// Converts a batch. The upload service has validated the lines and explained errors to people. This only
/// checks that the lines satisfy the contract, and reports errors in the contract's terms.
pub fn batch(request: ImportDeliveriesRequest) -> Result<import::Batch> {
    let broken =
        |what: &str| Error::invalid("IMPORT_BATCH_INVALID", format!("not a batch of an import: {what}"));
    if request.rows.is_empty() || request.rows.len() > MAX_ROWS {
        return Err(broken("it has 1 to 10,000 rows"));
    }
    Ok(import::Batch {
        upload: request.upload_log_id.parse().map_err(|_| broken("upload_log_id"))?,
        number: i32::try_from(request.batch).map_err(|_| broken("batch"))?,
        source_id: request.source_id,
        actor: request.uploaded_by,
        refuse_unknown_drivers: request.refuse_unknown_drivers,
        whole_documents: request.whole_documents,
        mode: ImportMode::try_from(request.mode).map_err(|_| broken("mode"))?,
        dry_run: request.dry_run,
        rows: request
            .rows
            .into_iter()
            .map(|row| row_of(row).ok_or_else(|| broken("a row")))
            .collect::<Result<_>>()?,
    })
}

/// Converts a row; `None` when a required part is missing.
fn row_of(row: ImportRow) -> Option<Row> {
    let texts = Texts::imported(&row);
    let ImportRow {
        line,
        delivery_id,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        customeraddress,
        customer_email,
        priority,
        time_window_start,
        time_window_end,
        item,
        item_number_given,
        document_incomplete,
        ..
    } = row;
    let required = [&delivery_id, &shipmentnumber, &customername];
    if required.into_iter().any(|text| text.trim().is_empty()) {
        return None;
    }
    let priority = match priority {
        None => None,
        Some(number) => Some(Priority::try_from(number).ok()?.try_into().ok()?),
    };
    let kept = |text: Option<String>| text.map(normalized);
    Some(Row {
        line,
        id: normalized(delivery_id),
        shipmentnumber: normalized(shipmentnumber),
        customername: normalized(customername),
        customer_email: kept(customer_email),
        scheduledatetime: proto::instant(scheduledatetime?)?,
        trucker: kept(trucker),
        customeraddress: kept(customeraddress),
        texts,
        priority,
        time_window_start: time_window_start.and_then(proto::instant),
        time_window_end: time_window_end.and_then(proto::instant),
        item: item.map(|item| Item {
            item_number: normalized(item.item_number),
            sku: kept(item.sku),
            description: kept(item.description),
            unit: kept(item.unit),
            quantity: item.quantity_thousandths,
            weight_grams: item.weight_grams,
            barcode: kept(item.barcode),
        }),
        item_number_given,
        document_incomplete,
        refused: None,
    })
}
