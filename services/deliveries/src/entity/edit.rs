use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::domain::state::FieldChange;

/// A change of a delivery that is not a step of its history. The database refuses to change or delete a row.
/// Each version of a delivery has a row either here or in the history.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "edit")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    /// The version that the edit created.
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i64,
    pub at: DateTimeUtc,
    pub actor: String,
    /// The changed fields, as written by [`write`].
    pub changes: String,
}

impl ActiveModelBehavior for ActiveModel {}

/// A changed field as it is stored in JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item_number: Option<String>,
    field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

pub fn write(changes: &[FieldChange]) -> kit::Result<String> {
    let kept: Vec<Kept> = changes
        .iter()
        .map(|it| Kept {
            item_number: it.item_number.clone(),
            field: it.field.to_owned(),
            before: it.before.clone(),
            after: it.after.clone(),
        })
        .collect();
    serde_json::to_string(&kept).map_err(kit::Error::internal)
}

/// Parses changes written by [`write`]; empty when unreadable.
pub fn read(text: &str) -> Vec<wire::FieldChange> {
    let kept: Vec<Kept> = serde_json::from_str(text).unwrap_or_default();
    let changes = kept.into_iter().map(|Kept { item_number, field, before, after }| wire::FieldChange {
        item_number,
        field,
        before,
        after,
    });
    changes.collect()
}
