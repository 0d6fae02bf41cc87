use sea_orm::entity::prelude::*;

use super::secret::PasswordHash;
use crate::domain::Status;

// The table is not named "user", which is a reserved word of Postgres.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub username: String,
    /// The folded name: unique, and the lookup key when signing in.
    #[sea_orm(unique)]
    pub username_key: String,
    /// Equal for easily confused names: see `kit::username::look`.
    pub username_look: String,
    pub display_name: String,
    pub display_name_key: String,
    pub email: String,
    pub email_key: String,
    /// Empty while the account has no password.
    pub password_hash: PasswordHash,
    pub status: Status,
    /// The roles as formatted by `domain::role_list`, for filters and sorting only; permissions come from the
    /// table `user_role`.
    pub role_list: String,
    /// Id of the driver whose account this is; NULL for users of the office.
    pub driver_id: Option<String>,
    #[sea_orm(unique)]
    pub driver_id_key: Option<String>,
    /// Version of the driver at the last change that was applied to this account.
    pub driver_version: i64,
    /// Sequence of the event with that change; 0 if a release without sequences handled the event.
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
