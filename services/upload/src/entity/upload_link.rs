use ::store::links::Links;
use sea_orm::Condition;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Query;

use super::upload_log;

/// An upload link that was given to a person. Only files uploaded by such a link can be imported, and only by
/// the same person.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_link")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub requested_by: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl Links for Entity {
    const OBJECT_KEY: Column = Column::ObjectKey;
    const REQUESTED_BY: Column = Column::RequestedBy;
    const CREATED_AT: Column = Column::CreatedAt;

    fn unused() -> Condition {
        let imported =
            Query::select().column(upload_log::Column::ObjectKey).from(upload_log::Entity).to_owned();
        Condition::all().add(Column::ObjectKey.not_in_subquery(imported))
    }

    /// Also selects links whose import came to nothing. Nobody can finish these uploads, so they don't count as unused.
    fn sweepable() -> Condition {
        let nothing = Query::select()
            .column(upload_log::Column::ObjectKey)
            .from(upload_log::Entity)
            .cond_where(upload_log::came_to_nothing())
            .to_owned();
        Condition::any().add(Self::unused()).add(Column::ObjectKey.in_subquery(nothing))
    }
}
