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
    /// Salt of the setup token, so that each database has a token of its own.
    pub salt: Hidden,
    /// When the first account was created. Set in the transaction that creates the account.
    pub done_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
