//! The fields that each list can be filtered and sorted by.

use ::store::filter::{Field, FieldKind};

use crate::audit::{Action, Entity};
use crate::domain::Status;
use crate::entity::audit_entry::Column as Audit;
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

pub const AUDIT_ENTRIES: &[Field<Audit>] = &[
    Field::new("at", Audit::At, FieldKind::Instant),
    Field::new("actor", Audit::Actor, FieldKind::Text { folded: Audit::ActorKey }),
    Field::new("action", Audit::Action, FieldKind::Choice(Action::SPELLINGS)),
    Field::new("entity", Audit::Entity, FieldKind::Choice(Entity::SPELLINGS)),
    Field::new("entityName", Audit::EntityName, FieldKind::Text { folded: Audit::EntityNameKey }),
    Field::new("address", Audit::Address, FieldKind::Text { folded: Audit::Address }),
];
