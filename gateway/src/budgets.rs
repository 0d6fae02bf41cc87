//! Divides the capacity of this process between signed-in people, everybody else, file transfers and
//! WebSockets.
//!
//! Each of the four has its own budget, so that strangers cannot use up the capacity that signed-in people
//! need. Within a budget, each account or address has a share, so that none can take everything. A small
//! request takes its place only when it has arrived completely. Until then, it costs only a buffer, for a
//! limited time. The place is held until the response has been sent. `edge` decides which place a request
//! needs.

use std::hash::Hash;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::StatusCode;
use kit::config::Http;
use kit::shares::{Permit, Shares};

use crate::http::{Shape, content_length};

/// Maximum size of a request that has to arrive completely before it takes its place.
const SMALL: usize = 64 * 1024;
/// Maximum number of WebSockets: in total, per account (nobody has this many windows), and per address.
const SOCKETS: usize = 4096;
const SOCKETS_OF_ONE: usize = 30;
const SOCKETS_OF_AN_ADDRESS: usize = 1024;
/// WebSockets that have not sent a token yet, in total and per address.
const GUESTS: usize = 512;
const GUESTS_OF_AN_ADDRESS: usize = 128;

pub struct Budgets {
    people: Budget,
    strangers: Budget,
    transfers: Shares<String>,
    /// WebSockets that have not sent their token, by address. The next two fields count WebSockets with a
    /// token by account, and all WebSockets by address.
    pub guests: Shares<String>,
    pub seats: Shares<String>,
    pub sockets: Shares<String>,
}

pub struct Budget {
    arriving: Shares<String>,
    working: Shares<String>,
}

impl Budget {
    fn new(name: &'static str, most: usize, parts: usize) -> Self {
        let shares = || Shares::new(name, most, most.div_ceil(parts));
        Self { arriving: shares(), working: shares() }
    }
}

/// The place that a request needs, and whose share it uses.
pub enum Place<'a> {
    Free,
    Transfer(String),
    Of(&'a Budget, String),
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Busy,
    Slow,
    CutOff,
}

impl Refusal {
    pub fn answer(self, shape: Shape) -> Response {
        let (status, code, text) = match self {
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "UNAVAILABLE",
                "The service is busy. Try again in a moment.",
            ),
            Self::Slow => {
                (StatusCode::GATEWAY_TIMEOUT, "UNAVAILABLE", "This took too long. Try again in a moment.")
            }
            Self::CutOff => (StatusCode::BAD_REQUEST, "BAD_USER_INPUT", "The request was cut off."),
        };
        shape.refuse(status, code, text)
    }
}

impl Budgets {
    pub fn new(config: &Http) -> Self {
        Self {
            people: Budget::new("requests_of_people", config.max_in_flight, 16),
            strangers: Budget::new("requests_of_strangers", config.max_anonymous_in_flight, 4),
            transfers: Shares::new("transfers", config.max_transfers, config.max_transfers.div_ceil(2)),
            guests: Shares::new("sockets_of_strangers", GUESTS, GUESTS_OF_AN_ADDRESS),
            seats: Shares::new("sockets_of_one_account", SOCKETS, SOCKETS_OF_ONE),
            sockets: Shares::new("sockets_of_one_address", SOCKETS, SOCKETS_OF_AN_ADDRESS),
        }
    }

    /// Returns the place for a request of a signed-in person, which uses the account's share.
    pub fn person(&self, account: String) -> Place<'_> {
        Place::Of(&self.people, account)
    }

    pub fn stranger(&self, network: String) -> Place<'_> {
        Place::Of(&self.strangers, network)
    }

    /// Waits until a request has arrived, unless it needs no place among requests. A small body has to arrive within
    /// the time limit.
    pub async fn arrive(
        &self,
        request: Request,
        place: &Place<'_>,
        within: Duration,
    ) -> Result<Request, Refusal> {
        match place {
            Place::Free | Place::Transfer(_) => Ok(request),
            Place::Of(budget, who) => arrive(request, &budget.arriving, who.clone(), within).await,
        }
    }

    /// Takes the place, if a request needs one.
    pub fn enter(&self, place: Place<'_>) -> Result<Option<Permit<String>>, Refusal> {
        let permit = match place {
            Place::Free => return Ok(None),
            Place::Transfer(network) => self.transfers.enter(network),
            Place::Of(budget, who) => budget.working.enter(who),
        };
        permit.map(Some).ok_or(Refusal::Busy)
    }
}

/// Waits until a request has arrived, unless it is too large to be buffered.
pub async fn arrive<K: Clone + Eq + Hash>(
    request: Request,
    arriving: &Shares<K>,
    who: K,
    within: Duration,
) -> Result<Request, Refusal> {
    let large = content_length(request.headers()).is_some_and(|length| length > SMALL as u64);
    let (parts, body) = request.into_parts();
    if large || axum::body::HttpBody::is_end_stream(&body) {
        return Ok(Request::from_parts(parts, body));
    }
    let _permit = arriving.enter(who).ok_or(Refusal::Busy)?;
    let body = tokio::time::timeout(within, gather(body)).await.map_err(|_| Refusal::Slow)??;
    Ok(Request::from_parts(parts, body))
}

/// Buffers a small body completely. Of a large body, buffers only the beginning and streams the rest.
async fn gather(body: Body) -> Result<Body, Refusal> {
    let mut pieces = body.into_data_stream();
    let mut begin = Vec::new();
    while let Some(piece) = pieces.next().await {
        begin.extend_from_slice(&piece.map_err(|_| Refusal::CutOff)?);
        if begin.len() > SMALL {
            let begin = stream::iter([Ok(Bytes::from(begin))]);
            return Ok(Body::from_stream(begin.chain(pieces)));
        }
    }
    Ok(Body::from(begin))
}
