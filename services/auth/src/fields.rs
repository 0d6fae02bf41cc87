//! The fields that each list can be filtered and sorted by.

use ::store::filter::{Field, FieldKind};
use ::store::list::{Bounds, Listing};
use proto::common::v1::SortDirection;

use crate::audit::{Action, Entity};
use crate::domain::Status;
use crate::entity::audit_entry::{self, Column as Audit};
use crate::entity::user::Column as User;

pub const USERS: &[Field<User>] = &[
    Field::new("username", User::Username, FieldKind::Text { folded: User::UsernameKey }),
    Field::new("displayName", User::DisplayName, FieldKind::Text { folded: User::DisplayNameKey }),
    Field::new("email", User::Email, FieldKind::Text { folded: User::EmailKey }),
    Field::new(
        "role",
        User::RoleList,
        FieldKind::Choices(&["admin", "transport_planner", "dispatcher", "viewer"]),
    ),
    Field::new("status", User::Status, FieldKind::Choice(Status::SPELLINGS)),
    Field::new("lastLoginAt", User::LastLoginAt, FieldKind::Instant),
    Field::new("createdAt", User::CreatedAt, FieldKind::Instant),
];

pub const DRIVER_ACCOUNTS: &[Field<User>] = &[
    Field::new("username", User::Username, FieldKind::Text { folded: User::UsernameKey }),
    Field::new("displayName", User::DisplayName, FieldKind::Text { folded: User::DisplayNameKey }),
    Field::new("driverId", User::DriverId, FieldKind::Text { folded: User::DriverIdKey }),
    Field::new("status", User::Status, FieldKind::Choice(Status::SPELLINGS)),
    Field::new("lastLoginAt", User::LastLoginAt, FieldKind::Instant),
];

/// The audit log, newest first. It only grows, so each field has an index (`migration::m0008_audit_indexes`), and
/// searches have a time limit.
pub const AUDIT_LOG: Listing<audit_entry::Entity> = Listing {
    fields: AUDIT_ENTRIES,
    key: &[Audit::Id],
    default: ("at", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

const AUDIT_ENTRIES: &[Field<Audit>] = &[
    Field::new("at", Audit::At, FieldKind::Instant),
    Field::new("actor", Audit::Actor, FieldKind::Text { folded: Audit::ActorKey }).then(&[Audit::At]),
    Field::new("action", Audit::Action, FieldKind::Choice(Action::SPELLINGS)).then(&[Audit::At]),
    Field::new("entity", Audit::Entity, FieldKind::Choice(Entity::SPELLINGS)).then(&[Audit::At]),
    Field::new("entityName", Audit::EntityName, FieldKind::Text { folded: Audit::EntityNameKey })
        .then(&[Audit::At]),
    Field::new("address", Audit::Address, FieldKind::Text { folded: Audit::Address }).then(&[Audit::At]),
];
