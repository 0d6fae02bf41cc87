//! Producers: other systems that report their dead letters. A token is shown once, in the response that
//! created it.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients::intake;
use super::error::Failure;
use super::page;
use super::value::{DateTime, given, set_time};

/// Maximum number of producers.
const PRODUCERS: usize = 50;

#[derive(Default)]
pub struct ProducersQuery;

#[Object]
impl ProducersQuery {
    /// All producers of dead letters, sorted by name.
    #[graphql(complexity = "page::times(PRODUCERS, child_complexity)")]
    async fn dead_letter_producers(&self, ctx: &Context<'_>) -> Result<Vec<DeadLetterProducer>, Failure> {
        let answer = intake(ctx)?.list_producers(contract::ListProducersRequest {}).await?;
        Ok(answer.into_inner().producers.into_iter().map(DeadLetterProducer).collect())
    }
}

#[derive(Default)]
pub struct ProducersMutation;

#[Object]
impl ProducersMutation {
    /// Changes a producer. Without an id, creates one, and its token is in the response.
    async fn save_dead_letter_producer(
        &self,
        ctx: &Context<'_>,
        input: SaveDeadLetterProducerInput,
    ) -> Result<DeadLetterProducer, Failure> {
        let SaveDeadLetterProducerInput { id, version, name, endpoint_id, is_active } = input;
        let ask = contract::SaveProducerRequest {
            id: id.unwrap_or_default(),
            version: version.unwrap_or_default(),
            name,
            endpoint_id,
            is_active,
        };
        Ok(DeadLetterProducer(intake(ctx)?.save_producer(ask).await?.into_inner()))
    }

    /// Deletes the producer; its dead letters stay. Returns its id.
    async fn delete_dead_letter_producer(
        &self,
        ctx: &Context<'_>,
        id: String,
        version: u64,
    ) -> Result<String, Failure> {
        intake(ctx)?.delete_producer(contract::DeleteProducerRequest { id: id.clone(), version }).await?;
        Ok(id)
    }

    /// Replaces the producer's token. The response contains the new token; the old one becomes invalid
    /// immediately.
    async fn rotate_dead_letter_producer_token(
        &self,
        ctx: &Context<'_>,
        id: String,
        version: u64,
    ) -> Result<DeadLetterProducer, Failure> {
        let ask = contract::RotateProducerTokenRequest { id, version };
        Ok(DeadLetterProducer(intake(ctx)?.rotate_producer_token(ask).await?.into_inner()))
    }
}

pub struct DeadLetterProducer(contract::Producer);

#[Object]
impl DeadLetterProducer {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    /// Id of the endpoint to which this producer's dead letters are resent.
    async fn endpoint_id(&self) -> &str {
        &self.0.endpoint_id
    }
    /// Name of the endpoint; null in the response to a mutation.
    async fn endpoint_name(&self) -> Option<&str> {
        given(&self.0.endpoint_name)
    }
    async fn is_active(&self) -> bool {
        self.0.is_active
    }
    /// The subject on which the producer publishes, if events use NATS.
    async fn subject(&self) -> &str {
        &self.0.subject
    }
    async fn token_made_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.token_made_at)
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
    /// The producer's token. Set only in the response to the request that created it.
    async fn token(&self) -> Option<&str> {
        given(&self.0.token)
    }
}

#[derive(InputObject)]
pub struct SaveDeadLetterProducerInput {
    id: Option<String>,
    /// Version of the producer that the caller read; omit it for a new producer.
    version: Option<u64>,
    /// Used only for a new producer, because the name cannot be changed.
    name: String,
    endpoint_id: String,
    is_active: bool,
}
