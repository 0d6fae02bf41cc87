//! Item numbers for lines that have none.
//!
//! Here: the next ordinal of the delivery in this file, and the same one again for a line that is
//! exactly equal, so that the same line twice changes nothing. Deliberately absent: what is
//! stored already; the numbers depend on the file alone, because an import is resumed by reading
//! the file again from its beginning and must find the same numbers.
//!
//! Memory: a line without a number costs 17 bytes of table, a delivery with such lines another
//! 17, a line with a number that could be an ordinal 9; tables are between 7/16 and 7/8 full. At
//! a million rows that is 20 to 39 MB, at 100,000 2 to 4 MB. Keys are 64-bit hashes: among a
//! million rows two different ones meet with a probability of 1 in 37 million, and would then
//! share a number.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use proto::deliveries::v1::ImportRow;

/// The keys are hashes already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

type Build = BuildHasherDefault<AsIs>;

/// Gives item numbers; one for each reading of a file, fed every checked row in file order.
#[derive(Default)]
pub struct Ordinals {
    /// The last ordinal of a delivery, and the ordinal of a line, each under its hash.
    given: HashMap<u64, u32, Build>,
    /// Ordinals the file itself uses, under the hash of delivery and number.
    taken: HashSet<u64, Build>,
}

impl Ordinals {
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills the item number of a row whose item has none; takes note of the others.
    ///
    /// Numbers already used for the delivery on an earlier line are skipped. A number used on a
    /// later line cannot be known here: that line then updates the item.
    pub fn number(&mut self, row: &mut ImportRow) {
        let Some(item) = &row.item else { return };
        let delivery = row.delivery_id.to_lowercase();
        if !item.item_number.is_empty() {
            if let Some(ordinal) = canonical(&item.item_number) {
                self.taken.insert(hash((TAKEN, &delivery, ordinal)));
            }
            return;
        }
        let line = hash((LINE, &delivery, content(row)));
        let ordinal = match self.given.get(&line) {
            Some(twin) => *twin,
            None => {
                let last = self.given.entry(hash((DELIVERY, &delivery))).or_default();
                let mut next = last.saturating_add(1);
                while self.taken.contains(&hash((TAKEN, &delivery, next))) {
                    next = next.saturating_add(1);
                }
                *last = next;
                self.given.insert(line, next);
                next
            }
        };
        if let Some(item) = &mut row.item {
            item.item_number = ordinal.to_string();
        }
    }
}

const TAKEN: u8 = 0;
const LINE: u8 = 1;
const DELIVERY: u8 = 2;

/// SipHash with fixed keys: equal in every process. Other keys would give the same numbers, so a
/// later version of the library that hashes otherwise changes nothing either.
fn hash(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Everything a line says but where it stands.
fn content(row: &ImportRow) -> Vec<u8> {
    let row = ImportRow { line: 0, delivery_id: String::new(), ..row.clone() };
    prost::Message::encode_to_vec(&row)
}

/// The number as an ordinal, when it is written as we would write it.
fn canonical(number: &str) -> Option<u32> {
    let ordinal: u32 = number.parse().ok()?;
    (ordinal.to_string() == number).then_some(ordinal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::deliveries::v1::ImportItem;

    fn number(ordinals: &mut Ordinals, delivery: &str, number: &str, sku: &str) -> String {
        let mut row = ImportRow {
            line: sku.len() as u32,
            delivery_id: delivery.to_owned(),
            item: Some(ImportItem {
                item_number: number.to_owned(),
                sku: Some(sku.to_owned()),
                ..ImportItem::default()
            }),
            ..ImportRow::default()
        };
        ordinals.number(&mut row);
        row.item.unwrap().item_number
    }

    #[test]
    fn each_delivery_counts_for_itself_and_twins_share() {
        let o = &mut Ordinals::new();
        assert_eq!(number(o, "A", "", "x"), "1");
        assert_eq!(number(o, "B", "", "x"), "1");
        assert_eq!(number(o, "A", "", "y"), "2");
        assert_eq!(number(o, "A", "", "x"), "1");
        assert_eq!(number(o, "a", "", "z"), "3", "ids ignore case");
        assert_eq!(number(o, "B", "", "y"), "2");
    }

    #[test]
    fn numbers_of_the_file_are_skipped() {
        let o = &mut Ordinals::new();
        assert_eq!(number(o, "A", "1", "x"), "1");
        assert_eq!(number(o, "A", "3", "y"), "3");
        assert_eq!(number(o, "A", "0004", "y"), "0004");
        assert_eq!(number(o, "A", "", "x"), "2");
        assert_eq!(number(o, "A", "", "y"), "4");
        assert_eq!(number(o, "B", "", "x"), "1");
    }

    #[test]
    fn where_a_line_stands_does_not_matter_and_rows_without_items_stay() {
        let mut ordinals = Ordinals::new();
        let mut row = ImportRow {
            line: 2,
            delivery_id: "A".into(),
            item: Some(ImportItem::default()),
            ..ImportRow::default()
        };
        ordinals.number(&mut row);
        let mut twin = ImportRow { line: 9, item: Some(ImportItem::default()), ..row.clone() };
        ordinals.number(&mut twin);
        assert_eq!(row.item, twin.item);
        let mut bare = ImportRow { item: None, ..row };
        ordinals.number(&mut bare);
        assert_eq!(bare.item, None);
    }
}
