//! Stores each label that a reason has or once had, so that a search for a substring reads a few dozen labels
//! and not all variances.

use ::store::migrate::bytewise_text;
use sea_orm::sea_query::UnionType;
use sea_orm_migration::prelude::*;

use crate::entity::{reason, reason_label, variance};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0006_reason_labels"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use reason_label::Column as C;
        let key = bytewise_text(C::LabelKey, manager.get_database_backend()).not_null().primary_key().take();
        manager.create_table(Table::create().table(reason_label::Entity).col(key).to_owned()).await?;
        let mut labels = Query::select();
        labels.expr(Func::lower(Expr::col(reason::Column::Label))).from(reason::Entity);
        let of_variances = Query::select()
            .column(variance::Column::ReasonKey)
            .from(variance::Entity)
            .and_where(Expr::col(variance::Column::ReasonKey).is_not_null())
            .take();
        // UNION removes duplicates.
        labels.union(UnionType::Distinct, of_variances);
        let mut fill = Query::insert().into_table(reason_label::Entity).columns([C::LabelKey]).to_owned();
        fill.select_from(labels).map_err(|error| DbErr::Custom(error.to_string()))?;
        manager.execute(fill).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(reason_label::Entity).to_owned()).await
    }
}
