use sea_orm::entity::prelude::*;

/// A mapping of columns that somebody saved under a name.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_mapping")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    #[sea_orm(unique)]
    pub name_key: String,
    /// Source of the import for which it was saved.
    pub source_id: Uuid,
    /// The mapping, in the format of `file::saved::SavedMapping`.
    pub mapping: String,
    /// Username of the person who created it.
    pub saved_by: String,
    pub saved_by_id: String,
    pub saved_at: DateTimeUtc,
    /// NULL until an import was read with it.
    pub last_used_at: Option<DateTimeUtc>,
    pub used_count: i32,
}

impl ActiveModelBehavior for ActiveModel {}
