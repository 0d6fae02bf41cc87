//! A file that is imported again after its deliveries have changed.

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::Role;
use kit::clock::new_id;
use proto::deliveries::v1::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, IdenStatic, Iterable, ModelTrait, QueryFilter};

use super::invariants::{holds, record, sequences_hold, shipments_hold};
use super::office::*;
use super::{batch, default_source, row};
use crate::commands::import;
use crate::domain::delivery::Priority as Urgency;
use crate::domain::document::Item;
use crate::domain::head::Texts;
use crate::domain::row::Row;
use crate::entity::{delivery, import_batch, item as item_table};
use crate::{Migrator, chores};

impl Office {
    async fn import(&self, rows: Vec<Row>) -> Vec<ImportRowResult> {
        let source_id = default_source(&self.context.db).await;
        import::run(&self.context, batch(new_id(), 0, source_id, rows)).await.unwrap().rows
    }
}

on_both!(an_import_leaves_alone_what_has_an_outcome, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let file = || vec![row(2, "DR-1", "S-1", "1", 5_000), row(3, "DR-2", "S-1", "1", 5_000)];
    office.import(file()).await;
    let counted = vec![count("1", 4_000, 0, Some("short_shipped"))];
    office.record(Role::Admin, outcome("DR-1", None, counted)).await.unwrap();
    let (before, items) = (office.get("DR-1").await, office.items("DR-1").await);
    let history = office.history("DR-1").await;
    assert_eq!((history[0].actor_type.as_str(), history[0].upload_log_id.is_some()), ("import", true));

    let changed = vec![row(2, "DR-1", "S-9", "1", 9_000), row(3, "DR-1", "S-9", "2", 1_000)];
    for result in office.import(changed).await {
        assert_eq!((result.action(), result.code.as_str()), (ImportAction::Refused, "DELIVERY_MOVED_ON"));
    }
    assert_eq!(office.get("DR-1").await, before);
    assert_eq!(office.items("DR-1").await, items);
    assert_eq!(office.history("DR-1").await, history);
    assert!(office.shipment("S-9").await.is_none());
    shipments_hold(&db).await;
});

on_both!(
    an_import_before_another_attempt_keeps_history_and_earlier_variances,
    Migrator,
    |db: Db| async move {
        let office = Office::open(&db);
        office.import(vec![row(2, "DR-1", "S-1", "1", 5_000)]).await;
        let failed = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
        office.record(Role::Admin, failed).await.unwrap();
        office.later(60);
        let to = chrono::DateTime::from_timestamp(1_795_000_000, 0).unwrap() + chrono::TimeDelta::days(1);
        office.reschedule(Role::Admin, "DR-1", to).await.unwrap();
        let steps = office.history("DR-1").await;
        let results = office.import(vec![row(2, "DR-1", "S-1", "2", 1_000)]).await;
        assert_eq!(results[0].action(), ImportAction::Updated);
        let delivery = office.get("DR-1").await;
        assert_eq!((delivery.attempt, delivery.version, delivery.linecount), (2, 4, 2));
        // The import made version 4. That is not a status step, so an edit must record it.
        let changes = record(&db, "DR-1").await.remove(&4).unwrap();
        let told: Vec<(Option<&str>, &str, Option<&str>)> = changes
            .iter()
            .map(|it| (it.item_number.as_deref(), it.field.as_str(), it.after.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                (None, "scheduledatetime", Some("2026-11-18T11:06:40.000000Z")),
                (Some("2"), "sku", Some("RICE-25")),
                (Some("2"), "quantity", Some("1")),
            ]
        );
        holds(&db, "DR-1").await;
        assert_eq!(delivery.deliverystatus(), DeliveryStatus::Pending);
        assert_eq!(office.history("DR-1").await, steps);
        assert_eq!(office.variances("DR-1").await.len(), 1);
        // The outcome must also count the new line.
        let counted = vec![count("1", 5_000, 0, None), count("2", 1_000, 0, None)];
        let done = office.record(Role::Admin, outcome("DR-1", None, counted)).await.unwrap();
        assert_eq!(done.deliverystatus(), DeliveryStatus::CompleteNoVariance);
        assert_eq!(office.history("DR-1").await.len(), 4);
        shipments_hold(&db).await;
    }
);

on_both!(a_place_belongs_to_its_address, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let point = GeoPoint { lat: 14.5547, lng: 121.0244, accuracy: None };
    let request = CreateDeliveryRequest {
        id: "DR-1".into(),
        head: Some(DeliveryHead { address_point: Some(point), ..head("S-1") }),
        ..Default::default()
    };
    use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
    let made = told(office.service().create_delivery(by(Role::Admin, request)).await).unwrap();
    assert_eq!(made.address_point, Some(point));
    let mut same = row(2, "DR-1", "S-2", "1", 5_000);
    same.customeraddress = Some(made.customeraddress);
    office.import(vec![same.clone()]).await;
    assert_eq!(office.get("DR-1").await.address_point, Some(point));
    let there = GeoPoint { lat: 14.5556, lng: 121.0244, accuracy: Some(5.0) };
    let mut done = outcome("DR-1", Some(DeliveryStatus::CompleteNoVariance), vec![]);
    done.point = Some(there);
    let done = office.record(Role::Admin, done).await.unwrap();
    assert!((95.0..105.0).contains(&done.outcome_distance_m.unwrap()), "{:?}", done.outcome_distance_m);
    office.correct(Role::Admin, correction("DR-1", Some(DeliveryStatus::Pending), vec![])).await.unwrap();
    same.customeraddress = Some("Somewhere else".into());
    office.import(vec![same]).await;
    assert_eq!(office.get("DR-1").await.address_point, None);
    sequences_hold(&db).await;
});

/// Returns an import row with a value in every field. Rows with different `mark`s share no value.
fn filled(line: u32, id: &str, item_number: &str, mark: i64) -> Row {
    let text = |name: &str| Some(format!("{name} {mark}"));
    Row {
        shipmentnumber: format!("S-{mark}"),
        customername: format!("Store {mark}"),
        customer_email: Some(format!("store{mark}@store.example")),
        scheduledatetime: at(mark),
        trucker: text("Trucker"),
        customeraddress: text("Mabini St"),
        texts: Texts {
            driver_id: text("D"),
            referencedoc: text("Ref"),
            contact_name: text("Nena"),
            contact_phone: text("+63 917"),
            contact_email: Some(format!("nena{mark}@store.example")),
            instructions: text("Ring twice"),
            internal_note: text("Prefers mornings"),
        },
        priority: Some(if mark == 1 { Urgency::Low } else { Urgency::High }),
        time_window_start: Some(at(100 + mark)),
        time_window_end: Some(at(200 + mark)),
        item: Some(Item {
            item_number: item_number.into(),
            sku: text("SKU"),
            description: text("Rice"),
            unit: text("sack"),
            quantity: 1_000 * mark,
            weight_grams: Some(25_000 * mark),
            barcode: text("480"),
        }),
        // Whether the upload service refused another line of this delivery.
        document_incomplete: mark != 1,
        ..row(line, id, "", "", 0)
    }
}

/// Returns the columns in which two rows of a table differ, or agree if `differ` is false.
fn columns<M: ModelTrait>(one: &M, other: &M, differ: bool) -> Vec<&'static str> {
    let columns = <M::Entity as EntityTrait>::Column::iter();
    columns.filter(|it| (one.get(*it) != other.get(*it)) == differ).map(|it| it.as_str()).collect()
}

// Compares every column of both tables, so that the test fails if the import forgets a new column.
on_both!(an_import_writes_every_field_that_it_may_change, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let deliveries = || delivery::Entity::find_by_id("dr-1").one(db.read());
    let items = || item_table::Entity::find_by_id(("dr-1".to_owned(), "1".to_owned())).one(db.read());
    let fresh = || delivery::Entity::find_by_id("dr-2").one(db.read());
    let fresh_items = || item_table::Entity::find_by_id(("dr-2".to_owned(), "1".to_owned())).one(db.read());
    office.import(vec![filled(2, "DR-1", "1", 1)]).await;
    let mut placed = delivery::Entity::update_many().filter(delivery::Column::IdKey.eq("dr-1"));
    for column in
        [delivery::Column::AddressLat, delivery::Column::AddressLng, delivery::Column::AddressAccuracy]
    {
        placed = placed.col_expr(column, Expr::value(14.0));
    }
    let tx = db.begin().await.unwrap();
    placed.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let (before, item_before) = (deliveries().await.unwrap().unwrap(), items().await.unwrap().unwrap());

    office.later(60);
    let source_id = default_source(&db).await;
    let rows = vec![
        filled(2, "DR-1", "1", 2),
        filled(3, "DR-1", "2", 2),
        filled(4, "DR-2", "1", 2),
        filled(5, "DR-2", "2", 2),
    ];
    let again = import::Batch { actor: "ben".into(), ..batch(new_id(), 0, source_id, rows) };
    let results = import::run(&office.context, again).await.unwrap().rows;
    assert_eq!(results[0].action(), ImportAction::Updated);
    let (after, item_after) = (deliveries().await.unwrap().unwrap(), items().await.unwrap().unwrap());

    assert_eq!(
        columns(&before, &after, false),
        [
            "id_key",
            "id",
            "deliverystatus",
            "deliverydatetime",
            "scanmode",
            "source_id",
            "upload_log_id",
            "attempt",
            "max_attempts",
            "created_at",
            "created_by",
            "received_by",
            "received_by_relation",
            "outcome_reason",
            "outcome_note",
            "outcome_lat",
            "outcome_lng",
            "outcome_accuracy",
            "outcome_occurred_at",
            "outcome_received_at",
            "late",
            "conflict",
            "form_version"
        ],
        "what an import leaves as it was"
    );
    assert_eq!(
        columns(&after, &fresh().await.unwrap().unwrap(), true),
        ["id_key", "id", "upload_log_id", "created_at", "created_by", "version", "office_decided_at"],
        "all else is as if the delivery were new"
    );
    let kept = ["delivery_key", "item_key", "item_number"];
    let counted = ["delivered", "rejected", "condition", "variance_reason", "variance_note"];
    assert_eq!(columns(&item_before, &item_after, false), [&kept[..], &counted[..]].concat());
    assert_eq!(columns(&item_after, &fresh_items().await.unwrap().unwrap(), true), ["delivery_key"]);
});

on_both!(answers_to_batches_are_kept_for_thirty_days, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.import(vec![row(2, "DR-1", "S-1", "1", 1_000)]).await;
    let [batch] = &import_batch::Entity::find().all(db.read()).await.unwrap()[..] else { panic!("one") };
    let doubts = Doubts::holding(std::time::Duration::ZERO);
    let clear =
        async |days| chores::clear_answers(&db, batch.created_at + TimeDelta::days(days), &doubts).await;
    assert_eq!(clear(29).await.unwrap(), 0);
    assert_eq!(clear(31).await.unwrap(), 1);
    assert_eq!(clear(31).await.unwrap(), 0);
});
