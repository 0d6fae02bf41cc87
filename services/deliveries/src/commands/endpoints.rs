//! Creates, edits and deletes endpoints for outcomes, and replaces their secrets.

use ::store::audit::{self, Act, By, Changes};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::{Db, Tx, db};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kit::clock::new_id;
use kit::sealed::Sealer;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
};
use uuid::Uuid;

use crate::commands::dead_letters::for_audit;
use crate::commands::{endpoint_letters, producers};
use crate::domain::outbound::EndpointForm;
use crate::entity::outbound_endpoint::{ActiveModel, Entity, Model, joined, words};
use crate::entity::source;
use crate::events::letters;
use crate::queries::endpoints::{MOST, list, not_found};
use crate::tables::dead_letters;
use crate::tables::endpoints::{lock, replace_secret, reseal_replaced};

/// The prefix that libraries for receivers expect.
const SECRET_PREFIX: &str = "whsec_";

/// An endpoint with its new secret, which is shown only once.
pub type WithSecret = (Model, String);

pub async fn create(db_: &Db, sealer: &Sealer, form: EndpointForm, by: By<'_>) -> Result<WithSecret> {
    let tx = db_.begin().await?;
    if Entity::find().count(&*tx).await.map_err(db)? >= MOST {
        let text = format!("There are already {MOST} endpoints. Delete one first.");
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
    record(&tx, "endpoint.created", &row, Changes::created(fields_of(&tx, &row).await?), by).await?;
    tx.commit().await?;
    Ok((row, secret))
}

/// Updates an endpoint. Switching it off ends its pause. An edit of an old version is refused.
pub async fn update(db_: &Db, id: &str, version: u64, form: EndpointForm, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let ends_pause = row.is_active && !form.is_active && row.paused_at.is_some();
    if ends_pause {
        letters::pause_ended(&tx, &row, by).await?;
    }
    let (name, before, next) = (form.name.clone(), fields_of(&tx, &row).await?, row.version + 1);
    let mut row = ActiveModel { id: sea_orm::Unchanged(row.id), version: Set(next), ..columns_of(form, by) };
    if ends_pause {
        (row.paused_at, row.failures_in_row) = (Set(None), Set(0));
    }
    let row = row.update(&*tx).await.map_err(|error| taken(error, &name))?;
    let changes = Changes::between(before, fields_of(&tx, &row).await?);
    record(&tx, "endpoint.updated", &row, changes, by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Deletes an endpoint, and adds the job that discards its unsent messages. Refused while other systems' messages wait
/// for it. A missing endpoint is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, by: By<'_>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id).await? else { return Ok(()) };
    require_version(&row, version)?;
    producers::require_unused(&tx, row.id).await?;
    require_no_reported(&tx, row.id).await?;
    let unsent = dead_letters::count_unsent(&tx, row.id).await?;
    endpoint_letters::discard(&tx, row.id, by).await?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    letters::pause_ended(&tx, &row, by).await?;
    let changes = Changes::deleted(fields_of(&tx, &row).await?).made("lettersDiscarded", for_audit(unsent));
    record(&tx, "endpoint.deleted", &row, changes, by).await?;
    tx.commit().await
}

/// Creates a new secret; for a day, messages are signed with the one that it replaces, too.
pub async fn rotate(db_: &Db, sealer: &Sealer, id: &str, version: u64, by: By<'_>) -> Result<WithSecret> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let secret = new_secret()?;
    let (replaced, next) = (replace_secret(&row, by.now)?, row.version + 1);
    let row = ActiveModel {
        secret: Set(sealer.seal(&row.id.to_string(), &secret)?),
        previous_secret: Set(replaced),
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

/// Resumes a paused endpoint; does nothing if it is not paused.
pub async fn resume(db_: &Db, id: &str, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    if row.paused_at.is_none() {
        return Ok(row);
    }
    letters::pause_ended(&tx, &row, by).await?;
    let row = ActiveModel { paused_at: Set(None), failures_in_row: Set(0), ..row.into_active_model() };
    let row = row.update(&*tx).await.map_err(db)?;
    record(&tx, "endpoint.resumed", &row, Changes::default().field("paused", true, false), by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Reseals secrets that are not sealed with the current service secret. Returns how many rows changed.
///
/// The secrets themselves stay the same, so neither the endpoints' versions nor the audit log change.
pub async fn seal_anew(db_: &Db, sealer: &Sealer) -> Result<usize> {
    let mut changed = 0;
    for row in list(db_.read()).await? {
        let tx = db_.begin().await?;
        let id = row.id.to_string();
        let Some(row) = lock(&tx, &id).await? else { continue };
        let secret = sealer.anew(&id, &row.secret)?;
        let previous = reseal_replaced(&row, sealer)?;
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

/// Returns the fields for the audit log, with the names of the sources.
async fn fields_of(tx: &Tx, row: &Model) -> Result<audit::Fields> {
    let ids = words(&row.source_ids).filter_map(|id| id.parse::<Uuid>().ok());
    let found = source::Entity::find().filter(source::Column::Id.is_in(ids)).all(&**tx).await.map_err(db)?;
    let name = |id: &str| {
        let found = found.iter().find(|it| it.id.to_string() == id);
        found.map_or_else(|| id.to_owned(), |it| it.name.clone())
    };
    Ok(vec![
        ("name", row.name.as_str().into()),
        ("url", row.url.as_str().into()),
        ("methods", words(&row.methods).collect::<Vec<_>>().into()),
        ("sources", words(&row.source_ids).map(name).collect::<Vec<_>>().into()),
        ("isActive", row.is_active.into()),
    ])
}

async fn require_no_reported(tx: &Tx, endpoint: Uuid) -> Result<()> {
    let text = match dead_letters::count_reported(tx, endpoint).await? {
        0 => return Ok(()),
        1 => "1 message reported by another system is resent to this endpoint. Resend or discard it first."
            .to_owned(),
        count => format!(
            "{count} messages reported by other systems are resent to this endpoint. Resend or discard them first."
        ),
    };
    Err(Error::precondition("ENDPOINT_IN_USE", text))
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    ::store::require_version(row.version, version, "ENDPOINT_CHANGED", &row.name)
}

fn taken(error: DbErr, name: &str) -> Error {
    if !is_unique_violation(&error) {
        return db(error);
    }
    let text = format!("An endpoint named {name} already exists. Choose another name.");
    Error::already_exists("ENDPOINT_EXISTS", text.clone()).field("name", text)
}
