use sea_orm::entity::prelude::*;

/// A place somebody was given a link to: only this can become a logo, and only at their wish.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "logo_upload")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub requested_by: String,
    pub created_at: DateTimeUtc,
    /// What was made of it.
    pub logo_file: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
