//! Names of drivers and of sources.

use std::collections::HashMap;

use ::store::{bulk, db};
use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, Iterable, QueryFilter};

use super::{Seen, Write};
use crate::entity::{driver_fact, source_fact};

/// Writes drivers, at most a page of them. Keeps rows that are newer.
pub async fn drivers(write: &mut Write<'_>, drivers: Vec<driver_fact::Model>) -> Result<()> {
    use driver_fact::{Column as C, Entity, Model};
    let keys = drivers.iter().map(|it| it.driver_id_key.as_str());
    let old = Entity::find().filter(bulk::among(&**write.tx, C::DriverIdKey, keys));
    let old = old.all(&**write.tx).await.map_err(db)?;
    let mut old: HashMap<String, Model> = old.into_iter().map(|it| (it.driver_id_key.clone(), it)).collect();
    let mut rows = Vec::new();
    for mut row in drivers {
        let before = old.remove(&row.driver_id_key);
        row.run = write.mark(before.as_ref().map(|it| it.run));
        let row = match before {
            Some(before) => {
                let seen = Seen { sequence: before.sequence, run: before.run };
                // An event without a sequence comes from a previous release, and replaces only a row without
                // one.
                let replaces = write.origin.replaces(seen, row.sequence) || before.sequence == 0;
                let row = if replaces { row } else { Model { run: row.run, ..before.clone() } };
                if (&before.driver_id, &before.driver_name) != (&row.driver_id, &row.driver_name) {
                    write.note_change();
                }
                row
            }
            None => {
                write.note_change();
                row
            }
        };
        rows.push(row.into_active_model().reset_all());
    }
    let columns = C::iter().filter(|column| !matches!(column, C::DriverIdKey));
    let over = OnConflict::column(C::DriverIdKey).update_columns(columns).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}

/// Writes sources. Keeps rows that are newer.
pub async fn sources(write: &mut Write<'_>, sources: Vec<source_fact::Model>) -> Result<()> {
    use source_fact::{Column as C, Entity, Model};
    let ids = sources.iter().map(|it| it.source_id);
    let old = Entity::find().filter(C::SourceId.is_in(ids)).all(&**write.tx).await.map_err(db)?;
    let mut old: HashMap<_, Model> = old.into_iter().map(|it| (it.source_id, it)).collect();
    let mut rows = Vec::new();
    for mut row in sources {
        let before = old.remove(&row.source_id);
        row.run = write.mark(before.as_ref().map(|it| it.run));
        let row = match before {
            Some(before) => {
                let seen = Seen { sequence: before.sequence, run: before.run };
                let replaces = write.origin.replaces(seen, row.sequence);
                let row = if replaces { row } else { Model { run: row.run, ..before.clone() } };
                if before.source != row.source {
                    write.note_change();
                }
                row
            }
            None => {
                write.note_change();
                row
            }
        };
        rows.push(row.into_active_model().reset_all());
    }
    let columns = C::iter().filter(|column| !matches!(column, C::SourceId));
    let over = OnConflict::column(C::SourceId).update_columns(columns).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}
