//! Ids with U+0000, which Postgres refuses even in a query. On both databases, requests must answer that
//! nothing has this id, or that the id is invalid.

use ::store::{Db, on_both};
use kit::clock::new_id;
use kit::{Kind, Result, Role};
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::parties_service_server::PartiesService;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;

use super::office::*;
use crate::Migrator;
use crate::rpc::{parties, proof};

fn kind<T>(answer: Result<tonic::Response<T>, tonic::Status>) -> Option<Kind> {
    told(answer).err().map(|error| error.kind)
}

on_both!(an_id_with_a_zero_byte_is_of_nothing, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let service = office.service();
    let parties = parties::Service { context: office.context.clone() };
    let proof = proof::Service::new(office.context.clone()).unwrap();
    let (none, invalid) = (Some(Kind::NotFound), Some(Kind::InvalidInput));
    for id in ["\0", "DR-1\0", "DR\0-1", "\0DR-1"] {
        let id = || id.to_owned();
        let ids = || by(Role::Admin, BatchGetRequest { ids: vec![id(), "DR-1".into()] });
        assert_eq!(
            kind(
                service
                    .get_delivery(by(Role::Admin, GetDeliveryRequest { id: id(), ..Default::default() }))
                    .await
            ),
            none
        );
        assert_eq!(told(service.batch_get_items(ids()).await).unwrap().items.len(), 2);
        assert_eq!(told(service.batch_get_history(ids()).await).unwrap().history.len(), 1);
        assert_eq!(told(service.batch_get_shipments(ids()).await).unwrap().shipments.len(), 0);
        assert_eq!(told(service.batch_get_variances(ids()).await).unwrap().variances.len(), 0);
        assert_eq!(told(service.batch_get_pod_requirements(ids()).await).unwrap().requirements.len(), 1);
        assert_eq!(told(parties.batch_get_customers(ids()).await).unwrap().customers.len(), 0);
        assert_eq!(told(parties.batch_get_sources(ids()).await).unwrap().sources.len(), 0);
        let request = ListTruckersRequest { starts_with: id(), limit: 10, offset: 0 };
        assert_eq!(told(service.list_truckers(by(Role::Admin, request)).await).unwrap().truckers.len(), 0);
        assert_eq!(
            office.record(Role::Admin, outcome(&id(), None, vec![])).await.unwrap_err().kind,
            Kind::NotFound
        );
        let request = CreateDeliveryRequest { id: id(), head: Some(head("S-1")), ..Default::default() };
        assert_eq!(kind(service.create_delivery(by(Role::Admin, request)).await), invalid);
        let request = UpdateDeliveryRequest { id: id(), version: 1, head: Some(head("S-1")) };
        assert_eq!(kind(service.update_delivery(by(Role::Admin, request)).await), none);
        let request = DeleteDeliveryItemRequest { delivery_id: "DR-1".into(), version: 1, item_number: id() };
        assert_eq!(kind(service.delete_delivery_item(by(Role::Admin, request)).await), none);
        let request = UpdateReasonRequest {
            applies_to: "variance".into(),
            code: id(),
            version: 1,
            label: "Short".into(),
            responsible: "shipper".into(),
            order: 1,
            ..Default::default()
        };
        assert_eq!(kind(service.update_reason(by(Role::Admin, request)).await), none);
        let request = GetCustomerRequest { customer_name: id() };
        assert_eq!(kind(parties.get_customer(by(Role::Admin, request)).await), none);
        let request = UpdateCustomerRequest { customer_name: id(), version: 1, ..Default::default() };
        assert_eq!(kind(parties.update_customer(by(Role::Admin, request)).await), none);
        let request = RequestAttachmentLinkRequest { delivery_id: id(), filename: "a.png".into() };
        assert_eq!(kind(proof.request_attachment_link(by(Role::Admin, request)).await), none);
        let request = AssignDriverRequest {
            delivery_ids: vec!["DR-1".into(), id()],
            driver_id: Some(id()),
            ..Default::default()
        };
        let results = told(service.assign_driver(by(Role::Admin, request)).await).unwrap().results;
        assert!(results.iter().all(|it| !it.ok && it.code != "INTERNAL"), "{results:?}");
        let request = RescheduleDeliveriesRequest {
            delivery_ids: vec![id()],
            client_event_id: new_id().to_string(),
            scheduledatetime: Some(proto::timestamp(at(60))),
            ..Default::default()
        };
        let results = told(service.reschedule_deliveries(by(Role::Admin, request)).await).unwrap().results;
        assert_eq!(results[0].code, "DELIVERY_NOT_FOUND");
    }
});
