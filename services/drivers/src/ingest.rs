//! The way of positions into the database: a bounded queue, and writers that take what waits and
//! commit it together.
//!
//! Whoever told them is answered after the commit. While one group is written the next gathers, so that
//! many small requests cost few commits. Positions of one driver are always with the same writer, in
//! the order they came.

use std::sync::Arc;
use std::time::Duration;

use kit::{Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::store::positions::{Look, Recorded, Told, write};

/// Positions that may wait, of all requests.
const ROOM: usize = 50_000;
/// Requests that may wait for one writer.
const QUEUE: usize = 4_096;
/// Positions that are written together; the last request of a group may go beyond.
const GROUP: usize = 5_000;
/// Fewer than these are not worth a transaction of their own yet: others are waited for, so long. Phones
/// do not notice, and people at work on the same database have it to themselves for longer.
const FEW: usize = 500;
const GATHER: Duration = Duration::from_millis(15);
/// How often a group is tried that another transaction got in the way of.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(15);
const TRY_AGAIN: Duration = Duration::from_secs(1);

struct Job {
    told: Told,
    answer: oneshot::Sender<Result<Recorded>>,
    _room: OwnedSemaphorePermit,
}

/// Where positions are handed in. Cheap to clone.
#[derive(Clone)]
pub struct Ingest {
    writers: Arc<[mpsc::Sender<Job>]>,
    room: Arc<Semaphore>,
}

/// What writes them, until told to stop.
pub struct Writers {
    context: Context,
    queues: Vec<mpsc::Receiver<Job>>,
}

pub fn ingest(context: &Context) -> (Ingest, Writers) {
    // SQLite has one writer. On Postgres a second one works while the first waits for its commit.
    let count = if context.db.is_postgres() { 2 } else { 1 };
    let (senders, queues): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel(QUEUE)).unzip();
    let ingest = Ingest { writers: senders.into(), room: Arc::new(Semaphore::new(ROOM)) };
    (ingest, Writers { context: context.clone(), queues })
}

impl Ingest {
    /// Keeps positions; comes back when they are committed. UNAVAILABLE when too much waits already.
    pub async fn record(&self, told: Told) -> Result<Recorded> {
        let count = u32::try_from(told.points.len()).unwrap_or(u32::MAX);
        let room = self.room.clone().try_acquire_many_owned(count).map_err(|_| busy())?;
        let at = usize::try_from(told.driver).unwrap_or(0) % self.writers.len();
        let (answer, answered) = oneshot::channel();
        self.writers[at].try_send(Job { told, answer, _room: room }).map_err(|_| busy())?;
        answered.await.map_err(|_| busy())?
    }
}

fn busy() -> Error {
    let text = "Too many positions are being written. Nothing was kept; send them again in a moment.";
    Error { retry_after: Some(TRY_AGAIN), ..Error::unavailable("POSITIONS_BUSY", text) }
}

impl Writers {
    /// A panic of one ends all, and with them the process.
    pub async fn run(self, stop: CancellationToken) {
        let Self { context, queues } = self;
        let writers = queues.into_iter().map(|queue| run(&context, queue, stop.clone()));
        futures::future::join_all(writers).await;
    }
}

async fn run(context: &Context, mut queue: mpsc::Receiver<Job>, stop: CancellationToken) {
    loop {
        let first = tokio::select! {
            job = queue.recv() => job,
            () = stop.cancelled() => {
                // What was taken is still written.
                queue.close();
                queue.recv().await
            }
        };
        let Some(first) = first else { return };
        let jobs = gather(&mut queue, first).await;
        group(context, jobs).await;
    }
}

/// What is written together with the first of a group.
async fn gather(queue: &mut mpsc::Receiver<Job>, first: Job) -> Vec<Job> {
    let until = Instant::now() + GATHER;
    let mut positions = first.told.points.len();
    let mut jobs = vec![first];
    while positions < GROUP {
        let next = match queue.try_recv() {
            Ok(job) => Some(job),
            Err(_) if positions >= FEW => None,
            Err(_) => timeout_at(until, queue.recv()).await.ok().flatten(),
        };
        let Some(job) = next else { break };
        positions += job.told.points.len();
        jobs.push(job);
    }
    jobs
}

async fn group(context: &Context, jobs: Vec<Job>) {
    let mut told = Vec::with_capacity(jobs.len());
    let mut answers = Vec::with_capacity(jobs.len());
    for Job { told: one, answer, _room } in jobs {
        told.push(one);
        answers.push((answer, _room));
    }
    let done = written(context, &told).await;
    if let Err(error) = &done {
        error.log();
    }
    // Whoever has gone by now is told nothing; the positions are kept all the same.
    for (index, (answer, _room)) in answers.into_iter().enumerate() {
        let _ = answer.send(match &done {
            Ok(recorded) => Ok(recorded.get(index).copied().unwrap_or_default()),
            Err(error) => Err(same(error)),
        });
    }
}

/// Again when the database ended it for the sake of another transaction. Not after a commit that may
/// have come through; sent again, the same positions change nothing.
async fn written(context: &Context, told: &[Told]) -> Result<Vec<Recorded>> {
    let (Context { db, clock, .. }, rules) = (context, context.rules());
    let mut tried = 0;
    let mut look = Look::Late;
    loop {
        tried += 1;
        match write(db, clock, &rules, told, look).await {
            // Nearly only when a device sends again what its clock dated too far ahead the first time.
            Err(error) if error.reason == "ALREADY_EXISTS" && look == Look::Late => look = Look::All,
            Err(error) if error.reason == "DATABASE_BUSY" && tried < TRIES => {
                tracing::debug!(tried, "another transaction was in the way");
                tokio::time::sleep(PAUSE * tried).await;
            }
            done => return done,
        }
    }
}

/// For each request of a group; the cause is in the log once.
fn same(error: &Error) -> Error {
    Error { retry_after: Some(TRY_AGAIN), ..Error::new(error.kind, &error.reason, error.message.clone()) }
}
