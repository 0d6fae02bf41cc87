//! Announcements, as administrators write them. `news` has the queries for their readers.
//!
//! A change begins with a lock on the row; the row, its audience and its event commit together.

use chrono::{DateTime, SecondsFormat, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page};
use proto::events::AnnouncementChanged;
use proto::events::envelope::Payload;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, Iterable, Order, QueryFilter, QuerySelect,
};
use uuid::Uuid;

use super::{By, Creation};
use crate::domain::announcement::{Announcement, MOST, State};
use crate::entity::announcement::{ActiveModel, Column, Entity, Model, Usernames};
use crate::entity::{announcement_audience as audience, announcement_view as view};
use crate::fields;
use ::store::audit::{self, Act, Changes, Fields};
use ::store::error::is_unique_violation;
use ::store::filter::{MAX_FILTERS, check_values, condition, fold};
use ::store::outbox::{self, NewEvent};
use ::store::page::{order, window};
use ::store::{Db, Tx, counter, db, list};

const COUNTER: &str = "announcement";
/// The key of the filter by state, the only filter without a column.
const STATE: &str = "state";

pub async fn page(db_: &Db, page: &Page, now: DateTime<Utc>) -> Result<(Vec<Model>, bool)> {
    let window = window(page)?;
    let order = order(fields::ANNOUNCEMENTS, &page.sort, (Column::StartsAt, Order::Desc), Column::Id)?;
    list::page::<Entity, _>(db_, matching(&page.r#where, now)?, &order, Column::Id, window).await
}

pub async fn count(db_: &Db, filters: &[Filter], now: DateTime<Utc>) -> Result<Count> {
    list::count::<Entity>(db_, matching(filters, now)?, Column::Id).await
}

fn matching(filters: &[Filter], now: DateTime<Utc>) -> Result<Condition> {
    if filters.len() > MAX_FILTERS {
        let text = format!("at most {MAX_FILTERS} filters can be used at once");
        return Err(Error::invalid("TOO_MANY_FILTERS", text.clone()).field("where", text));
    }
    let (of_state, others): (Vec<_>, Vec<_>) = filters.iter().cloned().partition(|it| it.key == STATE);
    let mut all = condition(fields::ANNOUNCEMENTS, &others)?;
    for (operator, negated) in [("equals", false), ("!equals", true)] {
        let mut asked = of_state.iter().filter(|it| it.operator == operator).peekable();
        if asked.peek().is_none() {
            continue;
        }
        let mut any = Condition::any();
        for filter in asked {
            check_values(STATE, &filter.values)?;
            for value in &filter.values {
                any = any.add(stands(state(value)?, now));
            }
        }
        all = all.add(if negated { any.not() } else { any });
    }
    match of_state.iter().find(|it| !matches!(it.operator.as_str(), "equals" | "!equals")) {
        None => Ok(all),
        Some(_) => {
            let text = format!("{STATE} is compared by equals and !equals");
            Err(Error::invalid("FILTER_OPERATOR_UNSUITED", text.clone()).field("where", text))
        }
    }
}

fn state(text: &str) -> Result<State> {
    let found = State::iter().find(|state| state.as_str() == fold(text));
    found.ok_or_else(|| {
        let text = format!("{STATE} is one of {}", State::SPELLINGS.join(", "));
        Error::invalid("FILTER_VALUE_UNKNOWN", text.clone()).field("where", text)
    })
}

/// Returns the condition for a state. Every announcement is in exactly one state.
fn stands(state: State, now: DateTime<Utc>) -> Condition {
    let on = Condition::all().add(Column::IsActive.eq(true));
    match state {
        State::Off => Condition::all().add(Column::IsActive.eq(false)),
        State::Active => running(now),
        // `ends_at` is later than `starts_at`, so a scheduled announcement cannot have ended.
        State::Scheduled => on.add(Column::StartsAt.gt(now)),
        State::Ended => on.add(Column::EndsAt.is_not_null()).add(Column::EndsAt.lte(now)),
    }
}

/// Returns the condition for announcements that are shown now.
pub(super) fn running(now: DateTime<Utc>) -> Condition {
    Condition::all()
        .add(Column::IsActive.eq(true))
        .add(Column::StartsAt.lte(now))
        .add(Column::EndsAt.is_null().or(Column::EndsAt.gt(now)))
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
}

/// Creates an announcement. A retry returns the existing one in its current form.
pub async fn create(db_: &Db, creation: Creation, form: Announcement, by: By<'_>) -> Result<Model> {
    if let Some(row) = make(db_, &creation, form, by).await? {
        return Ok(row);
    }
    let there =
        Entity::find().filter(Column::CreationId.eq(creation.id)).one(db_.read()).await.map_err(db)?;
    let row = there.ok_or_else(|| Error::internal("an announcement was made and is gone"))?;
    creation.require_same(&row.creation_fingerprint)?;
    Ok(row)
}

/// Creates an announcement; returns `None` if its creation id exists already.
async fn make(db_: &Db, creation: &Creation, form: Announcement, by: By<'_>) -> Result<Option<Model>> {
    let tx = db_.begin().await?;
    let row = post(&tx, creation, form, by).await?;
    if row.is_some() {
        kit::fail_point("settings.announcement.created");
        tx.commit().await?;
    }
    Ok(row)
}

/// Adds the rows of an announcement, without committing. Returns `None` if its creation id exists already; do
/// not commit then.
pub async fn post(tx: &Tx, creation: &Creation, form: Announcement, by: By<'_>) -> Result<Option<Model>> {
    let keys = form.audience.keys();
    let row = ActiveModel {
        id: Set(new_id()),
        creation_id: Set(creation.id),
        creation_fingerprint: Set(creation.fingerprint.clone()),
        seen_count: Set(0),
        created_at: Set(by.now),
        created_by: Set(by.actor.to_owned()),
        created_by_key: Set(fold(by.actor)),
        version: Set(1),
        ..columns_of(form, by)
    };
    let row = match row.insert(&**tx).await {
        Ok(row) => row,
        Err(error) if is_unique_violation(&error) => return Ok(None),
        Err(error) => return Err(db(error)),
    };
    concern(tx, row.id, keys).await?;
    emit(tx, &row, Change::Changed, by).await?;
    record(tx, "announcement.created", &row, Changes::created(fields_of(&row)), by).await?;
    counter::add(&**tx, COUNTER, 1).await?;
    if counter::get(&**tx, COUNTER).await? > MOST {
        let text = format!("There are already {MOST} announcements. Delete some that have ended.");
        return Err(Error::precondition("TOO_MANY_ANNOUNCEMENTS", text));
    }
    Ok(Some(row))
}

/// Replaces everything that was entered, including the audience. Refuses an edit of an old version. If
/// message or severity changed, the announcement counts as unseen again, even for readers who dismissed it.
pub async fn update(db_: &Db, id: &str, version: u64, form: Announcement, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?.ok_or_else(|| not_found(id))?;
    require_version(&row, version)?;
    let (id, keys, before) = (row.id, form.audience.keys(), fields_of(&row));
    let says_else = row.message != form.message || row.severity != form.severity;
    let next =
        ActiveModel { id: sea_orm::Unchanged(id), version: Set(row.version + 1), ..columns_of(form, by) };
    let row = next.update(&*tx).await.map_err(db)?;
    audience::Entity::delete_many()
        .filter(audience::Column::AnnouncementId.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    concern(&tx, id, keys).await?;
    if says_else {
        view::Entity::update_many()
            .col_expr(view::Column::SeenAt, Expr::value(None::<DateTime<Utc>>))
            .col_expr(view::Column::DismissedAt, Expr::value(None::<DateTime<Utc>>))
            .filter(view::Column::AnnouncementId.eq(id))
            .exec(&*tx)
            .await
            .map_err(db)?;
    }
    emit(&tx, &row, Change::Changed, by).await?;
    let changes = Changes::between(before, fields_of(&row));
    record(&tx, "announcement.updated", &row, changes, by).await?;
    kit::fail_point("settings.announcement.updated");
    tx.commit().await?;
    Ok(row)
}

/// Ends an announcement now, without committing. Does nothing if it has ended or was deleted.
pub async fn end(tx: &Tx, id: Uuid, by: By<'_>) -> Result<()> {
    let Some(row) = lock(tx, &id.to_string()).await? else { return Ok(()) };
    if row.ends_at.is_some_and(|at| at <= by.now) {
        return Ok(());
    }
    let before = fields_of(&row);
    let next = ActiveModel {
        id: sea_orm::Unchanged(id),
        // An administrator may have moved its start to the future.
        ends_at: Set(Some(Ord::max(by.now, row.starts_at))),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        updated_by_key: Set(fold(by.actor)),
        version: Set(row.version + 1),
        ..Default::default()
    };
    let row = next.update(&**tx).await.map_err(db)?;
    emit(tx, &row, Change::Changed, by).await?;
    record(tx, "announcement.updated", &row, Changes::between(before, fields_of(&row)), by).await
}

/// Deletes an announcement; a missing announcement is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, by: By<'_>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id).await? else { return Ok(()) };
    require_version(&row, version)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    emit(&tx, &row, Change::Deleted, by).await?;
    record(&tx, "announcement.deleted", &row, Changes::deleted(fields_of(&row)), by).await?;
    counter::add(&*tx, COUNTER, -1).await?;
    kit::fail_point("settings.announcement.deleted");
    tx.commit().await
}

async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}

fn columns_of(form: Announcement, by: By<'_>) -> ActiveModel {
    let Announcement { title, message, severity, audience, starts_at, ends_at, is_active, dismissible } =
        form;
    let roles: Vec<&str> = audience.roles.iter().map(|role| role.as_str()).collect();
    let roles = if roles.is_empty() { String::new() } else { format!("|{}|", roles.join("|")) };
    ActiveModel {
        title_key: Set(fold(&title)),
        title: Set(title),
        message_key: Set(fold(&message)),
        message: Set(message),
        severity: Set(severity),
        audience_roles: Set(roles),
        audience_users: Set(Usernames(audience.users)),
        starts_at: Set(starts_at),
        ends_at: Set(ends_at),
        is_active: Set(is_active),
        dismissible: Set(dismissible),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        updated_by_key: Set(fold(by.actor)),
        ..Default::default()
    }
}

async fn concern(tx: &Tx, id: Uuid, keys: Vec<String>) -> Result<()> {
    let rows =
        keys.into_iter().map(|key| audience::ActiveModel { announcement_id: Set(id), audience: Set(key) });
    audience::Entity::insert_many(rows).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// The kind of change that an event reports.
pub(super) enum Change<'a> {
    Changed,
    Deleted,
    /// One user has seen or dismissed the announcement, so only that user's list changes.
    Seen(&'a str),
}

pub(super) async fn emit(tx: &Tx, row: &Model, change: Change<'_>, by: By<'_>) -> Result<()> {
    let id = row.id.to_string();
    let deleted = matches!(change, Change::Deleted);
    let seen_by = match change {
        Change::Seen(user_id) => user_id.to_owned(),
        Change::Changed | Change::Deleted => String::new(),
    };
    let payload = Payload::AnnouncementChanged(AnnouncementChanged { id: id.clone(), deleted, seen_by });
    let event = NewEvent {
        service: crate::NAME,
        actor: by.actor,
        aggregate_id: &id,
        // Give a deletion a higher version than every earlier change.
        aggregate_version: row.version.unsigned_abs() + u64::from(deleted),
        occurred_at: by.now,
        payload,
    };
    outbox::add(tx, event).await?;
    Ok(())
}

async fn record(tx: &Tx, action: &str, row: &Model, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity, entity_id) = ("announcement", &row.id.to_string());
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &row.title, changes };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log.
fn fields_of(row: &Model) -> Fields {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    let roles: Vec<_> = row.audience_roles.split('|').filter(|role| !role.is_empty()).collect();
    vec![
        ("title", row.title.as_str().into()),
        ("message", row.message.as_str().into()),
        ("severity", row.severity.as_str().into()),
        ("audienceRoles", roles.into()),
        ("audienceUsers", row.audience_users.0.clone().into()),
        ("startsAt", time(row.starts_at).into()),
        ("endsAt", row.ends_at.map(time).into()),
        ("isActive", row.is_active.into()),
        ("dismissible", row.dismissible.into()),
    ]
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    ::store::require_version(row.version, version, "ANNOUNCEMENT_CHANGED", &row.title)
}

fn not_found(id: &str) -> Error {
    Error::not_found("ANNOUNCEMENT_NOT_FOUND", format!("There is no announcement {id}"))
}
