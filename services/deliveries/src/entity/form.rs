use sea_orm::entity::prelude::*;

use crate::domain::delivery::Status;

/// A version of a delivery form, as issued. The database refuses to change or delete a row; a later version
/// replaces it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "form")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    /// 1, 2, 3 … without gaps within a delivery.
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_version: i32,
    pub delivery_id: String,
    pub attempt: i32,
    pub status: Status,
    pub issued_at: DateTimeUtc,
    pub issued_by: String,
    /// An encoded `FormContent`. Never encode it again: the hash is of these bytes.
    pub content: Vec<u8>,
    /// SHA-256.
    pub content_hash: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
