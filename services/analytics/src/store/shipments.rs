//! Shipments, and the removal of empty ones.

use std::collections::{BTreeMap, HashMap};

use ::store::bulk;
use ::store::db;
use kit::Result;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};

use super::{Origin, Seen, Write};
use crate::entity::removed_shipment;
use crate::entity::shipment_fact::{Column, Entity, Model};
use crate::facts::Shipment;

/// Writes shipments. If one occurs several times, writes its newest state. Keeps rows that are newer.
pub async fn write(write: &mut Write<'_>, shipments: Vec<Shipment>) -> Result<()> {
    if shipments.is_empty() {
        return Ok(());
    }
    let shipments = newest(shipments);
    let keys: Vec<&str> = shipments.keys().map(String::as_str).collect();
    let mut old = rows(write, &keys).await?;
    let removed = removed(write, &keys).await?;
    let (mut rows, mut gone, mut back, mut seen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for Shipment { number_key, sequence, row } in shipments.into_values() {
        let before = old.remove(&number_key);
        let was_removed = removed.get(&number_key).copied();
        // In a rebuild, a page may be older than an event that arrived after the page was read.
        if was_removed.is_some_and(|at| !write.origin.replaces(at, sequence)) {
            continue;
        }
        let replaces = before
            .as_ref()
            .is_none_or(|it| write.origin.replaces(Seen { sequence: it.sequence, run: it.run }, sequence));
        let run = write.mark(before.as_ref().map(|it| it.run));
        let Some(mut row) = row else {
            if replaces {
                gone.push(removed_shipment::Model { shipment_number_key: number_key, sequence, run });
            }
            continue;
        };
        row.run = run;
        if let Some(before) = &before
            && (!replaces || *before == Model { run: before.run, ..row.clone() })
        {
            seen.push(number_key);
            continue;
        }
        if was_removed.is_some() {
            back.push(number_key);
        }
        let is_new_to_queries = before.as_ref().is_none_or(|it| {
            (&it.shipment_number, &it.shipment_status) != (&row.shipment_number, &row.shipment_status)
        });
        if is_new_to_queries {
            write.note_change();
        }
        rows.push(row);
    }
    upsert(write, rows).await?;
    remove(write, gone).await?;
    bring_back(write, back).await?;
    mark_seen(write, seen).await
}

fn newest(shipments: Vec<Shipment>) -> BTreeMap<String, Shipment> {
    let mut newest: BTreeMap<String, Shipment> = BTreeMap::new();
    for shipment in shipments {
        let known = newest.get(&shipment.number_key);
        if known.is_none_or(|it| it.sequence < shipment.sequence) {
            newest.insert(shipment.number_key.clone(), shipment);
        }
    }
    newest
}

async fn rows(write: &Write<'_>, keys: &[&str]) -> Result<HashMap<String, Model>> {
    let keys = keys.iter().copied();
    let rows = Entity::find().filter(bulk::among(&**write.tx, Column::ShipmentNumberKey, keys));
    let rows = rows.all(&**write.tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.shipment_number_key.clone(), row)).collect())
}

async fn removed(write: &Write<'_>, keys: &[&str]) -> Result<HashMap<String, Seen>> {
    use removed_shipment::Column as R;
    let keys = keys.iter().copied();
    let rows = removed_shipment::Entity::find().filter(bulk::among(&**write.tx, R::ShipmentNumberKey, keys));
    let rows = rows.all(&**write.tx).await.map_err(db)?;
    let seen = |row: &removed_shipment::Model| Seen { sequence: row.sequence, run: row.run };
    Ok(rows.into_iter().map(|row| (row.shipment_number_key.clone(), seen(&row))).collect())
}

async fn upsert(write: &Write<'_>, rows: Vec<Model>) -> Result<()> {
    let columns = [
        Column::ShipmentNumber,
        Column::ShipmentStatus,
        Column::ShipmentStatusKey,
        Column::Sequence,
        Column::Run,
    ];
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all()).collect();
    let over = OnConflict::column(Column::ShipmentNumberKey).update_columns(columns).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}

/// Deletes shipments, and records their removal, so that an older event does not restore them.
async fn remove(write: &mut Write<'_>, gone: Vec<removed_shipment::Model>) -> Result<()> {
    use removed_shipment::Column as R;
    if gone.is_empty() {
        return Ok(());
    }
    let keys = gone.iter().map(|it| it.shipment_number_key.as_str());
    let deleted = Entity::delete_many().filter(bulk::among(&**write.tx, Column::ShipmentNumberKey, keys));
    if deleted.exec(&**write.tx).await.map_err(db)?.rows_affected > 0 {
        write.note_change();
    }
    let rows = gone.into_iter().map(|row| row.into_active_model().reset_all()).collect();
    let over = OnConflict::column(R::ShipmentNumberKey).update_columns([R::Sequence, R::Run]).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}

async fn bring_back(write: &Write<'_>, keys: Vec<String>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    removed_shipment::Entity::delete_many()
        .filter(bulk::among(&**write.tx, removed_shipment::Column::ShipmentNumberKey, keys))
        .exec(&**write.tx)
        .await
        .map_err(db)?;
    Ok(())
}

async fn mark_seen(write: &Write<'_>, keys: Vec<String>) -> Result<()> {
    let Origin::Rebuild { run } = write.origin else { return Ok(()) };
    if keys.is_empty() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::Run, Expr::value(run))
        .filter(bulk::among(&**write.tx, Column::ShipmentNumberKey, keys))
        .filter(Column::Run.lt(run))
        .exec(&**write.tx)
        .await
        .map_err(db)?;
    Ok(())
}
