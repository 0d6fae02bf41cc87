//! Queries of uploads, of logos, and of values that refer to logos.

use ::store::{Db, Tx, db, links};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::ID;
use crate::entity::{logo, logo_upload, setting, setting_history};

/// Number of the setting's last changes that the history shows. Their logos are kept.
const SHOWN: u64 = 20;

/// Records an upload link, unless the person has `most` unused ones.
pub async fn add_upload(db_: &Db, object_key: &str, user: &str, most: usize) -> Result<()> {
    links::add::<logo_upload::Entity>(db_, user, most, |now| logo_upload::ActiveModel {
        object_key: Set(object_key.to_owned()),
        requested_by: Set(user.to_owned()),
        created_at: Set(now),
        logo_file: Set(None),
    })
    .await
}

pub async fn upload(db_: &Db, object_key: &str) -> Result<Option<logo_upload::Model>> {
    logo_upload::Entity::find_by_id(object_key.to_owned()).one(db_.read()).await.map_err(db)
}

/// Reads and locks an upload.
pub async fn hold_upload(tx: &Tx, object_key: &str) -> Result<Option<logo_upload::Model>> {
    let found = logo_upload::Entity::find_by_id(object_key.to_owned()).lock_exclusive();
    found.one(&**tx).await.map_err(db)
}

/// Records the logo that was made of an upload.
pub async fn set_published(db_: &Db, object_key: &str, file: &str) -> Result<()> {
    let tx = db_.begin().await?;
    let row = logo_upload::ActiveModel {
        object_key: Set(object_key.to_owned()),
        logo_file: Set(Some(file.to_owned())),
        ..Default::default()
    };
    // If the sweep has removed the upload's row, this updates nothing, and the logo must be uploaded again.
    let update =
        logo_upload::Entity::update_many().set(row).filter(logo_upload::Column::ObjectKey.eq(object_key));
    update.exec(&*tx).await.map_err(db)?;
    kit::fail_point("settings.logo.published");
    tx.commit().await
}

/// Adds a logo if it is missing, and sets `wanted_at` to the current time.
pub async fn touch_or_add(db_: &Db, file: &str, actor: &str) -> Result<()> {
    let tx = db_.begin().await?;
    let now = links::now(&*tx).await?;
    let row = logo::ActiveModel {
        file: Set(file.to_owned()),
        created_at: Set(now),
        created_by: Set(actor.to_owned()),
        wanted_at: Set(now),
    };
    let known = OnConflict::column(logo::Column::File).update_column(logo::Column::WantedAt).to_owned();
    logo::Entity::insert(row).on_conflict(known).exec_without_returning(&*tx).await.map_err(db)?;
    kit::fail_point("settings.logo.added");
    tx.commit().await
}

/// Locks a logo and sets `wanted_at` to the current time; returns whether the logo exists.
pub async fn touch(tx: &Tx, file: &str) -> Result<bool> {
    let now = links::now(&**tx).await?;
    let row = logo::ActiveModel { wanted_at: Set(now), ..Default::default() };
    let update = logo::Entity::update_many().set(row).filter(logo::Column::File.eq(file));
    Ok(update.exec(&**tx).await.map_err(db)?.rows_affected > 0)
}

/// Returns logos whose `wanted_at` is before this time.
pub async fn old_logos(db_: &Db, before: DateTime<Utc>) -> Result<Vec<logo::Model>> {
    let old = logo::Entity::find().filter(logo::Column::WantedAt.lt(before));
    old.all(db_.read()).await.map_err(db)
}

/// Deletes the row of a logo. Until the transaction ends, no other one can add this logo again. Returns false
/// if the row is missing, or if its `wanted_at` is not before `before`.
pub async fn forget_logo(tx: &Tx, file: &str, before: DateTime<Utc>) -> Result<bool> {
    let gone = logo::Entity::delete_many()
        .filter(logo::Column::File.eq(file))
        .filter(logo::Column::WantedAt.lt(before));
    Ok(gone.exec(&**tx).await.map_err(db)?.rows_affected > 0)
}

/// Returns the current value of the setting, and earlier ones that the history shows.
pub async fn values(tx: &Tx) -> Result<Vec<String>> {
    let present = setting::Entity::find_by_id(ID.to_owned()).one(&**tx).await.map_err(db)?;
    let changes = setting_history::Entity::find()
        .filter(setting_history::Column::SettingId.eq(ID))
        .order_by_desc(setting_history::Column::Version)
        .limit(SHOWN);
    let changes = changes.all(&**tx).await.map_err(db)?;
    let past = changes.into_iter().flat_map(|change| [change.before, change.after]);
    Ok(present.and_then(|row| row.value).into_iter().chain(past).collect())
}
