//! Records the user who starts an import. Another user may have uploaded or checked the file.

use kit::Result;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::entity::upload_log::{Column, Entity, Model};
use ::store::audit::{self, Act, By, Changes};
use ::store::{Tx, db};

/// A user who starts an import.
#[derive(Debug, Clone, Copy)]
pub struct Importer<'a> {
    /// Id of the user.
    pub id: &'a str,
    pub by: By<'a>,
}

/// Stores who starts the import of a locked log, and records the act. Returns the log.
pub(super) async fn start(tx: &Tx, log: Model, importer: Importer<'_>) -> Result<Model> {
    let Importer { id, by } = importer;
    Entity::update_many()
        .col_expr(Column::ImportedBy, Expr::value(by.actor))
        .col_expr(Column::ImportedById, Expr::value(id))
        .filter(Column::Id.eq(log.id))
        .exec(&**tx)
        .await
        .map_err(db)?;
    record(tx, &log, by).await?;
    Ok(Model { imported_by: Some(by.actor.to_owned()), imported_by_id: Some(id.to_owned()), ..log })
}

/// Records the start of an import for the audit log.
pub(super) async fn record(tx: &Tx, log: &Model, by: By<'_>) -> Result<()> {
    let act = Act {
        service: crate::NAME,
        action: "import.started",
        entity: "import",
        entity_id: &log.id.to_string(),
        entity_name: &log.filename,
        changes: Changes::created(vec![
            ("filename", log.filename.as_str().into()),
            ("sizeBytes", log.size_bytes.into()),
            ("sourceId", log.source_id.to_string().into()),
        ]),
    };
    audit::record(tx, by, act).await
}
