//! Analytics: numbers about deliveries, their variances, shipments and drivers.
//!
//! The tables of `entity` are copies of other services' data: `facts` defines the rows, `store` writes rows
//! and roll-ups, `events` applies changes, and `rebuild` reads everything from the owners again. `report_mail`
//! sends saved reports by mail.
//! Deliberately absent: data that no other service owns.

mod answers;
mod entity;
mod events;
mod facts;
pub mod members;
mod meta;
mod migration;
pub mod query;
mod rebuild;
mod report_mail;
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

/// The service's name in addresses, subjects and databases.
pub const NAME: &str = "analytics";

/// The dependencies of the service.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    /// Connection to the deliveries service, for rebuilds.
    pub deliveries: Transport,
    /// Connection to the drivers service, for rebuilds.
    pub drivers: Transport,
    /// Connection to the settings service, which knows the reports that are due.
    pub settings: Transport,
    /// Connection to auth, which sends mails.
    pub auth: Transport,
    pub identity: ServiceIdentity,
}

/// Assembles the service. If no rebuild has ever been completed, requests one, to read all data that other
/// services already have.
pub async fn service(context: Context) -> Result<Service> {
    rebuild::ensure(&context.db, context.clock.now()).await?;
    let jobs = rebuild::jobs(&context).with(report_mail::SendReport::of(&context));
    let reports = report_mail::task(&context);
    let mut routes = Routes::builder();
    routes
        .add_service(Published::service(&context.db, NAME))
        .add_service(AnalyticsServiceServer::new(rpc::Service::new(context.clone())));
    Ok(Service {
        consumers: events::consumers(&context),
        tasks: vec![Task::new("jobs", |stop| jobs.run(stop)), reports],
        ..Service::new(NAME, routes.routes())
    })
}
