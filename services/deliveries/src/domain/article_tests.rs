//! Items are never overwritten by a different article, whatever lines a file has.

use chrono::DateTime;
use kit::input::limits;
use uuid::Uuid;

use super::document::Item;
use super::head::Texts;
use super::import::{apply, document};
use super::row::{Known, Outcome, Row};

fn article(sku: Option<&str>, description: Option<&str>, quantity: i64) -> Item {
    Item {
        item_number: String::new(),
        sku: sku.map(str::to_owned),
        description: description.map(str::to_owned),
        unit: None,
        quantity,
        weight_grams: None,
        barcode: None,
    }
}

/// Returns a line without an item number, at this place of its delivery in the file.
fn at(place: u32, item: Item) -> Row {
    Row {
        line: place + 1,
        id: "DR-1".into(),
        shipmentnumber: "S-1".into(),
        customername: "Aling Nena Store".into(),
        customer_email: None,
        scheduledatetime: DateTime::from_timestamp(1_800_000_000, 0).unwrap(),
        trucker: None,
        customeraddress: None,
        texts: Texts::default(),
        priority: None,
        time_window_start: None,
        time_window_end: None,
        item: Some(Item { item_number: place.to_string(), ..item }),
        item_number_given: false,
        document_incomplete: false,
        refused: None,
    }
}

fn sku(sku: &str, quantity: i64) -> Item {
    article(Some(sku), None, quantity)
}

fn upload(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// Imports one file, and leaves `known` as a later file would find it.
fn import(known: &mut Option<Known>, number: u128, rows: &[Row]) -> Vec<Outcome> {
    let outcomes = rows.iter().map(|row| apply(known, row, upload(number))).collect();
    if let Some(it) = known {
        (it.write, it.seen) = (None, false);
        for item in it.items.values_mut() {
            (item.write, item.seen) = (None, false);
        }
    }
    outcomes
}

/// Returns number, article and quantity of each item.
fn items(known: &Option<Known>) -> Vec<(String, String, i64)> {
    let items = known.as_ref().unwrap().items.values().map(|it| it.item.clone());
    items.map(|it| (it.item_number, it.sku.or(it.description).unwrap_or_default(), it.quantity)).collect()
}

fn code(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Refused { code, .. } => code,
        other => panic!("{other:?} is no refusal"),
    }
}

/// The second line of four was refused; the corrected file contains only that line.
#[test]
fn a_mended_line_alone_becomes_an_item_of_its_own() {
    let mut known = None;
    import(&mut known, 1, &[at(1, sku("S1", 5)), at(3, sku("S3", 7)), at(4, sku("S4", 9))]);
    assert_eq!(import(&mut known, 2, &[at(1, sku("S2", 6))]), [Outcome::Updated]);
    let wanted = [("1", "S1", 5), ("2", "S2", 6), ("3", "S3", 7), ("4", "S4", 9)];
    assert_eq!(items(&known), wanted.map(|(number, sku, quantity)| (number.into(), sku.into(), quantity)));
    assert_eq!(import(&mut known, 3, &[at(1, sku("S2", 6))]), [Outcome::Skipped], "and once");
}

#[test]
fn a_line_updates_the_item_of_its_article_wherever_it_stands() {
    let mut known = None;
    import(&mut known, 1, &[at(1, sku("S1", 5)), at(2, sku("S2", 6))]);
    let described = article(Some(" s2 "), Some("Rice"), 8);
    assert_eq!(import(&mut known, 2, &[at(1, described)]), [Outcome::Updated]);
    assert_eq!(items(&known), [("1".into(), "S1".into(), 5), ("2".into(), " s2 ".into(), 8)]);
    // The two match by description, as one of them has no SKU; omitted fields stay.
    assert_eq!(import(&mut known, 3, &[at(1, article(None, Some("rice"), 9))]), [Outcome::Updated]);
    assert_eq!(items(&known)[1].1, " s2 ");
    assert_eq!(known.unwrap().items["2"].item.quantity, 9);
}

/// One file has é as one character, the other as e with a combining accent.
#[test]
fn an_article_is_the_same_however_its_letters_are_composed() {
    let mut known = None;
    import(&mut known, 1, &[at(1, article(None, Some("Caf\u{e9}"), 5)), at(2, sku("S2", 6))]);
    let again = [at(1, article(None, Some("CAFE\u{301}"), 7))];
    assert_eq!(import(&mut known, 2, &again), [Outcome::Updated]);
    assert_eq!(known.unwrap().items.len(), 2);
}

#[test]
fn a_line_that_could_be_two_items_is_refused() {
    let mut known = None;
    let twice = [at(1, sku("S1", 5)), at(2, sku("S1", 6))];
    assert_eq!(import(&mut known, 1, &twice), [Outcome::Created, Outcome::Created]);
    let before = items(&known);
    assert_eq!(import(&mut known, 2, &twice), [Outcome::Skipped, Outcome::Skipped]);
    let refused = import(&mut known, 3, &[at(1, sku("S1", 7))]);
    assert_eq!(code(&refused[0]), "ITEM_NOT_IDENTIFIED");
    let Outcome::Refused { text, .. } = &refused[0] else { unreachable!() };
    assert_eq!(text, "DR-1 has 2 items with S1. Add an item number to say which one this line is");
    assert_eq!(items(&known), before, "nothing was overwritten");
    // Among items of one SKU, the description decides. If it cannot, only a single remaining item is taken.
    let mut known = None;
    let red = article(Some("S1"), Some("Red"), 5);
    let blue = article(Some("S1"), Some("Blue"), 5);
    import(&mut known, 1, &[at(1, red), at(2, blue)]);
    let more = article(Some("S1"), Some("Blue"), 9);
    assert_eq!(import(&mut known, 2, &[at(1, more)]), [Outcome::Updated]);
    assert_eq!(known.as_ref().unwrap().items["2"].item.quantity, 9);
    let rest = [at(1, article(Some("S1"), Some("Blue"), 9)), at(2, sku("S1", 4))];
    assert_eq!(import(&mut known, 3, &rest), [Outcome::Skipped, Outcome::Updated]);
    assert_eq!(known.unwrap().items["1"].item.quantity, 4);
}

#[test]
fn a_line_that_names_nothing_matches_no_item() {
    let nameless = |quantity| article(None, None, quantity);
    let mut known = None;
    let file = [at(1, nameless(5)), at(2, nameless(6))];
    assert_eq!(import(&mut known, 1, &file), [Outcome::Created, Outcome::Created]);
    assert_eq!(import(&mut known, 2, &file), [Outcome::Skipped, Outcome::Skipped]);
    assert_eq!(code(&import(&mut known, 3, &[at(1, nameless(7))])[0]), "ITEM_NOT_IDENTIFIED");
    let mut named = None;
    import(&mut named, 1, &[at(1, sku("S1", 5))]);
    assert_eq!(code(&import(&mut named, 2, &[at(1, nameless(5))])[0]), "ITEM_NOT_IDENTIFIED");
}

/// A line with an item number always means that item. If its article is another one, the item's old texts are
/// replaced.
#[test]
fn a_given_number_says_which_item_it_is() {
    let given = |item: Item| Row { item_number_given: true, ..at(1, item) };
    let mut known = None;
    import(&mut known, 1, &[given(article(Some("S1"), Some("Rice"), 5))]);
    assert_eq!(import(&mut known, 2, &[given(sku("s1", 5))]), [Outcome::Updated], "another spelling");
    assert_eq!(known.as_ref().unwrap().items["1"].item.description.as_deref(), Some("Rice"));
    assert_eq!(import(&mut known, 3, &[given(sku("S2", 5))]), [Outcome::Updated]);
    let item = &known.unwrap().items["1"].item;
    assert_eq!((item.sku.as_deref(), item.description.as_deref()), (Some("S2"), None));
}

#[test]
fn the_same_line_twice_in_one_file_is_one_item() {
    let mut known = None;
    let twice = [at(1, sku("S1", 5)), at(1, sku("S1", 5))];
    assert_eq!(import(&mut known, 1, &twice), [Outcome::Created, Outcome::Skipped]);
    assert_eq!(known.unwrap().items.len(), 1);
}

fn together(known: &mut Option<Known>, number: u128, rows: &[Row], whole: bool) -> Vec<Outcome> {
    document(known, &rows.iter().collect::<Vec<_>>(), upload(number), whole)
}

fn contradicting() -> [Row; 3] {
    let bad = Row { customername: "Another Store".into(), ..at(2, sku("S2", 6)) };
    [at(1, sku("S1", 5)), bad, at(3, sku("S3", 7))]
}

#[test]
fn a_whole_document_falls_with_one_of_its_lines() {
    let mut known = None;
    let outcomes = together(&mut known, 1, &contradicting(), true);
    assert_eq!(
        outcomes.iter().map(code).collect::<Vec<_>>(),
        ["DOCUMENT_REFUSED", "LINES_CONTRADICT", "DOCUMENT_REFUSED"]
    );
    let Outcome::Refused { text, .. } = &outcomes[2] else { unreachable!() };
    assert_eq!(text, "row 3 of this document was refused");
    assert!(known.is_none(), "nothing of it is left");
}

#[test]
fn a_document_that_came_in_part_is_marked_until_the_rest_came() {
    let mut known = None;
    let outcomes = together(&mut known, 1, &contradicting(), false);
    assert_eq!((&outcomes[0], code(&outcomes[1])), (&Outcome::Created, "LINES_CONTRADICT"));
    assert_eq!(known.as_ref().unwrap().incomplete, Some(upload(1)));
    // Further lines of the same file keep the mark of an incomplete import; another file clears it.
    together(&mut known, 1, &[at(4, sku("S4", 1))], false);
    assert_eq!(known.as_ref().unwrap().incomplete, Some(upload(1)));
    together(&mut known, 2, &[at(1, sku("S2", 6))], true);
    assert_eq!(known.as_ref().unwrap().incomplete, None);
    // A line that the upload service refused makes the import incomplete, too.
    let rows = [Row { document_incomplete: true, ..at(1, sku("S1", 5)) }];
    together(&mut known, 3, &rows, false);
    assert_eq!(known.unwrap().incomplete, Some(upload(3)));
    // A file without any accepted line leaves the mark of an incomplete import unchanged.
    let mut known = None;
    together(&mut known, 1, &[at(1, sku("S1", 5))], false);
    let refused = Outcome::Refused { column: "Driver ID", code: "DRIVER_UNKNOWN", text: String::new() };
    together(&mut known, 2, &[Row { refused: Some(refused), ..at(2, sku("S2", 6)) }], false);
    assert_eq!(known.unwrap().incomplete, None);
}

#[test]
fn a_delivery_has_as_many_items_as_can_be_entered_and_counted() {
    let mut known = None;
    let rows: Vec<Row> = (1..=limits::ITEMS as u32 + 1).map(|n| at(n, sku(&format!("S{n}"), 1))).collect();
    let outcomes = together(&mut known, 1, &rows, false);
    assert_eq!(code(outcomes.last().unwrap()), "TOO_MANY_ITEMS");
    assert_eq!(known.as_ref().unwrap().items.len(), limits::ITEMS);
    assert!(outcomes[..limits::ITEMS].iter().all(|it| *it == Outcome::Created));
    let mut known = None;
    together(&mut known, 1, &rows, true);
    assert!(known.is_none());
}
