//! Accounts of drivers. Only events about the drivers create, change and block them.
//!
//! A driver signs in with a username and a PIN. The account is created without a PIN; the driver sets it by a
//! link that the office hands over. Blocking takes effect in the transaction that handles the event
//! (`events::on_driver_changed`).

use ::store::consume::Revision;
use kit::input::limits;
use kit::{Error, Result};
use proto::events::DriverChanged;

use crate::domain::{ACTOR_CHARS, Username, note};

/// The current state of a driver.
#[derive(Debug, Clone)]
pub struct DriverChange {
    pub(crate) driver_id: String,
    pub(crate) name: String,
    pub(crate) username: Username,
    pub(crate) blocked: bool,
    /// The driver's revision.
    pub(crate) revision: Revision,
    pub(crate) actor: String,
}

impl DriverChange {
    pub fn parse(driver: DriverChanged, revision: Revision, actor: &str) -> Result<Self> {
        let DriverChanged { driver_id, name, username, status } = driver;
        let refused = |field: &str, text: &str| Error::invalid_field(field, text);
        if driver_id.trim().is_empty() || driver_id.chars().count() > limits::CODE {
            return Err(refused("driverId", "Driver id must have 1 to 64 characters"));
        }
        let blocked = match status.as_str() {
            "active" => false,
            "blocked" => true,
            _ => return Err(refused("status", "Status must be active or blocked")),
        };
        Ok(Self {
            driver_id: driver_id.trim().to_owned(),
            // The name is only displayed, so a name that is too long must not prevent an account from being
            // created or blocked.
            name: note(name.trim(), limits::PERSON),
            username: Username::known(&username).map_err(|text| refused("username", text))?,
            blocked,
            revision,
            actor: note(actor, ACTOR_CHARS),
        })
    }
}
