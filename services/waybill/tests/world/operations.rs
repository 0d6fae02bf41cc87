//! Starting, stopping, readiness, and what works while a part is down.

use kit::config::{Flags, Target};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use waybill::target::{load, service};

use crate::harness::World;
use crate::in_both_shapes;

in_both_shapes!(every_node_is_ready_and_alive, |world: World| async move {
    let browser = world.browser();
    for node in &world.nodes {
        let ops = format!("http://{}", node.ops.unwrap());
        let live: Value =
            browser.http.get(format!("{ops}/livez")).send().await.unwrap().json().await.unwrap();
        assert_eq!(live, json!({ "health": "HEALTH" }));
        let ready = browser.http.get(format!("{ops}/readyz")).send().await.unwrap();
        let (status, said) = (ready.status(), ready.text().await.unwrap());
        assert_eq!(status, 200, "{said}");
        // A gateway works without the bus, so nothing else shows that it lost it.
        let said: Value = serde_json::from_str(&said).unwrap();
        assert!(said["dependencies"]["bus"].is_boolean(), "{said}");
    }
    let health = browser.http.get(format!("{}/health", world.base)).send().await.unwrap();
    assert_eq!(health.text().await.unwrap().trim(), "ok");
    // Neither path is on the public port.
    for path in ["/metrics", "/readyz"] {
        let answer = browser.http.get(format!("{}{path}", world.base)).send().await.unwrap();
        assert!(!answer.text().await.unwrap().contains("HEALTH"), "{path}");
    }
    world
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_away_is_said_to_be() {
    let mut world = World::split().await;
    let browser = world.admin().await;
    let at = world.services.iter().position(|(service, _)| *service == deliveries::NAME).unwrap();
    let node = world.nodes.remove(at);
    assert!(node.stop().await);
    let (code, _) = browser.refused("query { deliveries { id } }", json!({})).await;
    assert_eq!(code, "UNAVAILABLE");
    // Requests that do not need the missing service still work.
    let me = browser.data("query { redwood { currentUser } uploadLogs { id } }", json!({})).await;
    assert_eq!(me["uploadLogs"], json!([]));
    world.stop().await;
}

/// All gateways would become unready at the same moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_auth_that_is_kept_busy_does_not_take_the_gateway_out() {
    let world = World::split().await;
    let db = world.database(auth::NAME).await;
    let busy = db.begin().await.unwrap();
    busy.execute_unprepared("LOCK TABLE setup").await.unwrap();
    let gateway = world.nodes.iter().find(|node| node.http.is_some()).unwrap();
    for _ in 0..3 {
        gateway.lifecycle.readiness.probe().await;
    }
    let (ready, dependencies) = gateway.lifecycle.readiness.state();
    assert!(ready && dependencies["auth"], "{dependencies:?}");
    drop(busy);
    db.close().await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_alone_does_not_run_on_an_old_database() {
    let (url, name) = store::testing::create_postgres().await;
    let mut config = load(&Flags::default(), Target::All).unwrap().config;
    config.database.url = url.into();
    config.bus.url = crate::harness::nats_url().into();
    let listeners = waybill::serve::Listeners { http: None, grpc: None, ops: None, ingest: None };
    let target = service(auth::NAME).unwrap().target();
    let started = waybill::compose::start(config, target, listeners, kit::clock::Clock::system()).await;
    let error = started.err().unwrap();
    assert_eq!(error.reason, "MIGRATIONS_PENDING");
    store::testing::drop_postgres(&name).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_outlives_a_restart() {
    use waybill::compose::start;
    use waybill::serve::Listeners;
    let dir = tempfile::tempdir().unwrap();
    let mut config = load(&Flags::default(), Target::All).unwrap().config;
    config.data = dir.path().join("data");
    let mut browser = None;
    for round in 0..2 {
        let http = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listeners = Listeners { http: Some(http), grpc: None, ops: None, ingest: None };
        let node = start(config.clone(), Target::All, listeners, kit::clock::Clock::system()).await.unwrap();
        let base = format!("http://{}", node.http.unwrap());
        let mut here = browser.take().unwrap_or_else(|| crate::browser::Browser::new(&base));
        here.base = base;
        if round == 0 {
            here.create_admin("admin", crate::harness::PASSWORD).await;
            here.sign_in("admin", crate::harness::PASSWORD).await;
        }
        // The session from before the restart is still valid, and so is its token.
        assert!(!here.fetch_token().await.is_empty());
        here.data("query { deliveries { id } }", json!({})).await;
        browser = Some(here);
        assert!(node.stop().await);
    }
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(dir.path().join("data")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else may enter the data folder");
}
