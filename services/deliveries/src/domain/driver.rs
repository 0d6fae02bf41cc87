//! What deliveries need to know about drivers: who is assigned, and whether they may work.

use std::str::FromStr;

use kit::text::fold;
use kit::{Error, Result};
use sea_orm::Iterable;

use super::actor::Actor;
use super::delivery::text_enum;

text_enum!(
    /// Whether a driver may work.
    DriverStatus { Active => "active", Blocked => "blocked" }
);

impl FromStr for DriverStatus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::iter().find(|status| status.as_str() == text);
        known.ok_or_else(|| Error::invalid_field("status", "Status must be active or blocked"))
    }
}

/// Refuses a driver to whom the delivery is not assigned; all other actors pass. The error is the one for a
/// missing delivery, with the id as requested, so that drivers cannot find out which ids exist.
pub fn require_own(asked: &str, assigned: Option<&str>, actor: &Actor) -> Result<()> {
    let Actor::Driver { driver_id, .. } = actor else { return Ok(()) };
    if is_same(driver_id, assigned) {
        return Ok(());
    }
    Err(not_found(asked))
}

pub fn not_found(asked: &str) -> Error {
    Error::not_found("DELIVERY_NOT_FOUND", format!("There is no delivery {asked}"))
}

/// Returns the error for a delivery that somebody else changed first.
pub fn changed_meanwhile(id: &str) -> Error {
    Error::changed_meanwhile("DELIVERY_CHANGED", id)
}

/// Returns whether the delivery is assigned to this driver, ignoring case.
pub fn is_same(driver_id: &str, assigned: Option<&str>) -> bool {
    assigned.is_some_and(|assigned| fold(assigned) == fold(driver_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::{dispatcher, driver};

    #[test]
    fn a_delivery_is_its_drivers_and_the_offices() {
        let reason = |assigned, actor: &Actor| require_own("DR-1", assigned, actor).map_err(|it| it.reason);
        assert_eq!(reason(Some("D-1"), &driver()), Ok(()));
        assert_eq!(reason(Some("d-1"), &driver()), Ok(()));
        for assigned in [None, Some("D-2"), Some("D-10"), Some("")] {
            assert_eq!(reason(assigned, &driver()), Err("DELIVERY_NOT_FOUND".to_owned()));
            assert_eq!(reason(assigned, &dispatcher()), Ok(()));
        }
    }
}
