//! Writes items of deliveries.

use ::store::bulk;
use ::store::{Tx, db};
use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{EntityTrait, IntoActiveModel};

use crate::entity::item::{ActiveModel, Column, Entity, Model};

/// Writes counts to existing rows.
pub async fn count(tx: &Tx, rows: Vec<Model>) -> Result<()> {
    let counted = [
        Column::Delivered,
        Column::Rejected,
        Column::Condition,
        Column::VarianceReason,
        Column::VarianceNote,
    ];
    for some in bulk::chunks::<Entity, _>(&rows) {
        let some = some.iter().cloned().map(all_columns);
        Entity::insert_many(some)
            .on_conflict(
                OnConflict::columns([Column::DeliveryKey, Column::ItemKey])
                    .update_columns(counted)
                    .to_owned(),
            )
            .exec_without_returning(&**tx)
            .await
            .map_err(db)?;
    }
    Ok(())
}

/// Returns the row with every column set.
pub fn all_columns(row: Model) -> ActiveModel {
    sea_orm::ActiveModelTrait::reset_all(row.into_active_model())
}
