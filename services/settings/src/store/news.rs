//! Announcements for their readers: the current ones, and which of them a reader has seen or dismissed.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kit::Result;
use proto::settings::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter, QueryOrder,
    QuerySelect,
};
use uuid::Uuid;

use super::By;
use super::announcements::{Change, emit, running};
use crate::domain::announcement::{MOST_SHOWN, Reader, Severity};
use crate::entity::announcement::{Column, Entity, Model};
use crate::entity::{announcement_audience as audience, announcement_view as view};
use ::store::{Db, Tx, db};

/// An announcement with one reader's state.
#[derive(Debug, FromQueryResult)]
pub struct Mine {
    id: Uuid,
    title: String,
    message: String,
    severity: Severity,
    dismissible: bool,
    starts_at: DateTime<Utc>,
    ends_at: Option<DateTime<Utc>>,
    seen_at: Option<DateTime<Utc>>,
    dismissed_at: Option<DateTime<Utc>>,
}

impl Mine {
    /// Returns whether the reader dismissed the announcement and it can still be dismissed. Otherwise it is
    /// shown.
    fn is_dismissed(&self) -> bool {
        self.dismissible && self.dismissed_at.is_some()
    }

    /// Returns whether marking the announcement would change anything.
    fn is_new(&self, dismiss: bool) -> bool {
        self.seen_at.is_none() || (dismiss && self.dismissible && self.dismissed_at.is_none())
    }
}

impl From<Mine> for wire::MyAnnouncement {
    fn from(mine: Mine) -> Self {
        let dismissed = mine.is_dismissed();
        let Mine { id, title, message, severity, dismissible, starts_at, ends_at, seen_at, dismissed_at: _ } =
            mine;
        wire::MyAnnouncement {
            id: id.to_string(),
            title,
            message,
            severity: wire::AnnouncementSeverity::from(severity).into(),
            dismissible,
            dismissed,
            starts_at: Some(proto::timestamp(starts_at)),
            ends_at: ends_at.map(proto::timestamp),
            seen: seen_at.is_some(),
        }
    }
}

/// Returns current announcements for a reader, newest first. Dismissed ones fill only the places that the others
/// leave.
pub async fn list(db_: &Db, reader: &Reader, now: DateTime<Utc>) -> Result<Vec<Mine>> {
    let most = usize::try_from(MOST_SHOWN).unwrap_or(usize::MAX);
    let found = all(db_, &newest(reader, now)).await?;
    if found.len() < most || !found.iter().any(Mine::is_dismissed) {
        return Ok(found);
    }
    let mut shown = all(db_, &newest_open(reader, now)).await?;
    let others = found.into_iter().filter(Mine::is_dismissed);
    let others: Vec<Mine> = others.filter(|mine| shown.iter().all(|it| it.id != mine.id)).collect();
    shown.extend(others);
    shown.truncate(most);
    shown.sort_by_key(|mine| Reverse((mine.starts_at, mine.id)));
    Ok(shown)
}

/// Selects the newest current announcements. Scans the index of start times until it has found
/// [`MOST_SHOWN`].
pub fn newest(reader: &Reader, now: DateTime<Utc>) -> SelectStatement {
    let mut query = concerning(reader, now);
    query.order_by((Entity, Column::StartsAt), Order::Desc).order_by((Entity, Column::Id), Order::Desc);
    query.limit(MOST_SHOWN).take()
}

/// Selects the newest that the reader did not dismiss, along the same index.
pub fn newest_open(reader: &Reader, now: DateTime<Utc>) -> SelectStatement {
    let open = Condition::any()
        .add(Expr::col((Entity, Column::Dismissible)).eq(false))
        .add(Expr::col((view::Entity, view::Column::DismissedAt)).is_null());
    newest(reader, now).cond_where(open).take()
}

async fn all(db_: &Db, query: &SelectStatement) -> Result<Vec<Mine>> {
    let rows = db_.read().query_all(query).await.map_err(db)?;
    rows.iter().map(|row| Mine::from_query_result(row, "").map_err(db)).collect()
}

/// Selects current announcements for a reader, with their state.
fn concerning(reader: &Reader, now: DateTime<Utc>) -> SelectStatement {
    use view::Column as V;
    let theirs = Condition::all()
        .add(Expr::col((view::Entity, V::AnnouncementId)).equals((Entity, Column::Id)))
        .add(Expr::col((view::Entity, V::UserId)).eq(reader.user_id.as_str()));
    let own = [
        Column::Id,
        Column::Title,
        Column::Message,
        Column::Severity,
        Column::Dismissible,
        Column::StartsAt,
        Column::EndsAt,
    ];
    Query::select()
        .columns(own.map(|column| (Entity, column)))
        .columns([V::SeenAt, V::DismissedAt].map(|column| (view::Entity, column)))
        .from(Entity)
        .left_join(view::Entity, theirs)
        .cond_where(concerns(reader, now))
        .take()
}

fn concerns(reader: &Reader, now: DateTime<Utc>) -> Condition {
    let meant = Query::select()
        .column(audience::Column::AnnouncementId)
        .from(audience::Entity)
        .and_where(audience::Column::Audience.is_in(reader.audiences.iter().map(String::as_str)))
        .take();
    running(now).add(Column::Id.in_subquery(meant))
}

/// Marks announcements as seen by a reader. With `dismiss`, also marks the dismissible ones as dismissed.
pub async fn mark(db_: &Db, reader: &Reader, ids: &[Uuid], dismiss: bool, by: By<'_>) -> Result<()> {
    // Check first, without a lock: screens repeat this call often, and mostly nothing changes.
    let mut asked = concerning(reader, by.now);
    asked.and_where(Column::Id.is_in(ids.iter().copied()));
    let news = all(db_, &asked).await?.into_iter().filter(|mine| mine.is_new(dismiss)).map(|mine| mine.id);
    let news: Vec<Uuid> = news.collect();
    if news.is_empty() {
        return Ok(());
    }
    let tx = db_.begin().await?;
    // Lock in a fixed order, so that two readers cannot deadlock.
    let rows = Entity::find()
        .filter(concerns(reader, by.now))
        .filter(Column::Id.is_in(news))
        .order_by_asc(Column::Id)
        .lock_exclusive()
        .all(&*tx)
        .await
        .map_err(db)?;
    see(&tx, reader, &rows, dismiss, by).await?;
    kit::fail_point("settings.news.marked");
    tx.commit().await
}

/// Records that the reader has seen announcements. Lock them first, so that readers' states do not change in
/// the meantime.
async fn see(tx: &Tx, reader: &Reader, rows: &[Model], dismiss: bool, by: By<'_>) -> Result<()> {
    let known = view::Entity::find()
        .filter(view::Column::AnnouncementId.is_in(rows.iter().map(|row| row.id)))
        .filter(view::Column::UserId.eq(reader.user_id.as_str()))
        .all(&**tx)
        .await
        .map_err(db)?;
    let known: HashMap<Uuid, view::Model> =
        known.into_iter().map(|view| (view.announcement_id, view)).collect();
    let is = |row: &Model, done: fn(&view::Model) -> bool| known.get(&row.id).is_some_and(done);
    let first: Vec<&Model> = rows.iter().filter(|row| !known.contains_key(&row.id)).collect();
    let seen: Vec<&Model> = rows.iter().filter(|row| !is(row, |view| view.seen_at.is_some())).collect();
    let dismissed = |row: &&Model| dismiss && row.dismissible && !is(row, |view| view.dismissed_at.is_some());
    let dismissed: Vec<&Model> = rows.iter().filter(dismissed).collect();
    if !first.is_empty() {
        let views = first.iter().map(|row| view::ActiveModel {
            announcement_id: Set(row.id),
            user_id: Set(reader.user_id.clone()),
            seen_at: Set(None),
            dismissed_at: Set(None),
        });
        view::Entity::insert_many(views).exec_without_returning(&**tx).await.map_err(db)?;
        Entity::update_many()
            .col_expr(Column::SeenCount, Expr::col(Column::SeenCount).add(1))
            .filter(Column::Id.is_in(first.iter().map(|row| row.id)))
            .exec(&**tx)
            .await
            .map_err(db)?;
    }
    for (column, of) in [(view::Column::SeenAt, &seen), (view::Column::DismissedAt, &dismissed)] {
        if of.is_empty() {
            continue;
        }
        view::Entity::update_many()
            .col_expr(column, Expr::value(by.now))
            .filter(view::Column::AnnouncementId.is_in(of.iter().map(|row| row.id)))
            .filter(view::Column::UserId.eq(reader.user_id.as_str()))
            .exec(&**tx)
            .await
            .map_err(db)?;
    }
    // These events notify the same user's other windows.
    let changed: HashMap<Uuid, &Model> = seen.iter().chain(&dismissed).map(|row| (row.id, *row)).collect();
    for row in changed.into_values() {
        emit(tx, row, Change::Seen(&reader.user_id), by).await?;
    }
    Ok(())
}
