//! Sending to other systems, with scripted receivers.

mod console;
mod given_up;
mod groups;
mod imports;
mod keeping;
mod orphans;
pub mod receiver;
mod schedule;
mod secrets;
mod sources;
mod under_way;

use ::store::jobs::{Hold, Jobs};
use ::store::{Db, on_both};
use kit::Role;
use proto::deliveries::v1::dead_letters_service_server::DeadLettersService;
use proto::deliveries::v1::*;
use sea_orm::{EntityTrait, QueryOrder};
use tokio_util::sync::CancellationToken;

use super::office::*;
use crate::Migrator;
use crate::commands::dead_letter_jobs::Bulk;
use crate::commands::endpoint_letters::Discard;
use crate::domain::outbound::{Method, SENT, State};
use crate::entity::dead_letter::{Column, Entity, Model};
use crate::outbound::sender::{self, Sender};
use crate::outbound::webhook;
use crate::rpc::dead_letters::Service;
use receiver::{Answer, Receiver};

/// Starts an office that may send to receivers on this machine.
pub fn open(db: &Db) -> Office {
    let mut office = Office::open(db);
    office.context.config.private_endpoints = true;
    office
}

impl Office {
    pub fn letters(&self) -> Service {
        Service::new(self.context.clone())
    }

    /// Creates an endpoint for all methods; returns the endpoint with its secret.
    pub async fn endpoint(&self, name: &str, url: &str) -> OutboundEndpoint {
        let request = SaveOutboundEndpointRequest {
            name: name.into(),
            url: url.into(),
            methods: SENT.iter().map(|it| it.as_str().to_owned()).collect(),
            is_active: true,
            ..Default::default()
        };
        told(self.letters().save_outbound_endpoint(by(Role::Admin, request)).await).unwrap()
    }

    async fn hold(&self) -> Hold {
        sender::ensure(&self.context).await.unwrap();
        let jobs = Jobs::new(crate::NAME, self.context.db.clone(), self.context.clock.clone());
        jobs.claim(sender::KIND, &CancellationToken::new()).await.unwrap().expect("nobody else sends").1
    }

    /// Advances the clock until every lease has expired, sends the due messages and returns their number.
    pub async fn send(&self) -> usize {
        self.later_seconds(31);
        let hold = self.hold().await;
        Sender::new(&self.context).unwrap().send_due(&hold).await.unwrap()
    }

    fn later_seconds(&self, seconds: i64) {
        self.context.clock.advance(chrono::TimeDelta::seconds(seconds));
    }

    /// Returns all sends, oldest first.
    async fn sends(&self) -> Vec<Model> {
        Entity::find().order_by_asc(Column::Id).all(self.context.db.read()).await.unwrap()
    }

    /// Resends or discards the letters with these `ids` or, without ids, all letters to fix. Checks that a
    /// dry run counts the same letters, and returns the job.
    pub async fn run_job(&self, action: &str, ids: Vec<String>) -> DeadLetterJob {
        let ask = StartDeadLetterJobRequest {
            job_id: kit::clock::new_id().to_string(),
            action: action.into(),
            ids,
            reason: "Test data".into(),
            ..Default::default()
        };
        let start = async |dry_run| {
            let ask = StartDeadLetterJobRequest { dry_run, ..ask.clone() };
            told(self.letters().start_dead_letter_job(by(Role::Admin, ask)).await).unwrap()
        };
        let dry = start(true).await;
        assert_eq!(start(false).await.total, dry.total);
        let bulk = Bulk { context: self.context.clone() };
        let jobs = Jobs::new(crate::NAME, self.context.db.clone(), self.context.clock.clone());
        jobs.with(bulk).run_all().await.unwrap();
        let ask = GetDeadLetterJobRequest { id: ask.job_id.clone() };
        told(self.letters().get_dead_letter_job(by(Role::Admin, ask)).await).unwrap()
    }

    /// Discards the unsent messages to deleted endpoints; returns how many jobs that took.
    async fn discard_of_deleted(&self) -> usize {
        let jobs = Jobs::new(crate::NAME, self.context.db.clone(), self.context.clock.clone());
        jobs.with(Discard { context: self.context.clone() }).run_all().await.unwrap()
    }

    pub async fn resend(&self, id: &str, payload: Option<&str>) -> kit::Result<DeadLetter> {
        let request =
            ResendDeadLetterRequest { id: id.into(), payload: payload.map(str::to_owned), again: false };
        told(self.letters().resend_dead_letter(by(Role::Admin, request)).await)
    }
}

on_both!(every_change_reaches_the_receiver_signed_and_in_its_order, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(204)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    assert!(endpoint.secret.starts_with("whsec_"), "shown once");
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    office.later(10);
    office.record(Role::Dispatcher, outcome("DR-1", None, one_short())).await.unwrap();
    office.later(10);
    office.correct(Role::Admin, correction("DR-1", None, as_expected())).await.unwrap();
    assert_eq!(office.send().await, 7);
    let got = receiver.requests();
    let of = |id: &str| -> Vec<String> {
        let about = got.iter().filter(|it| it.json()["data"]["deliveryId"] == id);
        about.map(|it| it.json()["type"].as_str().unwrap().to_owned()).collect()
    };
    let all = ["create", "status", "variance", "form", "correction", "form"];
    let expected: Vec<String> = all.iter().map(|it| format!("delivery.{it}")).collect();
    assert_eq!(of("DR-1"), expected);
    assert_eq!(of("DR-2"), ["delivery.create"]);
    for request in &got {
        let at = chrono::DateTime::from_timestamp(request.header("webhook-timestamp").parse().unwrap(), 0);
        let message = webhook::Message {
            id: request.header("webhook-id"),
            url: "",
            body: &request.body,
            secrets: std::slice::from_ref(&endpoint.secret),
            at: at.unwrap(),
            timeout: webhook::TIMEOUT,
        };
        assert_eq!(request.header("webhook-signature"), webhook::signature(&message).unwrap());
    }
    let status = got.iter().find(|it| it.json()["type"] == "delivery.status").unwrap().json();
    assert_eq!(status["data"]["deliverystatus"], "Complete_With_Variance");
    assert_eq!(status["data"]["variances"][0]["reason"], "short_shipped");
    assert!(office.sends().await.iter().all(|it| it.state == State::Success && it.attempts == 1));
    assert_eq!(office.send().await, 0, "each once");
});

on_both!(a_reopened_rejection_reaches_the_receiver_as_a_correction, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(204)).await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    let rejected = outcome("DR-1", Some(DeliveryStatus::Rejected), vec![]);
    office.record(Role::Dispatcher, rejected).await.unwrap();
    office.send().await;
    let before = receiver.requests().len();
    office.correct(Role::Admin, correction("DR-1", Some(DeliveryStatus::Pending), vec![])).await.unwrap();
    office.send().await;
    let got: Vec<_> = receiver.requests()[before..].iter().map(|it| it.json()).collect();
    let types: Vec<_> = got.iter().map(|it| &it["type"]).collect();
    assert_eq!(types, ["delivery.correction", "delivery.form"]);
    assert_eq!(got[0]["data"]["deliverystatus"], "Pending");
});

on_both!(only_what_an_endpoint_takes_is_sent_there, Migrator, |db: Db| async move {
    let office = open(&db);
    office.create("DR-0", "S-1", two_items()).await;
    assert!(office.sends().await.is_empty(), "nobody takes anything");
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let only = SaveOutboundEndpointRequest {
        id: endpoint.id.clone(),
        version: endpoint.version,
        name: "ERP".into(),
        url: endpoint.url.clone(),
        methods: vec!["cancel".into()],
        is_active: true,
        ..Default::default()
    };
    let saved = told(office.letters().save_outbound_endpoint(by(Role::Admin, only.clone())).await).unwrap();
    assert_eq!(saved.secret, "");
    let again = told(office.letters().save_outbound_endpoint(by(Role::Admin, only)).await);
    assert_eq!(again.unwrap_err().reason, "ENDPOINT_CHANGED");
    office.create("DR-1", "S-1", two_items()).await;
    let mut cancelled = outcome("DR-1", Some(DeliveryStatus::Rejected), vec![]);
    cancelled.reason = Some("cancelled_by_shipper".into());
    office.record(Role::Dispatcher, cancelled).await.unwrap();
    let methods: Vec<Method> = office.sends().await.iter().map(|it| it.method).collect();
    assert_eq!(methods, [Method::Cancel]);
    let gone = DeleteOutboundEndpointRequest { id: saved.id, version: saved.version };
    told(office.letters().delete_outbound_endpoint(by(Role::Admin, gone)).await).unwrap();
    assert_eq!(office.discard_of_deleted().await, 1);
    let [left] = &office.sends().await[..] else { panic!("one") };
    assert_eq!(
        (left.state, left.discard_reason.as_deref()),
        (State::Discarded, Some("The endpoint was deleted"))
    );
});

on_both!(an_address_inside_is_neither_saved_nor_called, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let mut office = open(&db);
    let by_name = receiver.url().replace("127.0.0.1", "localhost");
    for url in [receiver.url(), by_name] {
        office.endpoint(&url, &url).await;
    }
    // From here on, endpoints at private addresses are not allowed.
    office.context.config.private_endpoints = false;
    office.create("DR-1", "S-1", two_items()).await;
    office.send().await;
    for send in office.sends().await {
        assert_eq!(
            (send.state, send.error_class.as_str()),
            (State::Failed, "validation"),
            "{}",
            send.error_text
        );
    }
    let failed = crate::outbound::backlog::failed(&db).await.unwrap();
    assert_eq!(failed, [("ours", 2), ("reported", 0), ("event", 0)]);
    assert!(receiver.requests().is_empty());
    let request = SaveOutboundEndpointRequest {
        name: "Inside".into(),
        url: receiver.url(),
        methods: vec!["status".into()],
        ..Default::default()
    };
    let refused = told(office.letters().save_outbound_endpoint(by(Role::Admin, request)).await).unwrap_err();
    assert!(refused.fields.contains_key("url"), "{refused:?}");
});

on_both!(a_rotated_secret_signs_beside_the_old_one_for_a_day, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let old = office.endpoint("ERP", &receiver.url()).await;
    let request = RotateOutboundSecretRequest { id: old.id.clone(), version: old.version };
    let new = told(office.letters().rotate_outbound_secret(by(Role::Admin, request)).await).unwrap();
    assert_ne!(new.secret, old.secret);
    let test = || async {
        let request = TestOutboundEndpointRequest { id: old.id.clone() };
        let answer = told(office.letters().test_outbound_endpoint(by(Role::Admin, request)).await).unwrap();
        assert_eq!((answer.status, answer.error.as_str()), (Some(200), ""));
        receiver.requests().last().unwrap().header("webhook-signature").split(' ').count()
    };
    assert_eq!(test().await, 2);
    office.later(24 * 60 + 1);
    assert_eq!(test().await, 1);
    assert!(office.sends().await.is_empty(), "a test leaves no letter");
    let rows = crate::entity::outbound_endpoint::Entity::find().all(db.read()).await.unwrap();
    assert!(rows.iter().all(|row| !row.secret.contains("whsec")), "sealed");
});

on_both!(a_secret_signs_for_its_day_however_often_it_is_replaced, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let made = office.endpoint("ERP", &receiver.url()).await;
    let rotate = async |version: u64| {
        let request = RotateOutboundSecretRequest { id: made.id.clone(), version };
        told(office.letters().rotate_outbound_secret(by(Role::Admin, request)).await).unwrap().secret
    };
    let signatures = async || {
        let request = TestOutboundEndpointRequest { id: made.id.clone() };
        told(office.letters().test_outbound_endpoint(by(Role::Admin, request)).await).unwrap();
        receiver.requests().last().unwrap().header("webhook-signature").split(' ').count()
    };
    rotate(made.version).await;
    office.later(12 * 60);
    rotate(made.version + 1).await;
    assert_eq!(signatures().await, 3);
    let sealer = |secret: &str| kit::sealed::Sealer::new(&secret.into(), "outbound").unwrap();
    let both = sealer("the next secret\nthe secret of a test");
    assert_eq!(crate::commands::endpoints::seal_anew(&db, &both).await.unwrap(), 1);
    let rows = crate::entity::outbound_endpoint::Entity::find().all(db.read()).await.unwrap();
    let left =
        crate::tables::endpoints::secrets(&rows[0], &sealer("the next secret"), office.context.clock.now());
    assert_eq!(left.unwrap().len(), 3, "all of them were sealed anew");
    let at = |minutes| office.context.clock.now() + chrono::Duration::minutes(minutes);
    let count = |minutes| crate::tables::endpoints::secrets(&rows[0], &both, at(minutes)).unwrap().len();
    assert_eq!([count(12 * 60 - 1), count(12 * 60), count(24 * 60)], [3, 2, 1], "each has a day of its own");
});

on_both!(secrets_of_endpoints_outlive_the_service_secret, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let mut office = open(&db);
    let made = office.endpoint("ERP", &receiver.url()).await;
    let request = RotateOutboundSecretRequest { id: made.id.clone(), version: made.version };
    told(office.letters().rotate_outbound_secret(by(Role::Admin, request)).await).unwrap();
    let sealer = |secret: &str| kit::sealed::Sealer::new(&secret.into(), "outbound").unwrap();
    let both = sealer("the next secret\nthe secret of a test");
    assert_eq!(crate::commands::endpoints::seal_anew(&db, &both).await.unwrap(), 1);
    assert_eq!(crate::commands::endpoints::seal_anew(&db, &both).await.unwrap(), 0);
    office.context.sealer = sealer("the next secret");
    let request = TestOutboundEndpointRequest { id: made.id.clone() };
    let answer = told(office.letters().test_outbound_endpoint(by(Role::Admin, request)).await).unwrap();
    assert_eq!((answer.status, answer.error.as_str()), (Some(200), ""));
    let signatures = receiver.requests().last().unwrap().header("webhook-signature").split(' ').count();
    assert_eq!(signatures, 2, "the secret before the last one was sealed anew as well");
});
