//! Finds the item that a line of an import refers to.
//!
//! A line with an item number refers to that item. Without a number, the line's place in the file does not
//! help, because a later file may contain only some of the lines. Such a line refers to the item with the
//! same article; if there is none, it is a new item.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::document::{Item, key};
use super::row::{Known, KnownItem, Outcome, Row};
use super::text::same_name;

/// Returns the item that the line refers to, with the line's changes applied and its existing or new number.
pub fn find(delivery: &Known, row: &Row, line: &Item, upload: Uuid) -> Result<Item, Outcome> {
    if row.item_number_given {
        let known = delivery.items.get(&key(&line.item_number));
        return Ok(known.map_or_else(|| line.clone(), |known| after(&known.item, line)));
    }
    // An item that an earlier line of this file named cannot be chosen again. A repeated line is found by its
    // place in the file.
    let open = || delivery.items.values().filter(|it| it.upload != Some(upload)).map(|it| &it.item);
    let place = delivery.items.get(&key(&line.item_number)).map(|it| &it.item);
    if let Some(same) = place.into_iter().chain(open()).find(|known| says_nothing_new(known, line)) {
        return Ok(same.clone());
    }
    if is_nameless(line) && open().next().is_some() {
        let text = format!(
            "{} has items already, and this line has no item number, SKU or description to find its item by",
            delivery.header.id
        );
        return Err(unclear(text));
    }
    let mut found: Vec<&Item> = open().filter(|known| is_same_article(known, line)).collect();
    if found.len() > 1 {
        let described: Vec<&Item> =
            found.iter().copied().filter(|known| has_same_description(known, line)).collect();
        if !described.is_empty() {
            found = described;
        }
    }
    match found[..] {
        [] => Ok(Item { item_number: free_number(&delivery.items, &line.item_number), ..line.clone() }),
        [known] => Ok(after(known, line)),
        _ => {
            let article = line.sku.as_deref().or(line.description.as_deref()).unwrap_or_default();
            let text = format!(
                "{} has {} items with {article}. Add an item number to say which one this line is",
                delivery.header.id,
                found.len()
            );
            Err(unclear(text))
        }
    }
}

/// Returns whether the delivery already has everything that the line contains.
pub fn is_known(items: &BTreeMap<String, KnownItem>, row: &Row, line: &Item) -> bool {
    if row.item_number_given {
        return items.get(&key(&line.item_number)).is_some_and(|it| after(&it.item, line) == it.item);
    }
    items.values().any(|it| says_nothing_new(&it.item, line))
}

fn unclear(text: String) -> Outcome {
    Outcome::Refused { column: "Item Number", code: "ITEM_NOT_IDENTIFIED", text }
}

/// Returns the item with the line applied. Fields that the line omits stay, unless the article changed.
fn after(known: &Item, line: &Item) -> Item {
    let item_number = known.item_number.clone();
    if !is_same_article(known, line) && !is_nameless(line) {
        return Item { item_number, ..line.clone() };
    }
    let or = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
    Item {
        item_number,
        sku: or(&line.sku, &known.sku),
        description: or(&line.description, &known.description),
        unit: or(&line.unit, &known.unit),
        quantity: line.quantity,
        weight_grams: line.weight_grams.or(known.weight_grams),
        barcode: or(&line.barcode, &known.barcode),
    }
}

fn says_nothing_new(known: &Item, line: &Item) -> bool {
    let about_it = if is_nameless(line) { is_nameless(known) } else { is_same_article(known, line) };
    about_it && after(known, line) == *known
}

/// Compares articles by SKU, or by description if one of them has no SKU.
fn is_same_article(known: &Item, line: &Item) -> bool {
    match (&known.sku, &line.sku) {
        (Some(known), Some(line)) => same_name(known, line),
        _ => has_same_description(known, line),
    }
}

fn has_same_description(known: &Item, line: &Item) -> bool {
    match (&known.description, &line.description) {
        (Some(known), Some(line)) => same_name(known, line),
        _ => false,
    }
}

fn is_nameless(item: &Item) -> bool {
    item.sku.is_none() && item.description.is_none()
}

/// Returns the number for a new item: the line's place in its file or, if an item has that number, the next
/// unused one.
fn free_number(items: &BTreeMap<String, KnownItem>, place: &str) -> String {
    let first: u64 = place.trim().parse().unwrap_or(1);
    let free = (first..).map(|number| number.to_string()).find(|number| !items.contains_key(number));
    free.filter(|_| items.contains_key(&key(place))).unwrap_or_else(|| place.to_owned())
}
