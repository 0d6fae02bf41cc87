use sea_orm::entity::prelude::*;

::store::spelled!(
    /// What a bulk change changed of a delivery and can put back.
    Undoable {
        Driver => "driver",
        Dispatch => "dispatch",
    }
);

/// One of the deliveries that a bulk change is about: what was seen of it, and what it was before.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_row")]
pub struct Model {
    /// The job, or the `undo_id` of rows that were chosen one by one.
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    /// When the change began. Another version means that somebody else changed the delivery.
    pub version_seen: i64,
    /// That the change made; nothing while it has not.
    pub version_after: Option<i64>,
    pub changed_by: String,
    pub noted_at: DateTimeUtc,
    /// Nothing of what cannot be put back.
    pub undoable: Option<Undoable>,
    pub driver_before: Option<String>,
    pub dispatch_before: Option<DateTimeUtc>,
    pub window_start_before: Option<DateTimeUtc>,
    pub window_end_before: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
