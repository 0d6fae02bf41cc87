use chrono::DateTime;

use super::*;
use crate::domain::head::Texts;

fn row(line: u32, item: Option<(&str, i64)>) -> Row {
    Row {
        line,
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
        item: item.map(|(number, quantity)| Item {
            item_number: number.into(),
            sku: None,
            description: None,
            unit: None,
            quantity,
            weight_grams: None,
            barcode: None,
        }),
        item_number_given: true,
        document_incomplete: false,
        refused: None,
    }
}

fn code(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Refused { code, .. } => code,
        other => panic!("{other:?} is no refusal"),
    }
}

/// Returns the state that a later upload finds in the database.
fn stored(known: Option<Known>) -> Option<Known> {
    known.map(|mut it| {
        it.file_head = None;
        it.write = None;
        it.seen = false;
        for item in it.items.values_mut() {
            item.write = None;
            item.seen = false;
        }
        it
    })
}

/// Returns the state that a later batch of the same upload finds.
fn in_a_later_batch(known: Option<Known>) -> Option<Known> {
    stored(known).map(|it| Known { file_head: Some(it.header.clone()), ..it })
}

#[test]
fn lines_of_one_file_build_one_delivery() {
    let (mut known, upload) = (None, Uuid::from_u128(1));
    assert_eq!(apply(&mut known, &row(2, Some(("1", 5))), upload), Outcome::Created);
    assert_eq!(apply(&mut known, &row(3, Some(("2", 7))), upload), Outcome::Created);
    assert_eq!(apply(&mut known, &row(4, Some(("2", 7))), upload), Outcome::Skipped);
    assert_eq!(apply(&mut known, &row(5, None), upload), Outcome::Skipped);
    assert_eq!(known.unwrap().items.len(), 2);
}

#[test]
fn a_file_that_contradicts_itself_is_refused_there() {
    let (mut known, upload) = (None, Uuid::from_u128(1));
    apply(&mut known, &row(2, Some(("1", 5))), upload);
    assert_eq!(code(apply(&mut known, &row(3, Some(("1", 6))), upload)), "LINES_CONTRADICT");
    let mut other = row(4, Some(("2", 5)));
    other.customername = "Another Store".into();
    assert_eq!(code(apply(&mut known, &other, upload)), "LINES_CONTRADICT");
    assert_eq!(known.unwrap().items.len(), 1, "a refused line leaves nothing behind");
}

#[test]
fn a_later_line_may_fill_what_was_left_open() {
    let (mut known, upload) = (None, Uuid::from_u128(1));
    apply(&mut known, &row(2, Some(("1", 5))), upload);
    let mut fills = row(3, Some(("2", 5)));
    fills.texts.referencedoc = Some("SI-1".into());
    assert_eq!(apply(&mut known, &fills, upload), Outcome::Created);
    assert_eq!(apply(&mut known, &row(4, Some(("3", 5))), upload), Outcome::Created);
    fills.texts.referencedoc = Some("SI-2".into());
    assert_eq!(code(apply(&mut known, &fills, upload)), "LINES_CONTRADICT");
    assert_eq!(known.unwrap().header.texts.referencedoc.as_deref(), Some("SI-1"));
}

#[test]
fn a_value_of_an_earlier_file_is_no_contradiction() {
    let remark = |line, text: Option<&str>| {
        let texts = Texts { instructions: text.map(str::to_owned), ..Texts::default() };
        Row { texts, ..row(line, Some((&line.to_string(), 5))) }
    };
    let mut known = None;
    apply(&mut known, &remark(2, Some("Fragile")), Uuid::from_u128(1));
    let mut known = stored(known);
    let second = Uuid::from_u128(2);
    // The first line of the document leaves the field empty, so the stored text stays until a line has another.
    assert_eq!(apply(&mut known, &remark(2, None), second), Outcome::Skipped);
    assert_eq!(apply(&mut known, &remark(3, Some("Call first")), second), Outcome::Updated);
    assert_eq!(apply(&mut known, &remark(4, None), second), Outcome::Updated, "only its item is new");
    assert_eq!(code(apply(&mut known, &remark(5, Some("Fragile")), second)), "LINES_CONTRADICT");
    assert_eq!(known.unwrap().header.texts.instructions.as_deref(), Some("Call first"));
}

#[test]
fn the_same_file_again_changes_nothing() {
    let mut known = None;
    apply(&mut known, &row(2, Some(("1", 5))), Uuid::from_u128(1));
    let mut known = stored(known);
    assert_eq!(apply(&mut known, &row(2, Some(("1", 5))), Uuid::from_u128(2)), Outcome::Skipped);
    assert_eq!(known.unwrap().write, None);
}

#[test]
fn a_file_that_contradicts_itself_does_so_the_second_time_too() {
    let mut other = row(3, Some(("1", 5)));
    other.customername = "Another Store".into();
    let twice = row(4, Some(("1", 6)));
    let (mut known, first) = (None, Uuid::from_u128(1));
    apply(&mut known, &row(2, Some(("1", 5))), first);
    let mut known = stored(known);
    let second = Uuid::from_u128(2);
    assert_eq!(apply(&mut known, &row(2, Some(("1", 5))), second), Outcome::Skipped);
    // The result is the same when the skipped line was in an earlier batch.
    let mut known = in_a_later_batch(known);
    assert_eq!(code(apply(&mut known, &other, second)), "LINES_CONTRADICT");
    assert_eq!(code(apply(&mut known, &twice, second)), "LINES_CONTRADICT");
    let known = known.unwrap();
    assert_eq!((known.header.customername.as_str(), known.items["1"].item.quantity), ("Aling Nena Store", 5));
}

#[test]
fn a_name_in_another_spelling_is_the_same_name() {
    let texts = |driver: &str| Texts { driver_id: Some(driver.into()), ..Texts::default() };
    let first = Row {
        customername: "Café Nena".into(),
        trucker: Some("Isla Express".into()),
        customeraddress: Some("12 Mabini St".into()),
        texts: texts("D-1"),
        ..row(2, Some(("1", 5)))
    };
    let respelled = Row {
        shipmentnumber: "ｓ-1".into(),
        customername: "CAFE\u{301} NENA".into(),
        trucker: Some("ISLA EXPRESS".into()),
        texts: texts("d-1"),
        ..row(3, Some(("2", 5)))
    };
    let (mut known, upload) = (None, Uuid::from_u128(1));
    assert_eq!(apply(&mut known, &first, upload), Outcome::Created);
    let header = known.as_ref().unwrap().header.clone();
    assert_eq!(apply(&mut known, &respelled, upload), Outcome::Created, "no contradiction in one file");
    let mut known = stored(known);
    assert_eq!(apply(&mut known, &respelled, Uuid::from_u128(2)), Outcome::Skipped);
    let it = known.as_mut().unwrap();
    assert_eq!((&it.header, it.write, &it.left_shipment), (&header, None, &None));
    it.status = Status::Rejected;
    assert_eq!(apply(&mut known, &respelled, Uuid::from_u128(3)), Outcome::Skipped);
    // Other texts are compared letter by letter, and so is a name with other letters.
    for other in [
        Row { customeraddress: Some("12 mabini st".into()), ..first.clone() },
        Row { customername: "Cafe Nena".into(), ..first.clone() },
        Row { texts: texts("D-2"), ..first },
    ] {
        assert_eq!(code(apply(&mut known, &other, Uuid::from_u128(4))), "DELIVERY_MOVED_ON");
    }
}

#[test]
fn another_file_updates_while_pending() {
    let mut known = None;
    apply(&mut known, &row(2, Some(("1", 5))), Uuid::from_u128(1));
    let mut known = stored(known);
    let second = Uuid::from_u128(2);
    let mut moved = row(2, Some(("1", 6)));
    moved.shipmentnumber = "S-2".into();
    assert_eq!(apply(&mut known, &moved, second), Outcome::Updated);
    let it = known.as_ref().unwrap();
    assert_eq!(it.left_shipment.as_deref(), Some("S-1"));
    assert_eq!(it.items["1"].write, Some(Write::Update));
    // An absent field leaves existing data unchanged.
    let mut with_trucker = moved.clone();
    with_trucker.trucker = Some("Habagat".into());
    let mut known = stored(known);
    let third = Uuid::from_u128(3);
    assert_eq!(apply(&mut known, &with_trucker, third), Outcome::Updated);
    assert_eq!(apply(&mut known, &moved, third), Outcome::Skipped);
    assert_eq!(known.unwrap().header.trucker, "Habagat");
}

#[test]
fn a_delivery_that_moved_on_is_confirmed_or_refused() {
    let mut known = None;
    apply(&mut known, &row(2, Some(("1", 5))), Uuid::from_u128(1));
    let mut known = stored(known);
    if let Some(it) = &mut known {
        it.status = Status::Rejected;
    }
    let later = Uuid::from_u128(2);
    // Earlier releases dropped fractions of a second.
    let after = |milliseconds| {
        let scheduledatetime = row(2, None).scheduledatetime + chrono::TimeDelta::milliseconds(milliseconds);
        Row { scheduledatetime, ..row(2, None) }
    };
    for same in [row(2, None), row(2, Some(("1", 5))), after(123)] {
        assert_eq!(apply(&mut known, &same, later), Outcome::Skipped);
    }
    let moved = Row { shipmentnumber: "S-2".into(), ..row(2, None) };
    for other in [row(2, Some(("1", 6))), row(2, Some(("2", 5))), moved, after(1000)] {
        assert_eq!(code(apply(&mut known, &other, later)), "DELIVERY_MOVED_ON");
    }
    assert!(!known.unwrap().seen, "nothing is to be written");
}

/// Number of fields that [`drawn`] fills, and of values that each may have.
const FIELDS: usize = 15;
const VALUES: usize = 4;

/// Returns a line with one of a few values in each field of the header, which are alike but for their spelling.
fn drawn(values: [usize; FIELDS]) -> Row {
    let mut values = values.into_iter();
    let mut text = || {
        [None, Some("isla"), Some("ISLA"), Some("is\u{200b}la")][values.next().unwrap()].map(str::to_owned)
    };
    let (shipmentnumber, customername) = (text().unwrap_or_default(), text().unwrap_or_default());
    let (trucker, customeraddress) = (text(), text());
    let texts = Texts {
        driver_id: text(),
        referencedoc: text(),
        contact_name: text(),
        contact_phone: text(),
        contact_email: text(),
        instructions: text(),
        internal_note: text(),
    };
    let mut time = || {
        let milliseconds = [None, Some(0), Some(123), Some(1000)][values.next().unwrap()];
        milliseconds.map(|it| row(2, None).scheduledatetime + chrono::TimeDelta::milliseconds(it))
    };
    let scheduledatetime = time().unwrap_or_else(|| row(2, None).scheduledatetime);
    let (time_window_start, time_window_end) = (time(), time());
    let priority =
        [None, Some(Priority::Normal), Some(Priority::High), Some(Priority::High)][values.next().unwrap()];
    Row {
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        customeraddress,
        texts,
        priority,
        time_window_start,
        time_window_end,
        ..row(2, None)
    }
}

#[test]
fn a_line_that_adds_nothing_leaves_the_header_as_it_is() {
    let same = |value| drawn([value; FIELDS]);
    for (others, field) in (0..VALUES).flat_map(|others| (0..FIELDS).map(move |field| (others, field))) {
        for (first, second) in (0..VALUES).flat_map(|first| (0..VALUES).map(move |second| (first, second))) {
            let with = |value| {
                let mut values = [others; FIELDS];
                values[field] = value;
                drawn(values)
            };
            let (header, line) = (new_header(&with(first)), with(second));
            let after = merged(&header, &line);
            assert!(!adds_nothing(&header, &line) || after == header, "{header:?} {line:?}");
            assert_eq!(changed(&header, &line), (after != header).then_some(after));
        }
    }
    for value in 0..VALUES {
        let header = new_header(&same(value));
        assert!(adds_nothing(&header, &same(value)), "a repeated header is compared only");
        assert_eq!(adds_nothing(&header, &Row { texts: same(3).texts, ..same(value) }), value == 3);
    }
}

#[test]
fn a_line_that_repeats_the_header_does_what_one_in_another_spelling_does() {
    let head = Row {
        trucker: Some("Isla Express".into()),
        customeraddress: Some("12 Mabini St".into()),
        texts: Texts {
            driver_id: Some("D-1".into()),
            instructions: Some("Call first".into()),
            ..Texts::default()
        },
        ..row(2, Some(("1", 5)))
    };
    // An item that is there, a new one, one that contradicts, and none.
    let items = [Some(("1", 5)), Some(("2", 7)), Some(("1", 6)), None];
    let lines = |name: &str| {
        items.map(|item| Row { customername: name.into(), item: row(3, item).item, ..head.clone() })
    };
    let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let mut created = None;
    apply(&mut created, &head, first);
    let mut again = stored(created.clone());
    apply(&mut again, &head, second);
    let moved_on = stored(created.clone()).map(|it| Known { status: Status::Rejected, ..it });
    let later = in_a_later_batch(created.clone());
    for (known, upload) in [(created, first), (later, first), (again, second), (moved_on, second)] {
        let header = known.as_ref().unwrap().header.clone();
        let [repeated, respelled] = ["Aling Nena Store", "ALING NENA STORE"].map(lines);
        assert!(adds_nothing(&header, &repeated[0]) && !adds_nothing(&header, &respelled[0]));
        let applied = |rows: &[Row]| {
            let mut known = known.clone();
            let each = rows.iter().map(|row| (apply(&mut known, row, upload), format!("{known:?}")));
            each.collect::<Vec<_>>()
        };
        assert_eq!(applied(&repeated), applied(&respelled));
    }
}
