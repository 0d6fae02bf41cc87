//! Streams of the progress of one piece of work, for a screen that shows it.

use std::time::Duration;

use futures::Stream;
use futures::stream::unfold;
use tonic::{Response, Status};

use super::error::Failure;

/// Polling interval for work that somebody watches.
const LOOK: Duration = Duration::from_secs(1);

/// Sends the answer of `ask` immediately, and again whenever it has changed, until the work has ended or `ask`
/// fails.
pub fn follow<T, Ask, Answer>(ask: Ask, has_ended: fn(&T) -> bool) -> impl Stream<Item = Result<T, Failure>>
where
    T: Clone + PartialEq,
    Ask: Fn() -> Answer,
    Answer: Future<Output = Result<Response<T>, Status>>,
{
    unfold(Some((ask, None::<T>)), move |state| async move {
        let (ask, last) = state?;
        if last.as_ref().is_some_and(has_ended) {
            return None;
        }
        loop {
            if last.is_some() {
                tokio::time::sleep(LOOK).await;
            }
            match ask().await {
                Ok(answer) => {
                    let now = answer.into_inner();
                    if last.as_ref() != Some(&now) {
                        return Some((Ok(now.clone()), Some((ask, Some(now)))));
                    }
                }
                Err(status) => return Some((Err(status.into()), None)),
            }
        }
    })
}
