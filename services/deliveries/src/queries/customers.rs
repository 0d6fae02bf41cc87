//! Customers: the list, and single ones.

use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, db};
use kit::{Error, Result};
use proto::common::v1::SortDirection;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::entity::customer::{Column, Entity, Model};
use crate::queries::fields;

pub const LIST: Listing<Entity> = Listing {
    fields: fields::CUSTOMERS,
    key: &[Column::CustomerNameKey],
    default: ("customerName", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

/// Returns several customers by name, ignoring case; omits unknown names.
pub async fn by_names(db_: &Db, names: &[String]) -> Result<Vec<Model>> {
    let keys = names.iter().map(|name| fold(name));
    Entity::find().filter(Column::CustomerNameKey.is_in(keys)).all(db_.read()).await.map_err(db)
}

pub async fn get(db_: &Db, name: &str) -> Result<Model> {
    Entity::find_by_id(fold(name)).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(name))
}

pub fn not_found(name: &str) -> Error {
    Error::not_found("CUSTOMER_NOT_FOUND", format!("There is no customer {name}"))
}
