//! The graph: what a browser may ask for, put together from the services' answers.
//!
//! Here: the schema and what a resolver gets from its request. Objects wrap the contract's
//! messages and add names and loaders, nothing else. Every field needs a signed-in caller except
//! `redwood`, `adminNeeded`, `signUpPolicy`, `sendsMail` and `createAdmin`; roles are the services' matter.
//! Deliberately absent: rules, defaults of lists, the meaning of filters.

pub mod documents;
pub mod error;
pub mod limits;

mod account;
mod announcements;
mod audit;
mod current_user;
mod dead_letters;
mod deliveries;
mod driver_logs;
mod drivers;
mod editing;
mod endpoints;
mod form_description;
mod history;
mod items;
mod live;
mod loaders;
mod outcomes;
mod page;
mod parties;
mod presign;
mod proof;
mod reasons;
mod report_settings;
mod settings;
mod tracker;
mod tracking;
mod upload_mapping;
mod uploads;
mod users;
pub mod value;

pub use account::Address;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{MergedObject, MergedSubscription, SDLExportOptions};
use kit::Role;
use kit::config::Graphql;
use kit::rpc::{Client, Transport};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::deliveries::v1::dead_letters_service_client::DeadLettersServiceClient;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use proto::settings::v1::announcements_service_client::AnnouncementsServiceClient;
use proto::settings::v1::logo_service_client::LogoServiceClient;
use proto::settings::v1::report_settings_service_client::ReportSettingsServiceClient;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use proto::upload::v1::upload_service_client::UploadServiceClient;

use crate::accesses::{self, View};
use crate::session::{Identity, Session};
use crate::state::App;
use error::Failure;
use loaders::Loaders;

/// Lists with their texts outgrow the 4 MiB that tonic reads by default.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

#[derive(MergedObject, Default)]
pub struct Query(
    account::AccountQuery,
    users::UsersQuery,
    audit::AuditQuery,
    deliveries::DeliveriesQuery,
    items::ItemsQuery,
    history::HistoryQuery,
    proof::ProofQuery,
    reasons::ReasonsQuery,
    parties::PartiesQuery,
    uploads::UploadsQuery,
    upload_mapping::UploadMappingQuery,
    drivers::DriversQuery,
    driver_logs::DriverLogsQuery,
    tracker::TrackerQuery,
    settings::SettingsQuery,
    announcements::AnnouncementsQuery,
    report_settings::ReportSettingsQuery,
    dead_letters::DeadLettersQuery,
    endpoints::EndpointsQuery,
);

#[derive(MergedObject, Default)]
pub struct Mutation(
    account::AccountMutation,
    users::UsersMutation,
    editing::EditingMutation,
    items::ItemsMutation,
    outcomes::OutcomesMutation,
    proof::ProofMutation,
    presign::PresignMutation,
    reasons::ReasonsMutation,
    parties::PartiesMutation,
    drivers::DriversMutation,
    settings::SettingsMutation,
    announcements::AnnouncementsMutation,
    report_settings::ReportSettingsMutation,
    uploads::UploadsMutation,
    upload_mapping::UploadMappingMutation,
    dead_letters::DeadLettersMutation,
    endpoints::EndpointsMutation,
);

#[derive(MergedSubscription, Default)]
pub struct Subscription(
    live::DeliverySubscription,
    tracking::TrackingSubscription,
    current_user::CurrentUserSubscription,
    dead_letters::DeadLettersSubscription,
);

pub type Schema = async_graphql::Schema<Query, Mutation, Subscription>;

pub fn build(config: Option<&Graphql>) -> Schema {
    let mut builder =
        Schema::build(Query::default(), Mutation::default(), Subscription::default()).disable_suggestions();
    if let Some(config) = config {
        builder = builder.limit_complexity(config.max_complexity);
        if !config.introspection {
            builder = builder.disable_introspection();
        }
    }
    builder.finish()
}

/// The schema in its own language, always in the same order.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions()
        .use_space_ident();
    build(None).sdl_with_options(options)
}

/// Who asks, with what this request needs to answer.
pub struct Viewer {
    app: Arc<App>,
    identity: Identity,
    loaders: Option<Mutex<Arc<Loaders>>>,
}

impl Viewer {
    pub fn new(app: Arc<App>, identity: Identity) -> Self {
        let loaders =
            identity.session().ok().map(|session| Mutex::new(Arc::new(Loaders::new(&app, session))));
        Self { app, identity, loaders }
    }

    /// Looks everything up anew from now on: the life of a subscription is many requests.
    fn forget_loaded(&self) {
        if let (Some(loaders), Ok(session)) = (&self.loaders, self.session()) {
            *loaders.lock().unwrap_or_else(PoisonError::into_inner) =
                Arc::new(Loaders::new(&self.app, session));
        }
    }

    fn session(&self) -> kit::Result<&Session> {
        self.identity.session()
    }

    fn client(&self, service: &Transport) -> kit::Result<Client> {
        Ok(self.session()?.client(service))
    }

    /// A service that lets drivers do some things too. They have an API of their own; the graph is the
    /// office's.
    fn office_client(&self, service: &Transport) -> kit::Result<Client> {
        let session = self.session()?;
        session.require(Role::STAFF)?;
        Ok(session.client(service))
    }
}

fn viewer<'a>(context: &async_graphql::Context<'a>) -> Result<&'a Viewer, Failure> {
    context.data_opt::<Viewer>().ok_or_else(|| kit::Error::internal("a request without a viewer").into())
}

/// Writes down that somebody looks at this, before they are shown it. An id that is empty stands for
/// several.
async fn viewed(
    context: &async_graphql::Context<'_>,
    view: View,
    (id, name): (&str, &str),
) -> Result<(), Failure> {
    let viewer = viewer(context)?;
    Ok(accesses::viewed(&viewer.app, viewer.session()?, view, (id, name)).await?)
}

fn auth(context: &async_graphql::Context<'_>) -> Result<AuthServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = AuthServiceClient::new(viewer.client(&viewer.app.auth)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn deliveries(context: &async_graphql::Context<'_>) -> Result<DeliveriesServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = DeliveriesServiceClient::new(viewer.office_client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn parties(context: &async_graphql::Context<'_>) -> Result<PartiesServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = PartiesServiceClient::new(viewer.client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn dead_letters(context: &async_graphql::Context<'_>) -> Result<DeadLettersServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = DeadLettersServiceClient::new(viewer.client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn proof(context: &async_graphql::Context<'_>) -> Result<ProofServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = ProofServiceClient::new(viewer.office_client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn drivers(context: &async_graphql::Context<'_>) -> Result<DriversServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = DriversServiceClient::new(viewer.client(&viewer.app.drivers)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn tracker(context: &async_graphql::Context<'_>) -> Result<TrackerServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = TrackerServiceClient::new(viewer.client(&viewer.app.drivers)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn settings(context: &async_graphql::Context<'_>) -> Result<SettingsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = SettingsServiceClient::new(viewer.client(&viewer.app.settings)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn announcements(
    context: &async_graphql::Context<'_>,
) -> Result<AnnouncementsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = AnnouncementsServiceClient::new(viewer.client(&viewer.app.settings)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn report_settings(
    context: &async_graphql::Context<'_>,
) -> Result<ReportSettingsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = ReportSettingsServiceClient::new(viewer.client(&viewer.app.settings)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn logo(context: &async_graphql::Context<'_>) -> Result<LogoServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(LogoServiceClient::new(viewer.client(&viewer.app.settings)?))
}

fn uploads(context: &async_graphql::Context<'_>) -> Result<UploadServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = UploadServiceClient::new(viewer.client(&viewer.app.upload)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn loaders(context: &async_graphql::Context<'_>) -> Result<Arc<Loaders>, Failure> {
    let viewer = viewer(context)?;
    // As above: a batch is as good a way in as a list.
    viewer.session()?.require(Role::STAFF)?;
    let loaders = viewer.loaders.as_ref().ok_or_else(|| kit::Error::internal("a session without loaders"))?;
    Ok(loaders.lock().unwrap_or_else(PoisonError::into_inner).clone())
}
