//! Settings: what administrators, and for some rows planners, set for everybody; the customer's logo;
//! what is announced to whom; saved definitions of reports, and of views of lists.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the tables,
//! `fields` says what each list can be filtered and sorted by. Which settings there are is told in
//! `domain::catalogue`. Deliberately absent: what a setting does. Each service that obeys one keeps a
//! copy by our events (`store::settings` of the crate below), so that nobody waits for us.

mod domain;
mod entity;
mod events;
mod fields;
mod logo;
mod migration;
mod rpc;
pub mod seed;
mod store;
#[cfg(test)]
mod tests;

use std::time::Duration;

use ::store::published::Published;
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::service::{FirstRun, Service, Task};
use proto::events::SettingChanged;
use proto::settings::v1::announcements_service_server::AnnouncementsServiceServer;
use proto::settings::v1::logo_service_server::LogoServiceServer;
use proto::settings::v1::report_settings_service_server::ReportSettingsServiceServer;
use proto::settings::v1::saved_views_service_server::SavedViewsServiceServer;
use proto::settings::v1::settings_service_server::SettingsServiceServer;
use tonic::service::Routes;

pub use domain::catalogue::Defaults;
pub use migration::Migrator;

use rpc::Shared;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "settings";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub blob: Blob,
    /// Where people reach the product, for what is addressed for good; empty when nobody said.
    pub public_url: String,
    /// What holds while nobody set anything.
    pub defaults: Defaults,
}

/// The service. Brings the rows of the settings in line with the catalogue first.
pub async fn service(context: Context) -> Result<Service> {
    store::settings::align(&context.db).await?;
    let shared = Shared { context: context.clone() };
    let announcements = rpc::announcements::Service { shared: shared.clone() };
    let report_settings = rpc::report_settings::Service { shared: shared.clone() };
    let saved_views = rpc::saved_views::Service { shared: shared.clone() };
    let published = Published::new(&context.db, NAME).telling::<SettingChanged>(store::settings::Values);
    let mut routes = Routes::builder();
    routes
        .add_service(published.serve())
        .add_service(SettingsServiceServer::new(rpc::settings::Service { shared: shared.clone() }))
        .add_service(AnnouncementsServiceServer::new(announcements))
        .add_service(ReportSettingsServiceServer::new(report_settings))
        .add_service(SavedViewsServiceServer::new(saved_views))
        .add_service(LogoServiceServer::new(rpc::logo::Service::new(shared)));
    Ok(Service {
        consumers: events::consumers(&context),
        checks: vec![context.blob.check()],
        tasks: vec![sweep_logos(context)],
        ..Service::new(NAME, routes.routes())
    })
}

/// Removes logos and uploads that nothing refers to.
fn sweep_logos(context: Context) -> Task {
    Task::every("unused files", CHORES_EVERY, FirstRun::AtStart, move || {
        let context = context.clone();
        async move {
            let gone = logo::sweep::sweep(&context).await?;
            if gone > 0 {
                tracing::debug!(files = gone, "logos and uploads that nothing refers to were removed");
            }
            Ok(())
        }
    })
}
