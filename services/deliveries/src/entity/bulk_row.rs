use sea_orm::entity::prelude::*;

::store::text_enum!(
    /// The kinds of bulk changes that can be undone.
    Undoable {
        Driver => "driver",
        Dispatch => "dispatch",
    }
);

/// One delivery of a bulk change: the version that was seen, and the previous values.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_row")]
pub struct Model {
    /// The job's id; for deliveries changed one by one, the `undo_id` of the request.
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    /// The delivery's version when the change began. If it differs now, somebody else changed the delivery.
    pub version_seen: i64,
    /// The version after the change; NULL until the delivery is changed.
    pub version_after: Option<i64>,
    pub changed_by: String,
    pub noted_at: DateTimeUtc,
    /// NULL for changes that cannot be undone.
    pub undoable: Option<Undoable>,
    pub driver_before: Option<String>,
    pub dispatch_before: Option<DateTimeUtc>,
    pub window_start_before: Option<DateTimeUtc>,
    pub window_end_before: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
