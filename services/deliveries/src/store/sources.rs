//! Sources: where deliveries come from.

use chrono::{DateTime, Utc};
use kit::clock::{Clock, new_id};
use kit::{Error, Result};
use proto::common::v1::SortDirection;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QuerySelect,
};
use uuid::Uuid;

use crate::domain::party::Source;
use crate::entity::requirement::Requirement;
use crate::entity::source::{ActiveModel, Column, Entity, Model};
use crate::events::emit;
use crate::fields;
use ::store::audit::{self, Act, By, Changes};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, Tx, db};

pub const DEFAULT: &str = "Default";
/// Who makes it.
const SYSTEM: &str = "system:deliveries";

pub const LIST: Listing<Entity> = Listing {
    fields: fields::SOURCES,
    key: &[Column::Id],
    default: ("name", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

/// Makes the source named Default when there is no source at all.
pub async fn ensure_default(db_: &Db, clock: &Clock) -> Result<()> {
    if Entity::find().count(db_.read()).await.map_err(db)? > 0 {
        return Ok(());
    }
    let now = clock.now();
    let first = Source { name: DEFAULT.to_owned(), is_active: true, pod_requirement: None };
    let row = new_row(first, SYSTEM, now);
    let tx = db_.begin().await?;
    // Another replica may start at the same moment.
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

/// The source of new deliveries, by an import or by hand: a disabled one takes none.
pub async fn active(connection: &impl ConnectionTrait, id: &str) -> Result<Model> {
    let unknown = || Error::precondition("SOURCE_UNKNOWN", "The source does not exist. Choose another one.");
    let id: Uuid = id.parse().map_err(|_| unknown())?;
    // Whoever disables it waits for what is under way, and nothing comes afterwards.
    let source =
        Entity::find_by_id(id).lock_shared().one(connection).await.map_err(db)?.ok_or_else(unknown)?;
    if !source.is_active {
        return Err(Error::precondition(
            "SOURCE_DISABLED",
            format!(
                "The source {} is disabled and takes no new deliveries. Enable it or choose another one.",
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

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
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

/// An edit of an old version is refused.
pub async fn update(db_: &Db, id: &str, version: u64, form: Source, by: By<'_>) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(known)
        .lock_exclusive()
        .one(&*tx)
        .await
        .map_err(db)?
        .ok_or_else(|| not_found(id))?;
    if row.version.unsigned_abs() != version {
        let text = format!("{} was changed in the meantime. Reload it and try again.", row.name);
        return Err(Error::precondition("SOURCE_CHANGED", text));
    }
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

/// What the audit log tells of one.
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
    let text = format!("A source named {name} exists already. Choose another name.");
    Error::already_exists("SOURCE_EXISTS", text.clone()).field("name", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("SOURCE_NOT_FOUND", format!("There is no source {id}"))
}
