//! The document of the driver API, made from the code.

use std::collections::BTreeMap;

use axum::Json;
use http::StatusCode;
use utoipa::openapi::schema::{Object, Schema};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, OpenApi as Document, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, Modify, OpenApi};

use super::wire::Refused;
use super::{attachments, deliveries, events, outcome, positions, sign_in};

const ABOUT: &str = "What an app on a driver's phone calls. Sign in with username and PIN, keep the session token, send \
the access token as bearer, and get another one before it ends. Times are RFC 3339. Bodies may be packed with gzip. \
Whatever carries a `clientEventId`, a UUID of the app's making, can be sent again until there is an answer.";

#[derive(OpenApi)]
#[openapi(
    info(title = "Waybill driver API", description = ABOUT, version = "1"),
    paths(
        sign_in::login,
        sign_in::token,
        sign_in::logout,
        deliveries::list,
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

/// Writes a struct with a flattened part as one object. utoipa makes an `allOf` with that part, which takes
/// no further fields and so would forbid those beside it.
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

/// How every call may be refused; the bodies are alike.
pub struct Refusals;

const REFUSALS: [(StatusCode, &str); 11] = [
    (StatusCode::BAD_REQUEST, "Something of the request is wrong; `fields` says what"),
    (StatusCode::UNAUTHORIZED, "Nobody is signed in, or no longer"),
    (StatusCode::FORBIDDEN, "Not for this account: no driver, a blocked one, or another's delivery"),
    (StatusCode::NOT_FOUND, "There is no such thing"),
    (StatusCode::CONFLICT, "It cannot be done as things stand"),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body is too large, packed or unpacked"),
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON, or packed in another way than gzip"),
    (StatusCode::TOO_MANY_REQUESTS, "Too often; `Retry-After` says when to come back"),
    (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here"),
    (StatusCode::SERVICE_UNAVAILABLE, "Not right now; send it again later"),
    (StatusCode::GATEWAY_TIMEOUT, "It took too long; send it again later"),
];

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let refusal = |(status, description): (StatusCode, &str)| {
            let body = Content::new(Some(Ref::from_schema_name("Refused")));
            let response =
                ResponseBuilder::new().description(description).content("application/json", body).build();
            (status.as_str().to_owned(), RefOr::T(response))
        };
        REFUSALS.into_iter().map(refusal).collect()
    }
}
