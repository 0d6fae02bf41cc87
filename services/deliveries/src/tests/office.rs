//! Test callers of the handlers, and their usual requests.

use std::sync::Arc;

use ::store::Db;
use chrono::{DateTime, TimeDelta, Utc};
use kit::blob::{Blob, LocalBlob, LocalConfig};
use kit::clock::{Clock, new_id};
use kit::principal::{Caller, Principal};
use kit::{Error, Result, Role};
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;
use tonic::Request;

use super::drivers::from;
use crate::rpc::deliveries::Service;
use crate::rpc::proof;
use crate::{Context, Seal};

/// A service whose clock moves only when the test advances it.
#[derive(Clone)]
pub struct Office {
    pub context: Context,
    /// Keeps the folder of objects until the last clone of the office is dropped.
    _objects: Arc<tempfile::TempDir>,
}

/// Returns the message as sent by a person with that role.
pub fn by<T>(role: Role, message: T) -> Request<T> {
    let principal = Principal::User {
        id: format!("id-of-{role}"),
        username: format!("{role}.office"),
        roles: vec![role],
        session: "s".to_owned(),
        driver_id: None,
    };
    sent(principal, message)
}

pub fn sent<T>(principal: Principal, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Caller { principal, token: "t".into(), address: String::new() });
    request
}

pub fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_000_000, 0).unwrap() + TimeDelta::minutes(minutes)
}

/// Returns the time of the demo data: half past one on a Wednesday in Manila, when some deliveries are late.
pub fn seeded_at() -> DateTime<Utc> {
    "2026-11-18T05:30:00Z".parse().unwrap()
}

/// Returns two items with the quantities 5 and 2.5.
pub fn two_items() -> Vec<DeliveryItemInput> {
    vec![item("1", 5_000), item("2", 2_500)]
}

pub fn item(item_number: &str, quantity_thousandths: i64) -> DeliveryItemInput {
    DeliveryItemInput { item_number: item_number.into(), quantity_thousandths, ..Default::default() }
}

pub fn head(shipment: &str) -> DeliveryHead {
    DeliveryHead {
        shipmentnumber: shipment.into(),
        customername: "Aling Nena Store".into(),
        customeraddress: "12 Mabini St, Pasig".into(),
        trucker: "Isla Express".into(),
        driver_id: Some("D-1".into()),
        scheduledatetime: Some(proto::timestamp(at(0))),
        ..Default::default()
    }
}

pub fn count(item_number: &str, delivered: i64, rejected: i64, reason: Option<&str>) -> LineCount {
    LineCount {
        item_number: item_number.into(),
        delivered_thousandths: delivered,
        rejected_thousandths: rejected,
        condition: Condition::Ok.into(),
        reason: reason.map(str::to_owned),
        note: None,
    }
}

pub fn as_expected() -> Vec<LineCount> {
    vec![count("1", 5_000, 0, None), count("2", 2_500, 0, None)]
}

pub fn one_short() -> Vec<LineCount> {
    vec![count("1", 4_000, 0, Some("short_shipped")), count("2", 2_500, 0, None)]
}

/// Returns an outcome with every field that may be required.
pub fn outcome(id: &str, status: Option<DeliveryStatus>, lines: Vec<LineCount>) -> RecordOutcomeRequest {
    let reason = match status {
        Some(DeliveryStatus::Undelivered) => Some("recipient_absent"),
        Some(DeliveryStatus::Rejected) => Some("refused_not_ordered"),
        _ => None,
    };
    RecordOutcomeRequest {
        delivery_id: id.into(),
        client_event_id: new_id().to_string(),
        status: status.map(Into::into),
        lines,
        reason: reason.map(str::to_owned),
        note: Some("Said so at the gate".into()),
        received_by: Some("Nena".into()),
        received_by_relation: Some(Relation::Recipient.into()),
        scanmode: ScanMode::Yes.into(),
        ..Default::default()
    }
}

pub fn correction(id: &str, status: Option<DeliveryStatus>, lines: Vec<LineCount>) -> CorrectDeliveryRequest {
    let reason = match status {
        Some(DeliveryStatus::Undelivered) => Some("goods_not_loaded"),
        Some(DeliveryStatus::Rejected) => Some("refused_wrong_goods"),
        _ => None,
    };
    CorrectDeliveryRequest {
        delivery_id: id.into(),
        client_event_id: new_id().to_string(),
        reason: "Counted again".into(),
        status: status.map(Into::into),
        lines,
        outcome_reason: reason.map(str::to_owned),
        ..Default::default()
    }
}

impl Office {
    pub fn open(db: &Db) -> Self {
        let clock = Clock::fixed(at(0));
        let objects = tempfile::tempdir().unwrap();
        let config = LocalConfig {
            root: objects.path().to_owned(),
            public_url: None,
            secret: "0123456789abcdef0123456789abcdef".to_owned().into(),
        };
        let context = Context {
            db: db.clone(),
            blob: Blob::Local(LocalBlob::new(config, clock.clone()).unwrap()),
            clock,
            config: kit::config::Deliveries::default(),
            settings: ::store::settings::Settings::default(),
            organization: kit::config::Organization {
                name: "Habagat Logistics".to_owned(),
                timezone: "Asia/Manila".to_owned(),
            },
            public_url: "https://waybill.example".to_owned(),
            seal: Seal::new("the secret of a test"),
            sealer: kit::sealed::Sealer::new(&"the secret of a test".into(), "outbound").unwrap(),
        };
        Self { context, _objects: Arc::new(objects) }
    }

    pub fn service(&self) -> Service {
        Service { context: self.context.clone() }
    }

    pub fn later(&self, minutes: i64) {
        self.context.clock.advance(TimeDelta::minutes(minutes));
    }

    pub async fn create(&self, id: &str, shipment: &str, items: Vec<DeliveryItemInput>) -> Delivery {
        let request =
            CreateDeliveryRequest { id: id.into(), head: Some(head(shipment)), source_id: None, items };
        let made = self.service().create_delivery(by(Role::Dispatcher, request)).await;
        made.unwrap().into_inner()
    }

    pub async fn get(&self, id: &str) -> Delivery {
        self.get_as(Role::Admin, id).await
    }

    pub async fn get_as(&self, role: Role, id: &str) -> Delivery {
        let request = by(role, GetDeliveryRequest { id: id.into(), ..Default::default() });
        self.service().get_delivery(request).await.unwrap().into_inner()
    }

    pub async fn record(&self, role: Role, request: RecordOutcomeRequest) -> Result<Delivery> {
        told(self.service().record_outcome(by(role, request)).await)
    }

    pub async fn correct(&self, role: Role, request: CorrectDeliveryRequest) -> Result<Delivery> {
        told(self.service().correct_delivery(by(role, request)).await)
    }

    pub async fn reschedule(&self, role: Role, id: &str, to: DateTime<Utc>) -> Result<Delivery> {
        let request = RescheduleDeliveryRequest {
            delivery_id: id.into(),
            client_event_id: new_id().to_string(),
            scheduledatetime: Some(proto::timestamp(to)),
            ..Default::default()
        };
        told(self.service().reschedule_delivery(by(role, request)).await)
    }

    /// Uploads a photo as that driver; returns its URL.
    pub async fn upload_photo(&self, driver_id: &str, id: &str) -> String {
        let proof = proof::Service::new(self.context.clone()).unwrap();
        let link = RequestAttachmentLinkRequest { delivery_id: id.into(), filename: "door.jpg".into() };
        let link = told(proof.request_attachment_link(from(driver_id, link)).await).unwrap().url;
        let url = link.split('?').next().unwrap();
        let key = self.context.blob.key_of(url).unwrap();
        let photo = crate::form::tests::sample::photo(64, 48, 1);
        self.context.blob.put(&key, photo.into()).await.unwrap();
        url.to_owned()
    }

    pub async fn add_photo(&self, driver_id: &str, id: &str, url: &str) -> Result<Attachment> {
        let proof = proof::Service::new(self.context.clone()).unwrap();
        let (delivery_id, url, kind) = (id.into(), url.into(), "photo".into());
        let file = AddAttachmentRequest { delivery_id, url, kind, ..Default::default() };
        told(proof.add_attachment(from(driver_id, file)).await)
    }

    pub async fn history(&self, id: &str) -> Vec<DeliveryStatusHistory> {
        let request = by(Role::Viewer, BatchGetRequest { ids: vec![id.into()] });
        self.service().batch_get_history(request).await.unwrap().into_inner().history
    }

    pub async fn items(&self, id: &str) -> Vec<DeliveryItem> {
        let request = by(Role::Viewer, BatchGetRequest { ids: vec![id.into()] });
        self.service().batch_get_items(request).await.unwrap().into_inner().items
    }

    pub async fn variances(&self, id: &str) -> Vec<Variance> {
        let request = by(Role::Viewer, BatchGetRequest { ids: vec![id.into()] });
        self.service().batch_get_variances(request).await.unwrap().into_inner().variances
    }

    pub async fn shipment(&self, number: &str) -> Option<Shipment> {
        let request = by(Role::Viewer, BatchGetRequest { ids: vec![number.into()] });
        self.service().batch_get_shipments(request).await.unwrap().into_inner().shipments.pop()
    }
}

/// Returns the handler's response or error as the gateway gets it.
pub fn told<T>(answer: Result<tonic::Response<T>, tonic::Status>) -> Result<T> {
    answer.map(tonic::Response::into_inner).map_err(Error::from)
}

/// Returns the events in the outbox, oldest first.
pub async fn events(db: &Db) -> Vec<proto::events::Envelope> {
    use ::store::outbox::outbox_event::{Column, Entity};
    use prost::Message;
    use sea_orm::{EntityTrait, QueryOrder};
    let rows = Entity::find().order_by_asc(Column::Id).all(db.read()).await.unwrap();
    rows.iter().map(|row| proto::events::Envelope::decode(row.envelope.as_slice()).unwrap()).collect()
}

/// Returns the delivery changes among the events in the outbox.
pub async fn emitted(db: &Db) -> Vec<proto::events::DeliveryChanged> {
    let told = events(db).await.into_iter().filter_map(|it| match it.payload {
        Some(proto::events::envelope::Payload::DeliveryChanged(changed)) => Some(changed),
        _ => None,
    });
    told.collect()
}
