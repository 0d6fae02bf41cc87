use sea_orm::entity::prelude::*;

/// A place somebody was given a link to: only these can be imported, and only by them.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_link")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub requested_by: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
