use ::store::links::Links;
use sea_orm::Condition;
use sea_orm::entity::prelude::*;

/// An upload link for a file of one delivery: only an upload by this link can become an attachment of the
/// delivery, and only at the request of the same person.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "attachment_link")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub delivery_key: String,
    /// Id of the user who requested the link.
    pub requested_by: String,
    pub created_at: DateTimeUtc,
    /// When the file became an attachment.
    pub used_at: Option<DateTimeUtc>,
    /// The file's own name; `None` if the release before recorded the link.
    pub filename: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Links for Entity {
    const OBJECT_KEY: Column = Column::ObjectKey;
    const REQUESTED_BY: Column = Column::RequestedBy;
    const CREATED_AT: Column = Column::CreatedAt;

    fn unused() -> Condition {
        Condition::all().add(Column::UsedAt.is_null())
    }
}
