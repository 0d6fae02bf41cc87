//! The gateway: turns browser requests into gRPC calls, and the answers into GraphQL, JSON or a page.
//!
//! Contains the routes of the public port (`router`), the session of a request (`session`), what applies
//! to every response (`edge`), the trace, metric and log line of every request (`observe`), GraphQL
//! (`graphql`), and reports to the audit log (`accesses`). Deliberately absent: data, rules and roles. The
//! owning service decides who may do what; the gateway only knows whether somebody is signed in. Start at
//! [`router`].

// To prove that the futures of all fields are `Send`, the compiler recurses as deep as the schema refers to
// itself.
#![recursion_limit = "256"]

mod accesses;
mod budgets;
mod checked;
mod context;
mod edge;
mod export;
mod geocoder;
mod graphql;
mod http;
pub mod ingest;
mod locations;
mod notices;
mod observe;
mod session;
mod settings;
mod state;

use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Extension, Router};

pub use context::Context;
pub use graphql::sdl;
pub use http::third_party::text as third_party_notices;
pub use notices::Notices;

use crate::graphql::Graph;
use crate::http::{
    actions, analytics, auth, driver, export as exports, forms, geocode, host, intake, live, logo, objects,
    spa, third_party,
};

/// The gateway's name in service tokens.
pub const NAME: &str = "gateway";

/// Returns the public port's router. Paths without a route serve the browser application.
pub fn router(context: Context) -> Router {
    let devices = context.config.ingest.on_public_port.then(|| ingest::public(&context));
    let graph = Graph::new(&context.config.graphql);
    let app = state::App::new(context);
    let mut router = Router::new()
        .route("/auth", get(auth::get_token).post(auth::post).fallback(auth::wrong_verb))
        .route("/graphql", post(crate::http::graphql::post).get(live::upgrade).layer(Extension(graph)))
        .route("/request-upload-link", post(actions::request_upload_link))
        .route("/request-logo-upload-link", post(actions::request_logo_upload_link))
        .route("/logo", get(logo::present))
        .route("/logo/{file}", get(logo::read))
        .route("/upload-deliveries", post(actions::upload_deliveries).get(spa::page))
        .route("/undo-uploaded-deliveries", post(actions::undo_uploaded_deliveries))
        .route("/geocode", get(geocode::geocode))
        .route(intake::PATH, post(intake::raise))
        .route("/delivery-forms/{file}", get(forms::pdf))
        .route("/export/deliveries", get(exports::deliveries::get))
        .route("/export/driver-positions", get(exports::positions::get))
        .route("/third-party-notices.txt", get(third_party::get))
        .route("/health", get(crate::http::health::health));
    if let kit::blob::Blob::Local(_) = app.blob {
        router = router.route("/objects/{*key}", get(objects::read).put(objects::write));
    }
    // For the routes so far that have no fallback of their own. Those merged below answer other verbs differently.
    router = router.method_not_allowed_fallback(crate::http::wrong_verb);
    if let Some(devices) = devices {
        router = router.merge(devices);
    }
    let router = router.merge(driver::router()).merge(analytics::router());
    let router = router.fallback(spa::fallback).layer(from_fn_with_state(app.clone(), host::check));
    edge::wrap(router, app.clone()).with_state(app)
}
