use sea_orm::entity::prelude::*;

use super::secret::Hidden;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_key")]
pub struct Model {
    /// The `kid` of tokens.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub pkcs8: Hidden,
    pub public_key: Vec<u8>,
    pub created_at: DateTimeUtc,
    /// When the key stops being published. Set when a newer key replaces it.
    pub retire_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
