//! System settings: their values, who set them, and earlier values.
//!
//! A change begins with a lock on the row; value, history and event commit together.

use std::collections::HashMap;

use async_trait::async_trait;
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page};
use proto::events::{Envelope, Event, SettingChanged};
use proto::settings::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, ModelTrait, Order, QueryFilter,
    QueryOrder, QuerySelect,
};

use super::By;
use crate::Context;
use crate::domain::access::{Access, Reach};
use crate::domain::catalogue::{self, BELOW, Defaults};
use crate::domain::value;
use crate::entity::setting::{ActiveModel, Column, Entity, Model};
use crate::entity::setting_history as history;
use crate::fields::SETTINGS;
use crate::logo;
use ::store::audit::{self, Act, Changes};
use ::store::filter::{condition, fold};
use ::store::outbox::{self, NewEvent};
use ::store::page::{order, window};
use ::store::snapshot::{PAGE, Snapshot, aggregate};
use ::store::{Db, Tx, db, list, require_version, sequence};

/// Maximum number of changes that are returned; all changes are kept.
const SHOWN: u64 = 20;

impl Model {
    /// Returns the setting's value, or the configured default if it was never set.
    pub fn effective(&self, defaults: &Defaults) -> String {
        self.value.clone().unwrap_or_else(|| defaults.of(&self.id))
    }

    pub fn told(self, defaults: &Defaults) -> wire::Setting {
        let value = self.effective(defaults);
        let Self {
            id,
            name,
            name_key: _,
            r#type,
            grouping,
            grouping_key: _,
            description,
            value: set,
            readers,
            editors: _,
            updated_at,
            updated_by,
            updated_by_key: _,
            version,
        } = self;
        let known = catalogue::find(&id);
        let is_secret = r#type.is_secret();
        wire::Setting {
            id,
            name,
            value: if is_secret { String::new() } else { value },
            r#type: wire::SettingType::from(r#type).into(),
            group: grouping,
            description,
            min: known.and_then(|it| it.min()),
            max: known.and_then(|it| it.max()),
            pattern: known.and_then(|it| it.pattern()).map(str::to_owned),
            options: known.map(|it| it.options()).unwrap_or_default(),
            planner_visible: readers == Access::Planner,
            is_secret,
            is_default: set.is_none(),
            updated_at: updated_at.map(proto::timestamp),
            updated_by: updated_by.unwrap_or_default(),
            version: version.unsigned_abs(),
            history: Vec::new(),
        }
    }
}

impl From<history::Model> for wire::SettingChange {
    fn from(row: history::Model) -> Self {
        let history::Model { setting_id: _, version: _, at, actor, before, after } = row;
        Self { at: Some(proto::timestamp(at)), actor, before, after }
    }
}

/// Columns that follow the catalogue at every start; the others are set once.
const FOLLOWED: [Column; 6] =
    [Column::Name, Column::NameKey, Column::Type, Column::Grouping, Column::GroupingKey, Column::Description];

/// Adds and updates rows from the catalogue. Keeps the values and roles of existing rows. If there is nothing to do,
/// only reads, because a process has to start while its database cannot be written, too.
pub async fn align(db_: &Db) -> Result<()> {
    let rows = catalogue::ALL.iter().map(|setting| ActiveModel {
        id: Set(setting.id.to_owned()),
        name: Set(setting.name.to_owned()),
        name_key: Set(fold(setting.name)),
        r#type: Set(setting.kind),
        grouping: Set(setting.group.to_owned()),
        grouping_key: Set(fold(setting.group)),
        description: Set(setting.description.to_owned()),
        value: Set(None),
        readers: Set(setting.readers),
        editors: Set(setting.editors),
        updated_at: Set(None),
        updated_by: Set(None),
        updated_by_key: Set(None),
        version: Set(1),
    });
    let rows: Vec<ActiveModel> = rows.collect();
    if is_aligned(db_, &rows).await? {
        return Ok(());
    }
    let tx = db_.begin().await?;
    Entity::insert_many(rows)
        .on_conflict(OnConflict::column(Column::Id).update_columns(FOLLOWED).to_owned())
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    kit::fail_point("settings.setting.aligned");
    tx.commit().await
}

/// Returns whether these rows are stored already, as at nearly every start.
async fn is_aligned(db_: &Db, rows: &[ActiveModel]) -> Result<bool> {
    let stored = Entity::find().all(db_.read()).await.map_err(db)?;
    let stored: HashMap<&str, &Model> = stored.iter().map(|row| (row.id.as_str(), row)).collect();
    let is_stored = |row: &ActiveModel, stored: &Model| {
        FOLLOWED.into_iter().all(|column| row.get(column) == Set(stored.get(column)))
    };
    let mut settings = catalogue::ALL.iter().zip(rows);
    Ok(settings.all(|(setting, row)| stored.get(setting.id).is_some_and(|stored| is_stored(row, stored))))
}

/// Returns the condition for the settings to list. Settings that are no longer in the catalogue keep their
/// rows, but are not listed.
fn shown(reach: Reach) -> Condition {
    let known = Condition::all().add(Column::Id.is_in(catalogue::ALL.iter().map(|it| it.id)));
    match reach {
        Reach::All => known,
        // Only administrators get a list with the settings that all staff may read.
        Reach::Planner => known.add(Column::Readers.eq(Access::Planner)),
        Reach::Staff => known.add(Column::Id.is_null()),
    }
}

pub async fn page(db_: &Db, reach: Reach, page: &Page) -> Result<(Vec<Model>, bool)> {
    let window = window(page)?;
    let asked = shown(reach).add(condition(SETTINGS, &page.r#where)?);
    let order = order(SETTINGS, &page.sort, (Column::NameKey, Order::Asc), Column::Id)?;
    list::page::<Entity, _>(db_, asked, &order, Column::Id, window).await
}

pub async fn count(db_: &Db, reach: Reach, filters: &[Filter]) -> Result<Count> {
    let asked = shown(reach).add(condition(SETTINGS, filters)?);
    list::count::<Entity>(db_, asked, Column::Id).await
}

pub async fn get(db_: &Db, reach: Reach, id: &str) -> Result<Model> {
    // Look up only ids of the catalogue, because the id in a request may be any string.
    let found = match catalogue::find(id) {
        Some(setting) => Entity::find_by_id(setting.id.to_owned()).one(db_.read()).await.map_err(db)?,
        None => None,
    };
    readable(found, reach, id)
}

/// Returns changes of a setting, newest first.
pub async fn changes(db_: &Db, id: &str) -> Result<Vec<history::Model>> {
    let changes = history::Entity::find()
        .filter(history::Column::SettingId.eq(id))
        .order_by_desc(history::Column::Version)
        .limit(SHOWN);
    changes.all(db_.read()).await.map_err(db)
}

fn readable(found: Option<Model>, reach: Reach, id: &str) -> Result<Model> {
    found
        .filter(|row| reach.may_read(row.readers) && catalogue::find(&row.id).is_some())
        .ok_or_else(|| not_found(id))
}

fn not_found(id: &str) -> Error {
    Error::not_found("SETTING_NOT_FOUND", format!("There is no setting {id}"))
}

/// Sets a value. Setting the current value again changes nothing.
pub async fn update(
    context: &Context,
    reach: Reach,
    request: wire::UpdateSettingRequest,
    by: By<'_>,
) -> Result<Model> {
    let wire::UpdateSettingRequest { id, value, version } = request;
    let defaults = &context.defaults;
    let tx = context.db.begin().await?;
    let setting = catalogue::find(&id).ok_or_else(|| not_found(&id))?;
    let id = setting.id.to_owned();
    let mut rows = lock(&tx, &id).await?;
    let row = readable(rows.remove(&id), reach, &id)?;
    reach.require_change(row.editors)?;
    let value = setting.check(&value).map_err(invalid)?;
    require_below(&row, &value, &rows, defaults)?;
    let before = row.effective(defaults);
    if before == value {
        return Ok(row);
    }
    if let Some(version) = version {
        require_version(row.version, version, "SETTING_CHANGED", &row.name)?;
    }
    if id == logo::ID {
        logo::check_value(context, &tx, by.actor, row.value.as_deref(), &value).await?;
    }
    let secret = row.r#type.is_secret();
    let next = row.version + 1;
    let row = ActiveModel {
        value: Set(Some(value.clone())),
        updated_at: Set(Some(by.now)),
        updated_by: Set(Some(by.actor.to_owned())),
        updated_by_key: Set(Some(fold(by.actor))),
        version: Set(next),
        ..row.into_active_model()
    };
    let row = row.update(&*tx).await.map_err(db)?;
    let changes = match secret {
        true => Changes::default().hidden("value"),
        false => Changes::default().field("value", before.as_str(), value.as_str()),
    };
    let told = |text: String| if secret { String::new() } else { text };
    let change = history::ActiveModel {
        setting_id: Set(id),
        version: Set(next),
        at: Set(by.now),
        actor: Set(by.actor.to_owned()),
        before: Set(told(before)),
        after: Set(told(value)),
    };
    history::Entity::insert(change).exec_without_returning(&*tx).await.map_err(db)?;
    emit(&tx, &row, by).await?;
    let (action, entity) = match row.id.as_str() {
        logo::ID => ("logo.updated", "logo"),
        _ => ("setting.updated", "setting"),
    };
    let act =
        Act { service: crate::NAME, action, entity, entity_id: &row.id, entity_name: &row.name, changes };
    audit::record(&tx, by, act).await?;
    kit::fail_point("settings.setting.updated");
    tx.commit().await?;
    Ok(row)
}

/// Locks a setting's row until the transaction ends, and the row of the setting that it is compared with.
/// Always locks in the same order, to avoid deadlocks.
async fn lock(tx: &Tx, id: &str) -> Result<HashMap<String, Model>> {
    let pair = BELOW.into_iter().find(|(lower, upper)| [*lower, *upper].contains(&id));
    let ids = pair.map_or(vec![id], |(lower, upper)| vec![lower, upper]);
    let rows = Entity::find().filter(Column::Id.is_in(ids)).order_by_asc(Column::Id).lock_exclusive();
    let rows = rows.all(&**tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect())
}

fn require_below(
    row: &Model,
    value: &str,
    others: &HashMap<String, Model>,
    defaults: &Defaults,
) -> Result<()> {
    for (lower, upper) in BELOW {
        let other = match row.id.as_str() {
            id if id == lower => others.get(upper),
            id if id == upper => others.get(lower),
            _ => continue,
        };
        let Some(other) = other else { continue };
        let (mine, theirs) = (value::number(value), value::number(&other.effective(defaults)));
        let good = if row.id == lower { mine < theirs } else { mine > theirs };
        if !good {
            let than = if row.id == lower { "less" } else { "more" };
            let (theirs, name) = (other.effective(defaults), &other.name);
            let text = format!("Value must be {than} than {theirs}, the value of {name}");
            return Err(invalid(text));
        }
    }
    Ok(())
}

fn invalid(text: String) -> Error {
    Error::invalid("SETTING_VALUE_INVALID", text.clone()).field("value", text)
}

/// Returns a setting's latest change as an event, which updates the copies in other services; `None` for
/// secrets and for settings that were never changed.
fn last_change(row: &Model) -> Option<NewEvent<'_>> {
    let value = row.value.clone().filter(|_| !row.r#type.is_secret())?;
    let changed = SettingChanged { id: row.id.clone(), r#type: row.r#type.as_str().to_owned(), value };
    Some(NewEvent {
        service: crate::NAME,
        actor: row.updated_by.as_deref().unwrap_or_default(),
        aggregate_id: &row.id,
        aggregate_version: row.version.unsigned_abs(),
        occurred_at: row.updated_at.unwrap_or_default(),
        payload: changed.into(),
    })
}

async fn emit(tx: &Tx, row: &Model, by: By<'_>) -> Result<()> {
    if let Some(event) = last_change(row) {
        outbox::add(tx, NewEvent { actor: by.actor, occurred_at: by.now, ..event }).await?;
    }
    Ok(())
}

/// A snapshot of all settings that were ever changed, for copies in other services.
pub struct Values;

#[async_trait]
impl Snapshot for Values {
    async fn after(&self, db_: &Db, key: &str) -> Result<Vec<Envelope>> {
        let keys: Vec<String> = catalogue::ALL.iter().map(|it| fold(it.id)).collect();
        let kind = SettingChanged::ENTRY.aggregate.unwrap_or_default();
        let sequences = sequence::last_of(db_.read(), kind, &keys).await?;
        let mut rows =
            Entity::find().filter(Column::Value.is_not_null()).all(db_.read()).await.map_err(db)?;
        // Sort and filter here, because the database may order text differently. There are no more rows than
        // settings in the catalogue.
        rows.retain(|row| fold(&row.id).as_str() > key);
        rows.sort_by_key(|row| fold(&row.id));
        let told = rows.iter().filter_map(|row| {
            Some(aggregate(last_change(row)?, sequences.get(&fold(&row.id)).copied().unwrap_or_default()))
        });
        Ok(told.take(PAGE).collect())
    }
}

/// Emits an event for each setting that was ever changed, except secrets; returns the number of events.
pub async fn republish(db_: &Db, by: By<'_>) -> Result<u32> {
    let tx = db_.begin().await?;
    // Lock the rows. Otherwise a value could change after reading, and the event would be outdated.
    let rows = Entity::find().filter(Column::Value.is_not_null()).order_by_asc(Column::Id).lock_exclusive();
    let rows = rows.all(&*tx).await.map_err(db)?;
    let told: Vec<&Model> = rows.iter().filter(|row| !row.r#type.is_secret()).collect();
    for row in &told {
        emit(&tx, row, by).await?;
    }
    tx.commit().await?;
    Ok(u32::try_from(told.len()).unwrap_or(u32::MAX))
}
