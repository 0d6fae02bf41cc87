//! The fields that each list can be filtered and sorted by.

use ::store::filter::{Field, FieldKind, Search, TextTable};

use crate::domain::activity::Activity;
use crate::domain::driver::Status;
use crate::entity::driver_log::Column as Log;
use crate::entity::driver_shown::Column as Driver;

pub const DRIVERS: &[Field<Driver>] = &[
    Field::new("driverId", Driver::DriverId, FieldKind::Text { folded: Driver::DriverIdKey }),
    Field::new("name", Driver::Name, FieldKind::Text { folded: Driver::NameKey }),
    Field::new("status", Driver::Status, FieldKind::Choice(Status::SPELLINGS)),
    Field::new("username", Driver::Username, FieldKind::Text { folded: Driver::UsernameKey }),
    Field::new("trucker", Driver::Trucker, FieldKind::Text { folded: Driver::TruckerKey }),
    // The column is in another table. It needs no index, because there are only a few thousand drivers.
    Field::new("lastSeenAt", Driver::LastSeenAt, FieldKind::Instant).unindexed(),
];

pub const LOGS: &[Field<Log>] = &[
    Field::new(
        "driverId",
        Log::DriverId,
        FieldKind::Search {
            folded: Log::DriverIdKey,
            by: Search::Listed(&[TextTable { table: "driver", key: "driver_id_key", grams: false }]),
        },
    )
    .then(&[Log::OccurredAt]),
    Field::new(
        "deliveryId",
        Log::DeliveryId,
        FieldKind::Search { folded: Log::DeliveryIdKey, by: Search::Grams },
    )
    .unsortable()
    .then(&[Log::OccurredAt]),
    Field::new("activity", Log::Activity, FieldKind::Choice(Activity::SPELLINGS)).then(&[Log::OccurredAt]),
    Field::new("occurredAt", Log::OccurredAt, FieldKind::Instant),
];
