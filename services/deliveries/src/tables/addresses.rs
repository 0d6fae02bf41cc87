//! The table of addresses of deliveries and customers, for lookups.

use std::collections::BTreeMap;

use ::store::bulk;
use ::store::db;
use ::store::filter::fold;
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, EntityTrait};

use crate::domain::state::Place;
use crate::entity::address::{ActiveModel, Column, Entity};

/// Inserts missing addresses; skips empty ones.
pub async fn create_missing(
    connection: &impl ConnectionTrait,
    texts: impl IntoIterator<Item = String>,
) -> Result<()> {
    // In key order, so that two concurrent imports do not deadlock.
    let mut addresses: BTreeMap<String, String> = BTreeMap::new();
    for text in texts {
        addresses.entry(fold(&text)).or_insert(text);
    }
    let rows = addresses.into_iter().filter(|(key, _)| !key.is_empty());
    let rows = rows.map(|(key, text)| ActiveModel {
        address_key: Set(key),
        address: Set(text),
        ..Default::default()
    });
    let keep = OnConflict::column(Column::AddressKey).do_nothing().to_owned();
    bulk::upsert(connection, rows.collect(), &keep).await?;
    Ok(())
}

/// An address of a delivery or a customer, and its location.
#[derive(Debug, Clone, Copy)]
pub struct Located<'a> {
    pub text: &'a str,
    pub place: Option<Place>,
}

impl Located<'_> {
    fn is_same(self, other: Self) -> bool {
        self.place == other.place && fold(self.text) == fold(other.text)
    }
}

/// Records an address that somebody saved. Its location is recorded only if it is new: an edit of something
/// else must not restore a location that was corrected elsewhere in the meantime.
pub async fn save(
    connection: &impl ConnectionTrait,
    it: Located<'_>,
    before: Option<Located<'_>>,
) -> Result<()> {
    match it.place {
        Some(at) if before.is_none_or(|before| !before.is_same(it)) => place(connection, it.text, at).await,
        _ => create_missing(connection, [it.text.to_owned()]).await,
    }
}

async fn place(connection: &impl ConnectionTrait, text: &str, place: Place) -> Result<()> {
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
