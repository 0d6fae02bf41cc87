//! Sends one batch to deliveries, with retries.

use std::time::Duration;

use kit::rpc::Client;
use kit::{Error, Kind};
use prost::Message as _;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::{
    FieldChange, ImportAction, ImportDeliveriesRequest, ImportDeliveriesResponse, ImportFieldChange,
    ImportMode, ImportRowResult, ImportRowWarning,
};

use proto::upload::v1::{UploadReviewRow, UploadRowResult};

use super::batches::{Batch, refused_row};
use super::blocking;
use super::documents::RefusedDocuments;
use crate::Context;
use crate::entity::upload_log::{Mode, Model as UploadLog, Status};
use crate::entity::upload_row::{Message, Messages};
use crate::file::{RawRow, refused};
use crate::settings::Reading;
use crate::store::{NewChange, NewPart, NewWarning, Refused, Step};
use ::store::jobs::{Halt, Hold};

/// Number of retries while deliveries is unavailable. After them, the job is given back.
const RETRIES: u32 = 8;
/// Maximum size of a response in bytes. The largest real one has 5,000 rows with a text each.
const MAX_ANSWER: usize = 16 << 20;

/// Sends one batch to the deliveries service; returns what to record about it. Adds to `documents` those of which
/// a row was refused.
pub async fn answered(
    context: &Context,
    log: &UploadLog,
    hold: &Hold,
    reading: &Reading,
    documents: &mut RefusedDocuments,
    mut batch: Batch,
) -> Result<Step, Halt> {
    let whole = !reading.partial_documents;
    batch.refuse_documents(documents, whole);
    let mut step = Step { batch: batch.number, bytes_read: batch.bytes_read, ..Step::default() };
    step.refused = std::mem::take(&mut batch.refused);
    let (checking, mut accepted) = (log.status == Status::Checking, Vec::new());
    if !batch.rows.is_empty() {
        let request = ImportDeliveriesRequest {
            upload_log_id: log.id.to_string(),
            batch: batch.number.unsigned_abs(),
            source_id: log.source_id.to_string(),
            uploaded_by: log.importer().to_owned(),
            rows: std::mem::take(&mut batch.rows),
            refuse_unknown_drivers: reading.refuse_unknown_drivers,
            whole_documents: whole,
            mode: mode(log.mode).into(),
            dry_run: checking,
        };
        let answer = send(context, request, hold).await?;
        kit::fail_point("upload.import.batch_answered");
        require_results_of(&batch, &answer)?;
        if checking {
            accepted = accepted_rows(&answer, &batch);
        }
        tally(&mut step, answer, &batch);
    }
    drop(batch);
    step.refused.sort_by_key(|row| row.line);
    documents.add_rows(&step.refused);
    if checking {
        let rows = accepted.into_iter().chain(step.refused.iter().cloned().map(reviewed)).collect();
        let at = context.clock.now();
        step.part = Some(blocking(move || NewPart::of(rows, at)).await??);
    }
    Ok(step)
}

/// Requires one result for each row of the batch, in the same order. Deliveries answers a known batch number with
/// the stored answer, so results for other rows mean that the number was used for another batch.
fn require_results_of(batch: &Batch, answer: &ImportDeliveriesResponse) -> Result<(), Error> {
    let answered = answer.rows.iter().map(|row| row.line);
    if answered.eq(batch.raw.iter().map(|raw| raw.line)) {
        return Ok(());
    }
    Err(Error::internal(format!("deliveries answered batch {} with results for other rows", batch.number)))
}

/// Returns the rows that deliveries would accept, to be reviewed.
fn accepted_rows(answer: &ImportDeliveriesResponse, batch: &Batch) -> Vec<UploadReviewRow> {
    let row = |(row, raw): (&ImportRowResult, &RawRow)| {
        let result = match row.action() {
            ImportAction::Created => UploadRowResult::Created,
            ImportAction::Updated => UploadRowResult::Updated,
            ImportAction::Skipped => UploadRowResult::Skipped,
            ImportAction::Refused | ImportAction::Unspecified => return None,
        };
        Some(UploadReviewRow {
            row_number: raw.line,
            result: result.into(),
            cells: refused::cells(raw, &batch.mapping, &batch.columns).unwrap_or_default(),
            ..UploadReviewRow::default()
        })
    };
    answer.rows.iter().zip(&batch.raw).filter_map(row).collect()
}

fn reviewed(row: Refused) -> UploadReviewRow {
    let Refused { line, delivery: _, messages, cells } = row;
    UploadReviewRow {
        row_number: line,
        result: UploadRowResult::Refused.into(),
        messages: messages.0.into_iter().map(Into::into).collect(),
        cells: cells.unwrap_or_default(),
        ..UploadReviewRow::default()
    }
}

fn mode(mode: Mode) -> ImportMode {
    match mode {
        Mode::Upsert => ImportMode::Upsert,
        Mode::CreateOnly => ImportMode::CreateOnly,
        Mode::SkipExisting => ImportMode::SkipExisting,
    }
}

async fn send(
    context: &Context,
    request: ImportDeliveriesRequest,
    hold: &Hold,
) -> Result<ImportDeliveriesResponse, Halt> {
    let mut request = Repeated::of(request);
    patiently(hold, || {
        let (client, request) = (client(context), request.message());
        async move { Ok(client?.import_deliveries(request?).await?.into_inner()) }
    })
    .await
}

/// A request that is sent again after an error. Retries are rare, and bytes are cheaper to keep than copies of the
/// texts of a thousand rows.
struct Repeated {
    first: Option<ImportDeliveriesRequest>,
    kept: Vec<u8>,
}

impl Repeated {
    fn of(request: ImportDeliveriesRequest) -> Self {
        Self { kept: request.encode_to_vec(), first: Some(request) }
    }

    fn message(&mut self) -> Result<ImportDeliveriesRequest, Error> {
        match self.first.take() {
            Some(request) => Ok(request),
            None => ImportDeliveriesRequest::decode(self.kept.as_slice()).map_err(Error::internal),
        }
    }
}

/// Returns a client for deliveries with this service's identity.
pub fn client(context: &Context) -> Result<DeliveriesServiceClient<Client>, Error> {
    let token = context.identity.token()?;
    let client = DeliveriesServiceClient::new(context.deliveries.with_token(token.into()));
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

/// Calls deliveries, and retries while the error is transient.
pub async fn patiently<T, F>(hold: &Hold, mut ask: impl FnMut() -> F) -> Result<T, Halt>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut tries = 0;
    loop {
        let error = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        tries += 1;
        let passing = [Kind::Unavailable, Kind::RateLimited, Kind::StorageFull, Kind::AlreadyExists];
        if !passing.contains(&error.kind) || tries > RETRIES {
            return Err(error.into());
        }
        tracing::debug!(tries, "deliveries did not do what was asked: {error:#}");
        let pause = Duration::from_millis(100 << tries.min(5));
        tokio::select! {
            () = hold.interrupted().cancelled() => return Err(hold.interruption()),
            () = tokio::time::sleep(pause) => {}
        }
    }
}

fn tally(step: &mut Step, answer: ImportDeliveriesResponse, batch: &Batch) {
    step.deliveries_created = i32::try_from(answer.deliveries_created).unwrap_or(i32::MAX);
    step.items_created = i32::try_from(answer.items_created).unwrap_or(i32::MAX);
    for (row, raw) in answer.rows.into_iter().zip(&batch.raw) {
        match row.action() {
            ImportAction::Created => step.created += 1,
            ImportAction::Updated => step.updated += 1,
            ImportAction::Skipped => step.skipped += 1,
            ImportAction::Refused | ImportAction::Unspecified => {
                let (column, column_index) = (batch.heading(&row.column), batch.position(&row.column));
                let message = Message { column, column_index, code: row.code, text: row.text };
                let messages = Messages(vec![message]);
                step.refused.push(refused_row(raw, &batch.mapping, &batch.columns, messages));
            }
        }
    }
    step.changes.extend(answer.changes.into_iter().map(|ImportFieldChange { delivery_id, change }| {
        let FieldChange { item_number, field, before, after } = change.unwrap_or_default();
        NewChange { delivery_id, item_number, field, before, after }
    }));
    for ImportRowWarning { column, code, text, line } in answer.warnings {
        let column = batch.heading(&column);
        // An unknown driver occurs on every line of a delivery, and one warning is enough.
        let known = |it: &NewWarning| (&it.column, &it.code, &it.text) == (&column, &code, &text);
        if !step.warnings.iter().any(known) {
            let line = (line > 0).then_some(line);
            step.warnings.push(NewWarning { line, column, code, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use proto::deliveries::v1::ImportRow;

    use super::*;

    #[test]
    fn a_retry_sends_what_was_sent_first() {
        let row = |line| ImportRow { line, delivery_id: format!("DR-{line} é"), ..ImportRow::default() };
        let request = ImportDeliveriesRequest {
            upload_log_id: "log".to_owned(),
            batch: 7,
            rows: (2..5).map(row).collect(),
            whole_documents: true,
            mode: ImportMode::CreateOnly.into(),
            ..ImportDeliveriesRequest::default()
        };
        let mut sent = Repeated::of(request.clone());
        for _ in 0..3 {
            assert_eq!(sent.message().unwrap(), request);
        }
    }
}
