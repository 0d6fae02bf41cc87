//! The fields that each list can be filtered and sorted by. A new filter also needs a column (for texts a
//! folded column beside it), an index, and its place on the screen.
//!
//! The lists of deliveries and of their history may have millions of rows: their sort columns, and filters
//! that match few rows, have an index (`migration::m0003_parties_and_lists`). Tests check the plan of each
//! filter with each sort.

use ::store::filter::{Field, FieldKind, Related, Search, TextTable};

use crate::domain::delivery::{ActorType, ScanMode, ShipmentStatus, Status};
use crate::domain::outbound::{Method, State};
use crate::entity::address::Column as Address;
use crate::entity::customer::Column as Customer;
use crate::entity::dead_letter::{Column as DeadLetter, FAILURE_COLUMNS, has_failed};
use crate::entity::delivery::Column as Delivery;
use crate::entity::history::Column as History;
use crate::entity::source::Column as Source;

/// Customer names are searched in the table `customer`, which has one row per name.
const CUSTOMER_NAMES: Search =
    Search::Listed(&[TextTable { table: "customer", key: "customer_name_key", grams: false }]);
const TRUCKERS: Search = Search::Listed(&[TextTable { table: "trucker", key: "name_key", grams: false }]);
const SHIPMENTS: Search =
    Search::Listed(&[TextTable { table: "shipment", key: "shipmentnumber_key", grams: true }]);
const REASONS: Search =
    Search::Listed(&[TextTable { table: "reason_label", key: "label_key", grams: false }]);
/// The history outlives deliveries that an undo removed.
const DELIVERY_IDS: Search = Search::Listed(&[
    TextTable { table: "delivery", key: "id_key", grams: true },
    TextTable { table: "removed_delivery", key: "delivery_key", grams: false },
]);

pub const DELIVERIES: &[Field<Delivery>] = &[
    Field::new("id", Delivery::Id, FieldKind::Search { folded: Delivery::IdKey, by: Search::Grams }),
    Field::new("scheduledatetime", Delivery::Scheduledatetime, FieldKind::Instant),
    Field::new("deliverystatus", Delivery::Deliverystatus, FieldKind::Choice(Status::SPELLINGS))
        .then(&[Delivery::Scheduledatetime]),
    Field::new("driverId", Delivery::DriverId, FieldKind::Text { folded: Delivery::DriverIdKey })
        .then(&[Delivery::Scheduledatetime]),
    Field::new(
        "customername",
        Delivery::Customername,
        FieldKind::Search { folded: Delivery::CustomernameKey, by: CUSTOMER_NAMES },
    )
    .then(&[Delivery::Scheduledatetime]),
    Field::new(
        "trucker",
        Delivery::Trucker,
        FieldKind::Search { folded: Delivery::TruckerKey, by: TRUCKERS },
    )
    .unsortable(),
    Field::new(
        "shipmentnumber",
        Delivery::Shipmentnumber,
        FieldKind::Search { folded: Delivery::ShipmentnumberKey, by: SHIPMENTS },
    )
    .unsortable()
    .then(&[Delivery::Scheduledatetime]),
    Field::new(
        "shipmentstatus",
        Delivery::ShipmentnumberKey,
        FieldKind::Related {
            on: Delivery::ShipmentnumberKey,
            table: "shipment",
            key: "shipmentnumber_key",
            value: Related::Choice { column: "shipmentstatus", spellings: ShipmentStatus::SPELLINGS },
        },
    )
    .unsortable(),
    Field::new(
        "reason",
        Delivery::IdKey,
        FieldKind::Related {
            on: Delivery::IdKey,
            table: "variance",
            key: "delivery_key",
            value: Related::Text { folded: "reason_key", by: Some(REASONS) },
        },
    )
    .unsortable(),
    // Has no index: it is used together with the status Undelivered or Rejected, and the status has an index.
    Field::new("outcomeReason", Delivery::OutcomeReason, FieldKind::Choice(REASON_CODES))
        .unsortable()
        .unindexed(),
    Field::new(
        "referencedoc",
        Delivery::Referencedoc,
        FieldKind::Search { folded: Delivery::ReferencedocKey, by: Search::Grams },
    )
    .unsortable()
    .then(&[Delivery::Scheduledatetime]),
    Field::new("deliverydatetime", Delivery::Deliverydatetime, FieldKind::Instant).unsortable().sparse(),
    // When the delivery is due: the end of its time window, otherwise its dispatch. It is used together with the
    // status Pending, and only these deliveries have an index by it (`migration::m0021_due_index`).
    Field::new(
        "dueAt",
        Delivery::TimeWindowEnd,
        FieldKind::FirstInstant { first: Delivery::TimeWindowEnd, or: Delivery::Scheduledatetime },
    )
    .unindexed()
    .within("deliverystatus", "Pending"),
    Field::new("conflict", Delivery::Conflict, FieldKind::Flag { yes: "Yes", no: "No" })
        .unsortable()
        .sparse()
        .then(&[Delivery::Scheduledatetime]),
    Field::new("scanmode", Delivery::Scanmode, FieldKind::Choice(ScanMode::SPELLINGS))
        .unsortable()
        .unindexed(),
    Field::new("linecount", Delivery::Linecount, FieldKind::Number).unsortable().unindexed(),
    Field::new("sourceId", Delivery::SourceId, FieldKind::Id)
        .unsortable()
        .then(&[Delivery::Scheduledatetime]),
    Field::new("uploadLogId", Delivery::UploadLogId, FieldKind::Id)
        .unsortable()
        .then(&[Delivery::Scheduledatetime]),
    Field::new("createdAt", Delivery::CreatedAt, FieldKind::Instant).unsortable().unindexed(),
];

pub const HISTORIES: &[Field<History>] = &[
    Field::new(
        "deliveryId",
        History::DeliveryId,
        FieldKind::Search { folded: History::DeliveryKey, by: DELIVERY_IDS },
    )
    .unsortable(),
    // The number of the delivery's current shipment; a removed delivery has none.
    Field::new(
        "shipmentnumber",
        History::DeliveryKey,
        FieldKind::Related {
            on: History::DeliveryKey,
            table: "delivery",
            key: "id_key",
            value: Related::Text { folded: "shipmentnumber_key", by: Some(SHIPMENTS) },
        },
    )
    .unsortable(),
    Field::new("fromStatus", History::FromStatus, FieldKind::Choice(Status::SPELLINGS))
        .unsortable()
        .unindexed(),
    Field::new("toStatus", History::ToStatus, FieldKind::Choice(Status::SPELLINGS)).unsortable().unindexed(),
    Field::new("actorType", History::ActorType, FieldKind::Choice(ActorType::SPELLINGS))
        .unsortable()
        .unindexed(),
    Field::new("actorName", History::ActorName, FieldKind::Text { folded: History::ActorNameKey })
        .unsortable(),
    Field::new("occurredAt", History::OccurredAt, FieldKind::Instant),
    Field::new("receivedAt", History::ReceivedAt, FieldKind::Instant).unsortable().unindexed(),
    Field::new("reasonCode", History::ReasonCode, FieldKind::Choice(REASON_CODES))
        .unsortable()
        .sparse()
        .then(&[History::OccurredAt]),
];

/// A fixed set, because codes never change.
pub const REASON_CODES: &[&str] = &[
    "short_shipped",
    "short_delivered",
    "over_delivered",
    "damaged_in_transit",
    "damaged_on_loading",
    "wrong_item",
    "wrong_lot_or_expiry",
    "expired_or_near_expiry",
    "quality_refused",
    "temperature_out_of_range",
    "missing_barcode",
    "packaging_broken",
    "quantity_unit_mismatch",
    "price_or_document_mismatch",
    "recipient_absent",
    "site_closed",
    "wrong_or_incomplete_address",
    "cannot_find_address",
    "no_access_or_parking",
    "out_of_time_window",
    "vehicle_breakdown",
    "road_closed_or_weather",
    "goods_not_loaded",
    "customer_asked_reschedule",
    "payment_not_ready",
    "proof_requirement_not_met",
    "safety_issue",
    "refused_all_damaged",
    "refused_not_ordered",
    "refused_late",
    "refused_wrong_goods",
    "duplicate_order",
    "refused_documents",
    "refused_payment",
    "cancelled_by_shipper",
    "other",
];

pub const CUSTOMERS: &[Field<Customer>] = &[
    Field::new("customerName", Customer::CustomerName, FieldKind::Text { folded: Customer::CustomerNameKey }),
    Field::new(
        "customerEmail",
        Customer::CustomerEmail,
        FieldKind::Text { folded: Customer::CustomerEmailKey },
    ),
    Field::new(
        "customerAddress",
        Customer::CustomerAddress,
        FieldKind::Text { folded: Customer::CustomerAddressKey },
    ),
    Field::new("createdAt", Customer::CreatedAt, FieldKind::Instant),
];

pub const SOURCES: &[Field<Source>] = &[
    Field::new("id", Source::Id, FieldKind::Id).unsortable(),
    Field::new("name", Source::Name, FieldKind::Text { folded: Source::NameKey }),
    Field::new("isActive", Source::IsActive, FieldKind::Flag { yes: "Active", no: "Disabled" }),
    Field::new("createdAt", Source::CreatedAt, FieldKind::Instant),
];

pub const ADDRESSES: &[Field<Address>] = &[Field::new(
    "address",
    Address::Address,
    FieldKind::Search { folded: Address::AddressKey, by: Search::Grams },
)];

/// Each index starts with the state, because every request filters by state.
pub const DEAD_LETTERS: &[Field<DeadLetter>] = &[
    Field::new("deliveryId", DeadLetter::DeliveryId, FieldKind::Text { folded: DeadLetter::DeliveryKey })
        .then(&[DeadLetter::CreatedAt]),
    // Until a letter fails, the column has the time when it was queued.
    Field::new(
        "createdAt",
        DeadLetter::CreatedAt,
        FieldKind::InstantIf { condition: has_failed, columns: FAILURE_COLUMNS },
    ),
    Field::new("processedAt", DeadLetter::ProcessedAt, FieldKind::Instant),
    Field::new("state", DeadLetter::State, FieldKind::Choice(State::SPELLINGS))
        .unsortable()
        .then(&[DeadLetter::CreatedAt]),
    Field::new("method", DeadLetter::Method, FieldKind::Choice(Method::SPELLINGS)).unsortable().unindexed(),
    Field::new("endpointId", DeadLetter::EndpointId, FieldKind::Id).unsortable().unindexed(),
    Field::new(
        "errorFingerprint",
        DeadLetter::ErrorFingerprint,
        FieldKind::Text { folded: DeadLetter::ErrorFingerprint },
    )
    .unsortable()
    .unindexed(),
];
