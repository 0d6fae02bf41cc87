//! Saved views of lists, and saved queries of the query lab.
//!
//! Every change is limited to views of one owner, so nobody can change another person's view. Reads also
//! return shared queries of others.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

use super::Creation;
use crate::domain::saved_view::{List, MOST, MOST_SHARED, SavedView};
use crate::entity::saved_view::{ActiveModel, Column, Entity, Model};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::{Db, Tx, counter, db};

/// Prefix of the counters of saved views, one counter per owner.
pub const COUNTERS: &str = "saved_view of ";
/// The counter of all shared queries.
pub const SHARED: &str = "shared saved_view";

/// A person, as the owner of views.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    pub id: &'a str,
    pub name: &'a str,
}

/// Returns the person's own views by name, then the shared ones of others.
pub async fn list(db_: &Db, owner: &str, list: List) -> Result<Vec<Model>> {
    let of_list = || Entity::find().filter(Column::List.eq(list)).order_by_asc(Column::NameKey);
    let own = of_list().filter(Column::OwnerId.eq(owner)).limit(MOST);
    let mut views = own.all(db_.read()).await.map_err(db)?;
    if list == List::QueryLab {
        let of_others = of_list().filter(Column::Shared.eq(true)).filter(Column::OwnerId.ne(owner));
        let shared = of_others.order_by_asc(Column::Id).limit(MOST_SHARED);
        views.extend(shared.all(db_.read()).await.map_err(db)?);
    }
    Ok(views)
}

/// Returns a query that the person may run: their own, or a shared one.
pub async fn query(db_: &Db, id: &str, owner: &str) -> Result<Model> {
    let gone =
        || Error::not_found("SAVED_QUERY_NOT_FOUND", "This query was deleted, or is no longer shared.");
    let id = Uuid::try_parse(id).map_err(|_| gone())?;
    let may_run = Condition::any().add(Column::OwnerId.eq(owner)).add(Column::Shared.eq(true));
    let query = Entity::find_by_id(id).filter(Column::List.eq(List::QueryLab)).filter(may_run);
    query.one(db_.read()).await.map_err(db)?.ok_or_else(gone)
}

/// Creates a view. A retry returns the existing one in its current form.
pub async fn create(
    db_: &Db,
    creation: Creation,
    form: SavedView,
    owner: Owner<'_>,
    now: DateTime<Utc>,
) -> Result<Model> {
    let name = form.name.clone();
    if let Some(row) = make(db_, &creation, form, owner, now).await? {
        return Ok(row);
    }
    // Either this is a retry, or the name is taken.
    let own = Entity::find().filter(Column::CreationId.eq(creation.id)).filter(Column::OwnerId.eq(owner.id));
    let row = own.one(db_.read()).await.map_err(db)?.ok_or_else(|| taken(&name))?;
    creation.require_same(&row.creation_fingerprint)?;
    Ok(row)
}

async fn make(
    db_: &Db,
    creation: &Creation,
    form: SavedView,
    owner: Owner<'_>,
    now: DateTime<Utc>,
) -> Result<Option<Model>> {
    let tx = db_.begin().await?;
    let row = ActiveModel {
        id: Set(new_id()),
        creation_id: Set(creation.id),
        creation_fingerprint: Set(creation.fingerprint.clone()),
        owner_id: Set(owner.id.to_owned()),
        owner_name: Set(owner.name.to_owned()),
        list: Set(form.list),
        name_key: Set(fold(&form.name)),
        name: Set(form.name),
        state: Set(form.state),
        shared: Set(form.shared),
        created_at: Set(now),
        updated_at: Set(now),
        version: Set(1),
    };
    let row = match row.insert(&*tx).await {
        Ok(row) => row,
        Err(error) if is_unique_violation(&error) => return Ok(None),
        Err(error) => return Err(db(error)),
    };
    // The counter is a locked row, so two views saved at the same time cannot both take the last free place.
    let counter = format!("{COUNTERS}{}", owner.id);
    counter::add(&*tx, &counter, 1).await?;
    if counter::get(&*tx, &counter).await? > MOST {
        let text = format!("You already have {MOST} saved views and queries. Delete one you no longer use.");
        return Err(Error::precondition("TOO_MANY_SAVED_VIEWS", text));
    }
    count_shared(&tx, i64::from(form.shared)).await?;
    kit::fail_point("settings.saved_view.created");
    tx.commit().await?;
    Ok(Some(row))
}

/// Replaces the whole view, except for its list. Refuses an edit of an old version.
pub async fn update(
    db_: &Db,
    id: &str,
    version: u64,
    form: SavedView,
    owner: Owner<'_>,
    now: DateTime<Utc>,
) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id, owner.id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let SavedView { name, list, state, shared } = form;
    if list != row.list {
        return Err(Error::invalid_field("list", "A saved view stays with its list"));
    }
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        owner_name: Set(owner.name.to_owned()),
        name_key: Set(fold(&name)),
        name: Set(name.clone()),
        state: Set(state),
        shared: Set(shared),
        updated_at: Set(now),
        version: Set(row.version + 1),
        ..Default::default()
    };
    let refused = |error: DbErr| if is_unique_violation(&error) { taken(&name) } else { db(error) };
    let was_shared = row.shared;
    let row = next.update(&*tx).await.map_err(refused)?;
    count_shared(&tx, i64::from(shared) - i64::from(was_shared)).await?;
    kit::fail_point("settings.saved_view.updated");
    tx.commit().await?;
    Ok(row)
}

/// Deletes a view; a missing view is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, owner: &str) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id, owner).await? else { return Ok(()) };
    require_version(&row, version)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    counter::add(&*tx, &format!("{COUNTERS}{owner}"), -1).await?;
    count_shared(&tx, -i64::from(row.shared)).await?;
    kit::fail_point("settings.saved_view.deleted");
    tx.commit().await
}

/// Changes the number of shared queries. The number is limited, so that everybody can see all of them.
async fn count_shared(tx: &Tx, by: i64) -> Result<()> {
    counter::add(&**tx, SHARED, by).await?;
    if by > 0 && counter::get(&**tx, SHARED).await? > MOST_SHARED {
        let text = format!("{MOST_SHARED} queries are shared already. Stop sharing one that nobody uses.");
        return Err(Error::precondition("TOO_MANY_SHARED_QUERIES", text));
    }
    Ok(())
}

async fn lock(tx: &Tx, id: &str, owner: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    let own = Entity::find_by_id(id).filter(Column::OwnerId.eq(owner));
    own.lock_exclusive().one(&**tx).await.map_err(db)
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    ::store::require_version(row.version, version, "SAVED_VIEW_CHANGED", &row.name)
}

fn taken(name: &str) -> Error {
    let text = format!("You already use the name {name}. Choose another name.");
    Error::already_exists("SAVED_VIEW_EXISTS", text.clone()).field("name", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("SAVED_VIEW_NOT_FOUND", format!("You have no saved view {id}"))
}
