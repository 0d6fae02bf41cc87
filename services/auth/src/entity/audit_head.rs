use sea_orm::entity::prelude::*;

/// The id of the only row.
pub const ROW: i32 = 1;

/// The last entry of the audit log. Each append locks this row.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_head")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    /// Number of the last entry; 0 while there is none.
    pub number: i64,
    pub hash: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
