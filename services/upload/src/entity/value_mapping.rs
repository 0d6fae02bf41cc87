use sea_orm::entity::prelude::*;

use super::upload_value::ValueField;

/// What a person last chose for a value of files with the same header.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "value_mapping")]
pub struct Model {
    /// SHA-256 of the headings, in hex, as in `header_mapping`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub fingerprint: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub field: ValueField,
    #[sea_orm(primary_key, auto_increment = false)]
    pub value_key: String,
    /// The record to import instead; NULL keeps the value.
    pub target: Option<String>,
    pub saved_by: String,
    pub used_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
