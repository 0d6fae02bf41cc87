use sea_orm::entity::prelude::*;

use crate::domain::delivery::Status;

/// A version of a delivery form, as it was issued. Append-only: the database refuses to change or
/// delete a row. The next version replaces it by being there.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "form")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    /// 1, 2, 3 … without a gap within a delivery.
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_version: i32,
    pub delivery_id: String,
    pub attempt: i32,
    pub status: Status,
    pub issued_at: DateTimeUtc,
    pub issued_by: String,
    /// An encoded `FormContent`. Read back and never written again: its hash is of these bytes.
    pub content: Vec<u8>,
    /// SHA-256.
    pub content_hash: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
