use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

::store::text_enum!(
    /// What an undo did to a delivery.
    UndoResult {
        Reversed => "reversed",
        Kept => "kept",
        Failed => "failed",
    }
);

/// What an import did to one delivery, for undo.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_change")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    pub delivery_id: String,
    /// Whether the import created the delivery; otherwise it changed the delivery.
    pub created: bool,
    /// The delivery's version before the import; 0 for a new delivery.
    pub version_before: i64,
    /// The delivery's version after the import. If it is different now, somebody else changed the delivery.
    pub version_after: i64,
    /// The previous values, in the format of `commands::undo_import::image`. NULL for a new delivery, and
    /// when the values were too large to store, were cleared by retention, or the undo is done.
    pub image: Option<String>,
    pub changed_at: DateTimeUtc,
    /// NULL until an undo has dealt with the delivery.
    pub result: Option<UndoResult>,
    pub reason: Option<String>,
    pub touched_by: Option<String>,
    pub touched_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::UndoException {
    fn from(row: Model) -> Self {
        let Model {
            upload_log_id: _,
            delivery_key: _,
            delivery_id,
            created: _,
            version_before: _,
            version_after: _,
            image: _,
            changed_at: _,
            result,
            reason,
            touched_by,
            touched_at,
        } = row;
        wire::UndoException {
            delivery_id,
            failed: result == Some(UndoResult::Failed),
            code: reason.unwrap_or_default(),
            touched_by,
            touched_at: touched_at.map(proto::timestamp),
        }
    }
}
