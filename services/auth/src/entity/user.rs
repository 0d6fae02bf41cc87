use sea_orm::entity::prelude::*;

use super::secret::PasswordHash;
use crate::domain::Status;

// "user" is a reserved word of Postgres.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub username: String,
    /// The folded name: unique, and what signing in looks for.
    #[sea_orm(unique)]
    pub username_key: String,
    /// The same for names that are easily taken for each other: `kit::username::look`.
    pub username_look: String,
    pub display_name: String,
    pub display_name_key: String,
    pub email: String,
    pub email_key: String,
    /// Empty: no password yet.
    pub password_hash: PasswordHash,
    pub status: Status,
    /// The roles as one text, to filter and sort by; `user_role` is what counts.
    pub role_list: String,
    /// Of a driver's account only.
    pub driver_id: Option<String>,
    #[sea_orm(unique)]
    pub driver_id_key: Option<String>,
    /// Version of the driver that this account follows.
    pub driver_version: i64,
    /// Of the event that brought this version; 0 when a release before sequences handled it.
    pub driver_sequence: i64,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
    pub last_login_at: Option<DateTimeUtc>,
    #[sea_orm(has_many)]
    pub roles: HasMany<super::user_role::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
