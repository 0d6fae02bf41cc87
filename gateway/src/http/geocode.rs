//! Address suggestions for typed text: from the configured provider, or without one from known addresses.
//!
//! `GET /geocode?address=` returns a list of `{address, point: {lat, lng, accuracy} | null}`. A provider's
//! answers are cached, and the number of external requests per person is limited.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use kit::cache::CacheKey;
use kit::text::fold;
use kit::{Error, Result, Role};
use proto::common::v1::{Filter, Page};
use proto::deliveries::v1::ListAddressesRequest;
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use serde::Deserialize;

use super::Shape;
use crate::geocoder::{Geocoder, Place, Point};
use crate::session::{self, Session};
use crate::state::App;

const SHAPE: Shape = Shape::Action;
const MAX_ADDRESS: usize = 200;
const MAX_KNOWN: u32 = 10;
const MINUTE: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
pub struct Ask {
    #[serde(default)]
    address: String,
}

pub async fn geocode(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let identity = session::identify(&app, request.headers(), request.extensions()).await;
    let found = async {
        let session = identity.session()?;
        session.require(Role::STAFF)?;
        let address = ask.map(|Query(ask)| ask.address).unwrap_or_default();
        find(&app, session, &address).await
    };
    match found.await {
        Ok(places) => Json(places).into_response(),
        Err(error) => SHAPE.fail(&error),
    }
}

async fn find(app: &App, session: &Session, address: &str) -> Result<Vec<Place>> {
    let address = address.split_whitespace().collect::<Vec<_>>().join(" ");
    if address.is_empty() {
        return Ok(Vec::new());
    }
    if address.chars().count() > MAX_ADDRESS {
        let text = format!("Address must have no more than {MAX_ADDRESS} characters");
        return Err(Error::invalid_field("address", text));
    }
    match &app.geocoder {
        Some(geocoder) => outside(app, geocoder, session, address).await,
        None => known(app, session, address).await,
    }
}

async fn outside(app: &App, geocoder: &Geocoder, session: &Session, address: String) -> Result<Vec<Place>> {
    let config = &app.config.geocoding;
    let key = CacheKey::new("geocode", format!("{} {}", config.address(), fold(&address)));
    // If the cache fails, continue: the failure is noticed below, where requests are counted.
    if let Ok(Some(places)) = app.cache.get::<Vec<Place>>(&key).await {
        return Ok(places);
    }
    // A request that cannot be counted is refused, because requests cost money.
    let asked = app.cache.increment(&CacheKey::new("geocode-asked", &session.user.id), MINUTE).await?;
    if asked > config.requests_per_minute {
        return Err(Error::rate_limited(
            "GEOCODE_TOO_MANY",
            "You looked up too many addresses. Try again in a minute.",
            MINUTE,
        ));
    }
    let places = geocoder.find(&address).await?;
    if let Err(error) = app.cache.set(&key, &places, Duration::from_secs(config.cache_seconds)).await {
        error.log();
    }
    Ok(places)
}

async fn known(app: &App, session: &Session, address: String) -> Result<Vec<Place>> {
    let mut parties = PartiesServiceClient::new(session.client(&app.deliveries));
    let contains =
        Filter { key: "address".to_owned(), operator: "contains".to_owned(), values: vec![address] };
    let page = Page { r#where: vec![contains], limit: MAX_KNOWN, ..Page::default() };
    let answer = parties.list_addresses(ListAddressesRequest { page: Some(page) }).await?.into_inner();
    let places = answer.addresses.into_iter().map(|it| {
        let point = it.point.map(|it| Point { lat: it.lat, lng: it.lng, accuracy: it.accuracy });
        Place { address: it.address, point }
    });
    Ok(places.collect())
}
