//! Values that match no driver, customer or trucker, and what people choose for them.

use std::time::Duration;

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::Error;
use kit::principal::Role;
use proto::deliveries::v1::{ImportRow, PartyKind};
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use tonic::Response;
use uuid::Uuid;

use super::undo::by;
use super::world::World;
use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::store;

use UploadValueChoice::{Keep, Unspecified, Use};
use UploadValueField::{Customer, Driver, Trucker};

const HEADER: &str = "Delivery Doc,Shipment no.,Customer Name,Delivery Date,Driver ID,Trucker,Quantity";

fn file(lines: &[&str]) -> Vec<u8> {
    let rows = lines.iter().enumerate().map(|(n, line)| {
        let [customer, driver, trucker] = <[&str; 3]>::try_from(line.split(',').collect::<Vec<_>>()).unwrap();
        format!("\nD-{n},S-1,{customer},2026-11-23,{driver},{trucker},1")
    });
    format!("{HEADER}{}", rows.collect::<String>()).into_bytes()
}

fn used(field: UploadValueField, value: &str, target: &str) -> MatchedValue {
    MatchedValue { target: target.to_owned(), ..chosen(field, value, Use) }
}

fn chosen(field: UploadValueField, value: &str, choice: UploadValueChoice) -> MatchedValue {
    MatchedValue {
        field: field.into(),
        value: value.to_owned(),
        choice: choice.into(),
        ..MatchedValue::default()
    }
}

/// What a test compares of a value: field, value, rows, choice, target, whether it is remembered.
type Shown = (UploadValueField, String, u32, UploadValueChoice, String, bool);

fn shown(value: UploadValue) -> Shown {
    let (field, choice) = (value.field(), value.choice());
    (field, value.value, value.rows, choice, value.target.unwrap_or_default().name, value.remembered)
}

fn open(field: UploadValueField, value: &str, rows: u32) -> Shown {
    (field, value.to_owned(), rows, Unspecified, String::new(), false)
}

impl World {
    async fn checked(&self, lines: &[&str]) -> Uuid {
        let id = self.upload_as("a.csv", file(lines), true, false).await;
        assert!(self.attempt().await);
        assert_eq!(self.log(id).await.status, Status::Validated);
        id
    }

    async fn values(&self, id: Uuid) -> Vec<Shown> {
        self.listed_values(id).await.values.into_iter().map(shown).collect()
    }

    async fn listed_values(&self, id: Uuid) -> ListUploadValuesResponse {
        let request = ListUploadValuesRequest { upload_log_id: id.to_string() };
        let answer = self.service().list_upload_values(by("ben", Role::Dispatcher, request)).await;
        answer.unwrap().into_inner()
    }

    async fn match_values(&self, id: Uuid, values: Vec<MatchedValue>) -> Result<UploadLog, Error> {
        let request = MatchValuesRequest { upload_log_id: id.to_string(), values };
        let answer = self.service().match_values(by("ben", Role::Dispatcher, request)).await;
        answer.map(Response::into_inner).map_err(Error::from)
    }

    pub(super) async fn check_again(&self, id: Uuid) -> Result<UploadLog, Error> {
        let request = CheckAgainRequest { id: id.to_string() };
        let answer = self.service().check_again(by("ben", Role::Dispatcher, request)).await;
        answer.map(Response::into_inner).map_err(Error::from)
    }

    pub(super) async fn commit(&self, id: Uuid) {
        let request = CommitImportRequest { id: id.to_string() };
        self.service().commit_import(by("ben", Role::Dispatcher, request)).await.unwrap();
        assert!(self.attempt().await);
    }

    /// Returns customer, driver and trucker of the rows that were sent last.
    fn last_sent(&self) -> Vec<[String; 3]> {
        let of = |row: ImportRow| {
            [row.customername, row.driver_id.unwrap_or_default(), row.trucker.unwrap_or_default()]
        };
        self.deliveries.requests().pop().unwrap().rows.into_iter().map(of).collect()
    }

    fn know_some(&self) {
        self.deliveries.know(PartyKind::Customer, &["Acme", "Nena Store"]);
        self.deliveries.know(PartyKind::Driver, &["D-1"]);
        self.deliveries.know(PartyKind::Trucker, &["Isla Express"]);
    }
}

const LINES: [&str; 4] = ["Acmee,D-1,Isla", "ACMEE,D-9,Isla Express", "acme,d-9,", "New Store,,Isla"];

on_both!(unknown_values_are_listed_matched_and_imported_as_chosen, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let id = world.checked(&LINES).await;
    let wanted = [
        open(Customer, "Acmee", 2),
        open(Driver, "D-9", 2),
        open(Trucker, "Isla", 2),
        open(Customer, "New Store", 1),
    ];
    assert_eq!(world.values(id).await, wanted);
    let suggested = &world.listed_values(id).await.values[0].suggestions;
    let label = (suggested[1].name.as_str(), suggested[1].label.as_str());
    assert_eq!((suggested.len(), label), (2, ("Nena Store", "Nena Store!")));
    let log = UploadLog::from(world.log(id).await);
    assert_eq!((log.values_to_match, log.values_undecided, log.changed_since_check), (4, 4, false));
    assert_eq!(world.last_sent()[0], ["Acmee", "D-1", "Isla"], "nothing is chosen yet");

    // One choice after the other, in any case of the letters, and taken back.
    let log = world.match_values(id, vec![used(Customer, "acmeE", "ACME")]).await.unwrap();
    assert_eq!((log.values_to_match, log.values_undecided, log.changed_since_check), (4, 3, true));
    let rest = vec![
        used(Driver, "D-9", "d-1"),
        chosen(Customer, "New Store", Keep),
        used(Trucker, "Isla", "Isla Express"),
    ];
    assert_eq!(world.match_values(id, rest).await.unwrap().values_undecided, 0);
    let back = vec![chosen(Trucker, "Isla", Unspecified)];
    assert_eq!(world.match_values(id, back).await.unwrap().values_undecided, 1);
    let wanted = [
        (Customer, "Acmee".to_owned(), 2, Use, "Acme".to_owned(), false),
        (Driver, "D-9".to_owned(), 2, Use, "D-1".to_owned(), false),
        open(Trucker, "Isla", 2),
        (Customer, "New Store".to_owned(), 1, Keep, String::new(), false),
    ];
    assert_eq!(world.values(id).await, wanted);

    let again = world.check_again(id).await.unwrap();
    assert_eq!((again.status(), again.rows_total), (UploadStatus::Checking, 0));
    assert_eq!(world.check_again(id).await.unwrap().status(), UploadStatus::Checking);
    assert_eq!(
        world.match_values(id, vec![used(Driver, "D-9", "D-1")]).await.unwrap_err().reason,
        "IMPORT_NOT_CHECKED"
    );
    assert!(world.attempt().await);
    assert!(!world.attempt().await, "checked once");
    assert_eq!(world.values(id).await, wanted, "what was chosen is kept");
    let log = UploadLog::from(world.log(id).await);
    assert_eq!((log.status(), log.rows_total, log.changed_since_check), (UploadStatus::Validated, 4, false));
    let sent = [
        ["Acme", "D-1", "Isla"],
        ["Acme", "D-1", "Isla Express"],
        ["acme", "D-1", ""],
        ["New Store", "", "Isla"],
    ];
    assert_eq!(world.last_sent(), sent);
    let asked = world.deliveries.matches();
    world.commit(id).await;
    assert_eq!((world.log(id).await.status, world.deliveries.matches()), (Status::Imported, asked));
    assert_eq!(world.last_sent(), sent);
    let late = world.match_values(id, vec![used(Driver, "D-9", "D-1")]).await.unwrap_err();
    assert_eq!(late.reason, "IMPORT_ALREADY_STARTED");
    assert_eq!(world.check_again(id).await.unwrap_err().reason, "IMPORT_ALREADY_STARTED");
});

on_both!(choices_apply_to_later_files_with_the_same_header, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let id = world.checked(&LINES).await;
    let choices = vec![
        used(Customer, "Acmee", "Nena Store"),
        used(Driver, "D-9", "D-1"),
        chosen(Customer, "New Store", Keep),
    ];
    world.match_values(id, choices).await.unwrap();

    // Without a check nobody is asked, and the values to which a choice applied are listed.
    let second = world.upload_as("b.csv", file(&LINES[..2]), false, false).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(second).await.status, Status::Imported);
    assert_eq!(world.last_sent(), [["Nena Store", "D-1", "Isla"], ["Nena Store", "D-1", "Isla Express"]]);
    let wanted = [
        (Customer, "Acmee".to_owned(), 2, Use, "Nena Store".to_owned(), true),
        (Driver, "D-9".to_owned(), 1, Use, "D-1".to_owned(), true),
    ];
    assert_eq!(world.values(second).await, wanted);

    // A check shows them as remembered. A driver who is gone is asked for again.
    world.deliveries.know(PartyKind::Driver, &["D-2"]);
    let third = world.checked(&LINES).await;
    let wanted = [
        (Customer, "Acmee".to_owned(), 2, Use, "Nena Store".to_owned(), true),
        open(Driver, "D-9", 2),
        open(Trucker, "Isla", 2),
        open(Driver, "D-1", 1),
        (Customer, "New Store".to_owned(), 1, Keep, String::new(), true),
    ];
    assert_eq!(world.values(third).await, wanted);
    assert_eq!(world.last_sent()[1], ["Nena Store", "D-9", "Isla Express"]);
    // A value that is known by now is imported as it is.
    world.deliveries.know(PartyKind::Customer, &["Acmee", "Nena Store"]);
    let fourth = world.upload_as("d.csv", file(&LINES[..1]), false, false).await;
    assert!(world.attempt().await);
    assert_eq!((world.last_sent()[0][0].as_str(), world.values(fourth).await), ("Acmee", vec![]));

    // Other headings, nothing is remembered; and after a year without use it is deleted.
    let other = String::from_utf8(file(&LINES)).unwrap().replace("Quantity", "Qty");
    world.know_some();
    let other = world.upload_as("e.csv", other.into_bytes(), true, false).await;
    assert!(world.attempt().await);
    assert!(world.values(other).await.iter().all(|value| !value.5));
    let (later, doubts) = (world.now() + TimeDelta::days(366), Doubts::holding(Duration::from_millis(1)));
    assert_eq!(store::prune_values(&db, later, &doubts).await.unwrap(), 0, "the clock may be wrong");
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store::prune_values(&db, later, &doubts).await.unwrap(), 3);
});

on_both!(only_choices_that_are_used_are_remembered_for_another_year, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let id = world.checked(&LINES).await;
    let choices = vec![used(Customer, "Acmee", "Nena Store"), used(Driver, "D-9", "D-1")];
    world.match_values(id, choices).await.unwrap();
    let half_a_year = 200 * 86_400;
    world.later(half_a_year);
    world.checked(&["Acmee,D-1,"]).await;
    world.later(half_a_year);
    assert_eq!(store::prune_values(&db, world.now(), &Doubts::default()).await.unwrap(), 1);
    let later = world.checked(&LINES).await;
    let remembered = world.values(later).await.into_iter().filter(|value| value.5).map(|value| value.1);
    assert_eq!(remembered.collect::<Vec<_>>(), ["Acmee"]);
});

on_both!(a_file_of_known_values_asks_nothing, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let id = world.checked(&["Acme,D-1,Isla Express", "nena store,,"]).await;
    let log = UploadLog::from(world.log(id).await);
    assert_eq!((world.values(id).await, log.values_to_match), (vec![], 0));
    let asked = world.deliveries.matches();
    world.upload_as("b.csv", file(&LINES), false, false).await;
    assert!(world.attempt().await);
    assert_eq!(
        world.deliveries.matches(),
        asked,
        "without a check and without choices, nothing is looked up"
    );
});

on_both!(only_existing_records_can_be_chosen_for_listed_values, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let id = world.checked(&LINES).await;
    let refused = world.match_values(id, vec![used(Driver, "D-9", "D-7")]).await.unwrap_err();
    assert!(refused.fields["values"][0].contains("no active driver D-7"), "{refused:?}");
    let refused = world.match_values(id, vec![chosen(Customer, "Acme", Keep)]).await.unwrap_err();
    assert!(refused.fields["values"][0].contains("no value “Acme”"), "{refused:?}");
    assert!(world.match_values(id, Vec::new()).await.is_err());
    let many = vec![chosen(Customer, "Acmee", Keep); 501];
    assert!(world.match_values(id, many).await.is_err());
    assert_eq!(world.log(id).await.values_undecided, 4, "nothing was stored");

    let ask = |role| by("ben", role, ListUploadValuesRequest { upload_log_id: id.to_string() });
    assert!(world.service().list_upload_values(ask(Role::Viewer)).await.is_err());
    assert!(!world.listed_values(id).await.refuse_unknown_drivers);
    world.set("import-unknown-drivers", "refuse").await;
    assert!(world.listed_values(id).await.refuse_unknown_drivers);
});

on_both!(the_values_of_most_rows_are_listed, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let mut lines: Vec<String> = (0..6_000).map(|n| format!("Store {n:04},,")).collect();
    lines.push("Store 0700,,".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.checked(&lines).await;
    let listed = world.values(id).await;
    assert_eq!((listed.len(), &listed[0]), (500, &open(Customer, "Store 0700", 2)));
    assert_eq!(world.log(id).await.values_to_match, 500);
});

on_both!(corrected_rows_are_read_with_the_choices_too, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let bytes = String::from_utf8(file(&LINES[..2])).unwrap().replace("Isla Express,1", "Isla,many");
    let id = world.upload_as("a.csv", bytes.into_bytes(), true, false).await;
    assert!(world.attempt().await);
    world
        .match_values(id, vec![used(Customer, "Acmee", "Acme"), used(Trucker, "Isla", "Isla Express")])
        .await
        .unwrap();
    world.commit(id).await;
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
    let cell = CellCorrection { row_number: 3, column: 6, value: "5".to_owned() };
    let request = CorrectRowsRequest { upload_log_id: id.to_string(), corrections: vec![cell] };
    world.service().correct_rows(by("ben", Role::Dispatcher, request)).await.unwrap();
    let request = ImportCorrectedRowsRequest { id: id.to_string() };
    world.service().import_corrected_rows(by("ben", Role::Dispatcher, request)).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);
    assert_eq!(world.last_sent(), [["Acme", "D-9", "Isla Express"]]);
});

on_both!(choices_apply_to_the_download_of_refused_rows, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.know_some();
    let bytes = String::from_utf8(file(&LINES[..2])).unwrap().replace("Isla Express,1", "Isla Express,many");
    let id = world.upload_as("a.csv", bytes.into_bytes(), true, false).await;
    assert!(world.attempt().await);
    world.match_values(id, vec![used(Customer, "Acmee", "Acme")]).await.unwrap();
    world.commit(id).await;
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
    let download = format!(
        "{HEADER},Refused row,Refused because\nD-1,S-1,ACMEE,2026-11-23,D-9,Isla Express,2,3,Correct it.\n"
    );
    let id = world.upload("a-refused-rows.csv", &download).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);
    assert_eq!(world.last_sent(), [["Acme", "D-9", "Isla Express"]]);
});
