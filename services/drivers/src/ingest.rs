//! Writes positions to the database: a bounded queue, and writers that commit all waiting positions together.
//!
//! Requests are answered after the commit. While one group is being written, the next requests gather, so
//! that many small requests need few commits. The gateway has already grouped reports of devices into
//! requests. Positions of one driver always go to the same writer, in order of arrival.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use kit::{Error, Result, config};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::domain::server_clock::{ServerClock, Suspicion};
use crate::store::positions::{DriverPoints, Look, Recorded, write};

/// Maximum number of waiting positions of all requests together.
const ROOM: usize = 50_000;
/// Maximum number of requests that wait for one writer.
const QUEUE: usize = 4_096;
/// A group takes no more requests once it has this many positions. The last request may take the total above
/// it.
const GROUP: usize = 5_000;
/// Maximum attempts to write a group that conflicts with another transaction.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(15);
const TRY_AGAIN: Duration = Duration::from_secs(1);

struct Job {
    batches: Vec<DriverPoints>,
    answer: oneshot::Sender<Result<Vec<Recorded>>>,
    _room: Arc<OwnedSemaphorePermit>,
}

/// The positions of a request that go to one writer, with their indexes in the request.
#[derive(Default)]
struct Part {
    places: Vec<usize>,
    batches: Vec<DriverPoints>,
}

/// Queues positions for the writers. Cheap to clone.
#[derive(Clone)]
pub struct Ingest {
    writers: Arc<[mpsc::Sender<Job>]>,
    room: Arc<Semaphore>,
}

/// Writes the queued positions until stopped.
pub struct Writers {
    context: Context,
    queues: Vec<mpsc::Receiver<Job>>,
}

pub fn ingest(context: &Context) -> (Ingest, Writers) {
    // SQLite allows one writer at a time. On Postgres, a second writer works while the first waits for its
    // commit.
    let count = if context.db.is_postgres() { 2 } else { 1 };
    let (senders, queues): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel(QUEUE)).unzip();
    let ingest = Ingest { writers: senders.into(), room: Arc::new(Semaphore::new(ROOM)) };
    (ingest, Writers { context: context.clone(), queues })
}

impl Ingest {
    /// Stores positions and returns the results in order, once they are committed. Fails with UNAVAILABLE
    /// when too many positions are waiting. Some positions may be stored even so; sending them again is
    /// harmless.
    pub async fn record(&self, batches: Vec<DriverPoints>) -> Result<Vec<Recorded>> {
        let mut recorded = vec![Recorded::default(); batches.len()];
        let count = u32::try_from(count(&batches)).unwrap_or(u32::MAX);
        let room = Arc::new(self.room.clone().try_acquire_many_owned(count).map_err(|_| busy())?);
        let mut parts: Vec<Part> = self.writers.iter().map(|_| Part::default()).collect();
        for (place, batch) in batches.into_iter().enumerate() {
            let part = &mut parts[usize::try_from(batch.driver).unwrap_or(0) % self.writers.len()];
            part.places.push(place);
            part.batches.push(batch);
        }
        let mut under_way = Vec::with_capacity(parts.len());
        for (writer, Part { places, batches }) in self.writers.iter().zip(parts) {
            if !batches.is_empty() {
                let (answer, answered) = oneshot::channel();
                writer.try_send(Job { batches, answer, _room: room.clone() }).map_err(|_| busy())?;
                under_way.push((places, answered));
            }
        }
        for (places, answered) in under_way {
            let answers = answered.await.map_err(|_| busy())??;
            for (place, answer) in places.into_iter().zip(answers) {
                recorded[place] = answer;
            }
        }
        Ok(recorded)
    }
}

fn count(batches: &[DriverPoints]) -> usize {
    batches.iter().map(|batch| batch.points.len()).sum()
}

fn busy() -> Error {
    let text = "Too many positions are being written. Send them again in a moment.";
    Error { retry_after: Some(TRY_AGAIN), ..Error::unavailable("POSITIONS_BUSY", text) }
}

impl Writers {
    /// Runs the writers. A panic in one of them ends all of them, and with them the process.
    pub async fn run(self, stop: CancellationToken) {
        let Self { context, queues } = self;
        let clock = Mutex::default();
        let writers = queues.into_iter().map(|queue| run(&context, &clock, queue, stop.clone()));
        futures::future::join_all(writers).await;
    }
}

async fn run(
    context: &Context,
    clock: &Mutex<ServerClock>,
    mut queue: mpsc::Receiver<Job>,
    stop: CancellationToken,
) {
    loop {
        let first = tokio::select! {
            job = queue.recv() => job,
            () = stop.cancelled() => {
                // Still write the positions that were accepted.
                queue.close();
                queue.recv().await
            }
        };
        let Some(first) = first else { return };
        let mut positions = count(&first.batches);
        let mut jobs = vec![first];
        while positions < GROUP {
            let Ok(next) = queue.try_recv() else { break };
            positions += count(&next.batches);
            jobs.push(next);
        }
        group(context, clock, jobs).await;
    }
}

async fn group(context: &Context, clock: &Mutex<ServerClock>, jobs: Vec<Job>) {
    let mut batches = Vec::new();
    let mut answers = Vec::with_capacity(jobs.len());
    for Job { batches: some, answer, _room } in jobs {
        answers.push((some.len(), answer, _room));
        batches.extend(some);
    }
    let rules = context.rules();
    compare_clocks(context, clock, &rules, &batches);
    let mut done = match written(context, &rules, &batches).await {
        Ok(recorded) => Ok(recorded.into_iter()),
        Err(error) => {
            error.log();
            Err(error)
        }
    };
    // If a caller has gone, drop its answer; its positions are stored nevertheless.
    for (count, answer, _room) in answers {
        let _ = answer.send(match &mut done {
            Ok(recorded) => Ok(recorded.by_ref().take(count).collect()),
            Err(error) => Err(same(error)),
        });
    }
}

/// Logs an error if, by the positions of most drivers, this machine's clock is wrong. Otherwise, nobody would notice:
/// devices get the usual answer and delete what they sent.
fn compare_clocks(
    context: &Context,
    clock: &Mutex<ServerClock>,
    rules: &config::Drivers,
    batches: &[DriverPoints],
) {
    let received_at = context.clock.now();
    let keep = TimeDelta::days(i64::from(rules.positions_keep_days));
    let newest = batches.iter().filter_map(|batch| {
        let newest = batch.points.iter().map(|point| point.occurred_at).max()?;
        Some((batch.driver, newest - received_at))
    });
    let found = clock.lock().unwrap_or_else(PoisonError::into_inner).compare(Instant::now(), keep, newest);
    // Whole days, and the minutes of the day that remains.
    let split = |by: TimeDelta| (by.num_days(), by.num_minutes() % 1_440);
    match found {
        Some(Suspicion::Slow(by)) => {
            let (days, minutes) = split(by);
            tracing::error!(
                days,
                minutes,
                "the clock of this machine seems to be slow: most drivers' positions are ahead of it, so they are stored as \
                 implausible and move nobody. Check its time"
            );
        }
        Some(Suspicion::Fast(by)) => {
            let (days, minutes) = split(by);
            tracing::error!(
                days,
                minutes,
                "the clock of this machine seems to be fast: most drivers' positions count as older than positions are kept, \
                 so they are not stored. Check its time"
            );
        }
        None => {}
    }
}

/// Writes a group. Tries again if the database aborted it in favor of another transaction, but not after a
/// commit that may have succeeded. The sender may then send the positions again, which is harmless.
async fn written(
    context: &Context,
    rules: &config::Drivers,
    batches: &[DriverPoints],
) -> Result<Vec<Recorded>> {
    let Context { db, clock, .. } = context;
    let mut tried = 0;
    let mut look = Look::Late;
    loop {
        tried += 1;
        match write(db, clock, rules, batches, look).await {
            // Rare: a device repeats a position whose time was too far ahead when it first arrived.
            // `Look::Late` does not find the stored one.
            Err(error) if error.reason == "ALREADY_EXISTS" && look == Look::Late => look = Look::All,
            Err(error) if error.reason == "DATABASE_BUSY" && tried < TRIES => {
                tracing::debug!(tried, "another transaction was in the way");
                tokio::time::sleep(PAUSE * tried).await;
            }
            done => return done,
        }
    }
}

/// Copies the error for each request of a group, without the cause, which is logged once.
fn same(error: &Error) -> Error {
    Error { retry_after: Some(TRY_AGAIN), ..Error::new(error.kind, &error.reason, error.message.clone()) }
}
