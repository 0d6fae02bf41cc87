//! Removed deliveries, remembered so that an older event does not restore them.

use std::collections::HashMap;

use ::store::bulk;
use ::store::db;
use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QueryFilter};

use super::{Seen, Write};
use crate::entity::removed_delivery::{Column, Entity, Model};
use crate::entity::{delivery_fact, variance_fact};

/// Returns which of these deliveries were removed, each with the sequence and run of its removal.
pub async fn among(write: &Write<'_>, keys: &[String]) -> Result<HashMap<String, Seen>> {
    let rows = Entity::find().filter(bulk::among(&**write.tx, Column::DeliveryIdKey, keys));
    let rows = rows.all(&**write.tx).await.map_err(db)?;
    let seen = |row: &Model| Seen { sequence: row.sequence, run: row.run };
    Ok(rows.into_iter().map(|row| (row.delivery_id_key.clone(), seen(&row))).collect())
}

/// Deletes deliveries with their variances, and records their removal.
pub async fn remove(write: &Write<'_>, gone: Vec<Model>) -> Result<()> {
    if gone.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = gone.iter().map(|it| it.delivery_id_key.clone()).collect();
    delete_variances(write, &keys).await?;
    delivery_fact::Entity::delete_many()
        .filter(bulk::among(&**write.tx, delivery_fact::Column::DeliveryIdKey, &keys))
        .exec(&**write.tx)
        .await
        .map_err(db)?;
    let rows = gone.into_iter().map(|row| row.into_active_model().reset_all()).collect();
    let over =
        OnConflict::column(Column::DeliveryIdKey).update_columns([Column::Sequence, Column::Run]).to_owned();
    bulk::upsert(&**write.tx, rows, &over).await?;
    Ok(())
}

/// Deletes the variances of these deliveries.
pub(super) async fn delete_variances(write: &Write<'_>, of: &[String]) -> Result<()> {
    use variance_fact::Column as V;
    if of.is_empty() {
        return Ok(());
    }
    variance_fact::Entity::delete_many()
        .filter(bulk::among(&**write.tx, V::DeliveryIdKey, of))
        .exec(&**write.tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Deletes the records of these deliveries' removal, because the deliveries exist again.
pub async fn bring_back(write: &Write<'_>, keys: &[String]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    Entity::delete_many()
        .filter(bulk::among(&**write.tx, Column::DeliveryIdKey, keys))
        .exec(&**write.tx)
        .await
        .map_err(db)?;
    Ok(())
}
