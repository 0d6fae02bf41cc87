//! A delivery as the rules see it, and what they make of it.

use chrono::{DateTime, SecondsFormat, Utc};
use proto::deliveries::v1 as wire;
use uuid::Uuid;

use super::delivery::{ActorType, ScanMode, Status, spelled};
use super::line::{Line, Variance};

spelled!(
    /// Who took the goods, to the recipient.
    Relation {
        Recipient => "recipient",
        Family => "family",
        Colleague => "colleague",
        Security => "security",
        Neighbour => "neighbour",
        SafePlace => "safe_place",
        Mailbox => "mailbox",
        PickupPoint => "pickup_point",
        Other => "other",
    }
);

proto::same_enum!(wire::Relation => Relation {
    Recipient => Recipient,
    Family => Family,
    Colleague => Colleague,
    Security => Security,
    Neighbour => Neighbour,
    SafePlace => SafePlace,
    Mailbox => Mailbox,
    PickupPoint => PickupPoint,
    Other => Other,
});

impl Relation {
    /// Whether there was somebody to speak to.
    pub fn is_person(self) -> bool {
        !matches!(self, Relation::SafePlace | Relation::Mailbox)
    }
}

/// Where the outcome was recorded, in degrees and metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub lat: f64,
    pub lng: f64,
    pub accuracy: Option<f64>,
}

impl Place {
    pub fn is_on_earth(self) -> bool {
        (-90.0..=90.0).contains(&self.lat)
            && (-180.0..=180.0).contains(&self.lng)
            && self.accuracy.is_none_or(|metres| (0.0..=100_000.0).contains(&metres))
    }

    /// In metres, over a round earth: off by half a percent at most.
    pub fn distance_m(self, other: Self) -> f64 {
        const RADIUS_M: f64 = 6_371_008.8;
        let (from, to) = (self.lat.to_radians(), other.lat.to_radians());
        let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
        let part = half(other.lat - self.lat) + from.cos() * to.cos() * half(other.lng - self.lng);
        2.0 * RADIUS_M * part.sqrt().min(1.0).asin()
    }
}

impl From<Place> for wire::GeoPoint {
    fn from(Place { lat, lng, accuracy }: Place) -> Self {
        wire::GeoPoint { lat, lng, accuracy }
    }
}

impl From<wire::GeoPoint> for Place {
    fn from(wire::GeoPoint { lat, lng, accuracy }: wire::GeoPoint) -> Self {
        Place { lat, lng, accuracy }
    }
}

/// What became of the present attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Code of a reason for the status.
    pub reason: Option<String>,
    pub note: Option<String>,
    pub received_by: Option<String>,
    pub relation: Option<Relation>,
    pub scanmode: ScanMode,
    pub place: Option<Place>,
    pub occurred_at: DateTime<Utc>,
    pub received_at: DateTime<Utc>,
    pub late: bool,
}

/// A delivery, as far as its outcome is concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub id: String,
    pub status: Status,
    /// From 1.
    pub attempt: i32,
    pub max_attempts: i32,
    pub version: i64,
    /// Of the delivery form; 0 while none has been issued.
    pub form_version: i32,
    pub created_at: DateTime<Utc>,
    pub scheduledatetime: DateTime<Utc>,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
    /// Absent exactly while Pending.
    pub deliverydatetime: Option<DateTime<Utc>>,
    pub driver_id: Option<String>,
    pub lines: Vec<Line>,
    /// Absent exactly while Pending.
    pub outcome: Option<Outcome>,
    /// When somebody other than a driver last changed the status or the lines, by the server's
    /// clock; not the creation. What a driver's device saw before that does not go over it.
    pub office_decided_at: Option<DateTime<Utc>>,
    /// A driver's event was set aside since, and somebody should look at it.
    pub conflict: bool,
}

/// A row of the status history.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub from: Option<Status>,
    pub to: Status,
    pub attempt: i32,
    pub occurred_at: DateTime<Utc>,
    pub received_at: DateTime<Utc>,
    pub actor: ActorType,
    pub actor_name: String,
    /// Code of a reason for `to`.
    pub reason: Option<String>,
    pub note: Option<String>,
    pub place: Option<Place>,
    pub late: bool,
    /// Only kept: the delivery is as it was.
    pub superseded: bool,
    /// Corrects the last step before it that was not superseded.
    pub correction: bool,
    pub changes: Vec<FieldChange>,
    pub client_event_id: Option<Uuid>,
}

/// What an accepted command makes of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub state: State,
    /// Absent when neither the status nor a line changed.
    pub step: Option<Step>,
    /// All variances of the attempt of `state`; those of earlier attempts stay.
    pub variances: Vec<Variance>,
    /// `state.form_version` is to be issued.
    pub form_issued: bool,
    /// Who was told of the outcome has to be told that it is no longer so.
    pub correction_sent: bool,
}

/// One field before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// The line it is a field of.
    pub item_number: Option<String>,
    pub field: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What differs between two states of one delivery, status and version aside: the step says the
/// one and the other is counted.
pub fn changes(before: &State, after: &State) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    let mut note = |item_number: Option<&str>, field, before: Option<String>, after: Option<String>| {
        if before != after {
            let item_number = item_number.map(str::to_owned);
            changes.push(FieldChange { item_number, field, before, after });
        }
    };
    let instant = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
    let fields = |state: &State| {
        let outcome = state.outcome.as_ref();
        let place = outcome.and_then(|it| it.place);
        [
            ("attempt", Some(state.attempt.to_string())),
            ("scheduledatetime", Some(instant(state.scheduledatetime))),
            ("timeWindowStart", state.time_window_start.map(instant)),
            ("timeWindowEnd", state.time_window_end.map(instant)),
            ("deliverydatetime", state.deliverydatetime.map(instant)),
            ("driverId", state.driver_id.clone()),
            ("scanmode", outcome.map(|it| it.scanmode.as_str().to_owned())),
            ("outcomeReason", outcome.and_then(|it| it.reason.clone())),
            ("outcomeNote", outcome.and_then(|it| it.note.clone())),
            ("receivedBy", outcome.and_then(|it| it.received_by.clone())),
            ("receivedByRelation", outcome.and_then(|it| it.relation).map(|it| it.as_str().to_owned())),
            ("outcomeLat", place.map(|it| it.lat.to_string())),
            ("outcomeLng", place.map(|it| it.lng.to_string())),
            ("outcomeAccuracy", place.and_then(|it| it.accuracy).map(|it| it.to_string())),
        ]
    };
    for ((field, before), (_, after)) in fields(before).into_iter().zip(fields(after)) {
        note(None, field, before, after);
    }

    let fields = |line: &Line| {
        [
            ("quantityDelivered", Some(decimal(line.delivered))),
            ("quantityRejected", Some(decimal(line.rejected))),
            ("condition", Some(line.condition.as_str().to_owned())),
            ("varianceReason", line.reason.clone()),
            ("varianceNote", line.note.clone()),
        ]
    };
    // No command here adds or removes a line.
    for (before, after) in before.lines.iter().zip(&after.lines) {
        for ((field, old), (_, new)) in fields(before).into_iter().zip(fields(after)) {
            note(Some(&before.item_number), field, old, new);
        }
    }
    changes
}

/// Thousandths as people write them: 12.5, 3.
pub fn decimal(thousandths: i64) -> String {
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:03}").trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_are_written_as_decimals() {
        let texts = [0, 1, 10, 500, 1_000, 12_500, 1_000_000_000_000].map(decimal);
        assert_eq!(texts, ["0", "0.001", "0.01", "0.5", "1", "12.5", "1000000000"]);
    }

    #[test]
    fn distances_are_as_on_the_map() {
        let place = |lat, lng| Place { lat, lng, accuracy: None };
        let (makati, quezon) = (place(14.5547, 121.0244), place(14.6760, 121.0437));
        let metres = makati.distance_m(quezon);
        assert!((13_640.0..13_650.0).contains(&metres), "{metres}");
        assert_eq!(makati.distance_m(makati), 0.0);
        let half = place(0.0, 0.0).distance_m(place(0.0, 180.0));
        assert!((20_015_000.0..20_015_200.0).contains(&half), "{half}");
        // Over the line of the date it is near.
        assert!(place(0.0, 179.999).distance_m(place(0.0, -179.999)) < 230.0);
    }

    #[test]
    fn a_place_is_on_earth_or_refused() {
        let place = |lat, lng, accuracy| Place { lat, lng, accuracy }.is_on_earth();
        assert!(place(14.559, 121.020, Some(8.0)));
        assert!(place(-90.0, 180.0, None));
        assert!(!place(90.1, 0.0, None));
        assert!(!place(0.0, -180.1, None));
        assert!(!place(f64::NAN, 0.0, None));
        assert!(!place(0.0, f64::INFINITY, None));
        assert!(!place(0.0, 0.0, Some(-1.0)));
        assert!(!place(0.0, 0.0, Some(f64::NAN)));
    }
}
