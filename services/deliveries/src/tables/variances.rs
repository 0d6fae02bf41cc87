//! Variances of deliveries: each change of an outcome replaces those of its attempt.

use std::collections::BTreeMap;

use ::store::filter::fold;
use ::store::{Tx, bulk, db};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::new_id;
use sea_orm::{ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter};

use crate::domain::delivery::{Status, item_order};
use crate::domain::line::Variance;
use crate::domain::reason::Catalogue;
use crate::entity::delivery;
use crate::entity::variance::{Column, Entity, Model};

/// Returns the variances of the current attempt.
pub async fn of_attempt(tx: &Tx, delivery: &delivery::Model) -> Result<Vec<Model>> {
    // Only outcomes have variances.
    if delivery.deliverystatus == Status::Pending {
        return Ok(Vec::new());
    }
    let mut rows = Entity::find()
        .filter(Column::DeliveryKey.eq(delivery.id_key.as_str()))
        .filter(Column::Attempt.eq(delivery.attempt))
        .all(&**tx)
        .await
        .map_err(db)?;
    sort(&mut rows);
    Ok(rows)
}

/// Who reported the variances, and when.
pub struct Reporter {
    pub by_driver: bool,
    pub occurred_at: DateTime<Utc>,
}

/// Replaces the variances of the current attempt; those of earlier attempts stay. A variance that did not
/// change keeps its row: who reported it, and its reason as it was then.
pub async fn replace(
    tx: &Tx,
    delivery: &delivery::Model,
    variances: &[Variance],
    reasons: &Catalogue,
    reporter: Reporter,
) -> Result<Vec<Model>> {
    let of_attempt = Condition::all()
        .add(Column::DeliveryKey.eq(delivery.id_key.as_str()))
        .add(Column::Attempt.eq(delivery.attempt));
    let stored = Entity::find().filter(of_attempt.clone()).all(&**tx).await.map_err(db)?;
    if !stored.is_empty() {
        Entity::delete_many().filter(of_attempt).exec(&**tx).await.map_err(db)?;
    }
    let stored: BTreeMap<Option<String>, Model> =
        stored.into_iter().map(|row| (row.item_key.clone(), row)).collect();
    let row = |it: &Variance| {
        let kept = stored.get(&it.item_number.as_deref().map(fold)).filter(|row| is_same(row, it));
        kept.cloned().unwrap_or_else(|| row_of(&delivery.id_key, delivery.attempt, it, reasons, &reporter))
    };
    let rows: Vec<Model> = variances.iter().map(row).collect();
    let new = rows.iter().cloned().map(IntoActiveModel::into_active_model);
    let new = new.map(sea_orm::ActiveModelTrait::reset_all).collect();
    bulk::insert(&**tx, new).await?;
    Ok(rows)
}

/// Returns whether the stored variance of an item is this one.
fn is_same(row: &Model, it: &Variance) -> bool {
    (row.kind, row.expected, row.actual) == (it.kind, it.expected, it.actual)
        && row.reason_code.as_deref() == it.reason.as_ref().map(|reason| reason.code.as_str())
        && row.note == it.note
}

/// Returns a variance as a row.
pub fn row_of(
    delivery_key: &str,
    attempt: i32,
    variance: &Variance,
    reasons: &Catalogue,
    reporter: &Reporter,
) -> Model {
    let Variance { item_number, kind, expected, actual, difference, reason, note } = variance.clone();
    let known = reason.as_ref().and_then(|it| reasons.find(it.applies_to, &it.code));
    let responsible = known.map(|it| it.responsible);
    let (label, code) = reason.map(|it| (it.label, it.code)).unzip();
    Model {
        id: new_id(),
        delivery_key: delivery_key.to_owned(),
        attempt,
        item_key: item_number.as_deref().map(fold),
        item_number,
        reason_key: label.as_deref().map(fold),
        reason: label,
        reason_code: code,
        kind,
        expected,
        actual,
        difference,
        note,
        reported_by: if reporter.by_driver { "driver" } else { "office" }.to_owned(),
        occurred_at: reporter.occurred_at,
        responsible,
    }
}

/// Sorts by delivery, attempt and item.
pub fn sort(rows: &mut [Model]) {
    rows.sort_by_cached_key(|row| {
        let item = row.item_number.as_deref().map(item_order);
        // Variances of the whole delivery come last.
        (row.delivery_key.clone(), row.attempt, item.is_none(), item)
    });
}
