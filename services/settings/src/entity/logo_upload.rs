use ::store::links::Links;
use sea_orm::Condition;
use sea_orm::entity::prelude::*;

/// An upload link and the person who requested it. Only an upload by such a link can become a logo, and only
/// if the same person publishes it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "logo_upload")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub requested_by: String,
    pub created_at: DateTimeUtc,
    /// The logo that was made of the upload, if any.
    pub logo_file: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Links for Entity {
    const OBJECT_KEY: Column = Column::ObjectKey;
    const REQUESTED_BY: Column = Column::RequestedBy;
    const CREATED_AT: Column = Column::CreatedAt;

    fn unused() -> Condition {
        Condition::all().add(Column::LogoFile.is_null())
    }
}
