//! The common parts of all calls: the driver, compressed bodies, and refusals.

use std::io::Read;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, StatusCode};
use kit::{Error, Role};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use tonic::Status;
use utoipa::ToSchema;

use super::SHAPE;
use crate::http::{body, not_found};
use crate::session::{Session, identify};
use crate::state::App;

/// Parses a whole number, also when it has a decimal point: in JSON, 2.0 is 2.
pub fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
        return Ok(Some(number as u32));
    }
    Err(D::Error::custom("must be a whole number"))
}

/// A refusal as a response. Boxed, because it is large and rare.
#[derive(Debug)]
pub struct Failure(Box<Response>);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        SHAPE.fail(&error).into()
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Error::from(status).into()
    }
}

impl From<Response> for Failure {
    fn from(response: Response) -> Self {
        Self(Box::new(response))
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        *self.0
    }
}

pub type Answer<T> = Result<T, Failure>;

/// The session of the calling driver.
pub struct Driver(pub Session);

impl FromRequestParts<Arc<App>> for Driver {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answer<Self> {
        let identity = identify(app, &parts.headers, &parts.extensions).await;
        let session = identity.session()?;
        // Services admit staff to some of these calls, too, but this API is for drivers only.
        session.require(&[Role::Driver])?;
        Ok(Self(session.clone()))
    }
}

/// The id of a delivery in the path.
pub struct Id(pub String);

impl FromRequestParts<Arc<App>> for Id {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answer<Self> {
        // axum would refuse what is not UTF-8 in its own format.
        let id = Path::<String>::from_request_parts(parts, app).await;
        id.map(|Path(id)| Self(id)).map_err(|_| not_found(SHAPE).into())
    }
}

/// A body that is a JSON object of at most `MOST` bytes, optionally gzipped.
pub struct Input<T, const MOST: usize>(pub T);

impl<T: DeserializeOwned, const MOST: usize> FromRequest<Arc<App>> for Input<T, MOST> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &Arc<App>) -> Answer<Self> {
        let (parts, content) = request.into_parts();
        if !said(&parts.headers, CONTENT_TYPE).eq_ignore_ascii_case("application/json") {
            return Err(unsupported("Send the request as application/json."));
        }
        let packed = match said(&parts.headers, CONTENT_ENCODING).to_ascii_lowercase().as_str() {
            "" | "identity" => false,
            "gzip" => true,
            _ => return Err(unsupported("Send the request uncompressed, or compressed with gzip.")),
        };
        let bytes = body(SHAPE, &parts.headers, content, MOST).await?;
        let bytes = if packed { unpacked(&bytes, MOST)? } else { bytes };
        Ok(Self(read(&bytes)?))
    }
}

/// Returns a header's value without parameters.
fn said(headers: &HeaderMap, name: HeaderName) -> &str {
    let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

fn unsupported(text: &str) -> Failure {
    SHAPE.refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", text).into()
}

/// Decompresses a body and stops at the limit, however much more there is.
fn unpacked(bytes: &[u8], most: usize) -> Answer<Bytes> {
    let mut plain = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(most as u64 + 1);
    if reader.read_to_end(&mut plain).is_err() {
        return Err(bad("The request is not compressed with gzip as its header says."));
    }
    if plain.len() > most {
        let text = "The request is too large once decompressed.";
        return Err(SHAPE.refuse(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", text).into());
    }
    Ok(plain.into())
}

/// Parses a body. Errors are returned and not logged, because they may quote a PIN.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Answer<T> {
    // serde would also parse a list, as the values of the fields in order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(bad("The request is not a JSON object."));
    }
    serde_json::from_slice(bytes)
        .map_err(|error| bad(&format!("The request doesn't match its documentation: {error}.")))
}

fn bad(text: &str) -> Failure {
    SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text).into()
}

/// A location: latitude and longitude in degrees, accuracy in meters.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub lat: f64,
    pub lng: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
}

impl From<Point> for proto::deliveries::v1::GeoPoint {
    fn from(Point { lat, lng, accuracy }: Point) -> Self {
        Self { lat, lng, accuracy }
    }
}

impl From<proto::deliveries::v1::GeoPoint> for Point {
    fn from(point: proto::deliveries::v1::GeoPoint) -> Self {
        let proto::deliveries::v1::GeoPoint { lat, lng, accuracy } = point;
        Self { lat, lng, accuracy }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_packed_is_unpacked_so_far_and_no_further() {
        let bomb = packed(&vec![b' '; 64 << 20]);
        assert!(bomb.len() < 100_000);
        let refused = unpacked(&bomb, 1 << 20).unwrap_err();
        assert_eq!(refused.0.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(unpacked(&packed(b"{}"), 2).unwrap().as_ref(), b"{}");
        assert_eq!(unpacked(&packed(b"{ }"), 2).unwrap_err().0.status(), StatusCode::PAYLOAD_TOO_LARGE);
        for broken in [&b"{}"[..], b"", &packed(b"{\"a\": 1}")[..12]] {
            assert_eq!(unpacked(broken, 100).unwrap_err().0.status(), StatusCode::BAD_REQUEST);
        }
        // Several gzip members, as some senders make them, count as one body.
        let two = [packed(b"{"), packed(b"}")].concat();
        assert_eq!(unpacked(&two, 2).unwrap().as_ref(), b"{}");
        assert!(unpacked(&two, 1).is_err());
    }
}
