//! Deliveries and their variances.

use std::collections::HashMap;

use ::store::bulk;
use ::store::db;
use kit::Result;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, Iterable, QueryFilter, QueryOrder,
};

use super::rollups::Deltas;
use super::stops::Seconds;
use super::{Origin, Seen, Write, removed};
use crate::entity::delivery_fact::{Column, Entity, Model};
use crate::entity::{removed_delivery, variance_fact};
use crate::facts::Delivery;

/// Writes deliveries, each of which must occur once. Keeps rows that are newer.
pub async fn write(write: &mut Write<'_>, deliveries: Vec<Delivery>) -> Result<()> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = deliveries.iter().map(|it| it.row.delivery_id_key.clone()).collect();
    let mut old = rows(write, &keys).await?;
    let there: Vec<String> = old.keys().cloned().collect();
    let mut old_variances = variances(write, &there).await?;
    let (mut deltas, mut new_rows, mut seen) = (Deltas::default(), Vec::new(), Vec::new());
    let (mut new_variances, mut stale_variances) = (Vec::new(), Vec::new());
    let seconds = Seconds::of(write, &keys).await?;
    let were_removed = removed::among(write, &keys).await?;
    let (mut gone, mut back) = (Vec::new(), Vec::new());
    for Delivery { mut row, variances, is_removed } in deliveries {
        let key = row.delivery_id_key.clone();
        let before = old.remove(&key);
        let variances_before = old_variances.remove(&key).unwrap_or_default();
        row.run = write.mark(before.as_ref().map(|it| it.run));
        row.stop_seconds = seconds.get(&row);
        if were_removed.get(&key).is_some_and(|at| !write.origin.replaces(*at, row.sequence)) {
            continue;
        }
        if let Some(before) = &before {
            let replaces =
                write.origin.replaces(Seen { sequence: before.sequence, run: before.run }, row.sequence);
            let is_same = !is_removed
                && *before == Model { run: before.run, ..row.clone() }
                && variances == variances_before;
            if !replaces || is_same {
                seen.push((key, row.run));
                continue;
            }
        }
        if is_removed {
            if let Some(before) = &before {
                deltas.subtract(before)?;
                write.note_change();
            }
            gone.push(removed_delivery::Model { delivery_id_key: key, sequence: row.sequence, run: row.run });
            continue;
        }
        if were_removed.contains_key(&key) {
            back.push(key.clone());
        }
        if before.as_ref().is_none_or(|it| !says_the_same(it, &row)) || variances != variances_before {
            write.note_change();
        }
        if variances != variances_before {
            if !variances_before.is_empty() {
                stale_variances.push(key);
            }
            new_variances.extend(variances);
        }
        if let Some(before) = &before {
            deltas.subtract(before)?;
        }
        deltas.add(&row)?;
        new_rows.push(row);
    }
    upsert(write, new_rows).await?;
    replace_variances(write, stale_variances, new_variances).await?;
    removed::remove(write, gone).await?;
    removed::bring_back(write, &back).await?;
    deltas.write(write.tx).await?;
    mark_seen(write, seen).await
}

/// Returns whether queries see no difference between the rows.
fn says_the_same(one: &Model, other: &Model) -> bool {
    *one == Model { sequence: one.sequence, run: one.run, ..other.clone() }
}

async fn rows(write: &Write<'_>, keys: &[String]) -> Result<HashMap<String, Model>> {
    let rows = Entity::find().filter(bulk::among(&**write.tx, Column::DeliveryIdKey, keys));
    let rows = rows.all(&**write.tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.delivery_id_key.clone(), row)).collect())
}

/// Returns the variances of several deliveries, by delivery and sorted by id.
async fn variances(write: &Write<'_>, keys: &[String]) -> Result<HashMap<String, Vec<variance_fact::Model>>> {
    use variance_fact::Column as V;
    let mut found: HashMap<String, Vec<variance_fact::Model>> = HashMap::new();
    if keys.is_empty() {
        return Ok(found);
    }
    let rows = variance_fact::Entity::find()
        .filter(bulk::among(&**write.tx, V::DeliveryIdKey, keys))
        .order_by_asc(V::VarianceId)
        .all(&**write.tx)
        .await
        .map_err(db)?;
    for row in rows {
        found.entry(row.delivery_id_key.clone()).or_default().push(row);
    }
    Ok(found)
}

async fn upsert(write: &Write<'_>, rows: Vec<Model>) -> Result<()> {
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all()).collect();
    let columns = Column::iter().filter(|column| !matches!(column, Column::DeliveryIdKey));
    let over = OnConflict::column(Column::DeliveryIdKey).update_columns(columns).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}

async fn replace_variances(
    write: &Write<'_>,
    stale: Vec<String>,
    new: Vec<variance_fact::Model>,
) -> Result<()> {
    removed::delete_variances(write, &stale).await?;
    let new = new.into_iter().map(|row| row.into_active_model().reset_all()).collect();
    bulk::insert(&**write.tx, new).await
}

/// Marks rows that a rebuild found unchanged as seen by it.
async fn mark_seen(write: &Write<'_>, seen: Vec<(String, i64)>) -> Result<()> {
    let Origin::Rebuild { run } = write.origin else { return Ok(()) };
    let keys: Vec<String> = seen.into_iter().filter(|(_, mark)| *mark == run).map(|(key, _)| key).collect();
    if keys.is_empty() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::Run, Expr::value(run))
        .filter(bulk::among(&**write.tx, Column::DeliveryIdKey, keys))
        .filter(Column::Run.lt(run))
        .exec(&**write.tx)
        .await
        .map_err(db)?;
    Ok(())
}
