//! A file that comes again after something has become of its deliveries.

use ::store::{Db, on_both};
use kit::Role;
use kit::clock::new_id;
use proto::deliveries::v1::*;

use super::invariants::shipments_hold;
use super::office::*;
use super::{default_source, row};
use crate::Migrator;
use crate::domain::import::Row;
use crate::store::imports::{self, Batch};

impl Office {
    async fn import(&self, rows: Vec<Row>) -> Vec<ImportRowResult> {
        let source_id = default_source(&self.context.db).await;
        let batch = Batch { upload: new_id(), number: 0, source_id, actor: "maria".into(), rows };
        imports::run(&self.context, batch).await.unwrap().rows
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
        assert_eq!(delivery.deliverystatus(), DeliveryStatus::Pending);
        assert_eq!(office.history("DR-1").await, steps);
        assert_eq!(office.variances("DR-1").await.len(), 1);
        // What follows is counted with the new line.
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
});
