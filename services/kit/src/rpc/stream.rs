//! Answers in many messages, read from a database a page at a time while the caller takes them.

use std::future::Future;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::Result;

/// Messages that wait for a slow reader; nothing more is read meanwhile, so memory is bounded.
const WAITING: usize = 2;

/// The messages of an answer, as handlers return them.
pub type Messages<T> = ReceiverStream<std::result::Result<T, Status>>;

/// Where the messages go.
pub struct Sender<T>(mpsc::Sender<std::result::Result<T, Status>>);

impl<T> Sender<T> {
    /// Waits for the reader; false when it has gone.
    pub async fn send(&self, message: T) -> bool {
        self.0.send(Ok(message)).await.is_ok()
    }
}

/// Starts to write an answer. A failure of `write` is its last message.
pub fn stream<T, F, Fut>(write: F) -> Messages<T>
where
    T: Send + 'static,
    F: FnOnce(Sender<T>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<()>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if let Err(error) = write(Sender(sender.clone())).await {
            // Nobody listens when the reader has gone, and nobody has to.
            let _ = sender.send(Err(error.into())).await;
        }
    });
    ReceiverStream::new(receiver)
}
