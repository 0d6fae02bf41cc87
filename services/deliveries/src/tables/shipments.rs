//! Shipments, summed up from their deliveries in the transaction that changed a delivery.

use std::collections::BTreeMap;

use ::store::filter::fold;
use ::store::{Tx, bulk, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, FromQueryResult, IntoActiveModel, QueryFilter,
    QuerySelect,
};

use crate::domain::delivery::{ShipmentStatus, Status};
use crate::domain::shipment::Tally;
use crate::entity::delivery;
use crate::entity::shipment::{ActiveModel, Column, Entity, Model};

#[derive(FromQueryResult)]
struct Counted {
    key: String,
    everything: i64,
    pending: i64,
    done: i64,
    first_dispatch_at: Option<DateTime<Utc>>,
    last_processed_at: Option<DateTime<Utc>>,
}

/// Shipments that a transaction affects, by folded shipment number.
#[derive(Default)]
pub struct Touched(BTreeMap<String, Touch>);

struct Touch {
    number: String,
    /// Whether the shipment's deliveries must be counted, because something other than joining happened.
    recount: bool,
    joined: i32,
    first_dispatch_at: Option<DateTime<Utc>>,
}

impl Touched {
    /// Records that `deliveries` Pending deliveries joined the shipment. With 0, records only that the
    /// dispatch of one of its deliveries moved to `dispatch_at`, which must not be later than before.
    pub fn joined(&mut self, number: &str, dispatch_at: DateTime<Utc>, deliveries: i32) {
        let touch = self.touch(number);
        touch.joined = touch.joined.saturating_add(deliveries);
        touch.first_dispatch_at = touch.first_dispatch_at.into_iter().chain([dispatch_at]).min();
    }

    pub fn recount(&mut self, number: &str) {
        self.touch(number).recount = true;
    }

    fn touch(&mut self, number: &str) -> &mut Touch {
        self.0.entry(fold(number)).or_insert_with(|| Touch {
            number: number.to_owned(),
            recount: false,
            joined: 0,
            first_dispatch_at: None,
        })
    }
}

/// Recounts the shipments with these numbers, and removes those without deliveries. Returns the status of
/// each, by folded number. `undelivered_is_final` is the setting by which Undelivered counts as done even
/// with attempts left.
pub async fn roll_up(
    tx: &Tx,
    numbers: &[String],
    undelivered_is_final: bool,
) -> Result<BTreeMap<String, ShipmentStatus>> {
    let mut touched = Touched::default();
    for number in numbers {
        touched.recount(number);
    }
    roll_up_touched(tx, touched, undelivered_is_final).await
}

/// Updates shipments like [`roll_up`], without recounting those that deliveries only joined.
pub async fn roll_up_touched(
    tx: &Tx,
    touched: Touched,
    undelivered_is_final: bool,
) -> Result<BTreeMap<String, ShipmentStatus>> {
    let locked = lock(tx, &touched).await?;
    let (recounted, joined): (Vec<_>, Vec<_>) = locked.into_iter().partition(|row| {
        // Recount a row that was just created: another transaction may have removed the shipment in the
        // meantime.
        row.delivery_count == 0 || touched.0.get(&row.shipmentnumber_key).is_none_or(|touch| touch.recount)
    });
    let mut rows = count(tx, recounted, undelivered_is_final).await?;
    rows.extend(joined.into_iter().filter_map(|row| {
        let touch = touched.0.get(&row.shipmentnumber_key)?;
        Some(with_joined(row, touch))
    }));
    let statuses: BTreeMap<String, ShipmentStatus> =
        rows.iter().map(|row| (row.shipmentnumber_key.clone(), row.shipmentstatus)).collect();
    let gone: Vec<&String> = touched.0.keys().filter(|key| !statuses.contains_key(*key)).collect();
    if !gone.is_empty() {
        Entity::delete_many()
            .filter(bulk::among(&**tx, Column::ShipmentnumberKey, gone))
            .exec(&**tx)
            .await
            .map_err(db)?;
    }
    write(tx, rows).await?;
    Ok(statuses)
}

/// Locks each row before anything is counted: otherwise two transactions on one shipment would each count
/// without the other's deliveries. Locks in key order, to avoid deadlocks. Inserts and locks in one
/// statement, because between two statements another transaction may remove the row, and then nothing would
/// be locked.
async fn lock(tx: &Tx, touched: &Touched) -> Result<Vec<Model>> {
    let rows = touched.0.iter().map(|(key, touch)| ActiveModel {
        shipmentnumber_key: Set(key.clone()),
        shipmentnumber: Set(touch.number.clone()),
        shipmentstatus: Set(ShipmentStatus::Pending),
        delivery_count: Set(0),
        open_count: Set(0),
        completed_count: Set(0),
        first_dispatch_at: Set(None),
        last_processed_at: Set(None),
    });
    let same =
        OnConflict::column(Column::ShipmentnumberKey).update_column(Column::ShipmentnumberKey).to_owned();
    bulk::upsert_returning(&**tx, rows.collect(), &same).await
}

/// Returns the shipments with counts from their deliveries; omits shipments without any.
async fn count(tx: &Tx, shipments: Vec<Model>, undelivered_is_final: bool) -> Result<Vec<Model>> {
    if shipments.is_empty() {
        return Ok(Vec::new());
    }
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
    let counted: Vec<Counted> = delivery::Entity::find()
        .select_only()
        .column_as(D::ShipmentnumberKey, "key")
        .column_as(D::IdKey.count(), "everything")
        .column_as(count_if(Condition::all().add(D::Deliverystatus.eq(Status::Pending))), "pending")
        .column_as(count_if(done), "done")
        .column_as(D::Scheduledatetime.min(), "first_dispatch_at")
        .column_as(D::Deliverydatetime.max(), "last_processed_at")
        .filter(bulk::among(
            &**tx,
            D::ShipmentnumberKey,
            shipments.iter().map(|row| row.shipmentnumber_key.as_str()),
        ))
        .group_by(D::ShipmentnumberKey)
        .into_model()
        .all(&**tx)
        .await
        .map_err(db)?;
    let mut counted: BTreeMap<String, Counted> = counted.into_iter().map(|it| (it.key.clone(), it)).collect();
    let rows = shipments.into_iter().filter_map(|row| {
        let it = counted.remove(&row.shipmentnumber_key)?;
        let tally = Tally { all: it.everything, pending: it.pending, done: it.done };
        Some(Model {
            shipmentstatus: tally.status()?,
            delivery_count: clamp(it.everything),
            open_count: clamp(it.everything - it.done),
            completed_count: clamp(it.done),
            first_dispatch_at: it.first_dispatch_at,
            last_processed_at: it.last_processed_at,
            ..row
        })
    });
    Ok(rows.collect())
}

/// Returns the shipment with additional Pending deliveries.
fn with_joined(row: Model, touch: &Touch) -> Model {
    let shipmentstatus = match row.shipmentstatus {
        ShipmentStatus::Pending => ShipmentStatus::Pending,
        unchanged if touch.joined == 0 => unchanged,
        ShipmentStatus::Partial | ShipmentStatus::Completed => ShipmentStatus::Partial,
    };
    Model {
        shipmentstatus,
        delivery_count: row.delivery_count.saturating_add(touch.joined),
        open_count: row.open_count.saturating_add(touch.joined),
        first_dispatch_at: row.first_dispatch_at.into_iter().chain(touch.first_dispatch_at).min(),
        ..row
    }
}

async fn write(tx: &Tx, rows: Vec<Model>) -> Result<()> {
    let over = OnConflict::column(Column::ShipmentnumberKey)
        .update_columns([
            Column::Shipmentstatus,
            Column::DeliveryCount,
            Column::OpenCount,
            Column::CompletedCount,
            Column::FirstDispatchAt,
            Column::LastProcessedAt,
        ])
        .to_owned();
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
    bulk::upsert(&**tx, rows.collect(), &over).await?;
    Ok(())
}

fn clamp(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
