//! Dead letters to fix, grouped by error.
//!
//! Groups are counted by a covering index (`m0019_dead_letter_indexes`), without reading a hundred thousand
//! letters and their bodies. If that still takes too long, the error says what to do.

use ::store::error::is_timeout;
use ::store::filter;
use ::store::{Db, Reading, db};
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::Filter;
use proto::deliveries::v1 as wire;
use sea_orm::sea_query::{Alias, Asterisk, Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, FromQueryResult, Order};
use uuid::Uuid;

use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};
use crate::queries::{endpoints, fields};

/// Maximum groups in one response.
const MAX_GROUPS: u64 = 100;
const GROUPS: &str = "groups";
const LETTERS: &str = "letters";

#[derive(FromQueryResult)]
struct Group {
    error_fingerprint: String,
    state: State,
    endpoint_id: Option<Uuid>,
    error_text: Option<String>,
    error_class: Option<String>,
    letters: i64,
    first_seen_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
    next_attempt_at: Option<DateTime<Utc>>,
}

/// Returns the letters to fix, grouped by error and by whether they will be retried, largest groups first;
/// and whether there are more groups.
pub async fn groups(db_: &Db, filters: &[Filter]) -> Result<(Vec<wire::DeadLetterGroup>, bool)> {
    let these = Condition::all()
        .add(filter::condition(fields::DEAD_LETTERS, filters)?)
        .add(Column::State.is_in(State::TO_FIX));
    let read = db_.begin_read(Reading::Report).await?;
    let rows = read.query_all(&with_texts(counted(&these), &these)).await.map_err(too_many)?;
    read.commit().await.map_err(db)?;
    let mut groups = Vec::new();
    for row in &rows {
        groups.push(Group::from_query_result(row, "").map_err(db)?);
    }
    let more = groups.len() as u64 > MAX_GROUPS;
    groups.truncate(MAX_GROUPS as usize);
    let endpoints = endpoints::list(db_.read()).await?;
    let shown = groups.into_iter().map(|it| {
        let endpoint = endpoints.iter().find(|endpoint| Some(endpoint.id) == it.endpoint_id);
        wire::DeadLetterGroup {
            fingerprint: it.error_fingerprint,
            state: it.state.as_str().to_owned(),
            error_text: it.error_text.unwrap_or_default(),
            error_class: it.error_class.unwrap_or_default(),
            endpoint_id: it.endpoint_id.map(|id| id.to_string()).unwrap_or_default(),
            endpoint_name: endpoint.map(|it| it.name.clone()).unwrap_or_default(),
            endpoint_paused: endpoint.is_some_and(|it| it.paused_at.is_some()),
            endpoint_off: endpoint.is_some_and(|it| !it.is_active),
            count: it.letters.unsigned_abs(),
            first_seen_at: Some(proto::timestamp(it.first_seen_at)),
            last_seen_at: Some(proto::timestamp(it.last_seen_at)),
            next_attempt_at: it.next_attempt_at.map(proto::timestamp),
        }
    });
    Ok((shown.collect(), more))
}

/// Returns the statement that counts the groups of all letters to fix, for tests of its plan.
#[cfg(test)]
pub fn counting() -> SelectStatement {
    counted(&Condition::all().add(Column::State.is_in(State::TO_FIX)))
}

/// Returns the groups without their texts, one more than the maximum, to know whether there are more.
fn counted(these: &Condition) -> SelectStatement {
    let mut groups = Query::select();
    groups
        .columns([Column::ErrorFingerprint, Column::State, Column::EndpointId])
        .expr_as(Expr::col(Asterisk).count(), LETTERS)
        .expr_as(Expr::col(Column::CreatedAt).min(), "first_seen_at")
        .expr_as(Expr::col(Column::CreatedAt).max(), "last_seen_at")
        .expr_as(Expr::col(Column::NextAttemptAt).min(), "next_attempt_at")
        .from(Entity)
        .cond_where(these.clone())
        .group_by_columns([Column::ErrorFingerprint, Column::State, Column::EndpointId])
        .order_by(Alias::new(LETTERS), Order::Desc)
        .order_by(Column::ErrorFingerprint, Order::Asc)
        .limit(MAX_GROUPS + 1);
    groups.take()
}

/// Adds the texts of each group's first letter: the texts of one group differ only in numbers.
fn with_texts(groups: SelectStatement, these: &Condition) -> SelectStatement {
    let of = |column: Column| Expr::col((Alias::new(GROUPS), column));
    let first = |column: Column| {
        let mut letter = Query::select();
        letter
            .expr(Expr::col((Entity, column)))
            .from(Entity)
            .cond_where(these.clone())
            .and_where(Expr::col((Entity, Column::State)).eq(of(Column::State)))
            .and_where(Expr::col((Entity, Column::ErrorFingerprint)).eq(of(Column::ErrorFingerprint)))
            .order_by((Entity, Column::CreatedAt), Order::Asc)
            .limit(1);
        Expr::SubQuery(None, Box::new(letter.take().into()))
    };
    let mut all = Query::select();
    all.column((Alias::new(GROUPS), Asterisk))
        .expr_as(first(Column::ErrorText), "error_text")
        .expr_as(first(Column::ErrorClass), "error_class")
        .from_subquery(groups, GROUPS)
        .order_by((Alias::new(GROUPS), Alias::new(LETTERS)), Order::Desc)
        .order_by((Alias::new(GROUPS), Column::ErrorFingerprint), Order::Asc);
    all.take()
}

fn too_many(error: DbErr) -> Error {
    if !is_timeout(&error) {
        return db(error);
    }
    let text = "There are too many messages to group. Add a date range or another filter, or show them one \
                by one.";
    Error::precondition("LIST_TOO_BROAD", text).with_source(error)
}
