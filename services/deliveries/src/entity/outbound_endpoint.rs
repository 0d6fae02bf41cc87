use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::outbound::Method;

/// A receiver of webhooks.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbound_endpoint")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    #[sea_orm(unique)]
    pub name_key: String,
    pub url: String,
    /// All methods in one string, as written by [`joined`]: `|create|update|`.
    pub methods: String,
    /// All source ids in one string, as written by [`joined`]; empty means all sources.
    pub source_ids: String,
    pub is_active: bool,
    /// The secret that signs messages, encrypted for this row only (`kit::sealed`).
    pub secret: String,
    /// The replaced secret, encrypted like the current one. If several were replaced within a day, a JSON list
    /// (`tables::endpoints`).
    pub previous_secret: Option<String>,
    pub secret_rotated_at: DateTimeUtc,
    pub failures_in_row: i32,
    pub paused_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// Joins words into one string, with a `|` before and after each; without words, the string is empty.
pub fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    if words.is_empty() { String::new() } else { format!("|{}|", words.join("|")) }
}

/// Returns the words of a string that [`joined`] wrote.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('|').filter(|word| !word.is_empty())
}

impl Model {
    pub fn takes(&self, method: Method, source_id: Option<Uuid>) -> bool {
        let of_source = || source_id.is_some_and(|id| words(&self.source_ids).any(|it| it == id.to_string()));
        self.is_active
            && words(&self.methods).any(|it| it == method.as_str())
            && (self.source_ids.is_empty() || of_source())
    }
}

/// Omits the endpoint's secret, so that no response can contain it.
impl From<Model> for wire::OutboundEndpoint {
    fn from(row: Model) -> Self {
        let Model {
            id,
            name,
            name_key: _,
            url,
            methods,
            source_ids,
            is_active,
            secret: _,
            previous_secret: _,
            secret_rotated_at,
            failures_in_row,
            paused_at,
            created_at,
            created_by: _,
            updated_at,
            updated_by,
            version,
        } = row;
        wire::OutboundEndpoint {
            id: id.to_string(),
            name,
            url,
            methods: words(&methods).map(str::to_owned).collect(),
            source_ids: words(&source_ids).map(str::to_owned).collect(),
            is_active,
            paused_at: paused_at.map(proto::timestamp),
            failures_in_row: failures_in_row.unsigned_abs(),
            secret_rotated_at: Some(proto::timestamp(secret_rotated_at)),
            created_at: Some(proto::timestamp(created_at)),
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
            secret: String::new(),
        }
    }
}
