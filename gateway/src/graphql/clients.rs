//! Clients of the services, with the caller's token.

use kit::rpc::Client;
use proto::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::deliveries::v1::bulk_service_client::BulkServiceClient;
use proto::deliveries::v1::dead_letters_service_client::DeadLettersServiceClient;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::intake_service_client::IntakeServiceClient;
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use proto::settings::v1::announcements_service_client::AnnouncementsServiceClient;
use proto::settings::v1::logo_service_client::LogoServiceClient;
use proto::settings::v1::report_schedules_service_client::ReportSchedulesServiceClient;
use proto::settings::v1::report_settings_service_client::ReportSettingsServiceClient;
use proto::settings::v1::saved_views_service_client::SavedViewsServiceClient;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use proto::upload::v1::saved_mappings_service_client::SavedMappingsServiceClient;
use proto::upload::v1::upload_service_client::UploadServiceClient;

use super::error::Failure;
use super::loaders::MAX_ANSWER;
use super::viewer::viewer;

pub fn auth(context: &async_graphql::Context<'_>) -> Result<AuthServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = AuthServiceClient::new(viewer.client(&viewer.app.auth)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn deliveries(context: &async_graphql::Context<'_>) -> Result<DeliveriesServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = DeliveriesServiceClient::new(viewer.office_client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn parties(context: &async_graphql::Context<'_>) -> Result<PartiesServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = PartiesServiceClient::new(viewer.client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn bulk(context: &async_graphql::Context<'_>) -> Result<BulkServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(BulkServiceClient::new(viewer.office_client(&viewer.app.deliveries)?))
}

pub fn dead_letters(
    context: &async_graphql::Context<'_>,
) -> Result<DeadLettersServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = DeadLettersServiceClient::new(viewer.client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn intake(context: &async_graphql::Context<'_>) -> Result<IntakeServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(IntakeServiceClient::new(viewer.client(&viewer.app.deliveries)?))
}

pub fn proof(context: &async_graphql::Context<'_>) -> Result<ProofServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = ProofServiceClient::new(viewer.office_client(&viewer.app.deliveries)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn drivers(context: &async_graphql::Context<'_>) -> Result<DriversServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = DriversServiceClient::new(viewer.client(&viewer.app.drivers)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn tracker(context: &async_graphql::Context<'_>) -> Result<TrackerServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = TrackerServiceClient::new(viewer.client(&viewer.app.drivers)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn settings(context: &async_graphql::Context<'_>) -> Result<SettingsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = SettingsServiceClient::new(viewer.client(&viewer.app.settings)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn announcements(
    context: &async_graphql::Context<'_>,
) -> Result<AnnouncementsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = AnnouncementsServiceClient::new(viewer.client(&viewer.app.settings)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn report_settings(
    context: &async_graphql::Context<'_>,
) -> Result<ReportSettingsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = ReportSettingsServiceClient::new(viewer.client(&viewer.app.settings)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn report_schedules(
    context: &async_graphql::Context<'_>,
) -> Result<ReportSchedulesServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(ReportSchedulesServiceClient::new(viewer.client(&viewer.app.settings)?))
}

pub fn saved_views(context: &async_graphql::Context<'_>) -> Result<SavedViewsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(SavedViewsServiceClient::new(viewer.client(&viewer.app.settings)?))
}

pub fn logo(context: &async_graphql::Context<'_>) -> Result<LogoServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(LogoServiceClient::new(viewer.client(&viewer.app.settings)?))
}

pub fn uploads(context: &async_graphql::Context<'_>) -> Result<UploadServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    let client = UploadServiceClient::new(viewer.client(&viewer.app.upload)?);
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

pub fn saved_mappings(
    context: &async_graphql::Context<'_>,
) -> Result<SavedMappingsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(SavedMappingsServiceClient::new(viewer.client(&viewer.app.upload)?))
}

pub fn analytics(context: &async_graphql::Context<'_>) -> Result<AnalyticsServiceClient<Client>, Failure> {
    let viewer = viewer(context)?;
    Ok(AnalyticsServiceClient::new(viewer.client(&viewer.app.analytics)?))
}
