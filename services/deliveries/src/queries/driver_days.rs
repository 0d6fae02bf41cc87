//! How far drivers have got with their deliveries of a day.

use std::collections::BTreeMap;

use ::store::filter::fold;
use ::store::{Db, db};
use chrono::{DateTime, Utc};
use kit::Result;
use proto::deliveries::v1::DriverDay;
use sea_orm::sea_query::{
    Asterisk, CaseStatement, Expr, ExprTrait, OverStatement, Query, SelectStatement, WindowStatement,
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityName, FromQueryResult, Order};

use crate::domain::delivery::Status;
use crate::entity::delivery::{Column, Entity};

/// Column of the query: the rank of a delivery among those with the same driver and status, from 1.
const PLACE: &str = "place";

#[derive(FromQueryResult)]
struct Row {
    key: String,
    total: i64,
    done: i64,
    undelivered: i64,
    current: Option<String>,
    next: Option<String>,
}

/// Returns the progress for deliveries dispatched in a time range. Omits drivers without any. Equal requests share
/// their reads, because each open map asks every few seconds.
pub async fn of(
    db_: &Db,
    driver_ids: &[String],
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<Vec<DriverDay>> {
    let asked: BTreeMap<String, &String> = driver_ids.iter().map(|id| (fold(id), id)).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let key = format!("driver days of {driver_ids:?} from {from} to {to}");
    db_.shared_reads().answer(key, read(db_, &asked, from, to)).await
}

/// Reads the progress; `asked` has the requested ids by their folded form.
async fn read(
    db_: &Db,
    asked: &BTreeMap<String, &String>,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<Vec<DriverDay>> {
    let rows = db_.read().query_all(&statement(asked.keys(), from, to)).await.map_err(db)?;
    let days = rows.iter().map(|row| {
        let Row { key, total, done, undelivered, current, next } =
            Row::from_query_result(row, "").map_err(db)?;
        let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(DriverDay {
            driver_id: asked.get(&key).map_or(key, |id| (*id).clone()),
            total: count(total),
            done: count(done),
            undelivered: count(undelivered),
            current_delivery_id: current,
            next_delivery_id: next,
        })
    });
    days.collect()
}

/// Builds the query. The index by driver and time is scanned once per driver.
pub fn statement<'a>(
    keys: impl Iterator<Item = &'a String>,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> SelectStatement {
    let place = WindowStatement::new()
        .partition_by_columns([Column::DriverIdKey, Column::Deliverystatus])
        .order_by(Column::Scheduledatetime, Order::Asc)
        .order_by(Column::IdKey, Order::Asc)
        .take();
    let placed = Query::select()
        .columns([Column::DriverIdKey, Column::Id, Column::Deliverystatus])
        .expr_window_as(Expr::cust("ROW_NUMBER()"), place, PLACE)
        .from(Entity)
        .cond_where(
            Condition::all()
                .add(Column::DriverIdKey.is_in(keys.map(String::as_str)))
                .add(Column::Scheduledatetime.gte(from))
                .add(Column::Scheduledatetime.lt(to)),
        )
        .take();
    let is = |status: Status| Expr::col(Column::Deliverystatus).eq(status.as_str());
    let count_if = |condition: Expr| Expr::expr(CaseStatement::new().case(condition, 1).finally(0)).sum();
    let pending = |place: i64| {
        let there = is(Status::Pending).and(Expr::col(PLACE).eq(place));
        Expr::expr(CaseStatement::new().case(there, Expr::col(Column::Id))).max()
    };
    Query::select()
        .expr_as(Expr::col(Column::DriverIdKey), "key")
        .expr_as(Expr::col(Asterisk).count(), "total")
        .expr_as(count_if(is(Status::Pending).not()).cast_as("bigint"), "done")
        .expr_as(count_if(is(Status::Undelivered)).cast_as("bigint"), "undelivered")
        .expr_as(pending(1), "current")
        .expr_as(pending(2), "next")
        .from_subquery(placed, Entity.table_name())
        .group_by_col(Column::DriverIdKey)
        .take()
}
