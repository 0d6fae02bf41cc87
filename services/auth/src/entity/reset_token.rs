use sea_orm::entity::prelude::*;

use super::secret::Hidden;

/// The reset link of an account, which has at most one.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reset_token")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    /// SHA-256 of the token.
    #[sea_orm(unique)]
    pub token_hash: Hidden,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
