//! Sources: where deliveries come from.

use kit::clock::{Clock, new_id};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use uuid::Uuid;

use crate::entity::source::{ActiveModel, Column, Entity, Model};
use ::store::filter::fold;
use ::store::{Db, db};

pub const DEFAULT: &str = "Default";

/// Makes the source named Default when there is no source at all.
pub async fn ensure_default(db_: &Db, clock: &Clock) -> Result<()> {
    if Entity::find().count(db_.read()).await.map_err(db)? > 0 {
        return Ok(());
    }
    let now = clock.now();
    let row = ActiveModel {
        id: Set(new_id()),
        name: Set(DEFAULT.to_owned()),
        name_key: Set(fold(DEFAULT)),
        is_active: Set(true),
        created_at: Set(now),
        created_by: Set("system:deliveries".to_owned()),
        updated_at: Set(now),
        updated_by: Set("system:deliveries".to_owned()),
        version: Set(1),
    };
    let tx = db_.begin().await?;
    // Another replica may start at the same moment.
    Entity::insert(row)
        .on_conflict(OnConflict::column(Column::NameKey).do_nothing().to_owned())
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// The active source that an import names.
pub async fn active(connection: &impl ConnectionTrait, id: &str) -> Result<Model> {
    let unknown = || Error::precondition("SOURCE_UNKNOWN", "The source does not exist. Choose another one.");
    let id: Uuid = id.parse().map_err(|_| unknown())?;
    let source = Entity::find_by_id(id).one(connection).await.map_err(db)?.ok_or_else(unknown)?;
    if !source.is_active {
        return Err(Error::precondition(
            "SOURCE_DISABLED",
            format!(
                "The source {} is disabled and takes no imports. Enable it or choose another one.",
                source.name
            ),
        ));
    }
    Ok(source)
}

/// Several by id; unknown ids are left out.
pub async fn by_ids(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let ids: Vec<Uuid> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    Entity::find().filter(Column::Id.is_in(ids)).all(db_.read()).await.map_err(db)
}
