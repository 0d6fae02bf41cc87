//! Creates and edits sources of deliveries.

use ::store::audit::{self, Act, By, Changes};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::{Db, Tx, db, require_version};
use chrono::{DateTime, Utc};
use kit::clock::{Clock, new_id};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QuerySelect,
};
use uuid::Uuid;

use crate::domain::party::Source;
use crate::entity::requirement::Requirement;
use crate::entity::source::{ActiveModel, Column, Entity, Model};
use crate::events::emit;
use crate::queries::sources::not_found;

pub const DEFAULT: &str = "Default";
/// The actor that creates the default source.
const SYSTEM: &str = "system:deliveries";

/// Creates the source named Default if there is no source at all.
pub async fn ensure_default(db_: &Db, clock: &Clock) -> Result<()> {
    if Entity::find().count(db_.read()).await.map_err(db)? > 0 {
        return Ok(());
    }
    let now = clock.now();
    let first = Source { name: DEFAULT.to_owned(), is_active: true, pod_requirement: None };
    let row = new_row(first, SYSTEM, now);
    let tx = db_.begin().await?;
    // Ignore a conflict: another replica may start at the same moment.
    let made = Entity::insert(row)
        .on_conflict(OnConflict::column(Column::NameKey).do_nothing().to_owned())
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    if made > 0
        && let Some(source) =
            Entity::find().filter(Column::NameKey.eq(fold(DEFAULT))).one(&*tx).await.map_err(db)?
    {
        emit::source_changed(&tx, &source, SYSTEM, now).await?;
    }
    kit::fail_point("deliveries.source.default_created");
    tx.commit().await
}

pub async fn create(db_: &Db, form: Source, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let name = form.name.clone();
    let row = new_row(form, by.actor, by.now).insert(&*tx).await.map_err(|error| taken(error, &name))?;
    emit::source_changed(&tx, &row, by.actor, by.now).await?;
    record(&tx, "source.created", &row, Changes::created(fields_of(&row)), by).await?;
    kit::fail_point("deliveries.source.created");
    tx.commit().await?;
    Ok(row)
}

/// Updates a source. An edit of an old version is refused.
pub async fn update(db_: &Db, id: &str, version: u64, form: Source, by: By<'_>) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(known)
        .lock_exclusive()
        .one(&*tx)
        .await
        .map_err(db)?
        .ok_or_else(|| not_found(id))?;
    require_version(row.version, version, "SOURCE_CHANGED", &row.name)?;
    let (name, next) = (form.name.clone(), row.version + 1);
    let before = fields_of(&row);
    let row = ActiveModel {
        name_key: Set(fold(&form.name)),
        name: Set(form.name),
        is_active: Set(form.is_active),
        pod_requirement: Set(form.pod_requirement.as_ref().map(Into::into)),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(next),
        ..row.into_active_model()
    };
    let row = row.update(&*tx).await.map_err(|error| taken(error, &name))?;
    emit::source_changed(&tx, &row, by.actor, by.now).await?;
    record(&tx, "source.updated", &row, Changes::between(before, fields_of(&row)), by).await?;
    kit::fail_point("deliveries.source.updated");
    tx.commit().await?;
    Ok(row)
}

async fn record(tx: &Tx, action: &str, row: &Model, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity, entity_id) = ("source", &row.id.to_string());
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &row.name, changes };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log.
fn fields_of(row: &Model) -> audit::Fields {
    vec![
        ("name", row.name.as_str().into()),
        ("isActive", row.is_active.into()),
        ("podRequirement", row.pod_requirement.as_ref().map(Requirement::names).into()),
    ]
}

fn new_row(form: Source, actor: &str, now: DateTime<Utc>) -> ActiveModel {
    ActiveModel {
        id: Set(new_id()),
        name_key: Set(fold(&form.name)),
        name: Set(form.name),
        is_active: Set(form.is_active),
        created_at: Set(now),
        created_by: Set(actor.to_owned()),
        updated_at: Set(now),
        updated_by: Set(actor.to_owned()),
        version: Set(1),
        pod_requirement: Set(form.pod_requirement.as_ref().map(Into::into)),
    }
}

fn taken(error: DbErr, name: &str) -> Error {
    if !is_unique_violation(&error) {
        return db(error);
    }
    let text = format!("A source named {name} already exists. Choose another name.");
    Error::already_exists("SOURCE_EXISTS", text.clone()).field("name", text)
}
