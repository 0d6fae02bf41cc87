//! Which item of a delivery a line of an import is about.
//!
//! With an item number the line says so itself. Without one its place in the file is no answer: a
//! later file may hold only some of the lines. Such a line is about the item with the same
//! article; when there is none, it is a new item.

use std::collections::BTreeMap;

use kit::text::fold;
use uuid::Uuid;

use super::document::{Item, key};
use super::row::{Known, KnownItem, Outcome, Row};

/// The item as the line leaves it, under the number it has or gets.
pub fn find(delivery: &Known, row: &Row, line: &Item, upload: Uuid) -> Result<Item, Outcome> {
    if row.item_number_given {
        let known = delivery.items.get(&key(&line.item_number));
        return Ok(known.map_or_else(|| line.clone(), |known| after(&known.item, line)));
    }
    // What an earlier line of this file named is that line's item; the same line again has its place.
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

/// Whether the delivery has what the line says.
pub fn is_known(items: &BTreeMap<String, KnownItem>, row: &Row, line: &Item) -> bool {
    if row.item_number_given {
        return items.get(&key(&line.item_number)).is_some_and(|it| after(&it.item, line) == it.item);
    }
    items.values().any(|it| says_nothing_new(&it.item, line))
}

fn unclear(text: String) -> Outcome {
    Outcome::Refused { column: "Item Number", code: "ITEM_NOT_IDENTIFIED", text }
}

/// Applies a line to its item; omitted fields stay, unless the article changed.
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

/// By SKU, or by description where one of the two has no SKU.
fn is_same_article(known: &Item, line: &Item) -> bool {
    match (&known.sku, &line.sku) {
        (Some(known), Some(line)) => is_same_text(known, line),
        _ => has_same_description(known, line),
    }
}

fn has_same_description(known: &Item, line: &Item) -> bool {
    match (&known.description, &line.description) {
        (Some(known), Some(line)) => is_same_text(known, line),
        _ => false,
    }
}

/// As keys compare. Most are ASCII and need no copy: each line may be compared with each of thousands of
/// items.
fn is_same_text(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.trim().eq_ignore_ascii_case(other.trim());
    }
    fold(one) == fold(other)
}

fn is_nameless(item: &Item) -> bool {
    item.sku.is_none() && item.description.is_none()
}

/// The place of the line in its file, or the next number that no item has.
fn free_number(items: &BTreeMap<String, KnownItem>, place: &str) -> String {
    let first: u64 = place.trim().parse().unwrap_or(1);
    let free = (first..).map(|number| number.to_string()).find(|number| !items.contains_key(number));
    free.filter(|_| items.contains_key(&key(place))).unwrap_or_else(|| place.to_owned())
}
