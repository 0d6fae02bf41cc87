use sea_orm::entity::prelude::*;

use crate::domain::access::Access;
use crate::domain::value::Type;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub name: String,
    pub name_key: String,
    pub r#type: Type,
    pub grouping: String,
    pub grouping_key: String,
    pub description: String,
    /// NULL if the setting was never changed; then the configuration applies.
    pub value: Option<String>,
    /// Who may read the setting. The catalogue has only the initial value.
    pub readers: Access,
    /// Who may change the setting. The catalogue has only the initial value.
    pub editors: Access,
    pub updated_at: Option<DateTimeUtc>,
    pub updated_by: Option<String>,
    pub updated_by_key: Option<String>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
