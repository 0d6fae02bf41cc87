//! Marks a driver's superseded update as reviewed.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::error::Failure;

#[derive(Default)]
pub struct ResolveConflictMutation;

#[Object]
impl ResolveConflictMutation {
    async fn resolve_conflict(
        &self,
        ctx: &Context<'_>,
        input: ResolveConflictInput,
    ) -> Result<Delivery, Failure> {
        let ResolveConflictInput { delivery_id, version } = input;
        let ask = contract::ResolveConflictRequest { delivery_id, version };
        Ok(Delivery(clients::deliveries(ctx)?.resolve_conflict(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct ResolveConflictInput {
    delivery_id: String,
    version: u64,
}
