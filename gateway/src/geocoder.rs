//! Finds locations by address, at an external provider.
//!
//! The configuration fixes the provider's URL; a person only chooses the text to look up. Responses are
//! untrusted: their size is limited, and their texts are checked and shortened. The API key is sent to the
//! provider only.

use std::time::Duration;

use kit::config::{Geocoder as Provider, Geocoding};
use kit::input::limits;
use kit::{Error, Result, outbound};
use serde::{Deserialize, Serialize};

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_ANSWER: usize = 256 * 1024;
const MAX_PLACES: usize = 10;
const METRES_PER_DEGREE: f64 = 111_320.0;

/// An address in its canonical form, and its location, if known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub address: String,
    pub point: Option<Point>,
}

/// Coordinates in degrees, accuracy in meters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub lat: f64,
    pub lng: f64,
    pub accuracy: Option<f64>,
}

pub struct Geocoder {
    client: reqwest::Client,
    config: Geocoding,
}

impl Geocoder {
    /// Creates the client; `None` if no provider is configured.
    pub fn new(config: &Geocoding, public_url: &str) -> Result<Option<Self>> {
        if config.provider == Provider::None {
            return Ok(None);
        }
        // Providers require that callers identify themselves.
        let agent = format!("Waybill/{} ({public_url})", env!("CARGO_PKG_VERSION"));
        let client = outbound::client(agent.trim_end_matches(" ()"), TIMEOUT)?;
        Ok(Some(Self { client, config: config.clone() }))
    }

    pub async fn find(&self, address: &str) -> Result<Vec<Place>> {
        self.ask(address).await.map_err(|error| {
            Error::unavailable(
                "GEOCODER_UNAVAILABLE",
                "Addresses cannot be looked up right now. Type the address instead.",
            )
            .with_source(error)
        })
    }

    async fn ask(&self, address: &str) -> Result<Vec<Place>> {
        let key = self.config.key();
        let query: &[(&str, &str)] = match self.config.provider {
            Provider::Google => &[("address", address), ("key", key)],
            _ if key.is_empty() => &[("q", address), ("format", "jsonv2"), ("limit", "10")],
            _ => &[("q", address), ("format", "jsonv2"), ("limit", "10"), ("key", key)],
        };
        // Remove the URL from errors, because it contains the API key and a person's input.
        let hidden = |error: reqwest::Error| Error::internal(error.without_url());
        let request = self.client.get(self.config.address()).query(query);
        let answer = request.header("accept-language", "en").send().await.map_err(hidden)?;
        if !answer.status().is_success() {
            return Err(Error::internal(format!("the geocoder answered {}", answer.status())));
        }
        let body = outbound::body(answer, MAX_ANSWER).await?;
        match self.config.provider {
            Provider::Google => google(&body),
            _ => nominatim(&body),
        }
    }
}

#[derive(Deserialize)]
struct NominatimPlace {
    display_name: String,
    lat: String,
    lon: String,
    /// Edges of the bounding box: south, north, west, east.
    #[serde(default)]
    boundingbox: Vec<String>,
}

fn nominatim(body: &[u8]) -> Result<Vec<Place>> {
    let places: Vec<NominatimPlace> = read(body)?;
    let places = places.into_iter().map(|it| {
        let number = |text: &String| text.parse::<f64>().ok();
        let bounds = match &it.boundingbox[..] {
            [south, north, west, east] => {
                [south, north, west, east].map(number).into_iter().collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let accuracy = bounds.and_then(|it| radius(it[0], it[2], it[1], it[3]));
        place(&it.display_name, number(&it.lat), number(&it.lon), accuracy)
    });
    Ok(places.flatten().take(MAX_PLACES).collect())
}

#[derive(Deserialize)]
struct GoogleAnswer {
    status: GoogleStatus,
    #[serde(default)]
    results: Vec<GooglePlace>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum GoogleStatus {
    Ok,
    ZeroResults,
    OverDailyLimit,
    OverQueryLimit,
    RequestDenied,
    InvalidRequest,
    #[serde(other)]
    SomethingElse,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum GooglePrecision {
    Rooftop,
    /// Interpolated between two house numbers.
    RangeInterpolated,
    #[serde(other)]
    Rough,
}

#[derive(Deserialize)]
struct GooglePlace {
    formatted_address: String,
    geometry: GoogleGeometry,
}

#[derive(Deserialize)]
struct GoogleGeometry {
    location: GooglePoint,
    location_type: Option<GooglePrecision>,
    bounds: Option<GoogleBounds>,
}

#[derive(Deserialize)]
struct GoogleBounds {
    northeast: GooglePoint,
    southwest: GooglePoint,
}

#[derive(Deserialize)]
struct GooglePoint {
    lat: f64,
    lng: f64,
}

fn google(body: &[u8]) -> Result<Vec<Place>> {
    let answer: GoogleAnswer = read(body)?;
    if !matches!(answer.status, GoogleStatus::Ok | GoogleStatus::ZeroResults) {
        return Err(Error::internal(format!("the geocoder answered {:?}", answer.status)));
    }
    let places = answer.results.into_iter().map(|it| {
        let GoogleGeometry { location, location_type, bounds } = it.geometry;
        let bounds = bounds.map(|it| (it.southwest, it.northeast));
        let accuracy = match (bounds, location_type) {
            (Some((low, high)), _) => radius(low.lat, low.lng, high.lat, high.lng),
            (None, Some(GooglePrecision::Rooftop)) => Some(10.0),
            (None, Some(GooglePrecision::RangeInterpolated)) => Some(50.0),
            (None, Some(GooglePrecision::Rough) | None) => None,
        };
        place(&it.formatted_address, Some(location.lat), Some(location.lng), accuracy)
    });
    Ok(places.flatten().take(MAX_PLACES).collect())
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T> {
    // Leave out the cause: it would put a part of the response into the log.
    serde_json::from_slice(body).map_err(|_| Error::internal("the geocoder answered something else"))
}

/// Checks a result. Leaves out coordinates that are invalid; returns `None` if the address is empty.
fn place(address: &str, lat: Option<f64>, lng: Option<f64>, accuracy: Option<f64>) -> Option<Place> {
    let plain: String = address.chars().filter(|c| !c.is_control()).take(limits::ADDRESS).collect();
    let point = match (lat, lng) {
        (Some(lat), Some(lng)) if lat.abs() <= 90.0 && lng.abs() <= 180.0 => {
            Some(Point { lat, lng, accuracy })
        }
        _ => None,
    };
    let address = plain.trim().to_owned();
    (!address.is_empty()).then_some(Place { address, point })
}

/// Returns half the diagonal of a box, in whole meters.
fn radius(south: f64, west: f64, north: f64, east: f64) -> Option<f64> {
    let high = (north - south) * METRES_PER_DEGREE;
    let wide = (east - west) * METRES_PER_DEGREE * ((south + north) / 2.0).to_radians().cos();
    let radius = (high.hypot(wide) / 2.0).round();
    (radius.is_finite() && high >= 0.0 && wide >= 0.0).then(|| radius.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_nominatim() {
        let body = br#"[
            { "display_name": " 12 Rizal St,\u0000 Manila ", "lat": "14.5590", "lon": "121.0200",
              "boundingbox": ["14.5589", "14.5591", "121.0199", "121.0201"], "class": "place" },
            { "display_name": "Nowhere", "lat": "914", "lon": "1" },
            { "display_name": "  ", "lat": "1", "lon": "1" }
        ]"#;
        let point = Point { lat: 14.559, lng: 121.02, accuracy: Some(15.0) };
        assert_eq!(
            nominatim(body).unwrap(),
            [
                Place { address: "12 Rizal St, Manila".into(), point: Some(point) },
                Place { address: "Nowhere".into(), point: None },
            ]
        );
        let many = format!("[{}]", vec![r#"{"display_name":"a","lat":"1","lon":"1"}"#; 50].join(","));
        assert_eq!(nominatim(many.as_bytes()).unwrap().len(), MAX_PLACES);
        let long = format!(r#"[{{"display_name":"{}","lat":"1","lon":"x"}}]"#, "a".repeat(9_000));
        assert_eq!(nominatim(long.as_bytes()).unwrap()[0].address.len(), limits::ADDRESS);
    }

    #[test]
    fn places_of_google() {
        let body = br#"{ "status": "OK", "results": [
            { "formatted_address": "12 Rizal St", "geometry": { "location": { "lat": 14.5, "lng": 121 }, "location_type": "ROOFTOP" } },
            { "formatted_address": "Manila", "geometry": { "location": { "lat": 14.6, "lng": 120.9 }, "location_type": "APPROXIMATE",
              "bounds": { "northeast": { "lat": 14.7, "lng": 121.0 }, "southwest": { "lat": 14.5, "lng": 120.8 } } } }
        ] }"#;
        let places = google(body).unwrap();
        assert_eq!(places[0].point.unwrap().accuracy, Some(10.0));
        let wide = places[1].point.unwrap().accuracy.unwrap();
        assert!((15_000.0..16_000.0).contains(&wide), "{wide}");
        assert_eq!(google(br#"{ "status": "ZERO_RESULTS", "results": [] }"#).unwrap(), []);
        let refused =
            google(br#"{ "status": "REQUEST_DENIED", "error_message": "key secret" }"#).unwrap_err();
        let source = refused.source.unwrap().to_string();
        assert!(source.contains("RequestDenied") && !source.contains("secret"), "{source}");
    }

    #[test]
    fn what_is_no_answer_is_an_error_that_tells_nothing_of_it() {
        for body in ["", "<html>secret", "{}", "[{}]", r#"[{"display_name":1,"lat":"1","lon":"1"}]"#, "null"]
        {
            for error in [nominatim(body.as_bytes()).unwrap_err(), google(body.as_bytes()).unwrap_err()] {
                assert!(!error.source.unwrap().to_string().contains("secret"));
            }
        }
        assert!(google(b"[]").is_err());
    }
}
