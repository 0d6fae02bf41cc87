//! What each list can be filtered and sorted by. The only place to touch for a new filter.

use ::store::filter::{Field, FieldKind};

use crate::domain::delivery::{ScanMode, Status};
use crate::entity::customer::Column as Customer;
use crate::entity::delivery::Column as Delivery;
use crate::entity::source::Column as Source;

pub const DELIVERIES: &[Field<Delivery>] = &[
    Field::new("id", Delivery::Id, FieldKind::Text { folded: Delivery::IdKey }),
    Field::new("scheduledatetime", Delivery::Scheduledatetime, FieldKind::Instant),
    Field::new("deliverystatus", Delivery::Deliverystatus, FieldKind::Choice(Status::SPELLINGS)),
    Field::new("driverId", Delivery::DriverId, FieldKind::Text { folded: Delivery::DriverIdKey }),
    Field::new("linecount", Delivery::Linecount, FieldKind::Number),
    Field::new("customername", Delivery::Customername, FieldKind::Text { folded: Delivery::CustomernameKey }),
    Field::new("trucker", Delivery::Trucker, FieldKind::Text { folded: Delivery::TruckerKey }),
    Field::new(
        "shipmentnumber",
        Delivery::Shipmentnumber,
        FieldKind::Text { folded: Delivery::ShipmentnumberKey },
    ),
    Field::new("referencedoc", Delivery::Referencedoc, FieldKind::Text { folded: Delivery::ReferencedocKey }),
    Field::new("deliverydatetime", Delivery::Deliverydatetime, FieldKind::Instant),
    Field::new("scanmode", Delivery::Scanmode, FieldKind::Choice(ScanMode::SPELLINGS)),
    Field::new("sourceId", Delivery::SourceId, FieldKind::Id).unsortable(),
    Field::new("uploadLogId", Delivery::UploadLogId, FieldKind::Id).unsortable(),
    Field::new("createdAt", Delivery::CreatedAt, FieldKind::Instant),
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
