//! Decides which positions are accepted. All are stored, but rejected ones are marked with the reason and do
//! not move the driver.

use chrono::{DateTime, Duration, Utc};

use super::position::{Filtered, Point};

/// How far a device's clock may be ahead of the server's.
pub const AHEAD: Duration = Duration::minutes(2);
/// For how long after the last accepted point a distant one is rejected as a jump. Without a limit, one wrong
/// point that was accepted would hide the driver for hours.
pub const DOUBT: Duration = Duration::minutes(10);
const EARTH_M: f64 = 6_371_000.0;
/// In degrees, about a meter. Devices that do not know their position report 0, 0, or a point this close to
/// it.
const ZERO: f64 = 0.000_01;
/// Distance in meters that a device may seem to move while it stands still.
const NOISE_M: f64 = 50.0;

#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub max_accuracy_m: f64,
    pub max_speed_kmh: f64,
}

impl From<&kit::config::Drivers> for Rules {
    fn from(config: &kit::config::Drivers) -> Self {
        Self { max_accuracy_m: config.max_accuracy_m, max_speed_kmh: config.max_speed_kmh }
    }
}

/// Place and time of an accepted point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fix {
    pub at: DateTime<Utc>,
    pub lat: f64,
    pub lng: f64,
}

impl From<&Point> for Fix {
    fn from(point: &Point) -> Self {
        Self { at: point.occurred_at, lat: point.lat, lng: point.lng }
    }
}

impl Rules {
    /// Returns why a point is rejected; `None` if it is accepted. `before` is the last accepted point;
    /// `again` means that the driver has another point at the same instant.
    pub fn doubt(
        &self,
        point: &Point,
        before: Option<Fix>,
        again: bool,
        received_at: DateTime<Utc>,
    ) -> Option<Filtered> {
        if point.lat.abs() < ZERO && point.lng.abs() < ZERO {
            Some(Filtered::ZeroIsland)
        } else if point.occurred_at > received_at + AHEAD {
            Some(Filtered::FutureTime)
        } else if again {
            Some(Filtered::Duplicate)
        } else if point.accuracy_m.is_some_and(|it| it > self.max_accuracy_m) {
            Some(Filtered::Accuracy)
        } else if point.speed_kmh.is_some_and(|it| it > self.max_speed_kmh)
            || before.is_some_and(|before| self.is_too_fast(before, point))
        {
            Some(Filtered::MaxSpeed)
        } else {
            None
        }
    }

    fn is_too_fast(&self, before: Fix, point: &Point) -> bool {
        let passed = point.occurred_at - before.at;
        if passed > DOUBT {
            return false;
        }
        let metres = distance_m((before.lat, before.lng), (point.lat, point.lng));
        let hours = passed.num_milliseconds().max(1) as f64 / 3_600_000.0;
        metres > NOISE_M && metres / 1_000.0 / hours > self.max_speed_kmh
    }
}

/// Returns the distance in meters along the Earth's surface. Points are in degrees.
pub fn distance_m((lat, lng): (f64, f64), (other_lat, other_lng): (f64, f64)) -> f64 {
    let (a, b) = (lat.to_radians(), other_lat.to_radians());
    let (dlat, dlng) = (b - a, (other_lng - lng).to_radians());
    let chord = (dlat / 2.0).sin().powi(2) + a.cos() * b.cos() * (dlng / 2.0).sin().powi(2);
    2.0 * EARTH_M * chord.clamp(0.0, 1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const RULES: Rules = Rules { max_accuracy_m: 200.0, max_speed_kmh: 200.0 };

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000, 0).unwrap()
    }

    fn point(seconds: i64, lat: f64, lng: f64) -> Point {
        Point {
            occurred_at: now() + Duration::seconds(seconds),
            lat,
            lng,
            altitude: None,
            speed_kmh: None,
            heading_deg: None,
            accuracy_m: None,
            battery_pct: None,
            charging: None,
            motion: None,
            odometer_m: None,
            attributes: BTreeMap::new(),
        }
    }

    #[test]
    fn each_doubt_has_its_reason() {
        let doubt = |point: &Point| RULES.doubt(point, None, false, now());
        assert_eq!(doubt(&point(0, 14.559, 121.02)), None);
        assert_eq!(doubt(&point(0, 0.0, 0.0)), Some(Filtered::ZeroIsland));
        assert_eq!(doubt(&point(0, 0.0, 121.0)), None, "the equator is a place");
        assert_eq!(doubt(&point(120, 14.559, 121.02)), None);
        assert_eq!(doubt(&point(121, 14.559, 121.02)), Some(Filtered::FutureTime));
        let vague = |metres| Point { accuracy_m: Some(metres), ..point(0, 14.559, 121.02) };
        assert_eq!(doubt(&vague(200.0)), None);
        assert_eq!(doubt(&vague(200.1)), Some(Filtered::Accuracy));
        let fast = |kmh| Point { speed_kmh: Some(kmh), ..point(0, 14.559, 121.02) };
        assert_eq!(doubt(&fast(200.0)), None);
        assert_eq!(doubt(&fast(200.1)), Some(Filtered::MaxSpeed), "as the device says itself");
        let again = RULES.doubt(&point(0, 14.559, 121.02), None, true, now());
        assert_eq!(again, Some(Filtered::Duplicate));
    }

    #[test]
    fn a_jump_is_not_believed_until_it_could_be_true() {
        let home = Fix { at: now(), lat: 14.559, lng: 121.02 };
        let later = now() + Duration::hours(1);
        let doubt = |seconds, lat| RULES.doubt(&point(seconds, lat, 121.02), Some(home), false, later);
        // A hundredth of a degree is about 1,112 m, which takes 20 s at 200 km/h.
        assert_eq!(doubt(19, 14.569), Some(Filtered::MaxSpeed));
        assert_eq!(doubt(21, 14.569), None);
        assert_eq!(doubt(1, 14.5593), None, "a receiver wavers");
        assert_eq!(doubt(600, 16.0), Some(Filtered::MaxSpeed));
        assert_eq!(doubt(601, 16.0), None, "what was believed before may have been wrong");
    }

    #[test]
    fn distances_are_those_of_the_map() {
        let manila_to_cebu = distance_m((14.5995, 120.9842), (10.3157, 123.8854));
        assert!((565_000.0..575_000.0).contains(&manila_to_cebu), "{manila_to_cebu}");
        let over_the_date_line = distance_m((0.0, 179.9), (0.0, -179.9));
        assert!((22_000.0..22_500.0).contains(&over_the_date_line), "{over_the_date_line}");
    }
}
