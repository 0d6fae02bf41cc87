//! Endpoints that take the deliveries of some sources only.

use ::store::audit::By;
use kit::clock::new_id;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;

use super::*;
use crate::commands::{import, sources};
use crate::domain::party::Source;
use crate::tests::{batch, row};

on_both!(an_endpoint_of_one_source_gets_only_its_deliveries, Migrator, |db: Db| async move {
    let office = open(&db);
    let source = async |name: &str| {
        let form = Source { name: name.into(), is_active: true, pod_requirement: None };
        let ana = By { actor: "ana", address: "", now: office.context.clock.now() };
        sources::create(&db, form, ana).await.unwrap().id.to_string()
    };
    let (luzon, visayas) = (source("Luzon Foods").await, source("Visayas Mills").await);
    let all = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let request = SaveOutboundEndpointRequest {
        name: "Mills".into(),
        url: all.url.clone(),
        methods: all.methods.clone(),
        source_ids: vec![visayas.clone()],
        is_active: true,
        ..Default::default()
    };
    let limited = told(office.letters().save_outbound_endpoint(by(Role::Admin, request)).await).unwrap();
    for (source_id, shipment, entered, imported) in
        [(luzon, "S-1", "DR-1", "DR-2"), (visayas, "S-2", "DR-3", "DR-4")]
    {
        let request = CreateDeliveryRequest {
            id: entered.into(),
            head: Some(head(shipment)),
            source_id: Some(source_id.clone()),
            items: two_items(),
        };
        told(office.service().create_delivery(by(Role::Dispatcher, request)).await).unwrap();
        let lines = vec![row(2, imported, shipment, "1", 5_000)];
        import::run(&office.context, batch(new_id(), 0, source_id, lines)).await.unwrap();
    }
    let sends = office.sends().await;
    let sent_to = |endpoint: &OutboundEndpoint| -> Vec<&str> {
        let of = |it: &&Model| it.endpoint_id.is_some_and(|id| id.to_string() == endpoint.id);
        sends.iter().filter(of).map(|it| it.delivery_id.as_str()).collect()
    };
    assert_eq!(sent_to(&all), ["DR-1", "DR-2", "DR-3", "DR-4"]);
    assert_eq!(sent_to(&limited), ["DR-3", "DR-4"]);
});
