//! Proof requirements in one column: names separated by spaces. An empty string means that nothing is
//! required, NULL that no requirement is set here.

use kit::Result;
use proto::deliveries::v1 as wire;
use sea_orm::DeriveValueType;

use crate::domain::proof::PodRequirement;

#[derive(Clone, Debug, PartialEq, Eq, DeriveValueType)]
pub struct Requirement(String);

impl Requirement {
    pub fn read(&self) -> Result<PodRequirement> {
        PodRequirement::parse(self.0.split_whitespace())
    }

    /// Returns the names, separated by spaces.
    pub fn names(&self) -> &str {
        &self.0
    }
}

impl From<&PodRequirement> for Requirement {
    fn from(requirement: &PodRequirement) -> Self {
        Self(requirement.names().collect::<Vec<_>>().join(" "))
    }
}

impl From<Requirement> for wire::ProofSet {
    fn from(requirement: Requirement) -> Self {
        wire::ProofSet { proofs: requirement.0.split_whitespace().map(str::to_owned).collect() }
    }
}
