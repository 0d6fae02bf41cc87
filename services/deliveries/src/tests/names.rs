//! Names match in whichever Unicode form a file or a browser sends them.

use ::store::{Db, on_both};
use kit::clock::new_id;
use kit::{Principal, Role};
use proto::common::v1::{Filter, Page};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait};
use sea_orm_migration::MigratorTrait;

use super::office::*;
use super::{default_source, invariants};
use crate::Migrator;
use crate::entity::{customer, delivery, history, item, shipment};
use crate::queries::{customers, deliveries};

const COMPOSED: &str = "Panadería José Ñoño";
const DECOMPOSED: &str = "Panaderi\u{301}a Jose\u{301} N\u{303}on\u{303}o";

fn line(line: u32, delivery_id: &str, customername: &str) -> ImportRow {
    ImportRow {
        line,
        delivery_id: delivery_id.into(),
        shipmentnumber: "Envío-1".into(),
        customername: customername.into(),
        customeraddress: Some("Calle José 1".into()),
        trucker: Some("Camión SA".into()),
        driver_id: Some("José-1".into()),
        scheduledatetime: Some(proto::timestamp(at(0))),
        item: Some(ImportItem {
            item_number: "Nº 1".into(),
            quantity_thousandths: 5_000,
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// Returns the row as sent by a computer that decomposes accented letters.
fn apart(row: ImportRow) -> ImportRow {
    let apart = |text: &str| text.replace('é', "e\u{301}").replace('í', "i\u{301}").replace('ó', "o\u{301}");
    ImportRow {
        delivery_id: apart(&row.delivery_id),
        shipmentnumber: apart(&row.shipmentnumber),
        customername: DECOMPOSED.into(),
        customeraddress: row.customeraddress.as_deref().map(apart),
        trucker: row.trucker.as_deref().map(apart),
        driver_id: row.driver_id.as_deref().map(apart),
        ..row
    }
}

async fn import(office: &Office, rows: Vec<ImportRow>) -> Vec<ImportAction> {
    let request = ImportDeliveriesRequest {
        upload_log_id: new_id().to_string(),
        batch: 0,
        source_id: default_source(&office.context.db).await,
        uploaded_by: "maria".into(),
        rows,
        refuse_unknown_drivers: false,
        whole_documents: false,
        ..Default::default()
    };
    let service = Principal::Service { name: "upload".into() };
    let answer = office.service().import_deliveries(sent(service, request)).await.unwrap().into_inner();
    answer.rows.iter().map(|row| row.action()).collect()
}

on_both!(files_in_both_forms_make_one_customer, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let first = import(&office, vec![line(2, "DÉ-1", COMPOSED)]).await;
    let again = import(&office, vec![apart(line(2, "DE\u{301}-1", COMPOSED))]).await;
    let other = import(&office, vec![apart(line(2, "DÉ-2", COMPOSED))]).await;
    assert_eq!(
        [first, again, other].concat(),
        [ImportAction::Created, ImportAction::Skipped, ImportAction::Created]
    );
    assert_eq!(customer::Entity::find().count(db.read()).await.unwrap(), 1);
    assert_eq!(shipment::Entity::find().count(db.read()).await.unwrap(), 1);
    assert_eq!(item::Entity::find().count(db.read()).await.unwrap(), 2);
    let kept = deliveries::get(&db, "de\u{301}-2").await.unwrap();
    assert_eq!((kept.id.as_str(), kept.customername.as_str()), ("DÉ-2", COMPOSED), "kept composed");
    assert_eq!(kept.driver_id.as_deref(), Some("José-1"));
    let filter = |value: &str| Filter {
        key: "customername".into(),
        operator: "contains".into(),
        values: vec![value.into()],
    };
    for part in ["JOSE\u{301} Ñ", "josé n\u{303}oñ", "ｊｏｓé"] {
        let page = Page { r#where: vec![filter(part)], limit: 10, ..Default::default() };
        assert_eq!(deliveries::list(&db, &page).await.unwrap().0.len(), 2, "{part}");
    }
});

// Earlier releases stored invisible characters. Without them, the item would not be found, and the delivery would be
// moved to another shipment.
on_both!(identifiers_with_invisible_characters_are_still_found, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let (number, shipment) = ("1\u{200e}", "S-1\u{200e}");
    let tx = db.begin().await.unwrap();
    for change in [
        format!(
            "UPDATE delivery_item SET item_number = '{number}', item_key = '{number}' WHERE item_key = '1'"
        ),
        format!("UPDATE delivery SET shipmentnumber = '{shipment}', shipmentnumber_key = 's-1\u{200e}'"),
    ] {
        tx.execute_unprepared(&change).await.unwrap();
    }
    tx.commit().await.unwrap();

    let edit =
        UpdateDeliveryItemRequest { delivery_id: "DR-1".into(), version: 1, item: Some(item(number, 4_000)) };
    office.service().update_delivery_item(by(Role::Dispatcher, edit)).await.unwrap();
    assert_eq!(office.items("DR-1").await.len(), 2);
    let edit = DeliveryHead { instructions: Some("Ring twice".into()), ..head(shipment) };
    let edit = UpdateDeliveryRequest { id: "DR-1".into(), version: 2, head: Some(edit) };
    let edited = office.service().update_delivery(by(Role::Dispatcher, edit)).await.unwrap().into_inner();
    assert_eq!((edited.version, edited.shipmentnumber.as_str()), (3, shipment));
    let row = ImportRow { shipmentnumber: "S-1".into(), item: None, ..line(2, "DR-1", "Aling Nena Store") };
    assert_eq!(import(&office, vec![row]).await, [ImportAction::Updated]);
    assert_eq!(office.get("DR-1").await.shipmentnumber, shipment);
});

// The previous release had different keys for composed and decomposed letters. The test gives a delivery
// the decomposed key, and gives one customer a record for each form.
on_both!(keys_of_before_are_folded_anew, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    import(&office, vec![line(2, "DÉ-1", COMPOSED), line(3, "D-2", "Ana")]).await;
    let made = outcome("DÉ-1", Some(DeliveryStatus::Undelivered), vec![]);
    office.record(Role::Admin, made).await.unwrap();
    let steps = office.history("DÉ-1").await;
    let (old, new) = ("de\u{301}-1", "dé-1");
    let tx = db.begin().await.unwrap();
    for (table, column) in
        [("delivery", "id_key"), ("delivery_item", "delivery_key"), ("client_event", "delivery_key")]
    {
        let change = format!("UPDATE {table} SET {column} = '{old}' WHERE {column} = '{new}'");
        tx.execute_unprepared(&change).await.unwrap();
    }
    let twin = format!(
        "INSERT INTO customer (customer_name_key, customer_name, customer_email, customer_address, \
         customer_address_key, created_at, created_by, updated_at, updated_by, version) \
         SELECT '{}', '{DECOMPOSED}', 'jose@example.com', customer_address, customer_address_key, created_at, \
         created_by, updated_at, updated_by, version FROM customer WHERE customer_name = '{COMPOSED}'",
        DECOMPOSED.to_lowercase(),
    );
    tx.execute_unprepared(&twin).await.unwrap();
    let moved = "UPDATE delivery SET customername_key = '{}' WHERE id = 'D-2'"
        .replace("{}", &DECOMPOSED.to_lowercase());
    tx.execute_unprepared(&moved).await.unwrap();
    tx.commit().await.unwrap();
    assert!(deliveries::get(&db, "DÉ-1").await.is_err(), "as it was before");

    let later =
        Migrator::migrations().iter().rev().position(|it| it.name().ends_with("folded_keys")).unwrap();
    for _ in 0..=later {
        ::store::testing::down_one::<Migrator>(&db).await;
    }
    ::store::migrate::up::<Migrator>(&db).await.unwrap();

    assert_eq!(deliveries::get(&db, "DÉ-1").await.unwrap().id, "DÉ-1");
    assert_eq!(office.items("DÉ-1").await.len(), 1);
    assert_eq!(office.history("DÉ-1").await, steps);
    let cards = customer::Entity::find().count(db.read()).await.unwrap();
    assert_eq!(cards, 3, "no card is lost");
    let second = customers::get(&db, &format!("{COMPOSED} (2)")).await.unwrap();
    assert_eq!(second.customer_email.as_deref(), Some("jose@example.com"));
    let of_one = delivery::Entity::find().all(db.read()).await.unwrap();
    assert!(of_one.iter().all(|it| it.customername_key == kit::text::fold(COMPOSED)));
    let tx = db.begin().await.unwrap();
    let refused = history::Entity::delete_many().exec(&*tx).await.unwrap_err().to_string();
    assert!(refused.contains("never changed"), "the record is closed again: {refused}");
    drop(tx);
    invariants::shipments_hold(&db).await;
});
