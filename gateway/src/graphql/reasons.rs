//! The catalogue of reasons for variances and failed attempts.

use async_graphql::{Context, Enum, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::value::{spelling, word};

#[derive(Default)]
pub struct ReasonsQuery;

#[Object]
impl ReasonsQuery {
    #[graphql(complexity = "page::times(50, child_complexity)")]
    async fn reasons(
        &self,
        ctx: &Context<'_>,
        applies_to: Option<ReasonAppliesTo>,
    ) -> Result<Vec<Reason>, Failure> {
        let applies_to = applies_to.map(spelling).unwrap_or_default().to_owned();
        let found =
            clients::deliveries(ctx)?.list_reasons(contract::ListReasonsRequest { applies_to }).await?;
        Ok(found.into_inner().reasons.into_iter().map(Reason).collect())
    }
}

#[derive(Default)]
pub struct ReasonsMutation;

#[Object]
impl ReasonsMutation {
    async fn update_reason(&self, ctx: &Context<'_>, input: UpdateReasonInput) -> Result<Reason, Failure> {
        let UpdateReasonInput {
            applies_to,
            code,
            version,
            label,
            requires_photo,
            requires_note,
            responsible,
            is_active,
            order,
        } = input;
        let ask = contract::UpdateReasonRequest {
            applies_to: spelling(applies_to).to_owned(),
            code,
            version,
            label,
            requires_photo,
            requires_note,
            responsible: spelling(responsible).to_owned(),
            is_active,
            order,
        };
        Ok(Reason(clients::deliveries(ctx)?.update_reason(ask).await?.into_inner()))
    }
}

pub struct Reason(contract::Reason);

#[Object]
impl Reason {
    async fn applies_to(&self) -> Result<ReasonAppliesTo, Failure> {
        word(&self.0.applies_to)
    }
    async fn code(&self) -> &str {
        &self.0.code
    }
    async fn label(&self) -> &str {
        &self.0.label
    }
    async fn requires_photo(&self) -> bool {
        self.0.requires_photo
    }
    async fn requires_note(&self) -> bool {
        self.0.requires_note
    }
    async fn responsible(&self) -> Result<Responsible, Failure> {
        word(&self.0.responsible)
    }
    async fn is_active(&self) -> bool {
        self.0.is_active
    }
    async fn order(&self) -> u32 {
        self.0.order
    }
    async fn version(&self) -> u64 {
        self.0.version
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum ReasonAppliesTo {
    Variance,
    Undelivered,
    Rejected,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum Responsible {
    Customer,
    Carrier,
    Shipper,
    Other,
}

#[derive(InputObject)]
pub struct UpdateReasonInput {
    applies_to: ReasonAppliesTo,
    code: String,
    version: u64,
    label: String,
    requires_photo: bool,
    requires_note: bool,
    responsible: Responsible,
    is_active: bool,
    order: u32,
}
