//! Shipments, rolled up from their deliveries in the transaction that changed one.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};

use crate::domain::delivery::{ShipmentStatus, Status};
use crate::domain::shipment::Tally;
use crate::entity::delivery;
use crate::entity::shipment::{ActiveModel, Column, Entity, Model};
use ::store::filter::fold;
use ::store::{Db, Tx, db};

#[derive(FromQueryResult)]
struct Row {
    key: String,
    number: String,
    everything: i64,
    pending: i64,
    done: i64,
    first_dispatch_at: Option<DateTime<Utc>>,
    last_processed_at: Option<DateTime<Utc>>,
}

/// Recomputes shipments by number; one whose last delivery left is removed. Returns the status
/// of each by folded number. `undelivered_is_final` is the setting: also with attempts left,
/// Undelivered then counts as done.
pub async fn roll_up(
    tx: &Tx,
    numbers: &[String],
    undelivered_is_final: bool,
) -> Result<BTreeMap<String, ShipmentStatus>> {
    let numbers: BTreeMap<String, &String> = numbers.iter().map(|it| (fold(it), it)).collect();
    if numbers.is_empty() {
        return Ok(BTreeMap::new());
    }
    let keys: Vec<&String> = numbers.keys().collect();

    // Take each row before counting: two transactions on one shipment would otherwise each
    // count without the other's deliveries. In key order, so that they do not wait in a circle.
    let placeholders = numbers.iter().map(|(key, number)| ActiveModel {
        shipmentnumber_key: Set(key.clone()),
        shipmentnumber: Set((*number).clone()),
        shipmentstatus: Set(ShipmentStatus::Pending),
        delivery_count: Set(0),
        open_count: Set(0),
        completed_count: Set(0),
        first_dispatch_at: Set(None),
        last_processed_at: Set(None),
    });
    Entity::insert_many(placeholders)
        .on_conflict(OnConflict::column(Column::ShipmentnumberKey).do_nothing().to_owned())
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    Entity::find()
        .select_only()
        .column(Column::ShipmentnumberKey)
        .filter(Column::ShipmentnumberKey.is_in(keys.iter().copied()))
        .order_by_asc(Column::ShipmentnumberKey)
        .lock_exclusive()
        .into_tuple::<String>()
        .all(&**tx)
        .await
        .map_err(db)?;

    use delivery::Column as D;
    let count_if = |condition: Condition| {
        Expr::expr(CaseStatement::new().case(condition, 1).finally(0)).sum().cast_as("bigint")
    };
    let mut given_up = Condition::all().add(D::Deliverystatus.eq(Status::Undelivered));
    if !undelivered_is_final {
        given_up = given_up.add(Expr::col(D::Attempt).gte(Expr::col(D::MaxAttempts)));
    }
    let done = Condition::any()
        .add(D::Deliverystatus.is_in([
            Status::CompleteNoVariance,
            Status::CompleteWithVariance,
            Status::Rejected,
        ]))
        .add(given_up);
    let rows: Vec<Row> = delivery::Entity::find()
        .select_only()
        .column_as(D::ShipmentnumberKey, "key")
        .column_as(D::Shipmentnumber.min(), "number")
        .column_as(D::IdKey.count(), "everything")
        .column_as(count_if(Condition::all().add(D::Deliverystatus.eq(Status::Pending))), "pending")
        .column_as(count_if(done), "done")
        .column_as(D::Scheduledatetime.min(), "first_dispatch_at")
        .column_as(D::Deliverydatetime.max(), "last_processed_at")
        .filter(D::ShipmentnumberKey.is_in(keys.iter().copied()))
        .group_by(D::ShipmentnumberKey)
        .into_model()
        .all(&**tx)
        .await
        .map_err(db)?;

    let mut statuses = BTreeMap::new();
    let mut kept = Vec::with_capacity(rows.len());
    for row in rows {
        let tally = Tally { all: row.everything, pending: row.pending, done: row.done };
        let Some(status) = tally.status() else { continue };
        statuses.insert(row.key.clone(), status);
        kept.push(ActiveModel {
            shipmentnumber_key: Set(row.key),
            shipmentnumber: Set(row.number),
            shipmentstatus: Set(status),
            delivery_count: Set(clamp(row.everything)),
            open_count: Set(clamp(row.everything - row.done)),
            completed_count: Set(clamp(row.done)),
            first_dispatch_at: Set(row.first_dispatch_at),
            last_processed_at: Set(row.last_processed_at),
        });
    }
    let gone: Vec<&String> = keys.into_iter().filter(|key| !statuses.contains_key(*key)).collect();
    if !gone.is_empty() {
        Entity::delete_many().filter(Column::ShipmentnumberKey.is_in(gone)).exec(&**tx).await.map_err(db)?;
    }
    if !kept.is_empty() {
        Entity::insert_many(kept)
            .on_conflict(
                OnConflict::column(Column::ShipmentnumberKey)
                    .update_columns([
                        Column::Shipmentstatus,
                        Column::DeliveryCount,
                        Column::OpenCount,
                        Column::CompletedCount,
                        Column::FirstDispatchAt,
                        Column::LastProcessedAt,
                    ])
                    .to_owned(),
            )
            .exec_without_returning(&**tx)
            .await
            .map_err(db)?;
    }
    Ok(statuses)
}

fn clamp(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Several by number, ignoring case; unknown numbers are left out.
pub async fn by_numbers(db_: &Db, numbers: &[String]) -> Result<Vec<Model>> {
    let keys = numbers.iter().map(|number| fold(number));
    Entity::find().filter(Column::ShipmentnumberKey.is_in(keys)).all(db_.read()).await.map_err(db)
}
