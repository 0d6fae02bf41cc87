//! Creates, edits and deletes producers, and replaces the tokens that identify them.

use ::store::audit::{self, Act, By, Changes};
use ::store::error::is_unique_violation;
use ::store::{Db, Tx, db};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kit::clock::new_id;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use uuid::Uuid;

use crate::commands::dead_letters::for_audit;
use crate::commands::reported_letters;
use crate::entity::outbound_endpoint;
use crate::entity::producer::{ActiveModel, Column, Entity, Model};
use crate::queries::producers::{MOST, TOKEN_PREFIX, hash};

/// What administrators enter about a producer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Used only when the producer is created.
    pub name: String,
    pub endpoint_id: Uuid,
    pub is_active: bool,
}

/// A producer with its new token, which is shown only once.
pub type WithToken = (Model, String);

pub async fn create(db_: &Db, form: Form, by: By<'_>) -> Result<WithToken> {
    let tx = db_.begin().await?;
    if Entity::find().count(&*tx).await.map_err(db)? >= MOST {
        let text = format!("There are already {MOST} reporting systems. Delete one first.");
        return Err(Error::precondition("TOO_MANY_PRODUCERS", text));
    }
    require_endpoint(&tx, form.endpoint_id).await?;
    let (token, name) = (new_token()?, form.name.clone());
    let row = ActiveModel {
        id: Set(new_id()),
        name: Set(form.name),
        endpoint_id: Set(form.endpoint_id),
        is_active: Set(form.is_active),
        token_hash: Set(hash(&token)),
        token_made_at: Set(by.now),
        created_at: Set(by.now),
        created_by: Set(by.actor.to_owned()),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await.map_err(|error| taken(error, &name))?;
    record(&tx, "producer.created", &row, Changes::created(fields_of(&tx, &row).await?), by).await?;
    tx.commit().await?;
    Ok((row, token))
}

/// Updates a producer, and adds the job that moves its unsent messages to its current endpoint. Refuses an edit of an
/// old version. The name cannot change, because the subject of the producer's messages contains it.
pub async fn update(db_: &Db, id: &str, version: u64, form: Form, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    require_endpoint(&tx, form.endpoint_id).await?;
    let (before, next) = (fields_of(&tx, &row).await?, row.version + 1);
    let row = ActiveModel {
        endpoint_id: Set(form.endpoint_id),
        is_active: Set(form.is_active),
        ..changed(row, next, by)
    };
    let row = row.update(&*tx).await.map_err(db)?;
    let moved = reported_letters::follow(&tx, &row, by).await?;
    let changes = Changes::between(before, fields_of(&tx, &row).await?);
    let changes = if moved == 0 { changes } else { changes.made("lettersMoved", for_audit(moved)) };
    record(&tx, "producer.updated", &row, changes, by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Deletes a producer; its letters stay. A missing producer is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, by: By<'_>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id).await? else { return Ok(()) };
    require_version(&row, version)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    record(&tx, "producer.deleted", &row, Changes::deleted(fields_of(&tx, &row).await?), by).await?;
    tx.commit().await
}

/// Creates a new token; the old token becomes invalid immediately.
pub async fn rotate(db_: &Db, id: &str, version: u64, by: By<'_>) -> Result<WithToken> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let (token, next) = (new_token()?, row.version + 1);
    let row =
        ActiveModel { token_hash: Set(hash(&token)), token_made_at: Set(by.now), ..changed(row, next, by) };
    let row = row.update(&*tx).await.map_err(db)?;
    record(&tx, "producer.rotated", &row, Changes::default().hidden("token"), by).await?;
    tx.commit().await?;
    Ok((row, token))
}

/// Fails if any producer's letters are resent to this endpoint.
pub async fn require_unused(tx: &Tx, endpoint: Uuid) -> Result<()> {
    let user = Entity::find().filter(Column::EndpointId.eq(endpoint)).order_by_asc(Column::Name);
    match user.one(&**tx).await.map_err(db)? {
        None => Ok(()),
        Some(row) => {
            let name = row.name;
            let text = format!(
                "Dead letters of {name} are resent to this endpoint. Choose another one there first."
            );
            Err(Error::precondition("ENDPOINT_IN_USE", text))
        }
    }
}

async fn require_endpoint(tx: &Tx, id: Uuid) -> Result<()> {
    match outbound_endpoint::Entity::find_by_id(id).lock_shared().one(&**tx).await.map_err(db)? {
        Some(_) => Ok(()),
        None => Err(Error::invalid_field("endpointId", "This endpoint is gone. Choose another one.")),
    }
}

fn changed(row: Model, next: i64, by: By<'_>) -> ActiveModel {
    ActiveModel {
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(next),
        ..row.into_active_model()
    }
}

fn new_token() -> Result<String> {
    Ok(format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(kit::random::bytes::<32>()?)))
}

async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}

async fn record(tx: &Tx, action: &str, row: &Model, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity, entity_id) = ("producer", &row.id.to_string());
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &row.name, changes };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log, with the endpoint's name.
async fn fields_of(tx: &Tx, row: &Model) -> Result<audit::Fields> {
    let endpoint = outbound_endpoint::Entity::find_by_id(row.endpoint_id).one(&**tx).await.map_err(db)?;
    let endpoint = endpoint.map_or_else(|| row.endpoint_id.to_string(), |it| it.name);
    Ok(vec![
        ("name", row.name.as_str().into()),
        ("endpoint", endpoint.into()),
        ("isActive", row.is_active.into()),
    ])
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    ::store::require_version(row.version, version, "PRODUCER_CHANGED", &row.name)
}

fn taken(error: DbErr, name: &str) -> Error {
    if !is_unique_violation(&error) {
        return db(error);
    }
    let text = format!("A reporting system named {name} already exists. Choose another name.");
    Error::already_exists("PRODUCER_EXISTS", text.clone()).field("name", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("PRODUCER_NOT_FOUND", format!("There is no reporting system {id}"))
}
