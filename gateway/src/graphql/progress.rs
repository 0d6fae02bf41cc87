//! Streams of the progress of one piece of work, for a screen that shows it.

use std::time::Duration;

use futures::Stream;
use futures::stream::unfold;
use kit::Error;
use tonic::{Response, Status};

use super::error::Failure;

/// Polling interval for work that somebody watches.
const LOOK: Duration = Duration::from_secs(1);

/// Sends the answer of `ask` immediately, and again whenever it has changed, until the work has ended or `ask`
/// fails. While the service is away, it is asked again: the client is connected to the gateway, so it would
/// not notice when the service is back.
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
        let mut pause = if last.is_some() { LOOK } else { Duration::ZERO };
        let mut failed = 0;
        loop {
            tokio::time::sleep(pause).await;
            pause = LOOK;
            match ask().await {
                Ok(answer) => {
                    failed = 0;
                    let now = answer.into_inner();
                    if last.as_ref() != Some(&now) {
                        return Some((Ok(now.clone()), Some((ask, Some(now)))));
                    }
                }
                Err(status) => {
                    let error = Error::from(status);
                    if !error.is_transient() {
                        return Some((Err(error.into()), None));
                    }
                    if failed == 0 {
                        error.log();
                    }
                    failed += 1;
                    pause = LOOK * 2_u32.pow(failed.min(4));
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::StreamExt;
    use kit::Kind;

    use super::*;

    /// Follows a count to 3, and returns what was sent. The service gives these answers, one after the other.
    async fn sent<const N: usize>(answers: [Result<u32, Kind>; N]) -> Vec<Result<u32, Kind>> {
        let asked = AtomicUsize::new(0);
        let ask = move || {
            let answer = answers[asked.fetch_add(1, Ordering::Relaxed)];
            let failed = |kind| Status::from(Error::new(kind, "SOME_REASON", "some text"));
            async move { answer.map(Response::new).map_err(failed) }
        };
        let stream = follow(ask, |count: &u32| *count == 3);
        stream.map(|it| it.map_err(|failure| failure.kind())).collect().await
    }

    #[tokio::test(start_paused = true)]
    async fn a_service_that_is_away_is_asked_again() {
        let away = Err(Kind::Unavailable);
        assert_eq!(sent([away, Ok(1), away, away, Ok(1), Ok(3)]).await, [Ok(1), Ok(3)]);
    }

    #[tokio::test(start_paused = true)]
    async fn any_other_failure_ends_it() {
        assert_eq!(sent([Ok(1), Err(Kind::NotFound), Ok(3)]).await, [Ok(1), Err(Kind::NotFound)]);
    }
}
