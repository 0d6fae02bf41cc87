//! The status of a shipment, derived from its deliveries.

use super::delivery::ShipmentStatus;

/// Counts of a shipment's deliveries by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub all: i64,
    pub pending: i64,
    pub done: i64,
}

impl Tally {
    /// Returns Pending, Completed or Partial; `None` without deliveries.
    pub fn status(self) -> Option<ShipmentStatus> {
        match self {
            Tally { all: 0, .. } => None,
            Tally { all, pending, .. } if pending == all => Some(ShipmentStatus::Pending),
            Tally { all, done, .. } if done == all => Some(ShipmentStatus::Completed),
            _ => Some(ShipmentStatus::Partial),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_roll_up() {
        let status = |all, pending, done| Tally { all, pending, done }.status();
        assert_eq!(status(0, 0, 0), None);
        assert_eq!(status(3, 3, 0), Some(ShipmentStatus::Pending));
        assert_eq!(status(3, 0, 3), Some(ShipmentStatus::Completed));
        assert_eq!(status(3, 2, 1), Some(ShipmentStatus::Partial));
        assert_eq!(status(3, 0, 2), Some(ShipmentStatus::Partial));
        // One delivery was attempted and is still open; the others are untouched.
        assert_eq!(status(3, 2, 0), Some(ShipmentStatus::Partial));
    }
}
