//! A changed setting applies from the next decision on.

use ::store::{Db, on_both};
use kit::blob::{Key, MAX_LOGO_BYTES};
use kit::bus::Handler;
use kit::clock::new_id;
use kit::principal::Role;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::{DeliveryStatus, ShipmentStatus};
use proto::events::envelope::Payload;
use proto::events::{Envelope, SettingChanged};
use ring::digest::{SHA256, digest};

use super::office::{Office, as_expected, by, correction, one_short, outcome, two_items};
use crate::Migrator;

impl Office {
    /// Changes a setting, as the settings service does.
    pub(super) async fn set(&self, id: &str, version: u64, value: &str) {
        let payload = SettingChanged { id: id.into(), r#type: "text".into(), value: value.into() };
        let envelope = Envelope {
            id: new_id().to_string(),
            aggregate_id: id.into(),
            aggregate_version: version,
            payload: Some(Payload::SettingChanged(payload)),
            ..Envelope::default()
        };
        crate::events::follow_settings(&self.context).handle(&envelope).await.unwrap();
    }

    async fn required(&self, id: &str) -> Vec<String> {
        let request = by(Role::Viewer, proto::common::v1::BatchGetRequest { ids: vec![id.into()] });
        let answer = self.service().batch_get_pod_requirements(request).await.unwrap();
        answer.into_inner().requirements.remove(0).proofs
    }
}

// The settings service encodes the pictures in an SVG anew, so a published logo may be larger than an upload.
on_both!(a_logo_larger_than_an_upload_is_printed, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let filler = "x".repeat(MAX_LOGO_BYTES as usize);
    let size = "width='50' height='25'";
    let svg =
        format!("<svg xmlns='http://www.w3.org/2000/svg' {size}><desc>{filler}</desc><rect {size}/></svg>");
    let file = format!("{}.svg", hex::encode(digest(&SHA256, svg.as_bytes())));
    let key = Key::parse(&format!("logos/{file}")).unwrap();
    office.context.blob.put(&key, svg.into()).await.unwrap();
    office.set("customer-logo-information", 2, &format!("{{\"url\":\"/logo/{file}\"}}")).await;
    assert!(office.context.logo().await.is_some());
});

on_both!(new_deliveries_have_the_attempts_that_were_set, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    assert_eq!(office.create("DR-1", "S-1", two_items()).await.max_attempts, 3);
    office.set("delivery-max-attempts", 3, "5").await;
    assert_eq!(office.create("DR-2", "S-1", two_items()).await.max_attempts, 5);
    // An event that arrives late carries an older value.
    office.set("delivery-max-attempts", 2, "9").await;
    assert_eq!(office.create("DR-3", "S-1", two_items()).await.max_attempts, 5);
    assert_eq!(office.get("DR-1").await.max_attempts, 3, "what exists keeps its number");
});

on_both!(a_shipment_keeps_its_status_until_one_of_its_deliveries_changes, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let failed = |id: &str| outcome(id, Some(DeliveryStatus::Undelivered), vec![]);
    let status = async || office.shipment("S-1").await.unwrap().shipmentstatus();
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    office.record(Role::Dispatcher, failed("DR-1")).await.unwrap();
    office.record(Role::Dispatcher, outcome("DR-2", None, as_expected())).await.unwrap();
    assert_eq!(status().await, ShipmentStatus::Partial);
    office.set("delivery-undelivered-is-final", 2, "true").await;
    assert_eq!(status().await, ShipmentStatus::Partial, "the description of the setting says so");
    let again = correction("DR-2", None, one_short());
    office.correct(Role::Admin, again).await.unwrap();
    assert_eq!(status().await, ShipmentStatus::Completed);
});

on_both!(proof_is_asked_for_as_it_was_set, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    assert!(office.required("DR-1").await.is_empty());
    office.set("delivery-proof", 2, "signature").await;
    assert_eq!(office.required("DR-1").await, ["signature"]);
    let refused = office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap_err();
    assert_eq!(refused.fields["signature"], ["Signature is required"]);
    office.set("delivery-proof", 3, "none").await;
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
});

on_both!(every_rule_follows_its_setting, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let before = office.context.rules();
    assert_eq!(before, kit::config::Deliveries::default());
    for (id, value) in [
        ("delivery-over-delivery", "true"),
        ("delivery-undelivered-is-final", "true"),
        ("delivery-failed-attempt-proof", "nothing"),
        ("delivery-max-attachments", "7"),
        ("delivery-max-attachment-size", "2"),
        ("organization-name", "Amihan Freight"),
        ("organization-time-zone", "Europe/Amsterdam"),
        ("organization-email", "ops@amihan.example"),
        ("organization-website", "https://amihan.example"),
    ] {
        office.set(id, 2, value).await;
    }
    let after = office.context.rules();
    assert!(after.allow_over_delivery && after.undelivered_is_final);
    assert_eq!(after.failed_attempt_proof, kit::config::FailedAttemptProof::Nothing);
    assert_eq!((after.max_attachments, after.max_attachment_bytes), (7, 2 << 20));
    assert_eq!((after.max_attempts, after.pod_requirement), (before.max_attempts, before.pod_requirement));
    let issuer = office.context.issuer();
    assert_eq!(issuer.name, "Amihan Freight");
    assert_eq!(issuer.lines, ["ops@amihan.example", "https://amihan.example"]);
    assert_eq!(office.context.zone(), chrono_tz::Europe::Amsterdam);
});

on_both!(every_consumer_of_the_registry_runs, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let running = crate::events::consumers(&office.context).into_iter().map(|it| (it.name, it.subject));
    let mut running: Vec<_> = running.collect();
    running.sort();
    assert_eq!(running, proto::events::subjects_read_by(crate::NAME));
});
