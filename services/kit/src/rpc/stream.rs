//! Streamed responses, read from a database page by page while the caller takes them.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tracing::Instrument;

use crate::{Error, Result, metrics};

/// Maximum number of messages buffered for a slow reader. Beyond it the writer waits, so memory is bounded.
const WAITING: usize = 2;
/// The label of these responses in metrics.
pub(super) const STREAM: &str = "call";

/// A streamed response, as handlers return it.
pub type Messages<T> = ReceiverStream<std::result::Result<T, Status>>;

/// The writing end of a streamed response.
pub struct Sender<T>(mpsc::Sender<std::result::Result<T, Status>>);

impl<T> Sender<T> {
    /// Waits for the reader; returns false when it has gone.
    pub async fn send(&self, message: T) -> bool {
        self.0.send(Ok(message)).await.is_ok()
    }

    /// Waits until the reader has gone.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

/// Starts to write a response, in the trace of the call. If `write` fails, the error is the last message.
pub fn stream<T, F, Fut>(write: F) -> Messages<T>
where
    T: Send + 'static,
    F: FnOnce(Sender<T>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<()>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(WAITING);
    let writing = async move {
        // Without this, a response whose writer panics would end like a complete one.
        let written = AssertUnwindSafe(write(Sender(sender.clone()))).catch_unwind().await;
        let written = written.unwrap_or_else(|_| Err(Error::internal("the writer of a response panicked")));
        if let Err(error) = written {
            metrics::streams_broken(STREAM, error.is_ours().into());
            // If the reader has gone, nobody needs the error.
            let _ = sender.send(Err(error.into())).await;
        }
    };
    tokio::spawn(writing.in_current_span());
    ReceiverStream::new(receiver)
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;
    use crate::testing::metric_value;

    fn broken() -> f64 {
        metric_value("waybill_streams_broken_total", &[("stream", STREAM)]).unwrap_or_default()
    }

    #[tokio::test]
    async fn a_response_that_breaks_off_is_counted_if_the_fault_is_ours() {
        let refused = || Error::precondition("SESSION_ENDED", "x");
        let failures: [(fn() -> Error, f64); 3] =
            [(refused, 0.0), (|| Error::internal("gone"), 1.0), (|| panic!("a panic on purpose"), 1.0)];
        for (failure, counted) in failures {
            let before = broken();
            let response = stream(move |sender: Sender<u32>| async move {
                sender.send(1).await;
                Err(failure())
            });
            let messages: Vec<_> = response.collect().await;
            assert!(messages.len() == 2 && messages[1].is_err(), "{messages:?}");
            assert_eq!(broken() - before, counted);
        }
    }
}
