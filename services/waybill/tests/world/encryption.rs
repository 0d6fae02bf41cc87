//! Separate services whose calls are encrypted: people notice nothing, and nobody without a certificate gets
//! through to a service. What a connection accepts in detail is tested in `kit::tls`.

use std::time::Duration;

use kit::clock::Clock;
use kit::rpc::Transport;
use kit::testing::Authority;
use kit::tls::Tls;
use proto::auth::v1::ListSigningKeysRequest;
use proto::auth::v1::auth_service_client::AuthServiceClient;
use serde_json::json;
use tonic::Code;

use crate::harness::{Shape, World};
use crate::imports::csv;
use waybill::target::SERVICES;

/// Returns whether a service answers. Asks for something that needs no token and that only auth has.
async fn answers(url: &str, tls: Option<&Tls>) -> bool {
    let transport = Transport::connect(auth::NAME, url, Duration::from_secs(5), tls).unwrap();
    let mut client = AuthServiceClient::new(transport.anonymous());
    match client.list_signing_keys(ListSigningKeysRequest {}).await {
        Ok(_) => true,
        Err(status) => status.code() == Code::Unimplemented,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_work_as_always_and_a_stranger_gets_no_answer() {
    let authority = Authority::new();
    let world = World::with(Shape::Split, |settings| settings.encrypt_calls(&authority)).await;
    for node in &world.nodes {
        let (is_ready, dependencies) = node.lifecycle.readiness.state();
        assert!(is_ready, "{dependencies:?}");
    }

    // An import goes from the gateway to upload, and from there to deliveries and settings.
    let admin = world.admin().await;
    let rows = ["E-1,S-1,Cafe Uno,2026-12-01 08:00,1,SKU,4", "E-2,S-1,Cafe Uno,2026-12-01 08:00,1,SKU,4"];
    let ended = admin.import("encrypted.csv", csv(&rows)).await;
    assert_eq!((ended.status.as_str(), ended.deliveries), ("imported", 2), "{ended:?}");
    let driver = json!({ "input": { "driverId": "D-1", "name": "Driver", "username": "d1" } });
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    admin.data(create, driver).await;

    let own = Tls::open(&world.config.grpc, &Clock::system()).unwrap();
    let (folder, mut grpc) = (tempfile::tempdir().unwrap(), world.config.grpc.clone());
    Authority::new().equip(&mut grpc, folder.path());
    let stranger = Tls::open(&grpc, &Clock::system()).unwrap();
    for row in SERVICES {
        let address = world.address(row.name);
        let (plain, encrypted) = (format!("http://{address}"), format!("https://{address}"));
        assert!(answers(&encrypted, own.as_ref()).await, "{} does not answer a service", row.name);
        assert!(!answers(&encrypted, stranger.as_ref()).await, "{} answers a stranger", row.name);
        assert!(!answers(&plain, None).await, "{} answers without TLS", row.name);
    }
    world.stop().await;
}
