use sea_orm::entity::prelude::*;

use super::secret::Hidden;

/// The id of the only row.
pub const ROW: i32 = 1;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setup")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    /// Input of the setup token, so that each database has its own token.
    pub salt: Hidden,
    /// When the first account was created. The transaction that sets this creates that account.
    pub done_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
