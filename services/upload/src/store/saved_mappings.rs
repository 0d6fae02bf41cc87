//! Mappings of columns that people saved under a name.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Kind, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::entity::saved_mapping::{ActiveModel, Column, Entity, Model};
use crate::file::saved::SavedMapping;
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::{Db, Tx, counter, db};

/// The counter of saved mappings.
pub const SAVED_MAPPINGS: &str = "saved_mapping";
/// Maximum number of saved mappings, so that everybody can see all of them.
const MOST: u64 = 200;

/// Somebody who saves or changes mappings.
pub struct Person {
    pub id: String,
    pub username: String,
    pub is_admin: bool,
}

impl Person {
    pub fn can_change(&self, row: &Model) -> bool {
        self.is_admin || row.saved_by_id == self.id
    }

    fn require(&self, row: &Model) -> Result<()> {
        if self.can_change(row) {
            return Ok(());
        }
        let text = format!("Only {} or an administrator can change the mapping {}.", row.saved_by, row.name);
        Err(Error::new(Kind::Forbidden, "SAVED_MAPPING_OF_OTHERS", text))
    }
}

pub struct NewMapping {
    pub name: String,
    pub source_id: Uuid,
    pub mapping: SavedMapping,
    /// Whether to replace the mapping that has the name.
    pub replace: bool,
}

impl Model {
    pub fn parsed(&self) -> Result<SavedMapping> {
        serde_json::from_str(&self.mapping).map_err(Error::internal)
    }
}

/// Returns all saved mappings by name.
pub async fn saved_mappings(db_: &Db) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::NameKey).limit(MOST).all(db_.read()).await.map_err(db)
}

/// Returns the saved mappings of a source by name.
pub async fn saved_mappings_of(db_: &Db, source: Uuid) -> Result<Vec<Model>> {
    let of_source = Entity::find().filter(Column::SourceId.eq(source)).order_by_asc(Column::NameKey);
    of_source.limit(MOST).all(db_.read()).await.map_err(db)
}

pub async fn saved_mapping(db_: &Db, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).one(db_.read()).await.map_err(db)
}

/// Saves a mapping, or replaces the columns of the one with the same name. A replaced mapping keeps its owner.
pub async fn save_mapping(db_: &Db, new: NewMapping, by: &Person, now: DateTime<Utc>) -> Result<Model> {
    let tx = db_.begin().await?;
    let key = fold(&new.name);
    let same = Entity::find().filter(Column::NameKey.eq(&key)).lock_exclusive();
    let mapping = serde_json::to_string(&new.mapping).map_err(Error::internal)?;
    let refused = |error: DbErr| if is_unique_violation(&error) { taken(&new.name) } else { db(error) };
    let row = match same.one(&*tx).await.map_err(db)? {
        Some(row) if !by.can_change(&row) => return Err(of_others(&row)),
        Some(_) if !new.replace => return Err(taken(&new.name)),
        Some(row) => {
            let next = ActiveModel {
                id: sea_orm::Unchanged(row.id),
                name: Set(new.name.clone()),
                source_id: Set(new.source_id),
                mapping: Set(mapping),
                saved_at: Set(now),
                ..Default::default()
            };
            next.update(&*tx).await.map_err(refused)?
        }
        None => {
            let row = ActiveModel {
                id: Set(new_id()),
                name: Set(new.name.clone()),
                name_key: Set(key),
                source_id: Set(new.source_id),
                mapping: Set(mapping),
                saved_by: Set(by.username.clone()),
                saved_by_id: Set(by.id.clone()),
                saved_at: Set(now),
                last_used_at: Set(None),
                used_count: Set(0),
            };
            let row = row.insert(&*tx).await.map_err(refused)?;
            count_one(&tx).await?;
            row
        }
    };
    kit::fail_point("upload.saved_mapping.saved");
    tx.commit().await?;
    Ok(row)
}

/// Counts a new mapping. The counter is a locked row, so two mappings saved at the same time can't both take the
/// last free place.
async fn count_one(tx: &Tx) -> Result<()> {
    counter::add(&**tx, SAVED_MAPPINGS, 1).await?;
    if counter::get(&**tx, SAVED_MAPPINGS).await? > MOST {
        let text = format!("There are already {MOST} saved mappings. Delete one that is no longer used.");
        return Err(Error::precondition("TOO_MANY_SAVED_MAPPINGS", text));
    }
    Ok(())
}

pub async fn rename_mapping(db_: &Db, id: &str, name: String, by: &Person) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| {
        Error::not_found("SAVED_MAPPING_NOT_FOUND", "This mapping was deleted. Save the columns again.")
    })?;
    by.require(&row)?;
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        name_key: Set(fold(&name)),
        name: Set(name.clone()),
        ..Default::default()
    };
    let refused = |error: DbErr| if is_unique_violation(&error) { taken(&name) } else { db(error) };
    let row = next.update(&*tx).await.map_err(refused)?;
    kit::fail_point("upload.saved_mapping.renamed");
    tx.commit().await?;
    Ok(row)
}

/// Deletes a mapping; a missing one is no error.
pub async fn delete_mapping(db_: &Db, id: &str, by: &Person) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id).await? else { return Ok(()) };
    by.require(&row)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    counter::add(&*tx, SAVED_MAPPINGS, -1).await?;
    kit::fail_point("upload.saved_mapping.deleted");
    tx.commit().await
}

/// Counts an import that is read with a mapping. It may have been deleted in the meantime.
pub(super) async fn count_use(tx: &Tx, id: &str, now: DateTime<Utc>) -> Result<()> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(()) };
    let used = Entity::update_many()
        .col_expr(Column::LastUsedAt, Expr::value(now))
        .col_expr(Column::UsedCount, Expr::col(Column::UsedCount).add(1))
        .filter(Column::Id.eq(id));
    used.exec(&**tx).await.map_err(db)?;
    Ok(())
}

async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}

fn taken(name: &str) -> Error {
    let text = format!("There is already a saved mapping named {name}. Choose another name.");
    Error::already_exists("SAVED_MAPPING_EXISTS", text.clone()).field("name", text)
}

fn of_others(row: &Model) -> Error {
    let text = format!("{} saved a mapping named {}. Choose another name.", row.saved_by, row.name);
    Error::already_exists("SAVED_MAPPING_OF_OTHERS", text.clone()).field("name", text)
}
