//! Why a delivery or a line of it did not go as planned.
//!
//! There is one list of reasons per [`AppliesTo`]. A reason is identified by its list and its code, because
//! each list has a code `other`. Codes never change. The reasons listed here are those of a new installation.

use kit::Result;
use kit::input::{Check, limits};

use super::delivery::{Status, text_enum};

text_enum!(
    /// What a reason applies to.
    AppliesTo { Variance => "variance", Undelivered => "undelivered", Rejected => "rejected" }
);

text_enum!(
    /// Who is responsible for what a reason describes.
    Responsible { Customer => "customer", Carrier => "carrier", Shipper => "shipper", Other => "other" }
);

impl AppliesTo {
    /// Returns the list that an outcome's reason comes from; `None` for a completed delivery.
    pub fn of(status: Status) -> Option<Self> {
        match status {
            Status::Undelivered => Some(Self::Undelivered),
            Status::Rejected => Some(Self::Rejected),
            Status::Pending | Status::CompleteNoVariance | Status::CompleteWithVariance => None,
        }
    }
}

/// The shipper withdrew the goods. Only with this reason is a rejection possible although nobody was there.
pub const CANCELLED_BY_SHIPPER: &str = "cancelled_by_shipper";
/// Prices or documents are wrong; this says nothing about the goods.
pub const PRICE_OR_DOCUMENT_MISMATCH: &str = "price_or_document_mismatch";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub applies_to: AppliesTo,
    pub code: String,
    pub label: String,
    pub requires_photo: bool,
    pub requires_note: bool,
    pub responsible: Responsible,
    /// An inactive reason stays with existing outcomes; new ones cannot have it.
    pub is_active: bool,
    /// Place in its list, from 1.
    pub order: i32,
}

/// Maximum `order`.
const LAST_PLACE: i32 = 1_000;

impl Reason {
    /// Validates an edited reason. The error lists everything that is wrong.
    pub fn checked(self) -> Result<Self> {
        let mut check = Check::new();
        let label = check.required("label", "Label", &self.label, limits::SHORT_NAME);
        let order = (1..=LAST_PLACE).contains(&self.order);
        check.require(order, "order", format!("Order must be between 1 and {LAST_PLACE}"));
        check.done(Self { label, ..self })
    }

    /// Returns the reason as it applies to outcomes from before the reason was last changed. Whether it was in use
    /// then, and what it required, is not known, so it is accepted and requires nothing.
    pub fn before_change(self) -> Self {
        Self { is_active: true, requires_photo: false, requires_note: false, ..self }
    }

    /// Returns the text that refuses an inactive reason.
    pub fn out_of_use(&self) -> String {
        format!("Reason {:?} is no longer in use. Choose another one", self.label)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue(Vec<Reason>);

impl Catalogue {
    pub fn new(reasons: Vec<Reason>) -> Self {
        Self(reasons)
    }

    /// Returns the reasons of a new installation.
    pub fn seed() -> Self {
        let lists = [
            (AppliesTo::Variance, VARIANCE),
            (AppliesTo::Undelivered, UNDELIVERED),
            (AppliesTo::Rejected, REJECTED),
        ];
        let reasons = lists.into_iter().flat_map(|(applies_to, list)| {
            list.iter().zip(1..).map(move |(seed, order)| Reason {
                applies_to,
                code: seed.code.to_owned(),
                label: seed.label.to_owned(),
                requires_photo: matches!(seed.requires, Requires::Photo),
                requires_note: matches!(seed.requires, Requires::Note),
                responsible: seed.responsible,
                is_active: true,
                order,
            })
        });
        Self(reasons.collect())
    }

    /// Returns the reasons of all lists.
    pub fn reasons(&self) -> &[Reason] {
        &self.0
    }

    pub fn find(&self, applies_to: AppliesTo, code: &str) -> Option<&Reason> {
        self.0.iter().find(|reason| reason.applies_to == applies_to && reason.code == code)
    }
}

#[derive(Clone, Copy)]
enum Requires {
    Nothing,
    Photo,
    Note,
}

struct Seed {
    code: &'static str,
    label: &'static str,
    requires: Requires,
    responsible: Responsible,
}

const fn seed(code: &'static str, label: &'static str, requires: Requires, responsible: Responsible) -> Seed {
    Seed { code, label, requires, responsible }
}

use Requires::{Note, Nothing, Photo};
use Responsible::{Carrier, Customer, Other, Shipper};

const VARIANCE: &[Seed] = &[
    seed("short_shipped", "Short shipped", Nothing, Shipper),
    seed("short_delivered", "Short delivered", Nothing, Carrier),
    seed("over_delivered", "Over-delivered", Nothing, Shipper),
    seed("damaged_in_transit", "Damaged in transit", Photo, Carrier),
    seed("damaged_on_loading", "Damaged on loading", Photo, Shipper),
    seed("wrong_item", "Wrong item", Nothing, Shipper),
    seed("wrong_lot_or_expiry", "Wrong lot or expiry", Nothing, Shipper),
    seed("expired_or_near_expiry", "Expired or near expiry", Photo, Shipper),
    seed("quality_refused", "Quality refused", Note, Customer),
    seed("temperature_out_of_range", "Temperature out of range", Note, Carrier),
    seed("missing_barcode", "Missing barcode", Nothing, Shipper),
    seed("packaging_broken", "Packaging broken", Photo, Carrier),
    seed("quantity_unit_mismatch", "Quantity or unit mismatch", Note, Shipper),
    seed(PRICE_OR_DOCUMENT_MISMATCH, "Price or document mismatch", Note, Shipper),
    seed("other", "Other", Note, Other),
];

const UNDELIVERED: &[Seed] = &[
    seed("recipient_absent", "Recipient absent", Nothing, Customer),
    seed("site_closed", "Site closed", Nothing, Customer),
    seed("wrong_or_incomplete_address", "Wrong or incomplete address", Note, Shipper),
    seed("cannot_find_address", "Cannot find address", Nothing, Carrier),
    seed("no_access_or_parking", "No access or parking", Nothing, Customer),
    seed("out_of_time_window", "Out of time window", Nothing, Carrier),
    seed("vehicle_breakdown", "Vehicle breakdown", Nothing, Carrier),
    seed("road_closed_or_weather", "Road closed or weather", Nothing, Other),
    seed("goods_not_loaded", "Goods not loaded", Nothing, Shipper),
    seed("customer_asked_reschedule", "Customer asked to reschedule", Nothing, Customer),
    seed("payment_not_ready", "Payment not ready", Nothing, Customer),
    seed("proof_requirement_not_met", "Proof requirement not met", Note, Customer),
    seed("safety_issue", "Safety issue", Note, Other),
    seed("other", "Other", Note, Other),
];

const REJECTED: &[Seed] = &[
    seed("refused_all_damaged", "Refused: all damaged", Photo, Carrier),
    seed("refused_not_ordered", "Refused: not ordered", Nothing, Shipper),
    seed("refused_late", "Refused: late", Nothing, Carrier),
    seed("refused_wrong_goods", "Refused: wrong goods", Nothing, Shipper),
    seed("duplicate_order", "Duplicate order", Nothing, Shipper),
    seed("refused_documents", "Refused: documents", Nothing, Shipper),
    seed("refused_payment", "Refused: payment", Nothing, Customer),
    seed(CANCELLED_BY_SHIPPER, "Canceled by shipper", Nothing, Shipper),
    seed("other", "Other", Note, Other),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn codes(applies_to: AppliesTo) -> Vec<String> {
        let seed = Catalogue::seed();
        let list = seed.reasons().iter().filter(|reason| reason.applies_to == applies_to);
        list.map(|reason| reason.code.clone()).collect()
    }

    #[test]
    fn the_seed_is_the_list_of_the_domain() {
        let variance = "short_shipped, short_delivered, over_delivered, damaged_in_transit, damaged_on_loading, \
            wrong_item, wrong_lot_or_expiry, expired_or_near_expiry, quality_refused, temperature_out_of_range, \
            missing_barcode, packaging_broken, quantity_unit_mismatch, price_or_document_mismatch, other";
        let undelivered = "recipient_absent, site_closed, wrong_or_incomplete_address, cannot_find_address, \
            no_access_or_parking, out_of_time_window, vehicle_breakdown, road_closed_or_weather, goods_not_loaded, \
            customer_asked_reschedule, payment_not_ready, proof_requirement_not_met, safety_issue, other";
        let rejected = "refused_all_damaged, refused_not_ordered, refused_late, refused_wrong_goods, \
            duplicate_order, refused_documents, refused_payment, cancelled_by_shipper, other";
        assert_eq!(codes(AppliesTo::Variance).join(", "), variance);
        assert_eq!(codes(AppliesTo::Undelivered).join(", "), undelivered);
        assert_eq!(codes(AppliesTo::Rejected).join(", "), rejected);
    }

    #[test]
    fn a_reason_is_known_by_list_and_code() {
        let seed = Catalogue::seed();
        let keys: BTreeSet<_> =
            seed.reasons().iter().map(|it| (it.applies_to.as_str(), it.code.as_str())).collect();
        assert_eq!(keys.len(), seed.reasons().len());
        assert_eq!(seed.find(AppliesTo::Rejected, "other").unwrap().order, 9);
        assert_eq!(seed.find(AppliesTo::Rejected, "site_closed"), None);
    }

    #[test]
    fn labels_are_in_sentence_case() {
        for reason in Catalogue::seed().reasons() {
            let (first, rest) = reason.label.split_at(1);
            assert_eq!((first, rest), (&*first.to_uppercase(), &*rest.to_lowercase()), "{}", reason.code);
        }
    }
}
