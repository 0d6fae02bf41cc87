//! Removed deliveries, remembered so that an older event does not restore them.

use std::collections::HashMap;

use ::store::bulk;
use ::store::db;
use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};

use super::{Seen, Write};
use crate::entity::removed_delivery::{Column, Entity, Model};
use crate::entity::{delivery_fact, variance_fact};

/// Returns which of these deliveries were removed, each with the sequence and run of its removal.
pub async fn among(write: &Write<'_>, keys: &[String]) -> Result<HashMap<String, Seen>> {
    let mut found = HashMap::new();
    for some in bulk::chunks::<Entity, _>(keys) {
        let rows = Entity::find().filter(Column::DeliveryIdKey.is_in(some.iter().map(String::as_str)));
        let rows = rows.all(&**write.tx).await.map_err(db)?;
        let seen = |row: &Model| Seen { sequence: row.sequence, run: row.run };
        found.extend(rows.into_iter().map(|row| (row.delivery_id_key.clone(), seen(&row))));
    }
    Ok(found)
}

/// Deletes deliveries with their variances, and records their removal.
pub async fn remove(write: &Write<'_>, gone: Vec<Model>) -> Result<()> {
    let keys: Vec<String> = gone.iter().map(|it| it.delivery_id_key.clone()).collect();
    delete_variances(write, &keys).await?;
    for some in bulk::chunks::<Entity, _>(&gone) {
        let keys = some.iter().map(|it| it.delivery_id_key.as_str());
        delivery_fact::Entity::delete_many()
            .filter(delivery_fact::Column::DeliveryIdKey.is_in(keys))
            .exec(&**write.tx)
            .await
            .map_err(db)?;
        let rows = some.iter().cloned().map(|row| row.into_active_model().reset_all());
        let over = OnConflict::column(Column::DeliveryIdKey)
            .update_columns([Column::Sequence, Column::Run])
            .to_owned();
        Entity::insert_many(rows).on_conflict(over).exec_without_returning(&**write.tx).await.map_err(db)?;
    }
    Ok(())
}

/// Deletes the variances of these deliveries.
pub(super) async fn delete_variances(write: &Write<'_>, of: &[String]) -> Result<()> {
    use variance_fact::Column as V;
    for some in bulk::chunks::<variance_fact::Entity, _>(of) {
        variance_fact::Entity::delete_many()
            .filter(V::DeliveryIdKey.is_in(some.iter().map(String::as_str)))
            .exec(&**write.tx)
            .await
            .map_err(db)?;
    }
    Ok(())
}

/// Deletes the records of these deliveries' removal, because the deliveries exist again.
pub async fn bring_back(write: &Write<'_>, keys: &[String]) -> Result<()> {
    for some in bulk::chunks::<Entity, _>(keys) {
        Entity::delete_many()
            .filter(Column::DeliveryIdKey.is_in(some.iter().map(String::as_str)))
            .exec(&**write.tx)
            .await
            .map_err(db)?;
    }
    Ok(())
}
