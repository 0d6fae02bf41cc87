//! Streamed responses, read from a database page by page while the caller takes them.

use std::future::Future;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::Result;

/// Maximum number of messages buffered for a slow reader. Beyond it the writer waits, so memory is bounded.
const WAITING: usize = 2;

/// A streamed response, as handlers return it.
pub type Messages<T> = ReceiverStream<std::result::Result<T, Status>>;

/// The writing end of a streamed response.
pub struct Sender<T>(mpsc::Sender<std::result::Result<T, Status>>);

impl<T> Sender<T> {
    /// Waits for the reader; returns false when it has gone.
    pub async fn send(&self, message: T) -> bool {
        self.0.send(Ok(message)).await.is_ok()
    }
}

/// Starts to write a response. If `write` fails, the error is the last message.
pub fn stream<T, F, Fut>(write: F) -> Messages<T>
where
    T: Send + 'static,
    F: FnOnce(Sender<T>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<()>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if let Err(error) = write(Sender(sender.clone())).await {
            // If the reader has gone, nobody needs the error.
            let _ = sender.send(Err(error.into())).await;
        }
    });
    ReceiverStream::new(receiver)
}
