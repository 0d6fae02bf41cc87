//! The rows of a checked file, in compressed parts of one batch each.
//!
//! A part is stored in the transaction that confirms its batch, so the parts always have the rows that the counts
//! of the log have. Its own counts say which part holds a row, so a window of rows reads few parts.

use std::io::{Read, Write};

use chrono::{DateTime, Duration, Utc};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use kit::{Error, Result};
use prost::Message;
use proto::upload::v1::{UploadReviewRow, UploadRowResult};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

use crate::entity::upload_log::{Model as UploadLog, Status};
use crate::entity::upload_part::{ActiveModel, Column, Entity};
use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};

/// How long the rows of a checked file are kept.
pub(super) const KEPT: Duration = Duration::days(30);

/// The rows of a batch, ready to be stored.
#[derive(Debug)]
pub struct NewPart {
    first_row: u32,
    last_row: u32,
    /// Numbers of rows by result.
    counts: [i32; 4],
    data: Vec<u8>,
    at: DateTime<Utc>,
}

/// The order of the counts of a part.
const RESULTS: [UploadRowResult; 4] =
    [UploadRowResult::Created, UploadRowResult::Updated, UploadRowResult::Skipped, UploadRowResult::Refused];

impl NewPart {
    /// Sorts and compresses the rows of a batch. Blocks.
    pub fn of(mut rows: Vec<UploadReviewRow>, at: DateTime<Utc>) -> Result<Self> {
        rows.sort_by_key(|row| row.row_number);
        let count = |result| rows.iter().filter(|row| row.result() == result).count();
        let counts = RESULTS.map(|result| i32::try_from(count(result)).unwrap_or(i32::MAX));
        let number = |row: Option<&UploadReviewRow>| row.map_or(0, |row| row.row_number);
        let mut plain = Vec::new();
        for row in &rows {
            row.encode_length_delimited(&mut plain).map_err(Error::internal)?;
        }
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&plain).map_err(Error::internal)?;
        let data = encoder.finish().map_err(Error::internal)?;
        Ok(Self { first_row: number(rows.first()), last_row: number(rows.last()), counts, data, at })
    }
}

/// Returns the rows of a part, in file order.
fn rows_of(data: &[u8]) -> Result<Vec<UploadReviewRow>> {
    let mut plain = Vec::new();
    DeflateDecoder::new(data).read_to_end(&mut plain).map_err(Error::internal)?;
    let (mut left, mut rows) = (plain.as_slice(), Vec::new());
    while !left.is_empty() {
        rows.push(UploadReviewRow::decode_length_delimited(&mut left).map_err(Error::internal)?);
    }
    Ok(rows)
}

/// A part without its rows.
#[derive(Debug, FromQueryResult)]
pub(super) struct Head {
    pub number: i32,
    pub first_row: i64,
    pub last_row: i64,
    created: i32,
    updated: i32,
    skipped: i32,
    refused: i32,
}

impl Head {
    /// Returns the number of rows with this result; of all rows if it is unspecified.
    fn count(&self, result: UploadRowResult) -> usize {
        let count = match result {
            UploadRowResult::Unspecified => self.created + self.updated + self.skipped + self.refused,
            UploadRowResult::Created => self.created,
            UploadRowResult::Updated => self.updated,
            UploadRowResult::Skipped => self.skipped,
            UploadRowResult::Refused => self.refused,
        };
        usize::try_from(count).unwrap_or_default()
    }
}

/// Stores the part of a batch.
pub(super) async fn add(tx: &Tx, log: Uuid, batch: i32, part: NewPart) -> Result<()> {
    let NewPart { first_row, last_row, counts: [created, updated, skipped, refused], data, at } = part;
    let row = ActiveModel {
        upload_log_id: Set(log),
        number: Set(batch),
        first_row: Set(first_row.into()),
        last_row: Set(last_row.into()),
        created: Set(created),
        updated: Set(updated),
        skipped: Set(skipped),
        refused: Set(refused),
        data: Set(data),
        created_at: Set(at),
    };
    Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

pub(super) async fn clear(tx: &Tx, log: Uuid) -> Result<()> {
    Entity::delete_many().filter(Column::UploadLogId.eq(log)).exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Returns the parts of a checked file; `None` unless all of its rows are kept. Some are missing when a process of
/// the previous release did a part of the check.
pub(super) async fn heads(connection: &impl ConnectionTrait, log: &UploadLog) -> Result<Option<Vec<Head>>> {
    if log.status != Status::Validated {
        return Ok(None);
    }
    let heads = Entity::find()
        .select_only()
        .columns([Column::Number, Column::FirstRow, Column::LastRow])
        .columns([Column::Created, Column::Updated, Column::Skipped, Column::Refused])
        .filter(Column::UploadLogId.eq(log.id))
        .order_by_asc(Column::Number)
        .into_model::<Head>()
        .all(connection)
        .await
        .map_err(db)?;
    let kept: usize = heads.iter().map(|head| head.count(UploadRowResult::Unspecified)).sum();
    Ok((kept > 0 && usize::try_from(log.rows_total) == Ok(kept)).then_some(heads))
}

/// Returns the rows of a part, in file order.
pub(super) async fn read(
    connection: &impl ConnectionTrait,
    log: Uuid,
    number: i32,
) -> Result<Vec<UploadReviewRow>> {
    let part = Entity::find_by_id((log, number)).one(connection).await.map_err(db)?;
    let Some(part) = part else { return Ok(Vec::new()) };
    tokio::task::spawn_blocking(move || rows_of(&part.data)).await.map_err(Error::internal)?
}

/// A window of the rows of a checked file.
pub struct Window {
    pub rows: Vec<UploadReviewRow>,
    /// Number of rows with the result.
    pub total: usize,
}

/// Returns a window of the rows with a result, in file order and without corrections; `None` if the rows of this
/// file are not kept.
pub async fn window(
    db_: &Db,
    log: &UploadLog,
    result: UploadRowResult,
    offset: usize,
    limit: usize,
) -> Result<Option<Window>> {
    let Some(heads) = heads(db_.read(), log).await? else { return Ok(None) };
    let total = heads.iter().map(|head| head.count(result)).sum();
    let (mut rows, mut before) = (Vec::new(), 0);
    for head in heads {
        let count = head.count(result);
        let wanted = limit - rows.len();
        if wanted == 0 {
            break;
        }
        if count > 0 && before + count > offset {
            let all = read(db_.read(), log.id, head.number).await?;
            let fits =
                |row: &UploadReviewRow| result == UploadRowResult::Unspecified || row.result() == result;
            rows.extend(all.into_iter().filter(fits).skip(offset.saturating_sub(before)).take(wanted));
        }
        before += count;
    }
    Ok(Some(Window { rows, total }))
}

/// Deletes parts that are too old, unless there are implausibly many. Returns how many were deleted.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    doubts.delete_old::<Entity>(db_, Column::CreatedAt, now - KEPT).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_after_being_stored() {
        let row = |row_number, result: UploadRowResult| UploadReviewRow {
            row_number,
            result: result.into(),
            cells: vec!["Späti".to_owned(), String::new(), "x".repeat(row_number as usize)],
            ..UploadReviewRow::default()
        };
        let rows = vec![row(7, UploadRowResult::Refused), row(2, UploadRowResult::Created)];
        let part = NewPart::of(rows.clone(), DateTime::UNIX_EPOCH).unwrap();
        assert_eq!((part.first_row, part.last_row, part.counts), (2, 7, [1, 0, 0, 1]));
        assert_eq!(rows_of(&part.data).unwrap(), [rows[1].clone(), rows[0].clone()]);
        assert!(rows_of(b"no part").is_err());
    }
}
