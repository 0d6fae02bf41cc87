//! The state of a delivery as the rules see it, and the results of the rules.

use chrono::{DateTime, SecondsFormat, Utc};
use proto::deliveries::v1 as wire;
use uuid::Uuid;

use super::clocks::Clocks;
use super::delivery::{ActorType, ScanMode, Status, text_enum};
use super::line::{Line, Variance};

text_enum!(
    /// Who took the goods, in relation to the recipient.
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
    /// Returns whether the goods were handed to a person, rather than left somewhere.
    pub fn is_person(self) -> bool {
        !matches!(self, Relation::SafePlace | Relation::Mailbox)
    }
}

/// A location in degrees, with its accuracy in meters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub lat: f64,
    pub lng: f64,
    pub accuracy: Option<f64>,
}

impl Place {
    /// Says what is wrong with a location for which [`Place::is_on_earth`] is false.
    pub const NOT_ON_EARTH: &str = "Location must be in degrees, its accuracy in meters";

    pub fn is_on_earth(self) -> bool {
        (-90.0..=90.0).contains(&self.lat)
            && (-180.0..=180.0).contains(&self.lng)
            && self.accuracy.is_none_or(|metres| (0.0..=100_000.0).contains(&metres))
    }

    /// Returns the distance in meters, computed on a sphere, which is at most half a percent off.
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

/// The outcome of the current attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Reason code for the status.
    pub reason: Option<String>,
    pub note: Option<String>,
    pub received_by: Option<String>,
    pub relation: Option<Relation>,
    pub scanmode: ScanMode,
    pub place: Option<Place>,
    /// By the clock of the device, however wrong it is.
    pub occurred_at: DateTime<Utc>,
    pub received_at: DateTime<Utc>,
    pub late: bool,
}

impl Outcome {
    /// Returns the time at which the outcome counts as recorded.
    pub fn processed_at(&self) -> DateTime<Utc> {
        Clocks { occurred_at: self.occurred_at, received_at: self.received_at }.processed_at()
    }
}

/// The parts of a delivery that the rules read or change.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub id: String,
    pub status: Status,
    /// Number of the current attempt, counted from 1.
    pub attempt: i32,
    pub max_attempts: i32,
    pub version: i64,
    /// The newest version of the delivery form; 0 before the first.
    pub form_version: i32,
    pub created_at: DateTime<Utc>,
    pub scheduledatetime: DateTime<Utc>,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
    /// `None` while Pending, and only then.
    pub deliverydatetime: Option<DateTime<Utc>>,
    pub driver_id: Option<String>,
    pub lines: Vec<Line>,
    /// `None` while Pending, and only then.
    pub outcome: Option<Outcome>,
    /// When somebody other than a driver last changed the status or the lines, by the server's clock; the
    /// creation does not count. A driver's event from before that time does not override the change.
    pub office_decided_at: Option<DateTime<Utc>>,
    /// Whether a driver's event was superseded and waits for review.
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
    /// Code of the reason for the status `to`.
    pub reason: Option<String>,
    pub note: Option<String>,
    pub place: Option<Place>,
    pub late: bool,
    /// Whether the step is recorded without an effect on the delivery.
    pub superseded: bool,
    /// Whether the step corrects the last step that was not superseded.
    pub correction: bool,
    pub changes: Vec<FieldChange>,
    pub client_event_id: Option<Uuid>,
}

/// The effect of an accepted command.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub state: State,
    /// `None` if neither the status nor a line changed.
    pub step: Option<Step>,
    /// All variances of the attempt in `state`; those of earlier attempts stay.
    pub variances: Vec<Variance>,
    /// Whether a new form, with the version in `state.form_version`, has to be issued.
    pub form_issued: bool,
}

/// The values of a field before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// The line that the field belongs to; `None` for a field of the delivery itself.
    pub item_number: Option<String>,
    pub field: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Returns the differences between two states of one delivery. Leaves out the status, which is in the step,
/// and the version, which is a counter.
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
    // No command adds or removes a line, so the lines match one by one. Only a driver's late report may have
    // more: lines of items that were deleted since.
    let mut old_lines = before.lines.iter();
    for line in &after.lines {
        let mut old = old_lines.next().map(fields).into_iter().flatten();
        for (field, new) in fields(line) {
            note(Some(&line.item_number), field, old.next().and_then(|(_, old)| old), new);
        }
    }
    changes
}

/// Formats thousandths as a decimal number, such as 12.5 or 3.
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
        // Distances across the date line are short.
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
