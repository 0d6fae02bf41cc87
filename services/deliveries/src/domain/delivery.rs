//! The statuses and other fixed sets of values of a delivery.

pub(super) use ::store::text_enum;
use kit::text::fold;

text_enum!(
    /// The status of a delivery.
    Status {
        Pending => "Pending",
        CompleteNoVariance => "Complete_No_Variance",
        CompleteWithVariance => "Complete_With_Variance",
        Undelivered => "Undelivered",
        Rejected => "Rejected",
    }
);

text_enum!(
    /// Whether the outcome was captured by scanning.
    ScanMode { Yes => "Yes", No => "No" }
);

text_enum!(
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    Priority { Low => "low", Normal => "normal", High => "high" }
);

text_enum!(
    /// The status of a shipment, derived from its deliveries.
    ShipmentStatus { Pending => "Pending", Partial => "Partial", Completed => "Completed" }
);

text_enum!(
    /// Who caused a change of status.
    ActorType { Driver => "driver", User => "user", System => "system", Import => "import", Api => "api" }
);

proto::same_enum!(proto::deliveries::v1::DeliveryStatus => Status {
    Pending => Pending,
    CompleteNoVariance => CompleteNoVariance,
    CompleteWithVariance => CompleteWithVariance,
    Undelivered => Undelivered,
    Rejected => Rejected,
});
proto::same_enum!(proto::deliveries::v1::ScanMode => ScanMode { Yes => Yes, No => No });
proto::same_enum!(proto::deliveries::v1::Priority => Priority { Low => Low, Normal => Normal, High => High });
proto::same_enum!(proto::deliveries::v1::ShipmentStatus => ShipmentStatus {
    Pending => Pending,
    Partial => Partial,
    Completed => Completed,
});

pub const MAX_ATTEMPTS: i32 = 3;

impl Status {
    /// Returns the status as screens show it.
    pub fn label(self) -> &'static str {
        match self {
            Status::Pending => "Pending",
            Status::CompleteNoVariance => "Complete no variance",
            Status::CompleteWithVariance => "Complete with variance",
            Status::Undelivered => "Undelivered",
            Status::Rejected => "Rejected",
        }
    }

    /// Returns whether nothing more can happen to the delivery, except for a correction. Undelivered is final
    /// once all attempts are used.
    pub fn is_final(self, attempt: i32, max_attempts: i32) -> bool {
        match self {
            Status::Pending => false,
            Status::Undelivered => attempt >= max_attempts,
            Status::CompleteNoVariance | Status::CompleteWithVariance | Status::Rejected => true,
        }
    }
}

/// Returns a sort key for item numbers: 2 before 10, then by text.
pub fn item_order(number: &str) -> (u64, String) {
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u64::MAX), fold(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undelivered_is_open_until_the_last_attempt() {
        assert!(!Status::Undelivered.is_final(1, 3));
        assert!(Status::Undelivered.is_final(3, 3));
        assert!(Status::Rejected.is_final(1, 3));
        assert!(!Status::Pending.is_final(3, 3));
    }

    #[test]
    fn reports_know_every_status() {
        let values = |name| proto::members::named(name).values;
        assert_eq!(values("Delivery.deliverystatus"), Status::SPELLINGS);
        assert_eq!(values("Delivery.scanmode"), ScanMode::SPELLINGS);
        assert_eq!(values("Shipment.shipmentstatus"), ShipmentStatus::SPELLINGS);
    }

    #[test]
    fn item_numbers_run_as_people_count() {
        let mut numbers = ["10", "2", "A", "1b", "1"];
        numbers.sort_by_key(|number| item_order(number));
        assert_eq!(numbers, ["1", "1b", "2", "10", "A"]);
    }
}
