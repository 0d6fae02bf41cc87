//! Reports of many devices in one call to the drivers service: what a call costs by itself is several times
//! what it costs to keep the few positions of a phone.
//!
//! Whoever comes first after a pause is told on at once. While much comes, a call begins when [`PACE`] has
//! gone since the last one, or as soon as [`MANY`] positions wait; each report is answered by itself.

use std::sync::Arc;
use std::time::Duration;

use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Kind, Result};
use prost::Message;
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use proto::drivers::v1::{DeviceReport, RecordReportsRequest, ReportAnswer};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

/// Phones do not notice, and people at work on the same database have it to themselves for longer.
const PACE: Duration = Duration::from_millis(100);
/// Positions that are worth a call of their own.
const MANY: usize = 1_000;
/// Of one call; the last report may go beyond the bytes.
const MOST_REPORTS: usize = 256;
const MOST_BYTES: usize = 1 << 20;
/// Calls under way. More than that wait, and go together.
const CALLS: usize = 8;

/// Of what went wrong a device learns the kind; the rest is in the log, once for all who waited together.
pub type Answer = std::result::Result<ReportAnswer, Kind>;

/// Where reports are handed in. Reports under way are answered when it is gone.
pub struct Gather(mpsc::Sender<Waiting>);

struct Waiting {
    report: DeviceReport,
    answer: oneshot::Sender<Answer>,
}

struct Calls {
    drivers: Transport,
    identity: ServiceIdentity,
    queue: mpsc::Receiver<Waiting>,
}

impl Gather {
    /// `room`: how many may wait.
    pub fn new(drivers: Transport, identity: ServiceIdentity, room: usize) -> Self {
        let (sender, queue) = mpsc::channel(room);
        tokio::spawn(Calls { drivers, identity, queue }.run());
        Self(sender)
    }

    /// Comes back when the positions are committed, or refused.
    pub async fn record(&self, report: DeviceReport) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.0.try_send(Waiting { report, answer }).map_err(|_| Kind::Unavailable)?;
        answered.await.map_err(|_| Kind::Unavailable)?
    }
}

impl Calls {
    async fn run(mut self) {
        let room = Arc::new(Semaphore::new(CALLS));
        let mut soonest = Instant::now();
        while let Some(first) = self.queue.recv().await {
            let Ok(permit) = room.clone().acquire_owned().await else { return };
            let group = self.group(first, soonest).await;
            soonest = Instant::now() + PACE;
            let (drivers, identity) = (self.drivers.clone(), self.identity.clone());
            tokio::spawn(async move {
                call(drivers, &identity, group).await;
                drop(permit);
            });
        }
    }

    /// What goes with the first; a few not before `soonest`. Whose device has gone meanwhile is left out.
    async fn group(&mut self, first: Waiting, soonest: Instant) -> Vec<Waiting> {
        let (mut positions, mut bytes) = (0, 0);
        let mut group = Vec::new();
        let mut next = Some(first);
        while let Some(waiting) = next {
            if !waiting.answer.is_closed() {
                positions += waiting.report.positions.len();
                bytes += waiting.report.encoded_len();
                group.push(waiting);
            }
            next = match group.len() < MOST_REPORTS && bytes < MOST_BYTES {
                false => None,
                true if positions >= MANY => self.queue.try_recv().ok(),
                true => timeout_at(soonest, self.queue.recv()).await.ok().flatten(),
            };
        }
        group
    }
}

async fn call(drivers: Transport, identity: &ServiceIdentity, group: Vec<Waiting>) {
    let (reports, answers): (Vec<_>, Vec<_>) = group.into_iter().map(|it| (it.report, it.answer)).unzip();
    match record(drivers, identity, reports).await {
        Ok(told) if told.len() == answers.len() => {
            for (answer, told) in answers.into_iter().zip(told) {
                let _ = answer.send(Ok(told));
            }
        }
        done => {
            let error =
                done.err().unwrap_or_else(|| Error::internal("another number of answers than of reports"));
            error.log();
            for answer in answers {
                let _ = answer.send(Err(error.kind));
            }
        }
    }
}

async fn record(
    drivers: Transport,
    identity: &ServiceIdentity,
    reports: Vec<DeviceReport>,
) -> Result<Vec<ReportAnswer>> {
    if reports.is_empty() {
        return Ok(Vec::new());
    }
    let client = drivers.with_token(identity.token()?.into());
    let answer = TrackerServiceClient::new(client).record_reports(RecordReportsRequest { reports }).await?;
    Ok(answer.into_inner().answers)
}
