//! Uploads of the same file.

use ::store::{Tx, db, one_at_a_time};
use kit::{Error, Result};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};

use crate::entity::upload_log::{Column, Entity, Model, Status};

/// Refuses an import while another one of the same file is under way, by the same person, for the same source and
/// in the same mode.
pub async fn refuse_twice(tx: &Tx, log: &Model, sha256: &str) -> Result<()> {
    // Two imports that begin at once would not see each other.
    one_at_a_time(tx, &format!("imports of {sha256}")).await?;
    let importer = Expr::col(Column::ImportedBy).if_null(Expr::col(Column::UploadedBy));
    let running = others(log, sha256)
        .filter(importer.eq(log.importer()))
        .filter(Column::Mode.eq(log.mode))
        .filter(Column::Status.is_in(Status::IMPORTING))
        .one(&**tx)
        .await
        .map_err(db)?;
    let Some(running) = running else { return Ok(()) };
    Err(Error::precondition(
        "FILE_BEING_IMPORTED",
        format!(
            "This file is already being imported as “{}”. Nothing was imported a second time. Follow the first \
             import.",
            running.filename
        ),
    ))
}

/// Selects the other uploads of the same file for the same source.
pub fn others(log: &Model, sha256: &str) -> Select<Entity> {
    Entity::find()
        .filter(Column::Sha256.eq(sha256))
        .filter(Column::SourceId.eq(log.source_id))
        .filter(Column::Id.ne(log.id))
}
