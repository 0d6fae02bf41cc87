//! What the head of a delivery implies: the customer's address, and the parties it names.

use ::store::filter::fold;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::EntityTrait;

use crate::domain::actor::Actor;
use crate::domain::entry::Head;
use crate::entity::customer;
use crate::entity::delivery::place;
use crate::tables::addresses::{self, Located};
use crate::tables::{customers, truckers};

/// Fills an empty address with the customer's, including its location.
pub async fn fill_address(tx: &Tx, head: &mut Head) -> Result<()> {
    if !head.header.customeraddress.is_empty() {
        return Ok(());
    }
    let key = fold(&head.header.customername);
    if let Some(customer) = customer::Entity::find_by_id(key).one(&**tx).await.map_err(db)? {
        let (lat, lng) = (customer.address_lat, customer.address_lng);
        head.place = head.place.or_else(|| place(lat, lng, customer.address_accuracy));
        head.header.customeraddress = customer.customer_address;
    }
    Ok(())
}

/// Creates unknown parties that the head names, as an import does. `before` is the head that an edit
/// replaces.
pub async fn create_missing(
    tx: &Tx,
    head: &Head,
    before: Option<&Head>,
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<()> {
    let header = &head.header;
    let customer = customers::New {
        name: header.customername.clone(),
        email: None,
        address: header.customeraddress.clone(),
    };
    customers::create_missing(&**tx, vec![customer], actor.name(), now).await?;
    if !header.trucker.is_empty() {
        truckers::create_missing(&**tx, vec![header.trucker.clone()]).await?;
    }
    addresses::save(&**tx, located(head), before.map(located)).await
}

fn located(head: &Head) -> Located<'_> {
    Located { text: &head.header.customeraddress, place: head.place }
}
