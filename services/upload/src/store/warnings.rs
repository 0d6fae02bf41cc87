//! Warnings about an import: things that a person should check although the rows were imported.

use kit::Result;
use proto::common::v1::Page;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, Condition, Order};
use uuid::Uuid;

use crate::entity::upload_log;
use crate::entity::upload_warning::{ActiveModel, Column, Entity, Model};
use ::store::page::window;
use ::store::{Db, Tx, bulk, list};

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
