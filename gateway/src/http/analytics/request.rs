//! The parameters of a call: in the URL, or as JSON in the body. The query is passed on as text.

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode, Uri};
use proto::analytics::v1::QueryRequest;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Refused;
use crate::http::{Shape, body};

/// The service accepts queries up to 256 KiB.
const MAX_BODY: usize = 320 * 1024;

/// The parameters in a URL; others are ignored.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InAddress {
    query: Option<String>,
    query_type: Option<String>,
    saved_query: Option<String>,
}

/// The same parameters in a body, where the query is an object, a list or a string.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InBody<'a> {
    #[serde(borrow)]
    query: Option<&'a RawValue>,
    query_type: Option<String>,
    saved_query: Option<String>,
}

/// A request, and the id of the saved query to run in place of the query that was sent.
#[derive(Clone, Default, PartialEq)]
pub struct Asked {
    pub request: QueryRequest,
    pub saved_query: Option<String>,
}

impl InBody<'_> {
    pub fn asked(self) -> Asked {
        let query = self.query.map(RawValue::get).filter(|text| *text != "null");
        let request = QueryRequest {
            query: query.unwrap_or_default().to_owned(),
            multi: is_multi(self.query_type.as_deref()),
            lab: false,
        };
        Asked { request, saved_query: self.saved_query }
    }
}

fn is_multi(query_type: Option<&str>) -> bool {
    query_type == Some("multi")
}

pub async fn read(request: Request) -> Result<Asked, Response> {
    let (parts, sent) = request.into_parts();
    if parts.method != Method::POST {
        return in_address(&parts.uri).map_err(IntoResponse::into_response);
    }
    let bytes = body(Shape::Plain, &parts.headers, sent, MAX_BODY).await?;
    if bytes.trim_ascii().is_empty() {
        return in_address(&parts.uri).map_err(IntoResponse::into_response);
    }
    match serde_json::from_slice::<InBody<'_>>(&bytes) {
        Ok(body) => Ok(body.asked()),
        Err(error) => Err(undecodable(&error.to_string()).into_response()),
    }
}

fn in_address(uri: &Uri) -> Result<Asked, Refused> {
    match axum::extract::Query::<InAddress>::try_from_uri(uri) {
        Ok(axum::extract::Query(InAddress { query, query_type, saved_query })) => {
            let multi = is_multi(query_type.as_deref());
            let request = QueryRequest { query: query.unwrap_or_default(), multi, lab: false };
            Ok(Asked { request, saved_query })
        }
        Err(_) => Err(undecodable("the parameters cannot be read")),
    }
}

fn undecodable(why: &str) -> Refused {
    let text = format!("Unable to decode query param as JSON, error: {why}");
    Refused::new(StatusCode::BAD_REQUEST, text)
}
