//! Converts the header and items of `domain::document` to columns of the tables, and back.

use ::store::filter::fold;
use sea_orm::ActiveValue::{self, Set};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Iterable, ModelTrait};

use crate::domain::document::{Header, Item};
use crate::domain::entry::Head;
use crate::domain::head::{Texts, head_texts};
use crate::entity::{delivery, item};

macro_rules! texts {
    ($($field:ident $(=> $key:ident)?, $name:literal, $label:literal, $heading:literal, $shape:expr;)+) => {
        fn texts_of(row: &delivery::Model) -> Texts {
            Texts { $($field: row.$field.clone(),)+ }
        }

        fn set_texts(row: &mut delivery::ActiveModel, texts: Texts) {
            $(
                $(row.$key = Set(texts.$field.as_deref().map(fold));)?
                row.$field = Set(texts.$field);
            )+
        }
    };
}
head_texts!(texts);

pub fn head_of(row: &delivery::Model) -> Head {
    Head { header: header_of(row), place: row.address_place() }
}

pub fn header_of(row: &delivery::Model) -> Header {
    Header {
        id: row.id.clone(),
        shipmentnumber: row.shipmentnumber.clone(),
        customername: row.customername.clone(),
        scheduledatetime: row.scheduledatetime,
        trucker: row.trucker.clone(),
        customeraddress: row.customeraddress.clone(),
        texts: texts_of(row),
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

/// Returns the columns of a head, except its id.
pub fn columns_of(Head { header, place }: Head) -> delivery::ActiveModel {
    let Header {
        id: _,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        customeraddress,
        texts,
        priority,
        time_window_start,
        time_window_end,
    } = header;
    let mut row = delivery::ActiveModel {
        shipmentnumber_key: Set(fold(&shipmentnumber)),
        shipmentnumber: Set(shipmentnumber),
        customername_key: Set(fold(&customername)),
        customername: Set(customername),
        trucker_key: Set(fold(&trucker)),
        trucker: Set(trucker),
        scheduledatetime: Set(scheduledatetime),
        customeraddress: Set(customeraddress),
        address_lat: Set(place.map(|it| it.lat)),
        address_lng: Set(place.map(|it| it.lng)),
        address_accuracy: Set(place.and_then(|it| it.accuracy)),
        priority: Set(priority),
        time_window_start: Set(time_window_start),
        time_window_end: Set(time_window_end),
        ..Default::default()
    };
    set_texts(&mut row, texts);
    row
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
