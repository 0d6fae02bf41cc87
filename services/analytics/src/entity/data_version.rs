use sea_orm::entity::prelude::*;

/// A table of one row, which every write of facts locks first, so that writes are sequential.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "data_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    /// Rises with every change of the data. Cached answers are valid while it stays the same.
    pub version: i64,
    /// Number of the rebuild that was started last; 0 before the first.
    pub run: i64,
    /// Number of the last rebuild that was completed; 0 while data from before the service's first start may
    /// be missing.
    pub complete_run: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// Id of the only row.
pub const ONLY: i32 = 1;
