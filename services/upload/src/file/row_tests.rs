use super::*;
use chrono::NaiveDateTime;
use proptest::prelude::*;

const HEADER: [&str; 21] = [
    "Delivery Doc",
    "Shipment no.",
    "Customer Name",
    "Dispatch Date and Time",
    "Item Number",
    "SKU",
    "Description",
    "Unit",
    "Quantity",
    "Weight (kg)",
    "Barcode",
    "Customer Email",
    "Contact Phone",
    "Instructions",
    "Priority",
    "Time Window Start",
    "Time Window End",
    "Trucker",
    "Dispatch Time",
    "Driver ID",
    "Reference Doc",
];

fn context() -> RowContext {
    let columns = Columns::undecided(DateOrder::Mdy);
    RowContext { timezone: chrono_tz::Asia::Manila, columns, earliest: None }
}

/// Checks a good row of a delivery without an item, after changing these cells.
fn checked(changes: &[(&str, Cell)]) -> Result<ImportRow, Vec<Message>> {
    let header: Vec<String> = HEADER.iter().map(|h| (*h).to_owned()).collect();
    let mapping = Mapping::new(&header, 1).unwrap();
    let mut cells = vec![Cell::Empty; HEADER.len()];
    let good = ["D-1", "S-1", "Peña", "2026-03-04 08:30"];
    for (cell, text) in cells.iter_mut().zip(good) {
        *cell = Cell::Text(text.to_owned());
    }
    for (name, cell) in changes {
        let index = HEADER.iter().position(|h| h == name).unwrap();
        cells[index] = cell.clone();
    }
    check(&RawRow { line: 7, cells }, &mapping, &context())
}

fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

fn codes(changes: &[(&str, Cell)]) -> Vec<(String, &'static str)> {
    checked(changes).unwrap_err().into_iter().map(|m| (m.column.unwrap_or_default(), m.code)).collect()
}

/// Changes one column; returns the only error code that results.
fn code(column: &str, cell: Cell) -> &'static str {
    let codes = codes(&[(column, cell)]);
    assert_eq!(codes.len(), 1, "{codes:?}");
    assert_eq!(codes[0].0, column);
    codes[0].1
}

fn when(text: &str) -> Cell {
    Cell::DateTime(NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap())
}

#[test]
fn the_least_and_the_most() {
    let row = checked(&[]).unwrap();
    assert_eq!((row.line, row.delivery_id.as_str(), row.item), (7, "D-1", None));
    assert_eq!(row.scheduledatetime.unwrap().seconds, 1_772_584_200);
    assert_eq!((row.trucker, row.priority), (None, None));

    let row = checked(&[
        ("Delivery Doc", Cell::Number(80_001_234.0)),
        ("Customer Name", text("  Peña\u{a0}")),
        ("Dispatch Date and Time", when("2026-03-04 08:30")),
        ("Item Number", Cell::Number(10.0)),
        ("SKU", Cell::Number(123_456_789_012.0)),
        ("Description", text("two\r\nlines")),
        ("Quantity", Cell::Number(12.345)),
        ("Weight (kg)", text("1,5")),
        ("Customer Email", text("a.b+c@mail.example.ph")),
        ("Contact Phone", Cell::Number(639_171_234_567.0)),
        ("Instructions", text("gate 1\rgate 2")),
        ("Priority", text("HIGH")),
        ("Time Window Start", text("9:00")),
        ("Time Window End", when("2026-03-05 17:00")),
        ("Trucker", Cell::Bool(true)),
    ])
    .unwrap();
    assert_eq!(row.delivery_id, "80001234");
    assert_eq!(row.customername, "Peña");
    assert_eq!(row.scheduledatetime.unwrap().seconds, 1_772_584_200);
    assert_eq!(row.contact_phone.as_deref(), Some("639171234567"));
    assert_eq!(row.instructions.as_deref(), Some("gate 1\ngate 2"));
    assert_eq!(row.priority, Some(3));
    assert_eq!(row.time_window_start.unwrap().seconds, 1_772_584_200 + 1800);
    assert_eq!(row.time_window_end.unwrap().seconds, 1_772_584_200 + 32 * 3600 + 1800);
    assert_eq!(row.trucker.as_deref(), Some("TRUE"));
    let item = row.item.unwrap();
    assert_eq!(item.item_number, "10");
    assert_eq!(item.sku.as_deref(), Some("123456789012"));
    assert_eq!(item.description.as_deref(), Some("two\nlines"));
    assert_eq!((item.quantity_thousandths, item.weight_grams), (12_345, Some(1_500)));
}

#[test]
fn an_item_is_what_names_or_counts_something() {
    assert_eq!(checked(&[("Unit", text("box"))]).unwrap().item, None);
    for column in ["Item Number", "SKU", "Description", "Barcode"] {
        assert_eq!(codes(&[(column, text("x"))]), [("Quantity".to_owned(), "REQUIRED")]);
    }
    assert!(checked(&[("Quantity", text("'+5"))]).is_ok(), "as an export writes it");
    let item = checked(&[("Quantity", Cell::Number(0.0))]).unwrap().item.unwrap();
    assert_eq!((item.item_number.as_str(), item.quantity_thousandths), ("", 0));
}

#[test]
fn everything_wrong_is_told_at_once() {
    let found = codes(&[
        ("Delivery Doc", Cell::Empty),
        ("Customer Name", text(" \u{a0}\n")),
        ("Dispatch Date and Time", text("soon")),
        ("Quantity", text("many")),
        ("Priority", text("ASAP")),
        ("Customer Email", text("x@y")),
    ]);
    let expected = [
        ("Delivery Doc", "REQUIRED"),
        ("Customer Name", "REQUIRED"),
        ("Dispatch Date and Time", "TIME_NOT_UNDERSTOOD"),
        ("Customer Email", "EMAIL_NOT_VALID"),
        ("Priority", "PRIORITY_UNKNOWN"),
        ("Quantity", "NUMBER_NOT_UNDERSTOOD"),
    ];
    assert_eq!(found, expected.map(|(c, k)| (c.to_owned(), k)));
}

#[test]
fn codes_that_a_spreadsheet_spoiled() {
    for spoiled in ["8.00012E+11", "8,00012E+11", "8E+11", "4.80652e-10"] {
        assert_eq!(code("Delivery Doc", text(spoiled)), "LOOKS_ROUNDED");
        assert_eq!(code("Contact Phone", text(spoiled)), "LOOKS_ROUNDED");
    }
    for fine in ["12E5", "E+11", "1E+", "8.E+11", "80E-B"] {
        assert!(checked(&[("Delivery Doc", text(fine))]).is_ok(), "{fine}");
    }
    assert_eq!(code("Delivery Doc", Cell::Number(1e15)), "LOOKS_ROUNDED");
    assert_eq!(code("Reference Doc", when("2026-03-04 00:00")), "LOOKS_LIKE_DATE");
    assert_eq!(code("Trucker", text("#REF!")), "CELL_ERROR");
    assert_eq!(code("Trucker", text("Err:502")), "CELL_ERROR");
    assert_eq!(code("Dispatch Date and Time", text("########")), "CELL_ERROR");
    assert!(checked(&[("Trucker", text("#1 Movers"))]).is_ok());
}

#[test]
fn texts() {
    assert_eq!(code("Delivery Doc", text(&"x".repeat(65))), "TOO_LONG");
    assert!(checked(&[("Delivery Doc", text(&"ñ".repeat(64)))]).is_ok());
    assert_eq!(code("Instructions", text(&"x".repeat(2001))), "TOO_LONG");
    for bad in ["a\nb", "a\tb", "a\u{7}b", "a\u{85}b", "a\u{202e}b"] {
        assert_eq!(code("Customer Name", text(bad)), "CONTROL_CHARACTER", "{bad:?}");
    }
    assert_eq!(code("Trucker", text("a\u{200b}b")), "CONTROL_CHARACTER");
    assert!(checked(&[("Instructions", text("a\n\tb"))]).is_ok());
    assert_eq!(code("Instructions", text("a\0b")), "CONTROL_CHARACTER");
    assert_eq!(code("Customer Name", text("Pe\u{fffd}a")), "CHARACTER_UNREADABLE");
    for bad in
        ["a", "a@b", "@b.c", "a b@c.d", "a@b.c,d@e.f", "a@b..c", "a@-b.c", ".a@b.c", "a@@b.c", "A <a@b.c>"]
    {
        assert_eq!(code("Customer Email", text(bad)), "EMAIL_NOT_VALID", "{bad}");
    }
}

#[test]
fn identifiers_lose_invisible_characters() {
    let row = checked(&[
        ("Delivery Doc", text("\u{202a}D-10\u{ad}01 \u{200e}")),
        ("Shipment no.", text("S-1\u{3164}")),
        ("Customer Name", text("\u{feff}می\u{200c}خواهم\u{200f}")),
        ("Driver ID", text("\u{200e}")),
        ("Item Number", text("1\u{2060}")),
        ("Quantity", text("1")),
    ])
    .unwrap();
    assert_eq!((row.delivery_id.as_str(), row.shipmentnumber.as_str()), ("D-1001", "S-1"));
    assert_eq!((row.customername.as_str(), row.driver_id), ("می\u{200c}خواهم", None));
    assert_eq!(row.item.unwrap().item_number, "1");
    assert_eq!(code("Delivery Doc", text("\u{200e}")), "REQUIRED");
}

#[test]
fn numbers() {
    for (bad, expected) in [
        (text("ten"), "NUMBER_NOT_UNDERSTOOD"),
        (text("1,234"), "NUMBER_AMBIGUOUS"),
        (text("-1"), "NUMBER_NEGATIVE"),
        (Cell::Number(-1.0), "NUMBER_NEGATIVE"),
        (Cell::Number(1.000_000_001e9), "NUMBER_TOO_LARGE"),
        (Cell::Number(1e300), "NUMBER_TOO_LARGE"),
        (Cell::Number(1.2345), "NUMBER_TOO_MANY_DECIMALS"),
        (when("2026-03-04 00:00"), "NUMBER_NOT_UNDERSTOOD"),
        (Cell::Bool(true), "NUMBER_NOT_UNDERSTOOD"),
        (text("#DIV/0!"), "CELL_ERROR"),
    ] {
        assert_eq!(code("Quantity", bad.clone()), expected, "{bad:?}");
    }
    let item = checked(&[("Quantity", Cell::Number(0.1 + 0.2)), ("Weight (kg)", Cell::Number(3.333_35))]);
    let item = item.unwrap().item.unwrap();
    assert_eq!((item.quantity_thousandths, item.weight_grams), (300, Some(3_333)));
}

#[test]
fn times_of_two_columns_and_windows() {
    let at = |date: Cell, time: Cell| {
        checked(&[("Dispatch Date and Time", date), ("Dispatch Time", time)])
            .map(|row| row.scheduledatetime.unwrap().seconds - 1_772_584_200)
            .map_err(|m| (m[0].column.clone().unwrap(), m[0].code))
    };
    assert_eq!(at(text("3/4/2026"), text("8:30 AM")), Ok(0));
    assert_eq!(at(when("2026-03-04 00:00"), when("1899-12-31 08:31")), Ok(60));
    assert_eq!(at(Cell::Number(46_085.0), Cell::Number(0.354_166_666_7)), Ok(0));
    assert_eq!(at(Cell::Number(20_260_304.0), text("8:30 AM")), Ok(0));
    assert_eq!(at(text("20260304"), text("8:30 AM")), Ok(0));
    // A cell with both date and time needs no other column.
    assert_eq!(at(when("2026-03-04 08:30"), text("17:00")), Ok(0));
    // The time's own offset counts, here half past midnight in UTC.
    assert_eq!(at(text("3/4/2026"), text("00:30Z")), Ok(0));
    assert_eq!(at(text("3/4/2026"), text("09:30+09:00")), Ok(0));
    assert_eq!(at(text("3/4/2026"), text("later")), Err(("Dispatch Time".into(), "TIME_NOT_UNDERSTOOD")));
    assert_eq!(code("Dispatch Date and Time", text("8:30")), "TIME_NOT_UNDERSTOOD");
    assert_eq!(code("Dispatch Date and Time", Cell::Number(5.0)), "TIME_NOT_UNDERSTOOD");
    assert_eq!(code("Dispatch Date and Time", Cell::Bool(true)), "TIME_NOT_UNDERSTOOD");
    assert_eq!(code("Dispatch Date and Time", when("1926-03-04 08:30")), "TIME_OUT_OF_RANGE");
    let window = [("Time Window Start", text("17:00")), ("Time Window End", text("9:00"))];
    assert_eq!(codes(&window), [("Time Window End".to_owned(), "WINDOW_REVERSED")]);
    for range in ["08:00 - 12:00", "08:00-12:00", "08:00-12", "8AM-10", "8am - 12", "08:00 \u{2013} 12:00"] {
        assert_eq!(code("Time Window Start", text(range)), "TIME_NOT_UNDERSTOOD", "{range}");
    }

    let header = ["Delivery Doc", "Shipment", "Customer", "Delivery Date", "Delivery Time"];
    let mapping = Mapping::new(&header.map(str::to_owned), 1).unwrap();
    let cells = ["1", "2", "3", "4-Mar-2026", "08:30"].map(text).to_vec();
    let row = check(&RawRow { line: 2, cells }, &mapping, &context()).unwrap();
    assert_eq!(row.scheduledatetime.unwrap().seconds, 1_772_584_200);
    let cells = ["1", "2", "3"].map(text).to_vec();
    let messages = check(&RawRow { line: 2, cells }, &mapping, &context()).unwrap_err();
    assert_eq!(messages[0].column.as_deref(), Some("Delivery Date"));
}

#[test]
fn a_blank_time_beside_a_date_is_noticed() {
    let header = ["Delivery Doc", "Shipment", "Customer", "Delivery Date", "Delivery Time"];
    let mapping = Mapping::new(&header.map(str::to_owned), 1).unwrap();
    let lacks_in = |timezone, date: Cell, time: &str| {
        let row = RawRow { line: 2, cells: vec![text("1"), text("2"), text("3"), date, text(time)] };
        let context = RowContext { timezone, ..context() };
        let read = check(&row, &mapping, &context).unwrap();
        lacks_time(&row, &mapping, &read, &context)
    };
    let lacks = |date: &str, time: &str| lacks_in(chrono_tz::Asia::Manila, text(date), time);
    // Clocks in Cairo skip midnight on this day.
    let cairo = chrono_tz::Africa::Cairo;
    assert!(lacks_in(cairo, text("2026-04-24"), "") && lacks_in(cairo, when("2026-04-24 00:00"), ""));
    assert!(!lacks_in(cairo, text("2026-04-24"), "01:00"));
    assert!(lacks("2026-03-04", " "));
    assert!(!lacks("2026-03-04", "00:00"));
    assert!(!lacks("2026-03-04 08:30", ""));
    let mapping =
        Mapping::new(&header[..4].iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(), 1).unwrap();
    let row = RawRow { line: 2, cells: ["1", "2", "3", "2026-03-04"].map(text).to_vec() };
    let read = check(&row, &mapping, &context()).unwrap();
    assert!(!lacks_time(&row, &mapping, &read, &context()), "nobody expects a time there");
}

/// Without a column for a required field every row is refused, so the message must blame the missing column.
#[test]
fn a_field_without_a_column_is_not_called_empty() {
    let header = ["Delivery Doc", "Shipment", "Customer", "Dispatch", "SKU", "Count"];
    let mapping = Mapping::new(&header.map(str::to_owned), 1).unwrap();
    let row = RawRow { line: 2, cells: ["1", "2", "3", "2026-03-04 08:30", "X", "5"].map(text).to_vec() };
    let messages = check(&row, &mapping, &context()).unwrap_err();
    assert!(messages[0].text.contains("no column with that heading"), "{messages:?}");
}

#[test]
fn a_delivery_of_long_ago_is_refused_by_the_day_of_the_organization() {
    let header: Vec<String> = HEADER[..4].iter().map(|h| (*h).to_owned()).collect();
    let mapping = Mapping::new(&header, 1).unwrap();
    let context = RowContext { earliest: NaiveDate::from_ymd_opt(2026, 3, 4), ..context() };
    let checked = |schedule: &str| {
        let cells = ["1", "2", "3", schedule].map(text).to_vec();
        check(&RawRow { line: 2, cells }, &mapping, &context).map(|_| ()).map_err(|all| all[0].clone())
    };
    assert_eq!(checked("2026-03-04 00:00"), Ok(()));
    // The same instant in another zone.
    assert_eq!(checked("2026-03-03T16:00:00Z"), Ok(()));
    let refused = checked("2026-03-03 23:59").unwrap_err();
    assert_eq!((refused.code, refused.column.as_deref()), ("DATE_TOO_EARLY", Some("Dispatch Date and Time")));
    assert_eq!(refused.text, "Dispatch Date and Time is before 2026-03-04. Correct the date.");
    assert_eq!(checked("2026-03-03T15:59:00Z").unwrap_err().code, "DATE_TOO_EARLY");
}

#[test]
fn a_date_is_accepted_where_clocks_skip_its_midnight() {
    let header: Vec<String> = HEADER[..4].iter().map(|h| (*h).to_owned()).collect();
    let mapping = Mapping::new(&header, 1).unwrap();
    for (timezone, day) in [
        (chrono_tz::Africa::Cairo, "2026-04-24"),
        (chrono_tz::America::Santiago, "2026-09-06"),
        (chrono_tz::Asia::Beirut, "2026-03-29"),
    ] {
        let context = RowContext { timezone, earliest: day.parse().ok(), ..context() };
        let checked = |schedule: Cell| -> Result<String, &'static str> {
            let cells = vec![text("1"), text("2"), text("3"), schedule];
            let row = check(&RawRow { line: 2, cells }, &mapping, &context).map_err(|all| all[0].code)?;
            let at = row.scheduledatetime.and_then(proto::instant).unwrap().with_timezone(&timezone);
            Ok(at.format("%Y-%m-%d %H:%M").to_string())
        };
        assert_eq!(checked(text(day)), Ok(format!("{day} 01:00")), "{timezone}");
        assert_eq!(checked(when(&format!("{day} 00:00"))), Ok(format!("{day} 01:00")), "{timezone}");
        assert_eq!(checked(text(&format!("{day} 00:00"))), Err("TIME_DOES_NOT_EXIST"), "{timezone}");
    }
}

#[test]
fn a_skipped_hour_and_a_shifted_line() {
    let header: Vec<String> = HEADER[..4].iter().map(|h| (*h).to_owned()).collect();
    let mapping = Mapping::new(&header, 1).unwrap();
    let columns = Columns::undecided(DateOrder::Dmy);
    let berlin = RowContext { timezone: chrono_tz::Europe::Berlin, columns, earliest: None };
    let cells = ["1", "2", "3", "29/03/2026 02:30", " "].map(text).to_vec();
    let messages = check(&RawRow { line: 2, cells }, &mapping, &berlin).unwrap_err();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].code, "TIME_DOES_NOT_EXIST");
    let cells = ["1", "2", "Store", " Makati", "2026-03-04"].map(text).to_vec();
    let messages = check(&RawRow { line: 2, cells }, &mapping, &berlin).unwrap_err();
    assert_eq!((messages[0].code, &messages[0].column), ("TOO_MANY_CELLS", &None));
}

#[test]
fn columns_that_share_a_heading_are_told_apart() {
    let header = ["Delivery Doc", "Shipment no.", "Customer Name", "Date", "Date"].map(str::to_owned);
    let chosen = [Field::DeliveryId, Field::ShipmentNumber, Field::CustomerName].map(Some);
    let chosen = [&chosen[..], &[None, Some(Field::Schedule)]].concat();
    let mapping = Mapping::chosen(&header, &chosen, 1).unwrap();
    let cells = ["1", "2", "3", "2026-03-04", "soon"].map(text).to_vec();
    let messages = check(&RawRow { line: 2, cells }, &mapping, &context()).unwrap_err();
    assert_eq!((messages[0].column.as_deref(), messages[0].column_index), (Some("Date"), Some(4)));
}

proptest! {
    #[test]
    fn any_cells_give_a_row_or_messages(
        texts in proptest::collection::vec("\\PC{0,70}|[0-9./: -]{0,20}|[\\x00-\\x20]{0,4}", HEADER.len()),
        numbers in proptest::collection::vec(proptest::option::of(any::<f64>()), HEADER.len()),
    ) {
        let header: Vec<String> = HEADER.iter().map(|h| (*h).to_owned()).collect();
        let mapping = Mapping::new(&header, 1).unwrap();
        let cells = texts
            .into_iter()
            .zip(numbers)
            .map(|(text, number)| match number {
                Some(number) if number.is_finite() => Cell::Number(number),
                _ => Cell::text(text),
            })
            .collect();
        let row = RawRow { line: 3, cells };
        let once = check(&row, &mapping, &context());
        prop_assert_eq!(&once, &check(&row, &mapping, &context()));
        match once {
            Ok(row) => {
                prop_assert!((1..=64).contains(&row.delivery_id.chars().count()));
                prop_assert!(row.scheduledatetime.is_some());
            }
            Err(messages) => prop_assert!(!messages.is_empty()),
        }
    }
}
