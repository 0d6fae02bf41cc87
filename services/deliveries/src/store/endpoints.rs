//! Endpoints: where outcomes are sent, and the secrets that sign them.

use ::store::audit::{self, Act, By, Changes};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::{Db, Tx, db};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::sealed::Sealer;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use uuid::Uuid;

use super::{discards, producers};
use crate::domain::outbound::{EndpointForm, FAILURES_BEFORE_PAUSE, OLD_SECRET_FOR};
use crate::entity::outbound_endpoint::{ActiveModel, Column, Entity, Model, joined};

/// Endpoints that there can be: each change looks at all of them.
const MOST: u64 = 50;
/// As receivers' libraries expect it.
const SECRET_PREFIX: &str = "whsec_";

/// All of them, by name.
pub async fn list(connection: &impl sea_orm::ConnectionTrait) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::NameKey).limit(MOST).all(connection).await.map_err(db)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
}

/// An endpoint with the secret that was made for it, which is shown this once.
pub type WithSecret = (Model, String);

pub async fn create(db_: &Db, sealer: &Sealer, form: EndpointForm, by: By<'_>) -> Result<WithSecret> {
    let tx = db_.begin().await?;
    if Entity::find().count(&*tx).await.map_err(db)? >= MOST {
        let text = format!("There are {MOST} endpoints already. Delete one first.");
        return Err(Error::precondition("TOO_MANY_ENDPOINTS", text));
    }
    let (id, secret, name) = (new_id(), new_secret()?, form.name.clone());
    let row = ActiveModel {
        id: Set(id),
        secret: Set(sealer.seal(&id.to_string(), &secret)?),
        previous_secret: Set(None),
        secret_rotated_at: Set(by.now),
        failures_in_row: Set(0),
        paused_at: Set(None),
        created_at: Set(by.now),
        created_by: Set(by.actor.to_owned()),
        version: Set(1),
        ..columns_of(form, by)
    };
    let row = row.insert(&*tx).await.map_err(|error| taken(error, &name))?;
    record(&tx, "endpoint.created", &row, Changes::created(fields_of(&row)), by).await?;
    tx.commit().await?;
    Ok((row, secret))
}

/// An edit of an old version is refused.
pub async fn update(db_: &Db, id: &str, version: u64, form: EndpointForm, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let (name, before, next) = (form.name.clone(), fields_of(&row), row.version + 1);
    let row = ActiveModel { id: sea_orm::Unchanged(row.id), version: Set(next), ..columns_of(form, by) };
    let row = row.update(&*tx).await.map_err(|error| taken(error, &name))?;
    record(&tx, "endpoint.updated", &row, Changes::between(before, fields_of(&row)), by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Discards what waits to be sent there. One that is gone already is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, by: By<'_>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id).await? else { return Ok(()) };
    require_version(&row, version)?;
    producers::require_unused(&tx, row.id).await?;
    discards::of_endpoint(&tx, row.id, by).await?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    record(&tx, "endpoint.deleted", &row, Changes::deleted(fields_of(&row)), by).await?;
    tx.commit().await
}

/// Makes a new secret; the one before signs along for a day.
pub async fn rotate(db_: &Db, sealer: &Sealer, id: &str, version: u64, by: By<'_>) -> Result<WithSecret> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let secret = new_secret()?;
    let (old, next) = (row.secret.clone(), row.version + 1);
    let row = ActiveModel {
        secret: Set(sealer.seal(&row.id.to_string(), &secret)?),
        previous_secret: Set(Some(old)),
        secret_rotated_at: Set(by.now),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(next),
        ..row.into_active_model()
    };
    let row = row.update(&*tx).await.map_err(db)?;
    record(&tx, "endpoint.rotated", &row, Changes::default().hidden("secret"), by).await?;
    tx.commit().await?;
    Ok((row, secret))
}

/// Sends there again. One that was not paused stays as it is.
pub async fn resume(db_: &Db, id: &str, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    if row.paused_at.is_none() {
        return Ok(row);
    }
    let row = ActiveModel { paused_at: Set(None), failures_in_row: Set(0), ..row.into_active_model() };
    let row = row.update(&*tx).await.map_err(db)?;
    record(&tx, "endpoint.resumed", &row, Changes::default().field("paused", true, false), by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Notes how an attempt went. Returns the endpoint when it was paused just now.
pub async fn note(tx: &Tx, id: Uuid, sent: bool, now: DateTime<Utc>) -> Result<Option<Model>> {
    let row = Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)?;
    let Some(row) = row else { return Ok(None) };
    let failures = if sent { 0 } else { row.failures_in_row.saturating_add(1) };
    if failures == row.failures_in_row {
        return Ok(None);
    }
    let pause = failures >= FAILURES_BEFORE_PAUSE && row.paused_at.is_none();
    let mut update = Entity::update_many().col_expr(Column::FailuresInRow, Expr::value(failures));
    if pause {
        update = update.col_expr(Column::PausedAt, Expr::value(now));
    }
    update.filter(Column::Id.eq(id)).exec(&**tx).await.map_err(db)?;
    Ok(pause.then_some(row))
}

/// The secrets that sign now, opened: the present one first.
pub fn secrets(row: &Model, sealer: &Sealer, now: DateTime<Utc>) -> Result<Vec<String>> {
    let id = row.id.to_string();
    let mut all = vec![sealer.open(&id, &row.secret)?];
    if let Some(previous) = &row.previous_secret
        && now < row.secret_rotated_at + OLD_SECRET_FOR
    {
        all.push(sealer.open(&id, previous)?);
    }
    Ok(all)
}

/// Seals with the present service secret what another one sealed. Returns how many rows changed.
///
/// The secrets stay the same, so neither their versions nor the audit log tell of it.
pub async fn seal_anew(db_: &Db, sealer: &Sealer) -> Result<usize> {
    let mut changed = 0;
    for row in list(db_.read()).await? {
        let tx = db_.begin().await?;
        let id = row.id.to_string();
        let Some(row) = lock(&tx, &id).await? else { continue };
        let secret = sealer.anew(&id, &row.secret)?;
        let previous = row.previous_secret.as_deref().map(|it| sealer.anew(&id, it)).transpose()?.flatten();
        if secret.is_none() && previous.is_none() {
            continue;
        }
        let mut row = row.into_active_model();
        row.secret = secret.map_or(row.secret, Set);
        row.previous_secret = previous.map_or(row.previous_secret, |it| Set(Some(it)));
        row.update(&*tx).await.map_err(db)?;
        tx.commit().await?;
        changed += 1;
    }
    Ok(changed)
}

fn new_secret() -> Result<String> {
    Ok(format!("{SECRET_PREFIX}{}", STANDARD.encode(kit::random::bytes::<32>()?)))
}

async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}

fn columns_of(form: EndpointForm, by: By<'_>) -> ActiveModel {
    let EndpointForm { name, url, methods, source_ids, is_active } = form;
    ActiveModel {
        name_key: Set(fold(&name)),
        name: Set(name),
        url: Set(url),
        methods: Set(joined(methods.iter().map(|it| it.as_str()))),
        source_ids: Set(joined(source_ids.iter().map(String::as_str))),
        is_active: Set(is_active),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        ..Default::default()
    }
}

async fn record(tx: &Tx, action: &str, row: &Model, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity, entity_id) = ("endpoint", &row.id.to_string());
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &row.name, changes };
    audit::record(tx, by, act).await
}

fn fields_of(row: &Model) -> audit::Fields {
    vec![
        ("name", row.name.as_str().into()),
        ("url", row.url.as_str().into()),
        ("methods", row.methods.as_str().into()),
        ("sources", row.source_ids.as_str().into()),
        ("isActive", row.is_active.into()),
    ]
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    if row.version.unsigned_abs() == version {
        return Ok(());
    }
    let text = format!("{} was changed in the meantime. Reload it and try again.", row.name);
    Err(Error::precondition("ENDPOINT_CHANGED", text))
}

fn taken(error: DbErr, name: &str) -> Error {
    if !is_unique_violation(&error) {
        return db(error);
    }
    let text = format!("An endpoint named {name} exists already. Choose another name.");
    Error::already_exists("ENDPOINT_EXISTS", text.clone()).field("name", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("ENDPOINT_NOT_FOUND", format!("There is no endpoint {id}"))
}
