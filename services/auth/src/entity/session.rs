use sea_orm::entity::prelude::*;

use super::secret::Hidden;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    /// Access tokens contain this id. It is not a credential.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// SHA-256 of the secret in the browser's cookie.
    #[sea_orm(unique)]
    pub secret_hash: Hidden,
    pub user_id: Uuid,
    pub created_at: DateTimeUtc,
    pub last_used_at: DateTimeUtc,
    /// When the session ends even if it is in use.
    pub expires_at: DateTimeUtc,
    pub address: String,
    pub user_agent: String,
}

impl ActiveModelBehavior for ActiveModel {}
