use sea_orm::entity::prelude::*;

/// A label that a reason has or once had. A variance keeps the label that its reason had at the time.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reason_label")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub label_key: String,
}

impl ActiveModelBehavior for ActiveModel {}
