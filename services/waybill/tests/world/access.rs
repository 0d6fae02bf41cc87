//! Calls every RPC as every kind of caller, and compares the results with the table in `access_rpc.txt`.
//!
//! The methods come from the contracts, so a new method without a row fails here. Requests are empty, because
//! only access is tested: `ok` means that access was granted, whatever the handler returned. Run with
//! WAYBILL_WRITE_ACCESS=1 to rewrite the table, and read the difference.

use std::fmt::Write as _;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use kit::Role;
use kit::principal::{ServiceIdentity, sign_access};
use kit::rpc::Transport;
use prost::Message;
use prost_types::FileDescriptorSet;
use sea_orm::{ConnectionTrait, Statement};
use tower::ServiceExt;
use waybill::target::{Row, SERVICES};

use crate::harness::World;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/world/access_rpc.txt");

/// Returns the kinds of callers, with their tokens.
pub async fn callers(world: &World) -> Vec<(&'static str, Option<String>)> {
    let db = world.database(auth::NAME).await;
    let backend = db.backend();
    let newest =
        Statement::from_string(backend, "SELECT id, pkcs8 FROM signing_key ORDER BY created_at DESC LIMIT 1");
    let row = db.read().query_one_raw(newest).await.unwrap().unwrap();
    let (key, pkcs8): (String, Vec<u8>) = (row.try_get("", "id").unwrap(), row.try_get("", "pkcs8").unwrap());
    db.close().await;
    let now = world.clock.now().timestamp();
    let person = |roles: &[Role], driver| {
        let id = kit::clock::new_id().to_string();
        Some(sign_access(&key, &pkcs8, &id, "somebody", roles.to_vec(), driver, &id, now, now + 60).unwrap())
    };
    let user = |roles: &[Role]| person(roles, None);
    let expired = {
        let id = kit::clock::new_id().to_string();
        sign_access(&key, &pkcs8, &id, "somebody", vec![Role::Admin], None, &id, now - 600, now - 300)
            .unwrap()
    };
    let service = |name| {
        let secret = world.config.auth.service_secret.clone();
        Some(ServiceIdentity::new(name, secret, world.clock.clone()).token().unwrap())
    };
    let forged = ServiceIdentity::new(
        "upload",
        "not-the-secret-of-this-deployment".to_owned().into(),
        world.clock.clone(),
    );
    vec![
        ("anonymous", None),
        ("bad_token", Some("not-a-token".to_owned())),
        ("expired", Some(expired)),
        ("forged_service", Some(forged.token().unwrap())),
        ("no_role", user(&[])),
        ("driver", person(&[Role::Driver], Some("D-1"))),
        ("viewer", user(&[Role::Viewer])),
        ("dispatcher", user(&[Role::Dispatcher])),
        ("planner", user(&[Role::TransportPlanner])),
        ("admin", user(&[Role::Admin])),
        ("upload_service", service("upload")),
        ("analytics_service", service("analytics")),
        ("gateway_service", service("gateway")),
        ("other_service", service("deliveries")),
    ]
}

/// Returns each method with each service that serves it.
fn methods() -> Vec<(&'static str, String)> {
    let set = FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap();
    let mut all = Vec::new();
    for file in set.file.iter().filter(|file| !file.service.is_empty()) {
        let package = file.package();
        let name = package.strip_prefix("waybill.").and_then(|it| it.strip_suffix(".v1"));
        let owners: Vec<&Row> = match name {
            // This contract belongs to every service whose events others consume.
            Some("events") => SERVICES.iter().filter(|row| row.answers_for_events).collect(),
            name => SERVICES.iter().filter(|row| Some(row.name) == name).collect(),
        };
        assert!(!owners.is_empty(), "no service has the contract {package}");
        for row in owners {
            let methods = file
                .service
                .iter()
                .flat_map(|service| service.method.iter().map(move |method| (service.name(), method.name())));
            all.extend(methods.map(|(service, method)| (row.name, format!("/{package}.{service}/{method}"))));
        }
    }
    all
}

async fn knock(transport: &Transport, path: &str, token: Option<&str>) -> &'static str {
    let client = match token {
        Some(token) => transport.with_token(token.into()),
        None => transport.anonymous(),
    };
    // An empty message in its five-byte frame.
    let body = tonic::body::Body::new(Full::new(Bytes::from_static(&[0; 5])));
    let request = http::Request::post(format!("http://waybill{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body)
        .unwrap();
    let response = client.oneshot(request).await.unwrap();
    let mut status = response.headers().get("grpc-status").cloned();
    let body = response.into_body().collect().await.unwrap();
    status = status.or_else(|| body.trailers().and_then(|it| it.get("grpc-status").cloned()));
    match status.as_ref().and_then(|it| it.to_str().ok()) {
        Some("16") => "unauthenticated",
        Some("7") => "forbidden",
        Some("12") => panic!("{path} is not served"),
        Some("13" | "2") => panic!("{path} broke"),
        _ => "ok",
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rpc_opens_to_whom_the_table_says() {
    let world = World::split().await;
    world.admin().await;
    let mut table = String::from(
        "# RPC: who is let in. Written by services/waybill/tests/world/access.rs; a row per method.\n",
    );
    let mut known = ("", Vec::new());
    for (service, path) in methods() {
        // Tokens last a minute, and a slow machine takes longer for all methods.
        if known.0 != service {
            known = (service, callers(&world).await);
        }
        let address = format!("http://{}", world.address(service));
        let limit = std::time::Duration::from_secs(10);
        let transport = Transport::connect(service, &address, limit, None).unwrap();
        match path.starts_with("/waybill.events.") {
            true => writeln!(table, "\n{path} of {service}").unwrap(),
            false => writeln!(table, "\n{path}").unwrap(),
        }
        for (name, token) in &known.1 {
            writeln!(table, "  {name:<15} {}", knock(&transport, &path, token.as_deref()).await).unwrap();
        }
    }
    world.stop().await;
    compare(TABLE, &table);
}

/// Compares `table` with the checked-in table, or rewrites the checked-in one on request.
pub fn compare(path: &str, table: &str) {
    if std::env::var_os("WAYBILL_WRITE_ACCESS").is_some() {
        std::fs::write(path, table).unwrap();
        return;
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let differing: Vec<_> =
        table.lines().zip(known.lines()).filter(|(now, then)| now != then).take(10).collect();
    assert!(
        known == table,
        "who is let in has changed; read the difference, then write the table with WAYBILL_WRITE_ACCESS=1\n{differing:#?}"
    );
}
