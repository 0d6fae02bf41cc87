//! Reads a driver's positions in order of time, page by page.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::position::{Column, Entity, Model};
use ::store::{Db, db};

/// Maximum number of positions per response.
pub const MAX_POSITIONS: u64 = 10_000;

/// Where a reader continues: after this position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    at: DateTime<Utc>,
    fingerprint: i64,
}

impl Cursor {
    pub fn parse(text: &str) -> Result<Self> {
        let read = || {
            let bytes: [u8; 16] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
            let (at, fingerprint) = bytes.split_at(8);
            let at = i64::from_be_bytes(at.try_into().ok()?);
            let fingerprint = i64::from_be_bytes(fingerprint.try_into().ok()?);
            Some(Self { at: DateTime::from_timestamp_micros(at)?, fingerprint })
        };
        read().ok_or_else(|| Error::invalid_field("after", "The cursor doesn't come from an earlier answer"))
    }

    pub fn text(self) -> String {
        let mut bytes = self.at.timestamp_micros().to_be_bytes().to_vec();
        bytes.extend(self.fingerprint.to_be_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub fn of(row: &Model) -> Self {
        Self { at: row.occurred_at, fingerprint: row.fingerprint }
    }
}

/// A part of a driver's trail.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// The driver's number.
    pub driver: i32,
    pub from: DateTime<Utc>,
    /// The end of the span, exclusive.
    pub to: DateTime<Utc>,
    pub after: Option<Cursor>,
}

/// Selects the positions of a span in order of time. Reads one index range in each month that the span
/// touches.
pub fn span(span: Span) -> sea_orm::Select<Entity> {
    let Span { driver, from, to, after } = span;
    let begin = after.map_or(from, |after| after.at.max(from));
    let mut query = Entity::find()
        .filter(Column::Driver.eq(driver))
        .filter(Column::OccurredAt.gte(begin))
        .filter(Column::OccurredAt.lt(to))
        .order_by_asc(Column::OccurredAt)
        .order_by_asc(Column::Fingerprint);
    if let Some(after) = after {
        let level = Column::Fingerprint.gt(after.fingerprint);
        query = query.filter(Condition::any().add(Column::OccurredAt.gt(after.at)).add(level));
    }
    query
}

/// Returns at most `limit` positions, and whether there are more.
pub async fn list(db_: &Db, wanted: Span, limit: u64) -> Result<(Vec<Model>, bool)> {
    let mut rows = span(wanted).limit(limit + 1).all(db_.read()).await.map_err(db)?;
    let more = rows.len() as u64 > limit;
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((rows, more))
}
