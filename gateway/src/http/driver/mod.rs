//! The driver API: JSON under `/driver/v1`, for an app on a driver's phone.
//!
//! A driver signs in with username and PIN and gets two secrets: a session token, which the app keeps, and an
//! access token, which is valid for five minutes and which every other call carries as a bearer token. A
//! phone that was offline sends its actions later, by [`events`]: each has an id made by the phone, so that
//! sending it again changes nothing. The OpenAPI document is generated from the code ([`document`]). A test
//! fails if a route in [`routes`] is not documented. The services decide which deliveries a driver may
//! access.

mod attachments;
mod day;
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

/// Returns every route with its handler. The OpenAPI document lists all of them.
fn routes() -> [(&'static str, &'static str, MethodRouter<Arc<App>>); 13] {
    [
        ("POST", "/driver/v1/login", post(sign_in::login)),
        ("POST", "/driver/v1/token", post(sign_in::token)),
        ("POST", "/driver/v1/logout", post(sign_in::logout)),
        ("GET", "/driver/v1/deliveries", get(day::list)),
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
    let text = "This address does not support that method.";
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
