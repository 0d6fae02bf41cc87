//! Drivers: their records, whether they may work, their devices, where they are and were, and what
//! they did.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the tables,
//! `fields` says what each list can be filtered and sorted by. `ingest` writes positions in groups,
//! `lookup` remembers for a moment who a device is, `follow` keeps the log by the events of deliveries.
//! Deliberately absent: accounts and PINs, which auth keeps by our events; the protocols of tracking
//! apps, which the gateway speaks.

mod domain;
mod entity;
mod fields;
mod follow;
mod ingest;
mod lookup;
mod migration;
mod rpc;
pub mod seed;
mod settings;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use ::store::settings::{Follow, Settings};
use kit::Result;
use kit::bus::Consumer;
use kit::clock::Clock;
use proto::drivers::v1::drivers_service_server::DriversServiceServer;
use proto::drivers::v1::tracker_service_server::TrackerServiceServer;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

pub use migration::Migrator;

use ingest::Writers;
use lookup::Lookup;
use rpc::Shared;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "drivers";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);
/// 1,000 positions with all that they may carry stay below this.
const MAX_REQUEST_BYTES: usize = 4 << 20;

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub config: kit::config::Drivers,
    /// What was set since, and counts before it.
    pub settings: Settings,
}

/// The running service: what to mount and what to run.
pub struct Started {
    /// To be mounted.
    pub routes: Routes,
    /// To be registered before any relay starts, and run.
    pub consumers: Vec<Consumer>,
    /// To be run until the process stops: without them no position is answered.
    pub tasks: Tasks,
}

/// The service's contract and tasks. Makes the months that positions will lie in.
pub async fn service(context: Context) -> Result<Started> {
    chores(&context).await;
    let consumers = vec![follow::consumer(&context.db, &context.clock), follow_settings(&context).consumer()];
    let (shared, writers) = share(&context);
    let drivers = rpc::drivers::Service { shared: shared.clone() };
    let tracker = rpc::tracker::Service { shared };
    let mut routes = Routes::builder();
    routes
        .add_service(DriversServiceServer::new(drivers).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(TrackerServiceServer::new(tracker).max_decoding_message_size(MAX_REQUEST_BYTES));
    Ok(Started { routes: routes.routes(), consumers, tasks: Tasks { context, writers } })
}

/// Keeps the settings that are obeyed here.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        service: NAME,
        consumer: "drivers-settings",
        wanted: settings::OBEYED,
    }
}

fn share(context: &Context) -> (Shared, Writers) {
    let (ingest, writers) = ingest::ingest(context);
    let lookup = Arc::new(Lookup::new(context.db.clone()));
    (Shared { context: context.clone(), lookup, ingest }, writers)
}

/// What happens by itself: positions are written, what is too old is deleted.
pub struct Tasks {
    context: Context,
    writers: Writers,
}

impl Tasks {
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let Self { context, writers } = self;
        tokio::join!(writers.run(stop.clone()), every_hour(&context, stop));
        Ok(())
    }
}

async fn every_hour(context: &Context, stop: CancellationToken) {
    let mut due = tokio::time::interval(CHORES_EVERY);
    // Once was done before we served.
    due.tick().await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = due.tick() => chores(context).await,
        }
    }
}

/// None is urgent: what fails is done the next time, and no position is refused for it.
async fn chores(context: &Context) {
    let (now, rules) = (context.clock.now(), context.rules());
    let done = match context.settings.is_complete(now) {
        true => store::retention::tend(&context.db, now, &rules).await,
        // Somebody may have set that it is kept for longer, and deleting cannot be undone.
        false => store::months::make(&context.db, now, rules.positions_keep_days).await,
    };
    if let Err(error) = done {
        tracing::warn!("what is too old, or the next month, waits for the next time: {error}");
    }
}
