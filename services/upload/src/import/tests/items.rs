//! Deliveries on one sheet and their items on another.

use ::store::{Db, on_both};
use proto::upload::v1::*;
use uuid::Uuid;

use super::books::{Sheet, ods, xlsx};
use super::columns::ask;
use super::world::World;
use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::file::layout::{ItemsSheet, Layout};
use crate::file::{self, Limits};

const HEADER: [&str; 4] = ["Delivery Doc", "Shipment no.", "Customer Name", "Delivery Date"];
const FIELDS: [&str; 4] = ["delivery_id", "shipmentnumber", "customername", "scheduledate"];
const LINES_HEADER: [&str; 5] = ["SKU", "Plate", "DR No", "Line No.", "Qty"];
const LINES_FIELDS: [&str; 5] = ["sku", "", "delivery_id", "item_number", "quantity"];

/// The second and third delivery have no items; the third has no customer. The last item has no delivery.
const SHEETS: [Sheet<'_>; 3] = [
    (
        "Orders",
        &[
            &["Week 14"],
            &HEADER,
            &["A", "S-1", "Acme", "25/04/2026"],
            &["B", "S-1", "Acme", "03/04/2026"],
            &["C", "S-1", "", "03/04/2026"],
        ],
    ),
    (
        "Lines",
        &[
            &LINES_HEADER,
            &["X", "", "A", "10", "1,5"],
            &["Y", "", " a ", "20", "2"],
            &["X", "ABC-1", "D", "10", "3", "a side note"],
        ],
    ),
    ("Lists", &[&["red"], &["blue"]]),
];
/// Added to the numbers of rows of the deliveries' sheet.
const DELIVERIES: u32 = 1 << 30;

fn decision(id: Uuid, items: Option<&[&str]>) -> SaveMappingRequest {
    let names = |fields: &[&str]| fields.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let items = items.map(|fields| UploadItemsSheet {
        sheet: "Lines".to_owned(),
        header_line: 1,
        fields: names(fields),
    });
    SaveMappingRequest {
        id: id.to_string(),
        header_line: 2,
        fields: names(&FIELDS),
        items,
        ..Default::default()
    }
}

impl World {
    /// Returns line, delivery, item number and quantity of the rows that deliveries accepted last.
    fn sent_items(&self) -> Vec<(u32, String, String, i64)> {
        let request = self.deliveries.requests().pop().unwrap();
        let row = |row: proto::deliveries::v1::ImportRow| {
            let item = row.item.unwrap_or_default();
            (row.line, row.delivery_id, item.item_number, item.quantity_thousandths)
        };
        request.rows.into_iter().map(row).collect()
    }

    async fn waits_for_columns(&self, id: Uuid) -> bool {
        assert!(self.attempt().await);
        self.log(id).await.status == Status::NeedsMapping
    }
}

fn item(line: u32, delivery: &str, number: &str, quantity: i64) -> (u32, String, String, i64) {
    (line, delivery.to_owned(), number.to_owned(), quantity)
}

async fn join(db: Db, name: &str, bytes: Vec<u8>) {
    let world = World::open(&db).await;
    let id = world.upload_bytes(name, bytes.clone()).await;
    assert!(world.waits_for_columns(id).await, "the items would be left out without a word");
    let shown = world.shown(ask(id)).await.unwrap();
    let items = shown.items.unwrap();
    assert_eq!((items.sheet.as_str(), items.header_line, items.row_count), ("Lines", 1, 3));
    assert_eq!(items.chosen, LINES_FIELDS);
    let examples = shown.readings.iter().map(|it| (it.heading.as_str(), it.reading())).collect::<Vec<_>>();
    let read = (UploadColumnReading::DayFirst, UploadColumnReading::DecimalComma);
    assert_eq!(examples, [("Delivery Date", read.0), ("Qty", read.1)], "{name}");
    let first = shown.first_row.unwrap();
    let texts: Vec<_> = first.values.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(
        (first.line, texts),
        (2, vec!["A", "S-1", "Acme", "April 25, 2026", "10", "X", "1.5"]),
        "{name}"
    );

    // A choice that says nothing about what joins them cannot be carried out.
    let unjoined = world.save(decision(id, Some(&["sku", "", "", "item_number", "quantity"]))).await;
    assert!(unjoined.unwrap_err().message.contains("holds the Delivery Doc"));
    world.save(decision(id, Some(&LINES_FIELDS))).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors, "{:?}", world.log(id).await);
    let sent = [item(2, "A", "10", 1_500), item(3, "A", "20", 2_000), item(DELIVERIES + 4, "B", "", 0)];
    assert_eq!(world.sent_items(), sent, "{name}");
    let codes = ["HEADING_NOT_USED", "SHEET_NOT_READ", "ITEM_WITHOUT_DELIVERY"];
    assert_eq!(world.warnings(id).await, codes, "{name}");

    let refused = world.listed(id).await;
    let places: Vec<_> = refused.iter().map(|it| (it.sheet.as_deref().unwrap(), it.sheet_row)).collect();
    assert_eq!(places, [("Lines", 4), ("Orders", 5)], "{name}");
    assert_eq!(refused[0].cells, ["D", "", "", "", "X", "ABC-1", "10", "3"], "{name}");
    let [line, order] = [refused[0].row_number, refused[1].row_number];
    let cells = [(line, 1, "S-1"), (line, 2, "Acme"), (line, 3, "03/04/2026"), (order, 2, "Acme")];
    assert_eq!(world.correct(id, &cells).await.unwrap(), 4);
    world.import_corrected(id).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported, "{name}");
    assert_eq!(world.sent_items(), [item(4, "D", "10", 3_000), item(DELIVERIES + 5, "C", "", 0)], "{name}");

    // The next file with these sheets needs no decision; one without the items does.
    let id = world.upload_bytes(name, bytes).await;
    assert!(!world.waits_for_columns(id).await);
    assert_eq!(world.sent_items(), sent, "{name}");
}

on_both!(items_on_a_second_sheet_are_joined, Migrator, |db: Db| async move {
    join(db, "a.xlsx", xlsx(&SHEETS)).await;
});

on_both!(items_on_a_second_sheet_of_an_opendocument_file_are_joined, Migrator, |db: Db| async move {
    join(db, "a.ods", ods(&SHEETS)).await;
});

#[test]
fn what_cannot_be_joined_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), xlsx(&SHEETS)).unwrap();
    let columns = |fields: &[&str]| fields.iter().map(|name| Some((*name).to_owned())).collect();
    let layout = |sheet: &str, header_line| Layout {
        header_line: 2,
        columns: columns(&FIELDS),
        sheet: None,
        chosen: Default::default(),
        defaults: Default::default(),
        items: Some(ItemsSheet {
            sheet: sheet.to_owned(),
            header_line,
            columns: columns(&LINES_FIELDS),
            fingerprint: String::new(),
        }),
    };
    let open = |limits: &Limits, layout: &Layout| {
        file::open_as(file.path(), "a.xlsx", limits, Some(layout)).map_or_else(|error| error.code, |_| "")
    };
    let small = Limits { max_kept_bytes: 1_500, ..Limits::default() };
    assert_eq!(open(&Limits::default(), &layout("Lines", 1)), "");
    assert_eq!(open(&small, &layout("Lines", 1)), "FILE_TOO_COMPLEX", "deliveries are kept in memory");
    assert_eq!(open(&Limits { max_rows: 2, ..Limits::default() }, &layout("Lines", 1)), "FILE_TOO_COMPLEX");
    assert_eq!(open(&Limits::default(), &layout("Articles", 1)), "ITEMS_SHEET_MISSING");
    assert_eq!(open(&Limits::default(), &layout("Lines", 9)), "ITEMS_SHEET_MISSING");
    let unjoined = Layout {
        items: layout("Lines", 1).items.map(|items| ItemsSheet { columns: Vec::new(), ..items }),
        ..layout("Lines", 1)
    };
    assert_eq!(open(&Limits::default(), &unjoined), "ITEMS_WITHOUT_DOCUMENT");
}

on_both!(a_file_that_lost_its_items_waits_and_items_can_be_left_out, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let both = xlsx(&SHEETS);
    let id = world.upload_bytes("a.xlsx", both.clone()).await;
    assert!(world.waits_for_columns(id).await);
    // A choice is kept as it is made, also the one against the proposed sheet.
    let draft = SaveMappingRequest { draft: true, ..decision(id, None) };
    world.save(draft).await.unwrap();
    assert_eq!(world.shown(ask(id)).await.unwrap().items, None);
    let items = Some(UploadItemsSheet { sheet: "Lines".to_owned(), ..UploadItemsSheet::default() });
    let asked =
        GetMappingRequest { items, fields: FIELDS.map(str::to_owned).to_vec(), header_line: 2, ..ask(id) };
    assert_eq!(world.shown(asked).await.unwrap().items.unwrap().chosen, LINES_FIELDS);
    world.save(decision(id, Some(&LINES_FIELDS))).await.unwrap();
    assert!(world.attempt().await);

    // What was chosen for these columns isn't used for others.
    let rows: &[&[&str]] = &[&["Plate", "SKU", "DR No", "Line No.", "Qty"], &["ABC-1", "X", "A", "10", "1"]];
    let id = world.upload_bytes("moved.xlsx", xlsx(&[SHEETS[0], ("Lines", rows)])).await;
    assert!(world.waits_for_columns(id).await);
    let proposed = world.shown(ask(id)).await.unwrap().items.unwrap().chosen;
    assert_eq!(proposed, ["", "sku", "delivery_id", "item_number", "quantity"]);

    let id = world.upload_bytes("b.xlsx", xlsx(&[SHEETS[0], SHEETS[2]])).await;
    assert!(world.waits_for_columns(id).await);
    assert_eq!(world.shown(ask(id)).await.unwrap().items, None);
    world.save(decision(id, None)).await.unwrap();
    assert!(world.attempt().await);

    // Somebody decided against items, so nobody is asked again.
    let id = world.upload_bytes("c.xlsx", both).await;
    assert!(!world.waits_for_columns(id).await);
    assert_eq!(world.sent_items(), [item(3, "A", "", 0), item(4, "B", "", 0)]);
    let codes = ["FILE_IMPORTED_BEFORE", "SHEET_NOT_READ", "SHEET_NOT_READ"];
    assert_eq!(world.warnings(id).await, codes);
});

// The column of SKUs is left out, and another one is used.
on_both!(the_download_of_joined_sheets_is_read_as_they_were, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_bytes("a.xlsx", xlsx(&SHEETS)).await;
    assert!(world.waits_for_columns(id).await);
    let fields = ["", "sku", "delivery_id", "item_number", "quantity"];
    world.save(decision(id, Some(&fields))).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
    let headings = world.log(id).await.headings.unwrap().0.join(",");
    let row = "D,S-1,Acme,2026-04-03,X,ABC-1,10,3,Lines 4,Correct it.";
    let id = world.upload("b.csv", &format!("{headings},Refused row,Refused because\n{row}\n")).await;
    assert!(!world.waits_for_columns(id).await);
    let sent = world.deliveries.requests().pop().unwrap().rows.remove(0).item.unwrap();
    assert_eq!((sent.sku.as_deref(), sent.quantity_thousandths), (Some("ABC-1"), 3_000));
});
