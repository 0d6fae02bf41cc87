//! Lists of deliveries, and single ones.

use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, counter, db};
use kit::Result;
use proto::common::v1::{Count, Filter, Page, SortDirection};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, TryIntoModel};

use crate::domain::delivery::{Priority, ScanMode, Status};
use crate::domain::driver::not_found;
use crate::entity::delivery::{ActiveModel, Column, Entity, Model};
use crate::queries::fields;
use crate::tables::deliveries::COUNTER;

/// The list, newest dispatch first by default.
pub const LIST: Listing<Entity> = Listing {
    fields: fields::DELIVERIES,
    key: &[Column::IdKey],
    default: ("scheduledatetime", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

pub async fn list(db_: &Db, page: &Page) -> Result<(Vec<Model>, bool)> {
    LIST.page(db_, page).await
}

/// Like [`list`], but reads only these columns. The other fields of the rows hold placeholders.
pub async fn in_part(db_: &Db, page: &Page, columns: &[Column]) -> Result<(Vec<Model>, bool)> {
    let blank = ActiveModel {
        deliverystatus: Set(Status::Pending),
        scanmode: Set(ScanMode::No),
        priority: Set(Priority::Normal),
        ..ActiveModel::default_values()
    };
    LIST.page_in_part(db_, page, columns, &blank.try_into_model().map_err(db)?).await
}

/// Returns the ids of one page, and whether more follow.
pub async fn ids(db_: &Db, page: &Page) -> Result<(Vec<String>, bool)> {
    #[derive(FromQueryResult)]
    struct Row {
        id: String,
    }
    let (rows, more) = LIST.page_of::<Row>(db_, page, &[Column::Id]).await?;
    Ok((rows.into_iter().map(|row| row.id).collect(), more))
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    if filters.is_empty() {
        let total = db_.shared_reads().answer(COUNTER.to_owned(), counter::get(db_.read(), COUNTER)).await?;
        return Ok(Count { total, exact: true });
    }
    LIST.count(db_, filters).await
}

/// Counts the drivers that have at least one matching delivery.
pub async fn count_drivers(db_: &Db, filters: &[Filter]) -> Result<Count> {
    LIST.count_values(db_, filters, Column::DriverIdKey).await
}

/// Returns several deliveries by id, ignoring case; omits unknown ids.
pub async fn by_ids(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let keys = ids.iter().map(|id| fold(id));
    Entity::find().filter(Column::IdKey.is_in(keys)).all(db_.read()).await.map_err(db)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    Entity::find_by_id(fold(id)).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
}
