//! Bodies that track their progress.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use super::activity::UnderWay;

/// Size of the pieces in which responses are passed to the connection. Small pieces keep the unread part of a
/// response in [`Leaving`], which notices how long it waits, and not in the connection's buffer.
const PIECE: usize = 32 * 1024;

/// Holds a value, such as a permit, until the last byte of a response was handed to its connection or the
/// connection is gone.
pub fn hold<T: Send + Unpin + 'static>(response: Response<Body>, held: T) -> Response<Body> {
    response.map(|body| Body::new(Held { body, _held: held }))
}

struct Held<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Splits a response into pieces and reports its progress.
pub(super) fn leaving(response: Response<Body>, under_way: UnderWay) -> Response<Body> {
    response.map(|body| Body::new(Leaving { body, rest: Bytes::new(), under_way }))
}

struct Leaving {
    body: Body,
    rest: Bytes,
    under_way: UnderWay,
}

impl HttpBody for Leaving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        this.under_way.asked();
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(cx)).transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => this.rest = data,
                Some(Err(trailers)) => return Poll::Ready(Some(Ok(trailers))),
                None => return Poll::Ready(None),
            }
        }
        let next = this.rest.split_to(this.rest.len().min(PIECE));
        this.under_way.gave();
        Poll::Ready(Some(Ok(Frame::data(next))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut all = SizeHint::new();
        if let Some(upper) = hint.upper() {
            all.set_upper(upper + rest);
        }
        all.set_lower(hint.lower() + rest);
        all
    }
}

/// Records when a request was read to its end. Each request has it as an extension.
#[derive(Clone, Default)]
pub struct Arrival(Arc<OnceLock<Instant>>);

impl Arrival {
    /// Returns when the last byte was read, or `None` if the rest of the request was not read yet.
    pub fn at(&self) -> Option<Instant> {
        self.0.get().copied()
    }

    fn note(&self) {
        self.0.get_or_init(Instant::now);
    }
}

pub(super) fn arriving(request: Request<Incoming>) -> (Request<Arrives>, Arrival) {
    let arrival = Arrival::default();
    if request.body().is_end_stream() {
        arrival.note();
    }
    let noted = arrival.clone();
    (request.map(|body| Arrives { body, arrival }), noted)
}

pub(super) struct Arrives {
    body: Incoming,
    arrival: Arrival,
}

impl HttpBody for Arrives {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.arrival.note();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
