use sea_orm::entity::prelude::*;

/// A picture that may be shown, and its object.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "logo")]
pub struct Model {
    /// The digest of its bytes, and `.png` or `.svg`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub file: String,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    /// When it was last made or saved.
    pub wanted_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
