use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

::store::spelled!(
    /// What an undo did with a delivery.
    UndoResult {
        Reversed => "reversed",
        Kept => "kept",
        Failed => "failed",
    }
);

/// What an import did to one delivery, so that it can be undone.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_change")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    pub delivery_id: String,
    /// The import made it; otherwise it changed it.
    pub created: bool,
    /// 0 of a delivery that was not there.
    pub version_before: i64,
    /// That the import left. Another version means that somebody else changed the delivery.
    pub version_after: i64,
    /// What was there before, as `store::undo::image` writes it. Nothing when it was too large to keep, was
    /// cleared by retention, or the undo is done.
    pub image: Option<String>,
    pub changed_at: DateTimeUtc,
    /// Nothing while no undo has dealt with it.
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
