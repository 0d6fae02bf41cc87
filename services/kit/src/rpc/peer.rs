//! Calls to a service in another process, over an unreliable network and to replicas that restart.
//!
//! Uses several connections in turn: each resolves the service's name when it is opened, so that replicas
//! behind one name share the work, and a dead connection fails only its part of the calls. Pings detect a
//! silent link within ten seconds. Connections that nobody answers are not tried by every call: see [`breaker`].
//!
//! A call that failed before a byte of its response arrived is repeated where that is safe: any call that the
//! service certainly did not begin, and any call of a method that only reads. A call is repeated as often as
//! there are connections, because a broken link breaks all of them, and each connection has to notice that
//! separately. One response causes a repetition: UNIMPLEMENTED, because during a roll-out another replica may
//! know the method. No other does, UNAVAILABLE included: the caller decides, because otherwise an overloaded
//! service would get each call several times.

mod breaker;

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Uri;
use http_body_util::{BodyExt, Full};
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, ConnectError, Status};
use tower::{BoxError, ServiceExt, service_fn};

use crate::tls::{self, Tls};
use crate::{Error, Result, metrics};
use breaker::Breaker;

const CONNECTIONS: usize = 3;
/// Ping interval, and how long the other side may take to respond.
pub(super) const PING: Duration = Duration::from_secs(5);
/// Pauses before a call is repeated. Short ones suffice, because the service's name does not resolve to a
/// replica while it restarts.
const PAUSES: [Duration; CONNECTIONS] =
    [Duration::from_millis(10), Duration::from_millis(100), Duration::from_millis(400)];

/// Prefixes of methods that only read. A method with such a name promises that calling it twice is safe.
const READS: [&str; 7] = ["BatchGet", "Count", "Export", "Get", "List", "Presign", "Render"];
/// Methods that only read under other names. `CheckAgain` is none of them: it discards the results of a check.
const OTHER_READS: [&str; 9] = [
    "CheckDriverUsername",
    "CheckReportMail",
    "CheckSession",
    "DryRun",
    "Load",
    "Meta",
    "PreviewUndo",
    "Sql",
    "ValidateResetToken",
];

/// The error for a change whose response was lost: the service may have made the change. It hides the
/// transport error, which would be reported as an unavailable service with the advice to try again.
#[derive(Debug, thiserror::Error)]
#[error("the answer was lost: {0}")]
struct AnswerLost(String);

/// A service in another process. Cheap to clone.
#[derive(Clone)]
pub struct Peer(Arc<Inner>);

struct Inner {
    /// The name of the service, for metrics.
    service: &'static str,
    channels: Vec<Channel>,
    next: AtomicUsize,
    timeout: Duration,
}

impl Peer {
    /// Connects on first use: the service may start later than its callers.
    pub(super) fn new(
        service: &'static str,
        url: &str,
        timeout: Duration,
        tls: Option<&Tls>,
    ) -> Result<Self> {
        Self::with_ping(service, url, timeout, PING, tls)
    }

    fn with_ping(
        service: &'static str,
        url: &str,
        timeout: Duration,
        ping: Duration,
        tls: Option<&Tls>,
    ) -> Result<Self> {
        let endpoint = Endpoint::from_shared(url.to_owned())
            .map_err(Error::internal)?
            .http2_keep_alive_interval(ping)
            .keep_alive_timeout(ping)
            .keep_alive_while_idle(true);
        let is_encrypted = endpoint.uri().scheme_str() == Some("https");
        let breaker = Breaker::default();
        let open = |_| {
            let breaker = breaker.clone();
            match (is_encrypted, tls.cloned()) {
                (false, _) => Ok(endpoint.connect_with_connector_lazy(service_fn(move |uri: Uri| {
                    breaker.clone().connect(tls::open_plain(uri))
                }))),
                // Each connection uses the certificate of its time, which may have been renewed.
                (true, Some(tls)) => Ok(endpoint.connect_with_connector_lazy(service_fn(move |uri: Uri| {
                    breaker.clone().connect(tls::open_encrypted(uri, tls.client()))
                }))),
                (true, None) => Err(Error::internal(format!("{url} takes a certificate, and there is none"))),
            }
        };
        let channels = (0..CONNECTIONS).map(open).collect::<Result<_>>()?;
        metrics::unreachable(service, 0);
        Ok(Self(Arc::new(Inner { service, channels, next: AtomicUsize::default(), timeout })))
    }

    fn channel(&self) -> Option<Channel> {
        let next = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.0.channels.get(next % CONNECTIONS).cloned()
    }

    /// Returns the head of the response. All repetitions together have the time limit of one call. Buffers
    /// the whole request before sending it, since none of our requests is a stream.
    pub(super) async fn call(
        &self,
        request: http::Request<Body>,
    ) -> std::result::Result<http::Response<Body>, BoxError> {
        let reads = reads(request.uri().path());
        let calling = async {
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let mut pauses = PAUSES.into_iter();
            loop {
                let Some(channel) = self.channel() else { return Err("no connection".into()) };
                let request = http::Request::from_parts(head.clone(), Body::new(Full::new(body.clone())));
                let answer: Result<_, BoxError> = match channel.oneshot(request).await {
                    Ok(answer) if super::code(answer.headers()) == Code::Unimplemented => Ok(answer),
                    Ok(answer) => return Ok(answer),
                    Err(error) if reads || never_left(&error) => Err(error.into()),
                    Err(error) => return Err(AnswerLost(format!("{error:?}")).into()),
                };
                let Some(pause) = pauses.next() else { return answer };
                tokio::time::sleep(pause).await;
                tracing::debug!(rpc.method = %head.uri.path(), "called again");
            }
        };
        let called = tokio::time::timeout(self.0.timeout, calling).await;
        if !matches!(called, Ok(Ok(_))) {
            metrics::unreachable(self.0.service, 1);
        }
        match called {
            Ok(answer) => answer,
            Err(_) if !reads => Err(AnswerLost("the call took too long".to_owned()).into()),
            Err(_) => Ok(Status::deadline_exceeded("the call took too long").into_http()),
        }
    }
}

/// Returns whether the method at this path only reads.
pub(super) fn reads(path: &str) -> bool {
    let method = path.rsplit('/').next().unwrap_or_default();
    OTHER_READS.contains(&method) || READS.into_iter().any(|read| method.starts_with(read))
}

/// Returns whether the service certainly did not begin a call: there was no connection, or the service
/// refused new calls on it.
fn never_left(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let connecting = error.is::<ConnectError>();
        let waiting = error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled);
        let refused = error.downcast_ref::<h2::Error>().is_some_and(|error| {
            error.is_remote() && (error.is_go_away() || error.reason() == Some(h2::Reason::REFUSED_STREAM))
        });
        if connecting || waiting || refused {
            return true;
        }
        next = error.source();
    }
    false
}

#[cfg(test)]
mod tests;
