//! Who acts on a delivery.

use kit::Role;
use kit::principal::Principal;

use super::delivery::ActorType;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A driver who uses the driver app.
    Driver {
        name: String,
        /// The driver that the deliveries must be assigned to.
        driver_id: String,
    },
    /// An office user, with the rights of their roles.
    User {
        name: String,
        roles: Vec<Role>,
    },
    System {
        name: String,
    },
    Import {
        name: String,
    },
    #[cfg_attr(not(test), expect(dead_code, reason = "there is no such client yet"))]
    Api {
        name: String,
    },
}

impl From<&Principal> for Actor {
    fn from(principal: &Principal) -> Self {
        let name = principal.actor();
        match principal {
            Principal::User { driver_id: Some(driver_id), .. } if principal.driver().is_ok() => {
                Self::Driver { name, driver_id: driver_id.clone() }
            }
            Principal::User { roles, .. } => Self::User { name, roles: roles.clone() },
            Principal::Service { .. } => Self::System { name },
        }
    }
}

impl Actor {
    pub fn kind(&self) -> ActorType {
        match self {
            Actor::Driver { .. } => ActorType::Driver,
            Actor::User { .. } => ActorType::User,
            Actor::System { .. } => ActorType::System,
            Actor::Import { .. } => ActorType::Import,
            Actor::Api { .. } => ActorType::Api,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Actor::Driver { name, .. }
            | Actor::User { name, .. }
            | Actor::System { name }
            | Actor::Import { name }
            | Actor::Api { name } => name,
        }
    }

    pub fn is_driver(&self) -> bool {
        matches!(self, Actor::Driver { .. })
    }

    /// Returns whether the actor may read: office users, including viewers.
    pub fn is_staff(&self) -> bool {
        self.has(Role::STAFF)
    }

    pub fn is_office(&self) -> bool {
        self.has(Role::EDITORS)
    }

    pub fn is_admin(&self) -> bool {
        self.has(Role::ADMINS)
    }

    /// Returns whether the actor has the permission `delivery.correct`: to change the recorded outcome of a
    /// completed delivery.
    pub fn may_correct(&self) -> bool {
        self.has(&[Role::TransportPlanner, Role::Admin])
    }

    /// Returns whether the actor is not a person: the product itself, an import, or an API client.
    pub fn is_system(&self) -> bool {
        matches!(self, Actor::System { .. } | Actor::Import { .. } | Actor::Api { .. })
    }

    fn has(&self, any: &[Role]) -> bool {
        matches!(self, Actor::User { roles, .. } if roles.iter().any(|role| any.contains(role)))
    }
}
