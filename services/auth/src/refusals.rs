//! Refused sign-ins of drivers, for the driver log.
//!
//! They are published after the response: publishing takes time, and only accounts of drivers have it, so the
//! response would tell strangers which names those are.

use chrono::{DateTime, Utc};
use kit::Result;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::audit::Actor;
use crate::entity::user;
use crate::store::driver_log;

/// Maximum number of queued refusals.
const QUEUE: usize = 1_000;
/// The actor, as it is unknown who tried.
const SYSTEM: &str = "system:auth";

struct Refusal {
    driver_id: String,
    actor: Actor,
    at: DateTime<Utc>,
}

/// Queues refusals. Cheap to clone.
#[derive(Clone)]
pub struct Refusals(mpsc::Sender<Refusal>);

impl Refusals {
    /// Creates the queue and its worker.
    pub fn new(context: Context) -> (Self, Reporter) {
        let (sender, refusals) = mpsc::channel(QUEUE);
        (Self(sender), Reporter { context, refusals })
    }

    /// Queues the refused sign-in of an account. Ignores accounts of the office.
    pub fn add(&self, account: &user::Model, address: &str, at: DateTime<Utc>) {
        let Some(driver_id) = account.driver_id.clone() else { return };
        if self.0.try_send(Refusal { driver_id, actor: Actor::new(SYSTEM, address), at }).is_err() {
            tracing::warn!("a refused sign-in is not in the driver log: too many wait");
        }
    }
}

/// Publishes refusals.
pub struct Reporter {
    context: Context,
    refusals: mpsc::Receiver<Refusal>,
}

impl Reporter {
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            let refusal = tokio::select! {
                () = stop.cancelled() => None,
                refusal = self.refusals.recv() => refusal,
            };
            let Some(refusal) = refusal else { break };
            self.publish_or_log(&refusal).await;
        }
        // Publish what is queued, because it does not survive the process.
        while let Ok(refusal) = self.refusals.try_recv() {
            self.publish_or_log(&refusal).await;
        }
    }

    async fn publish_or_log(&self, refusal: &Refusal) {
        if let Err(error) = self.publish(refusal).await {
            tracing::error!("a refused sign-in is not in the driver log: {error:#}");
        }
    }

    async fn publish(&self, refusal: &Refusal) -> Result<()> {
        let Refusal { driver_id, actor, at } = refusal;
        let tx = self.context.db.begin().await?;
        driver_log::sign_in_failed(&tx, *at, actor, driver_id).await?;
        tx.commit().await
    }

    /// Publishes everything that is queued now.
    #[cfg(test)]
    pub async fn publish_all(&mut self) {
        while let Ok(refusal) = self.refusals.try_recv() {
            self.publish(&refusal).await.unwrap();
        }
    }
}
