//! The enums of the driver API, with the spellings of its OpenAPI document.

use kit::config;
use proto::deliveries::v1 as contract;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Serialize, Deserialize, Clone, Copy, ToSchema)]
pub enum Status {
    Pending,
    #[serde(rename = "Complete_No_Variance")]
    CompleteNoVariance,
    #[serde(rename = "Complete_With_Variance")]
    CompleteWithVariance,
    Undelivered,
    Rejected,
}

proto::same_enum!(contract::DeliveryStatus => Status {
    Pending => Pending,
    CompleteNoVariance => CompleteNoVariance,
    CompleteWithVariance => CompleteWithVariance,
    Undelivered => Undelivered,
    Rejected => Rejected,
});

/// Who took the goods, in relation to the recipient.
#[derive(Serialize, Deserialize, Clone, Copy, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    Recipient,
    Family,
    Colleague,
    Security,
    Neighbour,
    SafePlace,
    Mailbox,
    PickupPoint,
    Other,
}

proto::same_enum!(contract::Relation => Relation {
    Recipient => Recipient,
    Family => Family,
    Colleague => Colleague,
    Security => Security,
    Neighbour => Neighbour,
    SafePlace => SafePlace,
    Mailbox => Mailbox,
    PickupPoint => PickupPoint,
    Other => Other,
});

/// The condition of the goods.
#[derive(Serialize, Deserialize, Clone, Copy, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    Ok,
    Damaged,
    WrongItem,
    Expired,
}

proto::same_enum!(contract::Condition => Condition {
    Ok => Ok,
    Damaged => Damaged,
    WrongItem => WrongItem,
    Expired => Expired,
});

/// The proof that is required to record a delivery as Undelivered.
#[derive(Serialize, Clone, Copy, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedAttemptProof {
    PhotoOrNote,
    Photo,
    Note,
    Nothing,
}

impl From<config::FailedAttemptProof> for FailedAttemptProof {
    fn from(proof: config::FailedAttemptProof) -> Self {
        match proof {
            config::FailedAttemptProof::PhotoOrNote => Self::PhotoOrNote,
            config::FailedAttemptProof::Photo => Self::Photo,
            config::FailedAttemptProof::Note => Self::Note,
            config::FailedAttemptProof::Nothing => Self::Nothing,
        }
    }
}

/// Whether the outcome was captured by scanning.
#[derive(Serialize, Deserialize, Clone, Copy, ToSchema)]
pub enum ScanMode {
    Yes,
    No,
}

proto::same_enum!(contract::ScanMode => ScanMode { Yes => Yes, No => No });

#[derive(Serialize, Deserialize, Clone, Copy, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    Low,
    Normal,
    High,
}

proto::same_enum!(contract::Priority => Priority { Low => Low, Normal => Normal, High => High });
