//! Warnings about an import: things that a person should check although the rows were imported.

use std::collections::HashSet;

use kit::Result;
use proto::common::v1::Page;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter};
use uuid::Uuid;

use crate::entity::upload_log;
use crate::entity::upload_warning::{ActiveModel, Column, Entity, Model};
use ::store::page::window;
use ::store::{Db, Tx, bulk, db, list};

/// Maximum number of warnings kept per import. Further warnings are only counted, because nobody reads
/// thousands one by one.
const KEPT: i32 = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWarning {
    pub line: Option<u32>,
    /// The heading in the file.
    pub column: Option<String>,
    pub code: String,
    pub text: String,
}

pub(super) fn number(warnings: &[NewWarning]) -> i32 {
    i32::try_from(warnings.len()).unwrap_or(i32::MAX)
}

/// Returns the warnings that are not stored yet. Batches give the same ones again and again, such as about an unknown
/// driver, and these would leave no room for others.
pub(super) async fn unknown(tx: &Tx, log: Uuid, mut warnings: Vec<NewWarning>) -> Result<Vec<NewWarning>> {
    if warnings.is_empty() {
        return Ok(warnings);
    }
    let stored = Entity::find().filter(of_log(log)).all(&**tx).await.map_err(db)?;
    let stored: HashSet<(Option<&str>, &str, &str)> =
        stored.iter().map(|it| (it.heading.as_deref(), it.code.as_str(), it.text.as_str())).collect();
    warnings.retain(|it| !stored.contains(&(it.column.as_deref(), it.code.as_str(), it.text.as_str())));
    Ok(warnings)
}

/// Stores warnings that `log` already counts.
pub(super) async fn add(tx: &Tx, log: &upload_log::Model, warnings: Vec<NewWarning>) -> Result<()> {
    let first = log.warnings - number(&warnings);
    let rows = (first..KEPT).zip(warnings).map(|(number, warning)| ActiveModel {
        upload_log_id: Set(log.id),
        number: Set(number),
        line: Set(warning.line.map(Into::into)),
        heading: Set(warning.column),
        code: Set(warning.code),
        text: Set(warning.text),
    });
    bulk::insert(&**tx, rows.collect()).await
}

/// Returns the warnings of one import, in the order they were found.
pub async fn warnings(db_: &Db, log: Uuid, page: &Page) -> Result<(Vec<Model>, bool)> {
    let order = [(Column::Number, Order::Asc)];
    list::page::<Entity, _>(db_, of_log(log), &order, Column::Number, window(page)?).await
}

fn of_log(log: Uuid) -> Condition {
    Condition::all().add(Column::UploadLogId.eq(log))
}
