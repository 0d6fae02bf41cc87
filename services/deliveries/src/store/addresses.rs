//! Addresses that deliveries and customers have: a table of them, for the lookup.

use std::collections::BTreeMap;

use kit::Result;
use proto::common::v1::SortDirection;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, EntityTrait};

use crate::domain::state::Place;
use crate::entity::address::{ActiveModel, Column, Entity};
use crate::fields;
use ::store::bulk::chunk;
use ::store::db;
use ::store::filter::fold;
use ::store::list::{Bounds, Listing};

pub const LIST: Listing<Entity> = Listing {
    fields: fields::ADDRESSES,
    key: &[Column::AddressKey],
    default: ("address", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

/// Makes the addresses known that are not yet; empty ones are none.
pub async fn create_missing(
    connection: &impl ConnectionTrait,
    texts: impl IntoIterator<Item = String>,
) -> Result<()> {
    // In key order, so that two imports at once do not wait for each other in a circle.
    let mut addresses: BTreeMap<String, String> = BTreeMap::new();
    for text in texts {
        addresses.entry(fold(&text)).or_insert(text);
    }
    let mut rows = addresses.into_iter().filter(|(key, _)| !key.is_empty()).peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(chunk::<Entity>()).map(|(key, text)| ActiveModel {
            address_key: Set(key),
            address: Set(text),
            ..Default::default()
        });
        Entity::insert_many(some)
            .on_conflict(OnConflict::column(Column::AddressKey).do_nothing().to_owned())
            .exec_without_returning(connection)
            .await
            .map_err(db)?;
    }
    Ok(())
}

/// Notes where an address is, as somebody has just said.
pub async fn place(connection: &impl ConnectionTrait, text: &str, place: Place) -> Result<()> {
    let key = fold(text);
    if key.is_empty() {
        return Ok(());
    }
    let row = ActiveModel {
        address_key: Set(key),
        address: Set(text.to_owned()),
        lat: Set(Some(place.lat)),
        lng: Set(Some(place.lng)),
        accuracy: Set(place.accuracy),
    };
    Entity::insert(row)
        .on_conflict(
            OnConflict::column(Column::AddressKey)
                .update_columns([Column::Lat, Column::Lng, Column::Accuracy])
                .to_owned(),
        )
        .exec_without_returning(connection)
        .await
        .map_err(db)?;
    Ok(())
}
