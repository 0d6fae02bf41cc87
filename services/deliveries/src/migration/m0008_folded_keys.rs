//! Folds names by NFKC, so that one name is one key however a file encodes it.

use ::store::refold::{Follower, Keys, refold};
use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0008_folded_keys"
    }
}

const fn of_delivery(table: &'static str) -> Follower {
    Follower { table, column: "delivery_key", shown: None }
}

const fn of_item(table: &'static str) -> Follower {
    Follower { table, column: "item_key", shown: Some("item_number") }
}

/// Tables that refer to deliveries by their key.
const OF_DELIVERIES: &[Follower] = &[
    of_delivery("delivery_item"),
    of_delivery("delivery_status_history"),
    of_delivery("edit"),
    of_delivery("client_event"),
    of_delivery("variance"),
    of_delivery("attachment"),
    of_delivery("form"),
];
const OF_ITEMS: &[Follower] = &[of_item("variance"), of_item("attachment")];
const OF_SHIPMENTS: &[Follower] =
    &[Follower { table: "delivery", column: "shipmentnumber_key", shown: Some("shipmentnumber") }];
const OF_DRIVERS: &[Follower] =
    &[Follower { table: "delivery", column: "driver_id_key", shown: Some("driver_id") }];

const KEYS: &[Keys] = &[
    Keys::identity("delivery", "id_key", "id").followed_by(OF_DELIVERIES),
    Keys::identity_within("delivery_key", "delivery_item", "item_key", "item_number").followed_by(OF_ITEMS),
    Keys::identity("shipment", "shipmentnumber_key", "shipmentnumber").followed_by(OF_SHIPMENTS),
    Keys::identity("driver", "driver_id_key", "driver_id").followed_by(OF_DRIVERS),
    Keys::shared("delivery", "driver_id_key"),
    // If a customer existed in two spellings, the deliveries of both now share one record. The second record
    // stays.
    Keys::identity("customer", "customer_name_key", "customer_name"),
    Keys::shared("delivery", "customername_key"),
    Keys::shared("customer", "customer_email_key"),
    Keys::shared("customer", "customer_address_key"),
    Keys::distinct("address", "address_key"),
    Keys::distinct("trucker", "name_key"),
    Keys::shared("delivery", "trucker_key"),
    Keys::shared("delivery", "referencedoc_key"),
    Keys::identity("source", "name_key", "name"),
    Keys::distinct("reason_label", "label_key"),
    Keys::shared("variance", "reason_key"),
    Keys::shared("delivery_status_history", "actor_name_key"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        refold(manager, KEYS).await
    }

    /// Keeps the new keys: the old ones cannot be restored, and most are the same.
    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
