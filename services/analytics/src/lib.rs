//! Analytics: answers questions about deliveries, their variances, shipments and drivers in numbers.
//!
//! The tables of `entity` are a projection: `facts` says what a row is, `store` writes rows and roll-ups, `events` applies
//! what other services tell, and `rebuild` reads everything anew from them. Deliberately absent: a fact that no other
//! service owns.

mod answers;
mod entity;
mod events;
mod facts;
pub mod members;
mod meta;
mod migration;
pub mod query;
mod rebuild;
mod rpc;
pub mod seed;
mod store;
#[cfg(test)]
mod tests;

use ::store::published::Published;
use kit::Result;
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::service::{Service, Task};
use proto::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use tonic::service::Routes;

pub use events::copies;
pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "analytics";

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    /// Owners of the facts, which a rebuild reads.
    pub deliveries: Transport,
    pub drivers: Transport,
    pub identity: ServiceIdentity,
}

/// The service. Fills its tables the first time that it starts, also beside services that have data already.
pub async fn service(context: Context) -> Result<Service> {
    rebuild::ensure(&context.db, context.clock.now()).await?;
    let jobs = rebuild::jobs(&context);
    let mut routes = Routes::builder();
    routes
        .add_service(Published::service(&context.db, NAME))
        .add_service(AnalyticsServiceServer::new(rpc::Service::new(context.clone())));
    Ok(Service {
        consumers: events::consumers(&context),
        tasks: vec![Task::new("jobs", |stop| jobs.run(stop))],
        ..Service::new(NAME, routes.routes())
    })
}
