//! The OpenAPI document of the driver API, generated from the code.

use std::collections::BTreeMap;

use axum::Json;
use utoipa::openapi::schema::{Object, Schema};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, RefOr};
use utoipa::{Modify, OpenApi};

use super::refusals::{Refusals, Refused};
use super::{attachments, day, deliveries, events, outcome, positions, sign_in};

const ABOUT: &str = "The API for apps on drivers' phones. Sign in with username and PIN, keep the session \
                     token, send the access token as a bearer token, and get a new one before it expires. \
                     Times are RFC 3339. Bodies may be compressed with gzip. A request that carries a \
                     `clientEventId`, a UUID that the app chooses, can be repeated until it is answered.";

#[derive(OpenApi)]
#[openapi(
    info(title = "Waybill driver API", description = ABOUT, version = "1"),
    paths(
        sign_in::login,
        sign_in::token,
        sign_in::logout,
        day::list,
        deliveries::one,
        deliveries::reasons,
        attachments::link,
        attachments::add,
        outcome::record,
        events::record,
        positions::record,
        events::logs,
        get,
    ),
    components(schemas(Refused)),
    tags(
        (name = "session", description = "Signing in and out"),
        (name = "deliveries", description = "What is to be delivered today, and what became of it"),
        (name = "tracking", description = "Where the driver is and what they do"),
        (name = "document", description = "This document"),
    ),
    modifiers(&Bearer, &Flattened),
)]
struct Api;

pub fn document() -> Document {
    Api::openapi()
}

/// This document
#[utoipa::path(
    get,
    path = "/driver/v1/openapi.json",
    tag = "document",
    responses((status = 200, content_type = "application/json", body = Object), Refusals),
)]
pub async fn get() -> Json<Document> {
    Json(document())
}

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}

/// Writes a struct with a flattened part as one object. utoipa would write an `allOf` with that part, which
/// allows no further properties and so would forbid those of the struct itself.
struct Flattened;

impl Modify for Flattened {
    fn modify(&self, document: &mut Document) {
        let schemas = &mut document.components.get_or_insert_default().schemas;
        let named = schemas.clone();
        for schema in schemas.values_mut() {
            let RefOr::T(Schema::AllOf(parts)) = schema else { continue };
            let mut whole = Object::default();
            for part in &parts.items {
                let Some(part) = object(part, &named) else { continue };
                whole.properties.extend(part.properties.clone());
                whole.required.extend(part.required.clone());
                whole.additional_properties =
                    whole.additional_properties.or_else(|| part.additional_properties.clone());
            }
            *schema = RefOr::T(Schema::Object(whole));
        }
    }
}

fn object<'a>(part: &'a RefOr<Schema>, named: &'a BTreeMap<String, RefOr<Schema>>) -> Option<&'a Object> {
    match part {
        RefOr::T(Schema::Object(object)) => Some(object),
        RefOr::T(_) => None,
        RefOr::Ref(reference) => object(named.get(reference.ref_location.rsplit('/').next()?)?, named),
    }
}
