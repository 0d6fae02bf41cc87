//! Stops of drivers, and the stop durations of deliveries.

use std::collections::HashMap;

use ::store::bulk;
use ::store::db;
use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, Iterable, QueryFilter};

use super::rollups::Deltas;
use super::{Seen, Write};
use crate::entity::delivery_fact;
use crate::entity::stop_fact::{Column, Entity, Model};

/// Writes stops, at most a page of them, each of which must occur once. Keeps rows that are newer.
pub async fn write(write: &mut Write<'_>, stops: Vec<Model>) -> Result<()> {
    let keys = stops.iter().map(|it| it.stop_key.as_str());
    let old = Entity::find().filter(bulk::among(&**write.tx, Column::StopKey, keys));
    let old = old.all(&**write.tx).await.map_err(db)?;
    let mut old: HashMap<String, Model> = old.into_iter().map(|it| (it.stop_key.clone(), it)).collect();
    let (mut rows, mut changed) = (Vec::new(), Vec::new());
    for mut row in stops {
        let before = old.remove(&row.stop_key);
        row.run = write.mark(before.as_ref().map(|it| it.run));
        if let Some(before) = before {
            let seen = Seen { sequence: before.sequence, run: before.run };
            if !write.origin.replaces(seen, row.sequence) {
                row = Model { run: row.run, ..before.clone() };
            }
            if before.seconds == row.seconds {
                rows.push(row);
                continue;
            }
        }
        changed.push(row.delivery_id_key.clone());
        rows.push(row);
    }
    upsert(write, rows).await?;
    apply(write, changed).await
}

async fn upsert(write: &Write<'_>, rows: Vec<Model>) -> Result<()> {
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all()).collect();
    let columns = Column::iter().filter(|column| !matches!(column, Column::StopKey));
    let over = OnConflict::column(Column::StopKey).update_columns(columns).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}

/// Updates the stop durations of these deliveries.
pub(super) async fn apply(write: &mut Write<'_>, deliveries: Vec<String>) -> Result<()> {
    use delivery_fact::{Column as D, Entity as Deliveries};
    if deliveries.is_empty() {
        return Ok(());
    }
    let found = Deliveries::find().filter(bulk::among(&**write.tx, D::DeliveryIdKey, &deliveries));
    let found = found.all(&**write.tx).await.map_err(db)?;
    let seconds = Seconds::of(write, &deliveries).await?;
    let mut deltas = Deltas::default();
    for before in found {
        let after = delivery_fact::Model { stop_seconds: seconds.get(&before), ..before.clone() };
        if after.stop_seconds == before.stop_seconds {
            continue;
        }
        deltas.subtract(&before)?;
        deltas.add(&after)?;
        let row = delivery_fact::ActiveModel {
            delivery_id_key: sea_orm::ActiveValue::Unchanged(before.delivery_id_key),
            stop_seconds: sea_orm::ActiveValue::Set(after.stop_seconds),
            ..Default::default()
        };
        Deliveries::update(row).exec(&**write.tx).await.map_err(db)?;
        write.note_change();
    }
    deltas.write(write.tx).await
}

/// The durations of all drivers' stops at some deliveries.
#[derive(Default)]
pub(super) struct Seconds(HashMap<(String, String), i64>);

impl Seconds {
    pub(super) async fn of(write: &Write<'_>, deliveries: &[String]) -> Result<Self> {
        let known = Entity::find()
            .filter(bulk::among(&**write.tx, Column::DeliveryIdKey, deliveries))
            .filter(Column::Seconds.is_not_null());
        let rows = known.all(&**write.tx).await.map_err(db)?;
        let pair = |row: Model| Some(((row.delivery_id_key, row.driver_id_key), row.seconds?));
        Ok(Self(rows.into_iter().filter_map(pair).collect()))
    }

    /// Returns the duration of the stop by the delivery's own driver. Stops of other drivers do not count.
    pub(super) fn get(&self, delivery: &delivery_fact::Model) -> Option<i64> {
        let driver = delivery.driver_id_key.clone()?;
        self.0.get(&(delivery.delivery_id_key.clone(), driver)).copied()
    }
}
