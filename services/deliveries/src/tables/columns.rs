//! Converts the header and items of `domain::document` to columns of the tables, and back.

use ::store::filter::fold;
use sea_orm::ActiveValue::{self, Set};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Iterable, ModelTrait};

use crate::domain::document::{Header, Item};
use crate::domain::entry::Head;
use crate::entity::{delivery, item};

pub fn header_of(row: &delivery::Model) -> Header {
    Header {
        id: row.id.clone(),
        shipmentnumber: row.shipmentnumber.clone(),
        customername: row.customername.clone(),
        scheduledatetime: row.scheduledatetime,
        trucker: row.trucker.clone(),
        driver_id: row.driver_id.clone(),
        referencedoc: row.referencedoc.clone(),
        customeraddress: row.customeraddress.clone(),
        contact_name: row.contact_name.clone(),
        contact_phone: row.contact_phone.clone(),
        contact_email: row.contact_email.clone(),
        instructions: row.instructions.clone(),
        internal_note: row.internal_note.clone(),
        priority: row.priority,
        time_window_start: row.time_window_start,
        time_window_end: row.time_window_end,
    }
}

pub fn item_of(row: &item::Model) -> Item {
    Item {
        item_number: row.item_number.clone(),
        sku: row.sku.clone(),
        description: row.description.clone(),
        unit: row.unit.clone(),
        quantity: row.quantity,
        weight_grams: row.weight_grams,
        barcode: row.barcode.clone(),
    }
}

/// Returns the columns of a head.
pub fn columns_of(Head { header, place }: &Head) -> delivery::ActiveModel {
    let Header {
        id: _,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        driver_id,
        referencedoc,
        customeraddress,
        contact_name,
        contact_phone,
        contact_email,
        instructions,
        internal_note,
        priority,
        time_window_start,
        time_window_end,
    } = header.clone();
    delivery::ActiveModel {
        shipmentnumber_key: Set(fold(&shipmentnumber)),
        shipmentnumber: Set(shipmentnumber),
        customername_key: Set(fold(&customername)),
        customername: Set(customername),
        trucker_key: Set(fold(&trucker)),
        trucker: Set(trucker),
        driver_id_key: Set(driver_id.as_deref().map(fold)),
        driver_id: Set(driver_id),
        scheduledatetime: Set(scheduledatetime),
        referencedoc_key: Set(referencedoc.as_deref().map(fold)),
        referencedoc: Set(referencedoc),
        customeraddress: Set(customeraddress),
        address_lat: Set(place.map(|it| it.lat)),
        address_lng: Set(place.map(|it| it.lng)),
        address_accuracy: Set(place.and_then(|it| it.accuracy)),
        contact_name: Set(contact_name),
        contact_phone: Set(contact_phone),
        contact_email: Set(contact_email),
        instructions: Set(instructions),
        internal_note: Set(internal_note),
        priority: Set(priority),
        time_window_start: Set(time_window_start),
        time_window_end: Set(time_window_end),
        ..Default::default()
    }
}

/// Returns an item with nothing counted.
pub fn new_item(delivery_key: &str, item: Item) -> item::ActiveModel {
    let Item { item_number, sku, description, unit, quantity, weight_grams, barcode } = item;
    item::ActiveModel {
        delivery_key: Set(delivery_key.to_owned()),
        item_key: Set(fold(&item_number)),
        item_number: Set(item_number),
        sku: Set(sku),
        description: Set(description),
        unit: Set(unit),
        quantity: Set(quantity),
        weight_grams: Set(weight_grams),
        barcode: Set(barcode),
        ..Default::default()
    }
}

/// Merges two rows; where both have a column, the first wins.
pub fn both(mut one: delivery::ActiveModel, other: delivery::ActiveModel) -> delivery::ActiveModel {
    for column in delivery::Column::iter() {
        if let (ActiveValue::NotSet, ActiveValue::Set(value)) = (one.get(column), other.get(column)) {
            one.set(column, value);
        }
    }
    one
}

/// Returns a row with all columns set.
pub fn all_columns<E, M>(row: M) -> E::ActiveModel
where
    E: EntityTrait,
    M: ModelTrait<Entity = E> + IntoActiveModel<E::ActiveModel>,
    E::ActiveModel: ActiveModelTrait<Entity = E>,
{
    let mut row = row.into_active_model();
    for column in E::Column::iter() {
        row.reset(column);
    }
    row
}
