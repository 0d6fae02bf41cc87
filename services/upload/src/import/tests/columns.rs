//! Sheets, date orders and decimal signs that a person chooses, also when no decision is needed.

use ::store::{Db, on_both};
use kit::Error;
use kit::principal::Role;
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use uuid::Uuid;

use super::books::{Sheet, ods, xlsx};
use super::undo::by;
use super::world::World;
use crate::Migrator;
use crate::entity::upload_log::Status;

const HEADER: [&str; 5] = ["Delivery Doc", "Shipment no.", "Customer Name", "Delivery Date", "Qty"];
const FIELDS: [&str; 5] = ["delivery_id", "shipmentnumber", "customername", "scheduledate", "quantity"];
/// A second sheet with a title row, whose values show neither the date order nor the decimal sign.
const SHEETS: [Sheet<'_>; 3] = [
    ("Notes", &[&["Orders of the week"], &["Call the warehouse first"]]),
    ("Orders", &[&["Week 14"], &HEADER, &["A", "S-1", "Acme", "03/04/2026", "1,234"]]),
    ("Lists", &[&["red"], &["blue"]]),
];

fn csv(date: &str, quantity: &str) -> String {
    format!("{}\nA,S-1,Acme,{date},\"{quantity}\"\n", HEADER.join(","))
}

impl World {
    pub async fn shown(&self, request: GetMappingRequest) -> Result<UploadMapping, Error> {
        let answer = self.service().get_mapping(by("maria", Role::Dispatcher, request)).await;
        answer.map(tonic::Response::into_inner).map_err(Error::from)
    }

    pub async fn save(&self, request: SaveMappingRequest) -> Result<UploadLog, Error> {
        let answer = self.service().save_mapping(by("maria", Role::Dispatcher, request)).await;
        answer.map(tonic::Response::into_inner).map_err(Error::from)
    }

    /// Returns the warnings that people see once the import has begun.
    async fn listed_warnings(&self, id: Uuid) -> Vec<UploadWarning> {
        let request = ListUploadWarningsRequest { upload_log_id: id.to_string(), page: None };
        let answer = self.service().list_upload_warnings(by("maria", Role::Dispatcher, request)).await;
        answer.unwrap().into_inner().warnings
    }

    /// Returns day and quantity of the rows that deliveries accepted last.
    async fn sent(&self) -> Vec<(String, i64)> {
        let request = self.deliveries.requests().pop().unwrap();
        let row = |row: &proto::deliveries::v1::ImportRow| {
            let day = proto::instant(row.scheduledatetime.unwrap()).unwrap();
            (day.format("%Y-%m-%d").to_string(), row.item.as_ref().map_or(0, |it| it.quantity_thousandths))
        };
        request.rows.iter().map(row).collect()
    }
}

pub fn ask(id: Uuid) -> GetMappingRequest {
    GetMappingRequest { id: id.to_string(), ..GetMappingRequest::default() }
}

fn decision(id: Uuid, header_line: u32) -> SaveMappingRequest {
    let fields = FIELDS.map(str::to_owned).to_vec();
    SaveMappingRequest { id: id.to_string(), header_line, fields, ..SaveMappingRequest::default() }
}

async fn decide_about_the_second_sheet(db: Db, name: &str, bytes: Vec<u8>) {
    let world = World::open(&db).await;
    let id = world.upload_bytes(name, bytes).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::NeedsMapping, "{name}");
    let first = world.shown(ask(id)).await.unwrap();
    let sheets: Vec<_> =
        first.sheets.iter().map(|it| (it.name.as_str(), it.chosen, it.header_line, it.row_count)).collect();
    assert_eq!(sheets, [("Notes", true, 1, 1), ("Orders", false, 2, 1), ("Lists", false, 1, 1)], "{name}");

    let orders = GetMappingRequest { sheet: Some("Orders".to_owned()), ..ask(id) };
    let shown = world.shown(orders.clone()).await.unwrap();
    assert_eq!((shown.header_line, shown.row_count, shown.columns.len()), (2, 1, 5));
    let fields: Vec<_> = shown.columns.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, FIELDS);
    let [date, quantity] = <[_; 2]>::try_from(shown.readings).unwrap();
    assert_eq!((date.reading(), date.depends), (UploadColumnReading::MonthFirst, true));
    let example = &date.examples[0];
    let texts = [example.value.as_str(), &example.chosen, &example.other];
    assert_eq!(texts, ["03/04/2026", "March 4, 2026", "April 3, 2026"]);
    let example = &quantity.examples[0];
    assert_eq!([example.value.as_str(), &example.chosen, &example.other], ["1,234", "", "1.234"]);

    let mut other = GetMappingRequest { fields: FIELDS.map(str::to_owned).to_vec(), ..orders };
    other.set_date_order(UploadDateOrder::Dmy);
    let row = world.shown(other).await.unwrap().first_row.unwrap();
    assert_eq!((row.line, row.values[3].text.as_str()), (3, "April 3, 2026"));

    let mut decided = SaveMappingRequest { sheet: Some("Orders".to_owned()), ..decision(id, 2) };
    decided.set_date_order(UploadDateOrder::Dmy);
    decided.set_decimal_sign(UploadDecimalSign::Comma);
    let missing = SaveMappingRequest { sheet: Some("None".to_owned()), ..decided.clone() };
    assert!(world.save(missing).await.unwrap_err().message.contains("no sheet"));
    world.save(decided).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported, "{name}");
    assert_eq!(world.sent().await, [("2026-04-03".to_owned(), 1_234)], "{name}");
    // Nothing is ambiguous any more, and only the other sheets are named.
    assert_eq!(world.warnings(id).await, ["SHEET_NOT_READ", "SHEET_NOT_READ"], "{name}");

    // The decision applies to the same header, on whichever sheet it is, and even though it is known.
    let id = world.upload("b.csv", &csv("05/06/2026", "2,500")).await;
    assert!(world.attempt().await);
    assert_eq!(world.sent().await, [("2026-06-05".to_owned(), 2_500)], "{name}");
    assert_eq!(world.warnings(id).await, Vec::<String>::new());
    // Values that show another order win over a decision about another file.
    world.upload("c.csv", &csv("06/25/2026", "2.5")).await;
    assert!(world.attempt().await);
    assert_eq!(world.sent().await, [("2026-06-25".to_owned(), 2_500)], "{name}");
}

on_both!(another_sheet_is_chosen_and_read_as_somebody_decides, Migrator, |db: Db| async move {
    decide_about_the_second_sheet(db, "a.xlsx", xlsx(&SHEETS)).await;
});

on_both!(another_sheet_of_an_opendocument_file_is_chosen, Migrator, |db: Db| async move {
    decide_about_the_second_sheet(db, "a.ods", ods(&SHEETS)).await;
});

fn sheets_left_out(shown: &UploadMapping) -> Vec<&str> {
    let warnings = shown.warnings.iter().filter(|it| it.code == "SHEET_NOT_READ");
    warnings.filter_map(|it| it.text.split(['“', '”']).nth(1)).collect()
}

// The columns step lists the sheets that are left out, because another sheet can still be chosen there.
on_both!(sheets_that_are_left_out_are_named_before_columns_are_saved, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_bytes("a.xlsx", xlsx(&SHEETS)).await;
    assert!(world.attempt().await);
    assert_eq!(sheets_left_out(&world.shown(ask(id)).await.unwrap()), ["Orders", "Lists"]);
    let orders = GetMappingRequest { sheet: Some("Orders".to_owned()), ..ask(id) };
    let shown = world.shown(orders.clone()).await.unwrap();
    assert_eq!(sheets_left_out(&shown), ["Notes", "Lists"]);
    let items = Some(UploadItemsSheet { sheet: "Lists".to_owned(), ..UploadItemsSheet::default() });
    let with_items = world.shown(GetMappingRequest { items, ..orders }).await.unwrap();
    assert_eq!(sheets_left_out(&with_items), ["Notes"]);

    let mut decided = SaveMappingRequest { sheet: Some("Orders".to_owned()), ..decision(id, 2) };
    decided.set_date_order(UploadDateOrder::Dmy);
    decided.set_decimal_sign(UploadDecimalSign::Comma);
    world.save(decided).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.listed_warnings(id).await, shown.warnings, "the import gives the same ones");
});

on_both!(an_assumed_encoding_is_shown_before_columns_are_saved, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let text = csv("2026-04-03", "1").replace("Acme", "Peña");
    let utf8 = world.upload_as("a.csv", text.clone().into_bytes(), false, true).await;
    assert!(world.attempt().await);
    assert_eq!(world.shown(ask(utf8)).await.unwrap().warnings, []);

    let windows = encoding_rs::WINDOWS_1252.encode(&text).0.into_owned();
    let id = world.upload_as("b.csv", windows, false, true).await;
    assert!(world.attempt().await);
    let shown = world.shown(ask(id)).await.unwrap();
    let [warning] = shown.warnings.as_slice() else { panic!("{:?}", shown.warnings) };
    assert_eq!((warning.code.as_str(), warning.line), ("ENCODING_ASSUMED", Some(2)));
    assert!(warning.text.contains("“Peña” on line 2"), "{warning:?}");
    world.save(decision(id, 1)).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.listed_warnings(id).await, shown.warnings, "the import gives the same one");
});

// Only texts show a decimal sign; numbers of the workbook have none.
on_both!(numbers_of_a_workbook_are_shown_as_they_are_read, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let rows: [&[&str]; 4] = [
        &HEADER,
        &["A", "S-1", "Acme", "2026-04-03", "=1234.5"],
        &["B", "S-1", "Acme", "2026-04-03", "=1.234"],
        &["C", "S-1", "Acme", "2026-04-03", "12,5"],
    ];
    let id = world.upload_as("a.xlsx", xlsx(&[("Orders", &rows)]), false, true).await;
    assert!(world.attempt().await);
    let shown = world.shown(ask(id)).await.unwrap();
    let texts = |it: &UploadReadingExample| [it.value.clone(), it.chosen.clone(), it.other.clone()];
    let examples: Vec<_> = shown.readings[1].examples.iter().map(texts).collect();
    let wanted = [["12,5", "12.5", ""], ["1234.5", "1,234.5", "1,234.5"], ["1.234", "1.234", "1.234"]];
    assert_eq!(examples, wanted);
    let quantity = shown.first_row.unwrap().values.pop().unwrap();
    assert_eq!((quantity.text.as_str(), quantity.problem.as_str()), ("1,234.5", ""));

    world.save(decision(id, 1)).await.unwrap();
    assert!(world.attempt().await);
    let quantities: Vec<_> = world.sent().await.into_iter().map(|(_, quantity)| quantity).collect();
    assert_eq!(quantities, [1_234_500, 1_234, 12_500]);
});

fn default(field: &str, value: &str) -> UploadDefault {
    UploadDefault { field: field.to_owned(), value: value.to_owned() }
}

on_both!(what_a_file_lacks_is_given_for_all_rows, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file =
        |city: &str| format!("No,Run,Street,City,Qty\nA,S-1,12 Rizal St,{city},\nB,S-1,,,2\n,S-1,,,3\n");
    let id = world.upload("a.csv", &file("Makati")).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::NeedsMapping);
    let fields = ["delivery_id", "shipmentnumber", "customeraddress", "customeraddress", "quantity"];
    let fields = fields.map(str::to_owned).to_vec();
    let defaults = vec![
        default("customername", " Acme "),
        default("scheduledate", "2026-12-24"),
        default("quantity", "7"),
        default("sku", ""),
    ];
    let asked =
        GetMappingRequest { header_line: 1, fields: fields.clone(), defaults: defaults.clone(), ..ask(id) };
    let shown = world.shown(asked.clone()).await.unwrap();
    assert_eq!((shown.problem.as_str(), shown.defaults.len()), ("", 3), "an empty value is no default");
    let values: Vec<_> = shown.first_row.as_ref().unwrap().values.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(values, ["A", "S-1", "Acme", "12 Rizal St, Makati", "December 24, 2026", ""]);

    let decided = SaveMappingRequest { fields, defaults, ..decision(id, 1) };
    let with = |field: &str, value: &str| {
        let defaults = [&decided.defaults[..], &[default(field, value)]].concat();
        SaveMappingRequest { defaults, ..decided.clone() }
    };
    for (field, value) in [("scheduletime", "soon"), ("delivery_id", "A"), ("nothing", "A")] {
        let refused = world.save(with(field, value)).await.unwrap_err();
        let problem = refused.fields["defaults"].join(" ");
        let asked = GetMappingRequest { defaults: with(field, value).defaults, ..asked.clone() };
        assert_eq!(world.shown(asked).await.unwrap().problem, problem);
    }
    world.save(with("scheduletime", "08:30")).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
    let row = |row: &proto::deliveries::v1::ImportRow| {
        let at = proto::instant(row.scheduledatetime.unwrap()).unwrap().format("%d %H:%M").to_string();
        let quantity = row.item.as_ref().map(|it| it.quantity_thousandths);
        (row.customername.clone(), row.customeraddress.clone(), at, quantity)
    };
    let rows: Vec<_> = world.deliveries.requests().pop().unwrap().rows.iter().map(row).collect();
    let (acme, at) = ("Acme".to_owned(), "24 08:30".to_owned());
    let street = Some("12 Rizal St, Makati".to_owned());
    assert_eq!(rows, [(acme.clone(), street, at.clone(), None), (acme, None, at, Some(2_000))]);
    assert_eq!(world.warnings(id).await, Vec::<String>::new());
    // A refused row shows what it was given, so that its download can be imported.
    let headings = world.log(id).await.headings.unwrap().0;
    assert_eq!(headings[5..], ["Customer Name", "Dispatch Date", "Dispatch Time"]);
    let refused = world.rows(id).await.pop().unwrap();
    assert_eq!(refused.cells.unwrap().0, ["", "S-1", "", "", "3", "Acme", "2026-12-24", "08:30"]);

    // All but the date is remembered, and for the date somebody is asked.
    let id = world.upload("b.csv", &file("Cebu")).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::NeedsMapping);
    let shown = world.shown(ask(id)).await.unwrap();
    let remembered: Vec<_> = shown.defaults.iter().map(|it| (it.field.as_str(), it.value.as_str())).collect();
    assert_eq!(remembered, [("customername", "Acme"), ("quantity", "7"), ("scheduletime", "08:30")]);
    assert!(shown.columns.iter().all(|it| it.confidence() == UploadConfidence::Saved));
});

// The file's numbers have a comma, and those of the default values a point.
on_both!(a_default_number_is_read_by_itself, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = "No,Run,Who,Day,SKU,Qty,Kilos\nA,S-1,Acme,2026-12-24,S1,\"2,5\",\"2,5\"\nB,S-1,Acme,2026-12-24,S1,,\n";
    let fields =
        ["delivery_id", "shipmentnumber", "customername", "scheduledate", "sku", "quantity", "weight_kg"];
    let id = world.upload_as("a.csv", file.into(), false, true).await;
    assert!(world.attempt().await);
    let fields = fields.map(str::to_owned).to_vec();
    let defaults = vec![default("quantity", "1.5"), default("weight_kg", "1.250")];
    world.save(SaveMappingRequest { fields, defaults, ..decision(id, 1) }).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);
    let request = world.deliveries.requests().pop().unwrap();
    let items = request.rows.into_iter().map(|row| row.item.unwrap());
    let numbers: Vec<_> = items.map(|it| (it.quantity_thousandths, it.weight_grams)).collect();
    assert_eq!(numbers, [(2_500, Some(2_500)), (1_500, Some(1_250))]);
});

on_both!(unfinished_choices_are_kept_for_whoever_goes_on, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_bytes("a.xlsx", xlsx(&SHEETS)).await;
    assert!(world.attempt().await);
    let chosen = |shown: &UploadMapping| shown.chosen.iter().filter(|it| !it.is_empty()).count();
    let sheet = |shown: &UploadMapping| shown.sheets.iter().find(|it| it.chosen).unwrap().name.clone();
    let mut draft = SaveMappingRequest { sheet: Some("Orders".to_owned()), draft: true, ..decision(id, 2) };
    // Only the sheet is chosen, and fields are proposed.
    world.save(SaveMappingRequest { fields: Vec::new(), ..draft.clone() }).await.unwrap();
    let shown = world.shown(ask(id)).await.unwrap();
    assert_eq!((sheet(&shown).as_str(), shown.header_line, chosen(&shown)), ("Orders", 2, 5));

    draft.fields = ["delivery_id", "", "made up", "", "quantity", "sku"].map(str::to_owned).to_vec();
    draft.defaults = vec![default("scheduletime", "soon")];
    draft.set_date_order(UploadDateOrder::Dmy);
    assert_eq!(world.save(draft.clone()).await.unwrap().status(), UploadStatus::NeedsMapping);
    assert!(!world.attempt().await, "a draft continues nothing");
    let shown = world.shown(ask(id)).await.unwrap();
    assert_eq!(shown.chosen, ["delivery_id", "", "", "", "quantity"], "known fields of existing columns");
    assert_eq!((sheet(&shown).as_str(), shown.date_order()), ("Orders", UploadDateOrder::Dmy));
    assert_eq!(shown.defaults, draft.defaults);
    assert!(shown.problem.contains("soon"), "{}", shown.problem);
    // For another sheet, fields are proposed as if nothing had been chosen.
    let notes = GetMappingRequest { sheet: Some("Notes".to_owned()), ..ask(id) };
    assert_eq!(chosen(&world.shown(notes).await.unwrap()), 0);

    assert!(world.save(SaveMappingRequest { header_line: 99, ..draft.clone() }).await.is_err());
    let long = vec![default("trucker", &"x".repeat(501))];
    assert!(world.save(SaveMappingRequest { defaults: long, ..draft.clone() }).await.is_err());
    world.save(SaveMappingRequest { sheet: draft.sheet.clone(), ..decision(id, 2) }).await.unwrap();
    let late = world.save(draft).await.unwrap_err();
    assert_eq!(late.reason, "MAPPING_NOT_NEEDED");
});

on_both!(a_choice_that_values_contradict_is_refused_with_an_example, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", csv("23/04/2026", "1.5").into_bytes(), false, true).await;
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!(
        (log.status, log.rows_total),
        (Status::NeedsMapping, 0),
        "nobody needs to decide, but wants to"
    );
    let shown = world.shown(ask(id)).await.unwrap();
    assert_eq!((shown.problem.as_str(), shown.dry_run), ("", false));
    assert!(shown.columns.iter().all(|it| it.confidence() == UploadConfidence::Exact));

    let mut decided = decision(id, 1);
    decided.set_date_order(UploadDateOrder::Mdy);
    let refused = world.save(decided.clone()).await.unwrap_err();
    assert_eq!(refused.reason, "FILE_DATES_CONTRADICT");
    assert!(refused.message.contains("“23/04/2026” on line 2"), "{refused}");
    decided.set_date_order(UploadDateOrder::Dmy);
    decided.set_decimal_sign(UploadDecimalSign::Comma);
    let refused = world.save(decided.clone()).await.unwrap_err();
    assert_eq!(refused.reason, "FILE_NUMBERS_CONTRADICT");
    decided.set_decimal_sign(UploadDecimalSign::Point);
    assert_eq!(world.save(decided).await.unwrap().status(), UploadStatus::Uploaded);
    assert!(world.attempt().await);
    assert_eq!(world.sent().await, [("2026-04-23".to_owned(), 1_500)]);
});

on_both!(a_pause_of_imports_holds_where_columns_are_chosen, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let import = world.upload_as("a.csv", csv("23/04/2026", "1").into_bytes(), false, true).await;
    assert!(world.attempt().await);
    let check = world.upload_as("b.csv", csv("23/04/2026", "1").into_bytes(), true, true).await;
    assert!(world.attempt().await);
    world.set("import-paused-until", "2099-01-01T06:00").await;
    assert_eq!(world.save(decision(import, 1)).await.unwrap_err().reason, "IMPORTS_PAUSED");
    let draft = SaveMappingRequest { draft: true, ..decision(import, 1) };
    assert_eq!(world.save(draft).await.unwrap().status(), UploadStatus::NeedsMapping);
    // A check reads the file and imports nothing.
    assert_eq!(world.save(decision(check, 1)).await.unwrap().status(), UploadStatus::Checking);
    world.set("import-paused-until", "2020-01-01T06:00").await;
    assert_eq!(world.save(decision(import, 1)).await.unwrap().status(), UploadStatus::Uploaded);
});

on_both!(a_pause_of_imports_holds_for_checked_files_and_corrected_rows, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let checked = world.upload_as("a.csv", csv("23/04/2026", "1").into_bytes(), true, false).await;
    assert!(world.attempt().await);
    let refused = world.upload("b.csv", &csv("23/04/2026", "many")).await;
    assert!(world.attempt().await);
    world.correct(refused, &[(2, 4, "2")]).await.unwrap();
    let commit = async || {
        let request = by("maria", Role::Dispatcher, CommitImportRequest { id: checked.to_string() });
        world.service().commit_import(request).await.map_err(Error::from)
    };
    world.set("import-paused-until", "2099-01-01T06:00").await;
    assert_eq!(commit().await.unwrap_err().reason, "IMPORTS_PAUSED");
    assert_eq!(world.import_corrected(refused).await.unwrap_err().reason, "IMPORTS_PAUSED");
    assert!(!world.attempt().await, "nothing was queued");
    world.set("import-paused-until", "2020-01-01T06:00").await;
    commit().await.unwrap();
    world.import_corrected(refused).await.unwrap();
    assert!(world.attempt().await && world.attempt().await);
    for id in [checked, refused] {
        assert_eq!(world.log(id).await.status, Status::Imported);
    }
});

on_both!(a_checked_file_can_be_read_otherwise, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", csv("03/04/2026", "1").into_bytes(), true, false).await;
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total), (Status::Validated, 1));
    assert_eq!(world.warnings(id).await, ["DATES_AMBIGUOUS"]);

    let reopen = |role| by("maria", role, ChooseColumnsRequest { id: id.to_string() });
    assert!(world.service().choose_columns(reopen(Role::Viewer)).await.is_err());
    for _ in 0..2 {
        let log = world.service().choose_columns(reopen(Role::Dispatcher)).await.unwrap().into_inner();
        assert_eq!((log.status(), log.rows_total), (UploadStatus::Checking, 0));
    }
    assert!(world.attempt().await);
    assert!(!world.attempt().await, "asked once");
    assert_eq!(world.log(id).await.status, Status::NeedsMapping);
    assert!(world.shown(ask(id)).await.unwrap().dry_run);

    let mut decided = decision(id, 1);
    decided.set_date_order(UploadDateOrder::Dmy);
    assert_eq!(world.save(decided).await.unwrap().status(), UploadStatus::Checking);
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total), (Status::Validated, 1));
    assert_eq!(world.warnings(id).await, Vec::<String>::new());

    // Once more, the step shows what was decided.
    world.service().choose_columns(reopen(Role::Dispatcher)).await.unwrap();
    assert!(world.attempt().await);
    let shown = world.shown(ask(id)).await.unwrap();
    assert_eq!(shown.date_order(), UploadDateOrder::Dmy);
    assert!(shown.columns.iter().all(|it| it.confidence() == UploadConfidence::Saved));
    world.save(decision(id, 1)).await.unwrap();
    assert!(world.attempt().await);
    let commit = by("maria", Role::Dispatcher, CommitImportRequest { id: id.to_string() });
    world.service().commit_import(commit).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);
    let late = world.service().choose_columns(reopen(Role::Dispatcher)).await.unwrap_err();
    assert_eq!(Error::from(late).reason, "IMPORT_ALREADY_STARTED");
});
