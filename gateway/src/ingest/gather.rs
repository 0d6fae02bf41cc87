//! Groups reports of many devices into one call to the drivers service, because the fixed cost of a call is
//! several times that of storing a phone's few positions.
//!
//! The first report after a pause is forwarded immediately. Under load there is one call per [`PACE`] or per
//! [`MANY`] positions. Each report is answered by itself. A call is part of the trace of its first report.

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
use tracing::{Instrument, Span};

/// Pause between calls under load. Phones do not notice it, and the database has more time for office users.
const PACE: Duration = Duration::from_millis(100);
/// With this many positions, a call is made without waiting for further reports.
const MANY: usize = 1_000;
/// Limits of one call. The last report of a call may exceed the limit of bytes.
const MOST_REPORTS: usize = 256;
const MOST_BYTES: usize = 1 << 20;
/// Maximum number of concurrent calls. Further reports wait, and are grouped.
const CALLS: usize = 8;

/// A device gets only the kind of an error. The details are logged once for all reports of a call.
pub type Answer = std::result::Result<ReportAnswer, Kind>;

/// Accepts reports. Reports in progress are answered even after it is dropped.
pub struct Gather(mpsc::Sender<Waiting>);

struct Waiting {
    report: DeviceReport,
    answer: oneshot::Sender<Answer>,
    /// The span of the request.
    span: Span,
}

struct Calls {
    drivers: Transport,
    identity: ServiceIdentity,
    queue: mpsc::Receiver<Waiting>,
}

impl Gather {
    /// Creates a gatherer; `room` is the maximum number of waiting reports.
    pub fn new(drivers: Transport, identity: ServiceIdentity, room: usize) -> Self {
        let (sender, queue) = mpsc::channel(room);
        tokio::spawn(Calls { drivers, identity, queue }.run());
        Self(sender)
    }

    /// Stores a report. Returns once its positions are committed or refused.
    pub async fn record(&self, report: DeviceReport) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.0.try_send(Waiting { report, answer, span: Span::current() }).map_err(|_| Kind::Unavailable)?;
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
            let span = group.first().map_or_else(Span::none, |first| first.span.clone());
            let calling = async move {
                call(drivers, &identity, group).await;
                drop(permit);
            };
            tokio::spawn(calling.instrument(span));
        }
    }

    /// Collects the reports that go into one call together with `first`. Waits until `soonest` for further
    /// reports, unless the group is large enough before. Skips reports whose sender has gone.
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
