//! How much of this process is for whom: signed-in people, everybody else, files that come and go,
//! WebSockets.
//!
//! Each has a budget of its own, so that strangers cannot take what people need, and in it each account
//! or address has a share, so that none of them takes everything. A small request arrives whole before it
//! takes its place: while it arrives it costs a buffer and no work, and it has little time for it. The
//! place is kept until the answer has been sent.
//!
//! Deliberately absent: `/health` and the files of the application, which cost nothing; positions of
//! devices, which have bounds of their own (`ingest`).

use std::hash::Hash;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::StatusCode;
use kit::Principal;
use kit::config::Http;
use kit::shares::{Permit, Shares};

use crate::http::{Shape, analytics, content_length};
use crate::session;
use crate::state::App;

/// What a request may have and still arrive before it takes its place.
const SMALL: usize = 64 * 1024;
/// WebSockets in all, of one account (more than anybody has windows), and from one address.
const SOCKETS: usize = 4096;
const SOCKETS_OF_ONE: usize = 30;
const SOCKETS_OF_AN_ADDRESS: usize = 1024;
/// WebSockets of which it is not known yet whose they are, in all and from one address.
const GUESTS: usize = 512;
const GUESTS_OF_AN_ADDRESS: usize = 128;

pub struct Budgets {
    people: Budget,
    strangers: Budget,
    transfers: Shares<String>,
    /// WebSockets before their token came, by address; those with one, by account; all, by address.
    pub guests: Shares<String>,
    pub seats: Shares<String>,
    pub sockets: Shares<String>,
}

struct Budget {
    arriving: Shares<String>,
    working: Shares<String>,
}

impl Budget {
    fn new(most: usize, parts: usize) -> Self {
        let shares = || Shares::new(most, most.div_ceil(parts));
        Self { arriving: shares(), working: shares() }
    }
}

/// What a request needs, and whose share it comes out of.
enum Place<'a> {
    Free,
    Transfer(String),
    Of(&'a Budget, String),
}

/// Why a request is sent away.
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
            people: Budget::new(config.max_in_flight, 16),
            strangers: Budget::new(config.max_anonymous_in_flight, 4),
            transfers: Shares::new(config.max_transfers, config.max_transfers.div_ceil(2)),
            guests: Shares::new(GUESTS, GUESTS_OF_AN_ADDRESS),
            seats: Shares::new(SOCKETS, SOCKETS_OF_ONE),
            sockets: Shares::new(SOCKETS, SOCKETS_OF_AN_ADDRESS),
        }
    }

    /// Lets a request in, with its place if it needs one.
    pub async fn admit(
        &self,
        app: &App,
        request: Request,
    ) -> Result<(Request, Option<Permit<String>>), Refusal> {
        let (budget, who) = match self.place(app, &request) {
            Place::Free => return Ok((request, None)),
            Place::Transfer(network) => {
                let permit = self.transfers.enter(network).ok_or(Refusal::Busy)?;
                return Ok((request, Some(permit)));
            }
            Place::Of(budget, who) => (budget, who),
        };
        let within = Duration::from_secs(app.config.http.body_timeout_seconds);
        let request = arrive(request, &budget.arriving, who.clone(), within).await?;
        let permit = budget.working.enter(who).ok_or(Refusal::Busy)?;
        Ok((request, Some(permit)))
    }

    fn place(&self, app: &App, request: &Request) -> Place<'_> {
        let (headers, extensions) = (request.headers(), request.extensions());
        let route = extensions.get::<MatchedPath>().map(MatchedPath::as_str);
        match route {
            None | Some("/health" | crate::ingest::PUBLIC_PATH) => Place::Free,
            Some(path) if path.starts_with("/objects/") => {
                Place::Transfer(session::network(app, headers, extensions))
            }
            Some(path) => match token(path, headers).and_then(|it| app.verifier.recognize(it)) {
                Some(Principal::User { id, .. }) => Place::Of(&self.people, id),
                _ => Place::Of(&self.strangers, session::network(app, headers, extensions)),
            },
        }
    }
}

fn token<'a>(path: &str, headers: &'a http::HeaderMap) -> Option<&'a str> {
    if analytics::is_path(path) { analytics::token(headers) } else { session::bearer(headers) }
}

/// Waits until a request is here, unless it is too large to be kept meanwhile.
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

/// A small body whole; of a large one the beginning, with the rest behind it.
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
