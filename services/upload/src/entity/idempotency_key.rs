use sea_orm::entity::prelude::*;

/// A request that a client may repeat under the same key.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub action: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Fingerprint of the request, SHA-256 in hex.
    pub fingerprint: String,
    /// The response: the log that the first request created.
    pub upload_log_id: Uuid,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
