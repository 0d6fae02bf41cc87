//! Endpoints that outcomes are sent to. A secret is shown only once, in the response to the request that
//! creates it.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::value::{DateTime, given, set_time, time};

/// Maximum number of endpoints.
const ENDPOINTS: usize = 50;

#[derive(Default)]
pub struct EndpointsQuery;

#[Object]
impl EndpointsQuery {
    /// The endpoints that outcomes are sent to, sorted by name.
    #[graphql(complexity = "page::times(ENDPOINTS, child_complexity)")]
    async fn outbound_endpoints(&self, ctx: &Context<'_>) -> Result<Vec<OutboundEndpoint>, Failure> {
        let answer = clients::dead_letters(ctx)?
            .list_outbound_endpoints(contract::ListOutboundEndpointsRequest {})
            .await?;
        Ok(answer.into_inner().endpoints.into_iter().map(OutboundEndpoint).collect())
    }
}

#[derive(Default)]
pub struct EndpointsMutation;

#[Object]
impl EndpointsMutation {
    /// Changes an endpoint. Without an id, creates an endpoint and returns its secret.
    async fn save_outbound_endpoint(
        &self,
        ctx: &Context<'_>,
        input: SaveOutboundEndpointInput,
    ) -> Result<OutboundEndpoint, Failure> {
        let SaveOutboundEndpointInput { id, version, name, url, methods, source_ids, is_active } = input;
        let ask = contract::SaveOutboundEndpointRequest {
            id: id.unwrap_or_default(),
            version: version.unwrap_or_default(),
            name,
            url,
            methods,
            source_ids,
            is_active,
        };
        Ok(OutboundEndpoint(clients::dead_letters(ctx)?.save_outbound_endpoint(ask).await?.into_inner()))
    }

    /// Deletes an endpoint and discards the messages that wait for it. Returns the id of the endpoint.
    async fn delete_outbound_endpoint(
        &self,
        ctx: &Context<'_>,
        id: String,
        version: u64,
    ) -> Result<String, Failure> {
        let ask = contract::DeleteOutboundEndpointRequest { id: id.clone(), version };
        clients::dead_letters(ctx)?.delete_outbound_endpoint(ask).await?;
        Ok(id)
    }

    /// Replaces the secret of an endpoint and returns the new one. For a day, messages are also signed with
    /// the old one.
    async fn rotate_outbound_secret(
        &self,
        ctx: &Context<'_>,
        id: String,
        version: u64,
    ) -> Result<OutboundEndpoint, Failure> {
        let ask = contract::RotateOutboundSecretRequest { id, version };
        Ok(OutboundEndpoint(clients::dead_letters(ctx)?.rotate_outbound_secret(ask).await?.into_inner()))
    }

    async fn resume_outbound_endpoint(
        &self,
        ctx: &Context<'_>,
        id: String,
    ) -> Result<OutboundEndpoint, Failure> {
        let ask = contract::ResumeOutboundEndpointRequest { id };
        Ok(OutboundEndpoint(clients::dead_letters(ctx)?.resume_outbound_endpoint(ask).await?.into_inner()))
    }

    /// Sends one message of the type "test" to an endpoint and waits for the response, at most ten seconds.
    async fn test_outbound_endpoint(&self, ctx: &Context<'_>, id: String) -> Result<OutboundTest, Failure> {
        let ask = contract::TestOutboundEndpointRequest { id };
        Ok(OutboundTest(clients::dead_letters(ctx)?.test_outbound_endpoint(ask).await?.into_inner()))
    }
}

pub struct OutboundEndpoint(contract::OutboundEndpoint);

#[Object]
impl OutboundEndpoint {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    async fn url(&self) -> &str {
        &self.0.url
    }
    /// The methods that the endpoint takes: create, update, status, variance, form, cancel, correction.
    async fn methods(&self) -> &[String] {
        &self.0.methods
    }
    /// Ids of the sources whose deliveries the endpoint receives; empty means all sources.
    async fn source_ids(&self) -> &[String] {
        &self.0.source_ids
    }
    async fn is_active(&self) -> bool {
        self.0.is_active
    }
    /// Since when sending is paused after too many failures; null if it is not paused.
    async fn paused_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.paused_at)
    }
    async fn failures_in_row(&self) -> u32 {
        self.0.failures_in_row
    }
    async fn secret_rotated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.secret_rotated_at)
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.updated_at)
    }
    async fn updated_by(&self) -> &str {
        &self.0.updated_by
    }
    async fn version(&self) -> u64 {
        self.0.version
    }
    /// The secret that messages are signed with. Set only in the response to the request that created it.
    async fn secret(&self) -> Option<&str> {
        given(&self.0.secret)
    }
}

pub struct OutboundTest(contract::TestOutboundEndpointResponse);

#[Object]
impl OutboundTest {
    /// HTTP status of the response; null if there was no response.
    async fn status(&self) -> Option<u32> {
        self.0.status
    }
    async fn ms(&self) -> u32 {
        self.0.ms
    }
    /// Why the test failed; null if the receiver accepted the message.
    async fn error(&self) -> Option<&str> {
        given(&self.0.error)
    }
    async fn response_body(&self) -> Option<&str> {
        given(&self.0.response_body)
    }
}

#[derive(InputObject)]
pub struct SaveOutboundEndpointInput {
    id: Option<String>,
    /// Version of the endpoint that the caller read; omit it for a new endpoint.
    version: Option<u64>,
    name: String,
    url: String,
    /// At least one of create, update, status, variance, form, cancel and correction.
    methods: Vec<String>,
    /// Ids of the sources whose deliveries the endpoint receives; empty means all sources.
    source_ids: Vec<String>,
    is_active: bool,
}
