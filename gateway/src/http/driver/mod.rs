//! The driver API: what an app on a driver's phone calls, as JSON under `/driver/v1`.
//!
//! A driver signs in with username and PIN and gets two secrets: a session token, kept by the app, and
//! an access token of five minutes, which every other call carries as bearer. What a phone does
//! without network it tells later, by [`events`]: each entry carries an id of the phone's making, so
//! that telling it again changes nothing. The document is made from the code ([`document`]); what is
//! in [`routes`] and not in it fails a test. Whose a delivery is, is decided by the services.

mod attachments;
mod deliveries;
mod document;
mod enums;
mod events;
mod outcome;
mod positions;
mod refusals;
mod sign_in;
mod wire;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use http::StatusCode;

use super::Shape;
use crate::state::App;

#[cfg(test)]
use document::document;

const SHAPE: Shape = Shape::Driver;

/// Every address, with what it takes; the document names each.
fn routes() -> [(&'static str, &'static str, MethodRouter<Arc<App>>); 13] {
    [
        ("POST", "/driver/v1/login", post(sign_in::login)),
        ("POST", "/driver/v1/token", post(sign_in::token)),
        ("POST", "/driver/v1/logout", post(sign_in::logout)),
        ("GET", "/driver/v1/deliveries", get(deliveries::list)),
        ("GET", "/driver/v1/deliveries/{id}", get(deliveries::one)),
        ("GET", "/driver/v1/reasons", get(deliveries::reasons)),
        ("POST", "/driver/v1/deliveries/{id}/attachment-link", post(attachments::link)),
        ("POST", "/driver/v1/deliveries/{id}/attachments", post(attachments::add)),
        ("POST", "/driver/v1/deliveries/{id}/outcome", post(outcome::record)),
        ("POST", "/driver/v1/events", post(events::record)),
        ("POST", "/driver/v1/positions", post(positions::record)),
        ("POST", "/driver/v1/logs", post(events::logs)),
        ("GET", "/driver/v1/openapi.json", get(document::get)),
    ]
}

pub fn router() -> Router<Arc<App>> {
    routes()
        .into_iter()
        .fold(Router::new(), |router, (_, path, handler)| router.route(path, handler.fallback(wrong_verb)))
}

async fn wrong_verb(_: Request) -> Response {
    let text = "This address does not take that method.";
    SHAPE.refuse(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_routed_is_documented_and_the_other_way_round() {
        let routed: BTreeSet<_> =
            routes().iter().map(|(method, path, _)| format!("{method} {path}")).collect();
        let document = serde_json::to_value(document()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let documented: BTreeSet<_> = paths
            .iter()
            .flat_map(|(path, verbs)| {
                let verbs = verbs.as_object().unwrap().keys();
                verbs.map(move |verb| format!("{} {path}", verb.to_uppercase()))
            })
            .collect();
        assert_eq!(routed, documented);
    }
}
