//! Item numbers for lines without one.
//!
//! Such a line gets its place among the lines of its delivery in this file, counting refused lines; an
//! exactly equal line gets the same number again, so that a repeated line changes nothing. If refused lines
//! did not count, a later line would get the number of a refused one, and the corrected line would then
//! overwrite the later line's item. Deliberately absent: what is already stored. The numbers depend on the
//! file alone, because a resumed import reads the file again from its beginning and must find the same
//! numbers.
//!
//! Memory: a delivery takes 25 bytes of hash table and a line without a number 17. A line whose number could be an
//! ordinal takes 9, or nothing if the file numbers the delivery's lines from 1 in order, as most do. The tables are
//! between 7/16 and 7/8 full. A million lines without a number take 20 to 39 MB, 100,000 take 2 to 4 MB. Keys are
//! 64-bit hashes: among a million rows two different ones collide with a probability of 1 in 37 million, and would then
//! share a number.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use proto::deliveries::v1::ImportRow;

/// Uses keys as they are, because they are hashes already.
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

/// Assigns item numbers. Create one instance per pass over a file, and feed it every row in file order.
#[derive(Default)]
pub struct Ordinals {
    /// The counts of each delivery, keyed by the hash of its number.
    deliveries: HashMap<u64, Count, Build>,
    /// The ordinal of a line, keyed by the hash of its content.
    lines: HashMap<u64, u32, Build>,
    /// Hashes of delivery and number, for each number in the file that could be an ordinal and that `Count::numbered`
    /// does not cover.
    taken: HashSet<u64, Build>,
}

#[derive(Default)]
struct Count {
    /// Number of lines with an item so far.
    lines: u32,
    /// The ordinal that was assigned last in this delivery.
    last: u32,
    /// The file has all numbers from 1 to this one for the delivery.
    numbered: u32,
}

impl Count {
    /// Records a number that the file has. Returns whether the count covers it.
    fn covers(&mut self, ordinal: u32) -> bool {
        if self.numbered.checked_add(1) == Some(ordinal) {
            self.numbered = ordinal;
        }
        (1..=self.numbered).contains(&ordinal)
    }
}

impl Ordinals {
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills in the item number of a row whose item has none, and records whether the file had a number.
    /// `delivery` is the delivery's folded id.
    ///
    /// Skips numbers that the file uses for the delivery on an earlier line. A number on a later line is
    /// unknown here: that line then contradicts this one and is refused.
    pub fn number(&mut self, delivery: &str, row: &mut ImportRow) {
        let Some(item) = &row.item else { return };
        let line = hash((LINE, delivery, content(row)));
        let ordinal = self.place(delivery, &item.item_number, Some(line));
        row.item_number_given = ordinal.is_none();
        if let (Some(item), Some(ordinal)) = (&mut row.item, ordinal) {
            item.item_number = ordinal.to_string();
        }
    }

    /// Counts a refused line with an item. Returns the ordinal that the line keeps, or `None` if the file
    /// numbers the line.
    pub fn refused(&mut self, delivery: &str, item_number: &str) -> Option<u32> {
        self.place(delivery, item_number, None)
    }

    /// Returns the ordinal of the next line of a delivery; `None` when the file numbers this line.
    fn place(&mut self, delivery: &str, number: &str, line: Option<u64>) -> Option<u32> {
        let count = self.deliveries.entry(hash((DELIVERY, delivery))).or_default();
        count.lines = count.lines.saturating_add(1);
        if !number.is_empty() {
            if let Some(ordinal) = canonical(number).filter(|ordinal| !count.covers(*ordinal)) {
                self.taken.insert(hash((TAKEN, delivery, ordinal)));
            }
            return None;
        }
        if let Some(twin) = line.and_then(|line| self.lines.get(&line)) {
            return Some(*twin);
        }
        let mut next = count.lines.max(count.last.saturating_add(1)).max(count.numbered.saturating_add(1));
        while self.taken.contains(&hash((TAKEN, delivery, next))) {
            next = next.saturating_add(1);
        }
        count.last = next;
        self.lines.extend(line.map(|line| (line, next)));
        Some(next)
    }
}

const TAKEN: u8 = 0;
const LINE: u8 = 1;
const DELIVERY: u8 = 2;

/// Hashes with SipHash and fixed keys, so that the result is the same in every process. Item numbers do not
/// depend on the hashes, so a library version with another hash function changes nothing.
pub(crate) fn hash(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Returns the contents of a line, without its place in the file and its delivery's id.
fn content(row: &ImportRow) -> Vec<u8> {
    let row = ImportRow { line: 0, delivery_id: String::new(), item_number_given: false, ..row.clone() };
    prost::Message::encode_to_vec(&row)
}

/// Returns the number as an ordinal, if it is written as an ordinal is written here: "5", not "05".
fn canonical(number: &str) -> Option<u32> {
    let ordinal: u32 = number.parse().ok()?;
    (ordinal.to_string() == number).then_some(ordinal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::deliveries::v1::ImportItem;

    fn row(delivery: &str, number: &str, sku: &str) -> ImportRow {
        ImportRow {
            line: sku.len() as u32,
            delivery_id: delivery.to_owned(),
            item: Some(ImportItem {
                item_number: number.to_owned(),
                sku: Some(sku.to_owned()),
                ..ImportItem::default()
            }),
            ..ImportRow::default()
        }
    }

    fn number(ordinals: &mut Ordinals, delivery: &str, number: &str, sku: &str) -> String {
        let mut row = row(delivery, number, sku);
        ordinals.number(&delivery.to_lowercase(), &mut row);
        assert_eq!(row.item_number_given, !number.is_empty());
        row.item.unwrap().item_number
    }

    #[test]
    fn each_delivery_counts_for_itself_and_twins_share() {
        let o = &mut Ordinals::new();
        assert_eq!(number(o, "A", "", "x"), "1");
        assert_eq!(number(o, "B", "", "x"), "1");
        assert_eq!(number(o, "A", "", "y"), "2");
        assert_eq!(number(o, "A", "", "x"), "1");
        assert_eq!(number(o, "a", "", "z"), "4", "ids ignore case, and a twin has a place");
        assert_eq!(number(o, "B", "", "y"), "2");
    }

    #[test]
    fn numbers_of_the_file_are_skipped() {
        let o = &mut Ordinals::new();
        assert_eq!(number(o, "A", "1", "x"), "1");
        assert_eq!(number(o, "A", "3", "y"), "3");
        assert_eq!(number(o, "A", "0004", "y"), "0004");
        assert_eq!(number(o, "A", "", "x"), "4");
        assert_eq!(number(o, "A", "6", "z"), "6");
        assert_eq!(number(o, "A", "", "y"), "7");
        assert_eq!(number(o, "B", "", "x"), "1");
    }

    #[test]
    fn numbers_in_order_take_no_memory_and_are_skipped() {
        let o = &mut Ordinals::new();
        for given in ["1", "2", "3", "2"] {
            assert_eq!(number(o, "A", given, "x"), given);
        }
        assert!(o.taken.is_empty());
        assert_eq!(number(o, "A", "6", "x"), "6");
        assert_eq!(o.taken.len(), 1);
        o.refused("b", "1");
        o.refused("b", "2");
        assert_eq!(number(o, "B", "", "x"), "3");
        // The sixth line of its delivery, whose number is taken.
        assert_eq!(number(o, "A", "", "y"), "7");
        assert_eq!(number(o, "A", "4", "x"), "4");
        assert_eq!(o.taken.len(), 1);
        assert_eq!(number(o, "A", "", "z"), "8");
    }

    /// If refused lines did not count, a later line would get a refused line's number, and the corrected line
    /// would overwrite the later line's item.
    #[test]
    fn a_refused_line_keeps_its_place() {
        let o = &mut Ordinals::new();
        assert_eq!(number(o, "A", "", "s1"), "1");
        o.refused("a", "");
        assert_eq!(number(o, "A", "", "s3"), "3");
        o.refused("a", "5");
        assert_eq!(number(o, "A", "", "s5"), "6", "five is the refused line's own");
        let mended = &mut Ordinals::new();
        let given = ["s1", "s2", "s3"].map(|sku| number(mended, "A", "", sku));
        assert_eq!(given, ["1", "2", "3"], "the whole file, mended, has the same numbers");
    }

    #[test]
    fn where_a_line_stands_does_not_matter_and_rows_without_items_stay() {
        let mut ordinals = Ordinals::new();
        let mut first = row("A", "", "x");
        ordinals.number("a", &mut first);
        let mut twin = ImportRow { line: 9, ..row("A", "", "x") };
        ordinals.number("a", &mut twin);
        assert_eq!(first.item, twin.item);
        let mut bare = ImportRow { item: None, ..row("A", "", "x") };
        ordinals.number("a", &mut bare);
        assert_eq!(bare.item, None);
        assert_eq!(number(&mut ordinals, "A", "", "z"), "3", "a row without an item has no place");
    }
}
