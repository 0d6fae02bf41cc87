//! The enums of GraphQL. Their spellings are the product's own, letter for letter.

use async_graphql::Enum;
use proto::deliveries::v1 as contract;
use proto::drivers::v1 as drivers;

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStatus {
    #[graphql(name = "Pending")]
    Pending,
    #[graphql(name = "Complete_No_Variance")]
    CompleteNoVariance,
    #[graphql(name = "Complete_With_Variance")]
    CompleteWithVariance,
    #[graphql(name = "Undelivered")]
    Undelivered,
    #[graphql(name = "Rejected")]
    Rejected,
}

proto::same_enum!(contract::DeliveryStatus => DeliveryStatus {
    Pending => Pending,
    CompleteNoVariance => CompleteNoVariance,
    CompleteWithVariance => CompleteWithVariance,
    Undelivered => Undelivered,
    Rejected => Rejected,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "PascalCase")]
pub enum ShipmentStatus {
    Pending,
    Partial,
    Completed,
}

proto::same_enum!(contract::ShipmentStatus => ShipmentStatus {
    Pending => Pending,
    Partial => Partial,
    Completed => Completed,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "PascalCase")]
pub enum ScanMode {
    Yes,
    No,
}

proto::same_enum!(contract::ScanMode => ScanMode { Yes => Yes, No => No });

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum Priority {
    Low,
    Normal,
    High,
}

proto::same_enum!(contract::Priority => Priority { Low => Low, Normal => Normal, High => High });

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum ItemCondition {
    Ok,
    Damaged,
    WrongItem,
    Expired,
}

proto::same_enum!(contract::Condition => ItemCondition {
    Ok => Ok,
    Damaged => Damaged,
    WrongItem => WrongItem,
    Expired => Expired,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum VarianceKind {
    Short,
    Over,
    Damaged,
    WrongItem,
    RejectedLine,
    Document,
    Other,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum DeliveryAction {
    Edit,
    EditItems,
    AssignDriver,
    Complete,
    MarkUndelivered,
    Reject,
    Reschedule,
    RefuseAfterAttempt,
    Reopen,
    CorrectLines,
    CorrectStatus,
    AddEvidence,
    Print,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
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

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum DriverStatus {
    Active,
    Blocked,
}

proto::same_enum!(drivers::DriverStatus => DriverStatus { Active => Active, Blocked => Blocked });

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum OnlineState {
    Online,
    Stale,
    Offline,
}

proto::same_enum!(drivers::OnlineState => OnlineState {
    Online => Online,
    Stale => Stale,
    Offline => Offline,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum AttachmentKind {
    Signature,
    Photo,
    Document,
    BarcodeImage,
    IdCheck,
    Other,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum AttachmentSource {
    DriverApp,
    Office,
    Import,
    Api,
}
