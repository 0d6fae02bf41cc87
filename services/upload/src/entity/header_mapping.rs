use sea_orm::entity::prelude::*;

/// The mapping that a person last chose for files with the same header.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "header_mapping")]
pub struct Model {
    /// SHA-256 of the headings, in hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub fingerprint: String,
    /// The saved mapping, in the format of `file::Layout`.
    pub columns: String,
    pub saved_by: String,
    pub used_at: DateTimeUtc,
    /// How dates and numbers are read, in the format of `file::columns::Chosen`, and default values. NULL if
    /// nobody decided that.
    pub readings: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
