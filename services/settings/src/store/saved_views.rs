//! Views of lists that people saved.
//!
//! Every statement names the owner, so nobody reaches another person's view.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::Creation;
use crate::domain::saved_view::{List, MOST, SavedView};
use crate::entity::saved_view::{ActiveModel, Column, Entity, Model};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::{Db, Tx, counter, db};

/// What the names of the counts begin with, a count for each owner.
pub const COUNTERS: &str = "saved_view of ";

pub async fn list(db_: &Db, owner: &str, list: List) -> Result<Vec<Model>> {
    let own = Entity::find().filter(Column::OwnerId.eq(owner)).filter(Column::List.eq(list));
    own.order_by_asc(Column::NameKey).limit(MOST).all(db_.read()).await.map_err(db)
}

/// The same creation again gives what it gave, as it is now.
pub async fn create(
    db_: &Db,
    creation: Creation,
    form: SavedView,
    owner: &str,
    now: DateTime<Utc>,
) -> Result<Model> {
    let name = form.name.clone();
    if let Some(row) = make(db_, &creation, form, owner, now).await? {
        return Ok(row);
    }
    // Created already, or the name is taken.
    let own = Entity::find().filter(Column::CreationId.eq(creation.id)).filter(Column::OwnerId.eq(owner));
    let row = own.one(db_.read()).await.map_err(db)?.ok_or_else(|| taken(&name))?;
    creation.require_same(&row.creation_fingerprint)?;
    Ok(row)
}

async fn make(
    db_: &Db,
    creation: &Creation,
    form: SavedView,
    owner: &str,
    now: DateTime<Utc>,
) -> Result<Option<Model>> {
    let tx = db_.begin().await?;
    let row = ActiveModel {
        id: Set(new_id()),
        creation_id: Set(creation.id),
        creation_fingerprint: Set(creation.fingerprint.clone()),
        owner_id: Set(owner.to_owned()),
        list: Set(form.list),
        name_key: Set(fold(&form.name)),
        name: Set(form.name),
        state: Set(form.state),
        created_at: Set(now),
        updated_at: Set(now),
        version: Set(1),
    };
    let row = match row.insert(&*tx).await {
        Ok(row) => row,
        Err(error) if is_unique_violation(&error) => return Ok(None),
        Err(error) => return Err(db(error)),
    };
    // The count is a row, so two views saved at once can't both be the last that fits.
    let counter = format!("{COUNTERS}{owner}");
    counter::add(&*tx, &counter, 1).await?;
    if counter::get(&*tx, &counter).await? > MOST {
        let text = format!("You have {MOST} saved views already. Delete one that you no longer use.");
        return Err(Error::precondition("TOO_MANY_SAVED_VIEWS", text));
    }
    kit::fail_point("settings.saved_view.created");
    tx.commit().await?;
    Ok(Some(row))
}

/// The whole view; its list stays. An edit of an old version is refused.
pub async fn update(
    db_: &Db,
    id: &str,
    version: u64,
    form: SavedView,
    owner: &str,
    now: DateTime<Utc>,
) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id, owner).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let SavedView { name, list, state } = form;
    if list != row.list {
        return Err(Error::invalid_field("list", "A saved view stays with its list"));
    }
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        name_key: Set(fold(&name)),
        name: Set(name.clone()),
        state: Set(state),
        updated_at: Set(now),
        version: Set(row.version + 1),
        ..Default::default()
    };
    let refused = |error: DbErr| if is_unique_violation(&error) { taken(&name) } else { db(error) };
    let row = next.update(&*tx).await.map_err(refused)?;
    kit::fail_point("settings.saved_view.updated");
    tx.commit().await?;
    Ok(row)
}

/// One that is gone already is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, owner: &str) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id, owner).await? else { return Ok(()) };
    require_version(&row, version)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    counter::add(&*tx, &format!("{COUNTERS}{owner}"), -1).await?;
    kit::fail_point("settings.saved_view.deleted");
    tx.commit().await
}

async fn lock(tx: &Tx, id: &str, owner: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    let own = Entity::find_by_id(id).filter(Column::OwnerId.eq(owner));
    own.lock_exclusive().one(&**tx).await.map_err(db)
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    if row.version.unsigned_abs() == version {
        return Ok(());
    }
    let text = format!("{} was changed in the meantime. Reload the page and try again.", row.name);
    Err(Error::precondition("SAVED_VIEW_CHANGED", text))
}

fn taken(name: &str) -> Error {
    let text = format!("You have a view named {name} already. Choose another name.");
    Error::already_exists("SAVED_VIEW_EXISTS", text.clone()).field("name", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("SAVED_VIEW_NOT_FOUND", format!("You have no saved view {id}"))
}
