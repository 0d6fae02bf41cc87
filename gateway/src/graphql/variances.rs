//! Variances: differences from what was expected.

use async_graphql::Object;
use proto::deliveries::v1 as contract;

use super::enums::VarianceKind;
use super::error::Failure;
use super::value::{DateTime, set_time, units, word};

pub struct Variance(pub contract::Variance);

#[Object]
impl Variance {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn attempt(&self) -> u32 {
        self.0.attempt
    }
    async fn item_number(&self) -> Option<&str> {
        self.0.item_number.as_deref()
    }
    /// The label that the reason had when the variance was reported.
    async fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }
    async fn reason_code(&self) -> Option<&str> {
        self.0.reason_code.as_deref()
    }
    async fn kind(&self) -> Result<VarianceKind, Failure> {
        word(&self.0.kind)
    }
    async fn expected_quantity(&self) -> f64 {
        units(self.0.expected_thousandths)
    }
    async fn actual_quantity(&self) -> f64 {
        units(self.0.actual_thousandths)
    }
    /// Negative when something is missing.
    async fn difference(&self) -> f64 {
        units(self.0.difference_thousandths)
    }
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }
    async fn reported_by(&self) -> &str {
        &self.0.reported_by
    }
    async fn occurred_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.occurred_at)
    }
}
