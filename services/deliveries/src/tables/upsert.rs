//! Rewrites existing rows in bulk.
//!
//! Writes all columns that are set in the rows, except those that `stays` selects.

use ::store::{Tx, bulk};
use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, EntityTrait, Iterable};

use crate::entity::{delivery, item};

pub async fn deliveries(tx: &Tx, rows: Vec<delivery::ActiveModel>) -> Result<()> {
    use delivery::Column as C;
    let stays = |column: &C| {
        matches!(
            column,
            C::IdKey
                | C::Id
                | C::Deliverystatus
                | C::Deliverydatetime
                | C::Scanmode
                | C::SourceId
                | C::UploadLogId
                | C::Attempt
                | C::MaxAttempts
                | C::CreatedAt
                | C::CreatedBy
        )
    };
    let Some(columns) = filled(&rows).map(|it| it.filter(|column| !stays(column))) else { return Ok(()) };
    let key = OnConflict::column(C::IdKey).update_columns(columns).to_owned();
    bulk::upsert(&**tx, rows, &key).await?;
    Ok(())
}

pub async fn items(tx: &Tx, rows: Vec<item::ActiveModel>) -> Result<()> {
    use item::Column as C;
    let stays = |column: &C| matches!(column, C::DeliveryKey | C::ItemKey | C::ItemNumber);
    let Some(columns) = filled(&rows).map(|it| it.filter(|column| !stays(column))) else { return Ok(()) };
    let key = OnConflict::columns([C::DeliveryKey, C::ItemKey]).update_columns(columns).to_owned();
    bulk::upsert(&**tx, rows, &key).await?;
    Ok(())
}

/// Returns the columns that rows set, which must be the same for all rows; empty without rows.
fn filled<A: ActiveModelTrait>(
    rows: &[A],
) -> Option<impl Iterator<Item = <A::Entity as EntityTrait>::Column> + use<A>> {
    let row = rows.first()?;
    let columns = <A::Entity as EntityTrait>::Column::iter();
    let columns: Vec<_> = columns.filter(|column| !row.get(*column).is_not_set()).collect();
    Some(columns.into_iter())
}
