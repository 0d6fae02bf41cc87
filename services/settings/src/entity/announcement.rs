use proto::settings::v1 as wire;
use sea_orm::FromJsonQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::domain::announcement::Severity;

/// Usernames as typed, for display. To match readers, use `announcement_audience`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Usernames(pub Vec<String>);

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "announcement")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub creation_id: Uuid,
    /// Fingerprint of the input that created the row. Distinguishes a retry from other content with the same
    /// `creation_id`.
    pub creation_fingerprint: Vec<u8>,
    pub title: String,
    pub title_key: String,
    pub message: String,
    pub message_key: String,
    pub severity: Severity,
    /// The roles as one string such as `|admin|viewer|`, which filters can search.
    pub audience_roles: String,
    pub audience_users: Usernames,
    pub starts_at: DateTimeUtc,
    pub ends_at: Option<DateTimeUtc>,
    pub is_active: bool,
    pub dismissible: bool,
    /// Number of rows in `announcement_view`; updated in the same transaction.
    pub seen_count: i64,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub created_by_key: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub updated_by_key: String,
    /// Incremented by changes of administrators, but not by readers.
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Announcement {
    fn from(row: Model) -> Self {
        let Model {
            id,
            creation_id: _,
            creation_fingerprint: _,
            title,
            title_key: _,
            message,
            message_key: _,
            severity,
            audience_roles,
            audience_users,
            starts_at,
            ends_at,
            is_active,
            dismissible,
            seen_count,
            created_at,
            created_by,
            created_by_key: _,
            updated_at,
            updated_by,
            updated_by_key: _,
            version,
        } = row;
        let roles = audience_roles.split('|').filter(|role| !role.is_empty()).map(str::to_owned);
        wire::Announcement {
            id: id.to_string(),
            content: Some(wire::AnnouncementInput {
                title,
                message,
                severity: wire::AnnouncementSeverity::from(severity).into(),
                audience_roles: roles.collect(),
                audience_users: audience_users.0,
                starts_at: Some(proto::timestamp(starts_at)),
                ends_at: ends_at.map(proto::timestamp),
                is_active,
                dismissible,
            }),
            seen_count: seen_count.unsigned_abs(),
            created_at: Some(proto::timestamp(created_at)),
            created_by,
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
        }
    }
}
