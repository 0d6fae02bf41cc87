//! Background work of a service, until the process stops.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{Result, background};

/// Each pause is longer or shorter than the period by up to this share, so that replicas that start together
/// do not work at the same moment.
const JITTER: f64 = 0.1;

type Run = Box<dyn FnOnce(CancellationToken) -> BoxFuture<'static, Result<()>> + Send>;

/// One piece of background work, with its name in logs.
pub struct Task {
    name: &'static str,
    run: Run,
}

/// When periodic work runs for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstRun {
    /// As soon as the process starts its tasks.
    AtStart,
    /// One period later, because the first run happened while the service was assembled.
    AfterPeriod,
}

impl Task {
    /// Creates a task that runs until its token is cancelled. An error, a panic or an early end stops the
    /// process.
    pub fn new<F, Fut>(name: &'static str, run: F) -> Self
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        Self { name, run: Box::new(move |stop| Box::pin(run(stop))) }
    }

    /// Creates a task that works on a queue which handlers fill. The work may end when the last handler is
    /// gone. That happens while the process drains, before workers are asked to stop, so the task then waits
    /// until it is asked.
    pub fn on_queue<F, Fut>(name: &'static str, run: F) -> Self
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        Self::new(name, |stop| async move {
            run(stop.clone()).await;
            stop.cancelled().await;
            Ok(())
        })
    }

    /// Creates a task that repeats every `period`, give or take [`JITTER`].
    ///
    /// A failed run is logged, and the next one follows after the usual pause. A run in progress is finished
    /// before the task stops; a panic stops the process.
    pub fn every<F, Fut>(name: &'static str, period: Duration, first: FirstRun, mut work: F) -> Self
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        Self::new(name, move |stop| async move {
            let mut pause = match first {
                FirstRun::AtStart => Duration::ZERO,
                FirstRun::AfterPeriod => jittered(period),
            };
            loop {
                tokio::select! {
                    biased;
                    () = stop.cancelled() => return Ok(()),
                    () = tokio::time::sleep(pause) => {}
                }
                pause = jittered(period);
                if let Err(error) = work().await {
                    tracing::warn!(task = name, "failed, and runs again in {pause:.0?}: {error:#}");
                }
            }
        })
    }

    /// Moves the work to low-priority threads, because requests of people go first.
    pub fn in_background(self) -> Self {
        let run = self.run;
        Self::new(self.name, move |stop| background::run(run(stop)))
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        (self.run)(stop).await
    }
}

fn jittered(period: Duration) -> Duration {
    period.mul_f64(rand::random_range(1.0 - JITTER..=1.0 + JITTER))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::mpsc;
    use tokio::time::Instant;

    use super::*;
    use crate::Error;

    const HOUR: Duration = Duration::from_secs(3600);

    /// Runs a periodic task; returns the pause before each of its first `runs` runs.
    async fn pauses(runs: usize, first: FirstRun, fails: bool) -> Vec<Duration> {
        let (ran, mut seen) = mpsc::unbounded_channel();
        let task = Task::every("test", HOUR, first, move || {
            let ran = ran.clone();
            async move {
                ran.send(Instant::now()).unwrap();
                if fails { Err(Error::unavailable("AWAY", "the database is away")) } else { Ok(()) }
            }
        });
        let (stop, mut before) = (CancellationToken::new(), Instant::now());
        let running = tokio::spawn(task.run(stop.clone()));
        let mut pauses = Vec::new();
        while pauses.len() < runs {
            let at = seen.recv().await.unwrap();
            pauses.push(at - before);
            before = at;
        }
        stop.cancel();
        running.await.unwrap().unwrap();
        assert!(seen.recv().await.is_none(), "nothing runs after the stop");
        pauses
    }

    fn is_about_an_hour(pause: &Duration) -> bool {
        (HOUR.mul_f64(0.899)..=HOUR.mul_f64(1.101)).contains(pause)
    }

    #[tokio::test(start_paused = true)]
    async fn it_runs_at_start_and_then_every_period_with_jitter() {
        let pauses = pauses(20, FirstRun::AtStart, false).await;
        assert!(pauses[0] < Duration::from_secs(1), "{pauses:?}");
        assert!(pauses[1..].iter().all(is_about_an_hour), "{pauses:?}");
        assert!(
            pauses[1..].iter().any(|pause| *pause != pauses[1]),
            "replicas would run in step: {pauses:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_done_before_the_start_waits_a_period() {
        let pauses = pauses(2, FirstRun::AfterPeriod, false).await;
        assert!(pauses.iter().all(is_about_an_hour), "{pauses:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_fails_is_followed_by_the_next() {
        assert_eq!(pauses(3, FirstRun::AtStart, true).await.len(), 3);
    }

    /// Handlers of a process end before its workers are asked to stop.
    #[tokio::test]
    async fn a_queue_that_closes_is_no_early_end() {
        let (handler, mut queue) = mpsc::channel::<()>(1);
        let life = crate::lifecycle::Lifecycle::new();
        let (done, drained) = tokio::sync::oneshot::channel();
        let task = Task::on_queue("test", |_| async move {
            assert!(queue.recv().await.is_none());
            done.send(()).unwrap();
        });
        life.spawn_worker("test", task.run(life.working()));
        drop(handler);
        drained.await.unwrap();
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert!(life.shutdown().await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_under_way_is_finished_before_the_stop() {
        let (begun, mut started) = mpsc::unbounded_channel();
        let finished = Arc::new(AtomicUsize::new(0));
        let count = finished.clone();
        let task = Task::every("test", HOUR, FirstRun::AtStart, move || {
            let (begun, count) = (begun.clone(), count.clone());
            async move {
                begun.send(()).unwrap();
                tokio::time::sleep(Duration::from_secs(5)).await;
                count.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }
        });
        let stop = CancellationToken::new();
        let running = tokio::spawn(task.run(stop.clone()));
        started.recv().await.unwrap();
        stop.cancel();
        running.await.unwrap().unwrap();
        assert_eq!(finished.load(Ordering::SeqCst), 1);
    }
}
