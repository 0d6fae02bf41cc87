//! Drivers: their records, whether they may work, their devices, their positions, and what they did.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` has the tables,
//! `fields` lists what each list can be filtered and sorted by. `ingest` writes positions in groups,
//! `lookup` caches which drivers a device belongs to, `events` handles events of other services.
//! Deliberately absent: accounts and PINs, which auth updates from our events; the protocols of tracking
//! apps, which the gateway implements.

mod domain;
mod entity;
mod events;
mod fields;
mod ingest;
mod lookup;
mod migration;
mod rpc;
pub mod seed;
mod settings;
mod store;
mod strangers;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use ::store::clearing::{self, Doubts};
use ::store::published::Published;
use ::store::settings::Settings;
use kit::Result;
use kit::clock::Clock;
use kit::service::{FirstRun, Service, Task};
use proto::drivers::v1::drivers_service_server::DriversServiceServer;
use proto::drivers::v1::snapshot_service_server::SnapshotServiceServer;
use proto::drivers::v1::tracker_service_server::TrackerServiceServer;
use proto::events::DriverChanged;
use tonic::service::Routes;

pub use events::copies;
pub use migration::Migrator;

use ingest::Writers;
use lookup::Lookup;
use rpc::Shared;

/// The service's name in addresses, subjects and databases.
pub const NAME: &str = "drivers";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);
/// Maximum size of a request. 1,000 positions with all optional fields are smaller.
const MAX_REQUEST_BYTES: usize = 4 << 20;

/// The dependencies of the service.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub config: kit::config::Drivers,
    /// Runtime settings; they override `config`.
    pub settings: Settings,
}

/// Assembles the service. Creates the monthly tables of positions.
pub async fn service(context: Context) -> Result<Service> {
    let doubts = Arc::new(Doubts::default());
    if let Err(error) = chores(&context, &doubts).await {
        // Start anyway: positions are accepted even without monthly tables, and the next chores try again.
        tracing::warn!("months of positions are not tended: {error:#}");
    }
    let (shared, writers) = share(&context);
    let following = events::follow_settings(&context);
    let consumers = events::consumers(&context);
    let writers = Task::on_queue("positions", |stop| writers.run(stop));
    let chores = Task::every("chores", CHORES_EVERY, FirstRun::AfterPeriod, move || {
        let (context, doubts) = (context.clone(), doubts.clone());
        async move { chores(&context, &doubts).await }
    });
    let tasks = vec![following.task(), writers.in_background(), chores.in_background()];
    Ok(Service { consumers, tasks, ..Service::new(NAME, routes(shared)) })
}

fn routes(shared: Shared) -> Routes {
    let drivers = rpc::drivers::Service { shared: shared.clone() };
    let snapshot = rpc::snapshot::Service { db: shared.context.db.clone() };
    let tracker = rpc::tracker::Service { shared: shared.clone() };
    let published =
        Published::new(&shared.context.db, NAME).with_snapshot::<DriverChanged>(store::snapshot::Drivers);
    let mut routes = Routes::builder();
    routes
        .add_service(DriversServiceServer::new(drivers).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(TrackerServiceServer::new(tracker).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(SnapshotServiceServer::new(snapshot))
        .add_service(published.serve());
    routes.routes()
}

fn share(context: &Context) -> (Shared, Writers) {
    let (ingest, writers) = ingest::ingest(context);
    let lookup = Arc::new(Lookup::new(context.db.clone()));
    (Shared { context: context.clone(), lookup, ingest, strangers: Arc::default() }, writers)
}

/// Creates the monthly tables. Also deletes data that is too old, once this process has all settings.
async fn chores(context: &Context, doubts: &Doubts) -> Result<()> {
    let rules = context.rules();
    let now = clearing::now(&context.db, &context.clock).await?;
    match context.settings.is_complete(context.clock.now()) {
        true => store::retention::tend(&context.db, now, &rules, doubts).await,
        // A setting that has not arrived yet may prolong the retention, and a deletion cannot be undone.
        false => store::months::make(&context.db, now, rules.positions_keep_days).await,
    }
}
