//! Trails of drivers through their delivery addresses, with a stop at each.

use chrono::{DateTime, Duration, Utc};
use deliveries::seed::Handover;
use drivers::seed::{Demo, Step};

use crate::simulate::roads::{DEPOTS, Place, along, heading, metres, way};

const STEP: Duration = Duration::seconds(30);
/// How long the van stands at an address before an outcome is recorded, and afterwards.
const BEFORE: Duration = Duration::minutes(4);
const AFTER: Duration = Duration::minutes(4);
/// A break longer than this starts another trip.
const BREAK: Duration = Duration::hours(4);
/// Meters per second: the usual speed of a van in the city, and the highest plausible speed.
const USUAL: f64 = 7.5;
const MOST: f64 = 19.0;

/// Adds the trips of a driver, given the driver's deliveries in order of time. Skips addresses that the van
/// could not reach in time.
pub fn follow(demo: &mut Demo, handovers: &[Handover], now: DateTime<Utc>) {
    let mut rest = handovers;
    while !rest.is_empty() {
        let gap = rest.windows(2).position(|two| two[1].at - two[0].at > BREAK);
        let (outing, later) = rest.split_at(gap.map_or(rest.len(), |last| last + 1));
        drive(demo, outing, now);
        rest = later;
    }
}

fn drive(demo: &mut Demo, outing: &[Handover], now: DateTime<Utc>) {
    let [first, ..] = outing else { return };
    let depot = nearest_depot(place(first));
    let seconds = length(&route(depot, place(first))) / USUAL;
    let begin = first.at - BEFORE - Duration::seconds(seconds as i64 + 60);
    demo.did.push((begin - Duration::minutes(3), "login"));
    let mut van = Van { here: depot, at: begin, begin, now, demo };
    for handover in outing {
        let path = route(van.here, place(handover));
        let arrival = (handover.at - BEFORE).max(van.at);
        let needed = Duration::seconds((length(&path) / MOST) as i64 + 1);
        if van.at + needed > handover.at - Duration::minutes(1) {
            continue;
        }
        van.go(&path, arrival.max(van.at + needed));
        van.did("arrived");
        van.stand(handover.at + AFTER);
        van.did("departed");
    }
    let back = route(van.here, depot);
    let home = van.at + Duration::seconds((length(&back) / USUAL) as i64 + 1);
    van.go(&back, home);
}

struct Van<'a> {
    here: Place,
    at: DateTime<Utc>,
    begin: DateTime<Utc>,
    now: DateTime<Utc>,
    demo: &'a mut Demo,
}

impl Van<'_> {
    /// Drives along the path, leaving as late as the usual speed allows.
    fn go(&mut self, path: &[Place], arrival: DateTime<Utc>) {
        let whole = length(path);
        let usual = Duration::seconds((whole / USUAL) as i64);
        self.stand((arrival - usual).max(self.at));
        let from = self.at;
        let seconds = (arrival - from).num_seconds().max(1) as f64;
        while self.at < arrival {
            let gone = (self.at - from).num_seconds() as f64 / seconds;
            let (here, toward) = position(path, whole * gone);
            self.step(here, whole / seconds * 3.6, toward);
            self.at += STEP;
        }
        self.at = arrival;
        self.here = path.last().copied().unwrap_or(self.here);
    }

    fn stand(&mut self, until: DateTime<Utc>) {
        while self.at < until {
            self.step(self.here, 0.0, 0.0);
            self.at += STEP;
        }
        self.at = self.at.max(until);
    }

    fn did(&mut self, what: &'static str) {
        if self.at <= self.now {
            self.demo.did.push((self.at, what));
        }
    }

    fn step(&mut self, place: Place, speed_kmh: f64, heading_deg: f64) {
        let later = self.demo.way.last().is_none_or(|last| last.at < self.at);
        if self.at > self.now || !later {
            return;
        }
        // A GPS receiver is precise to about a decimeter.
        let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
        let hours = (self.at - self.begin).num_seconds() as f64 / 3_600.0;
        self.demo.way.push(Step {
            at: self.at,
            lat: round(place.lat),
            lng: round(place.lng),
            speed_kmh: speed_kmh.round(),
            heading_deg: heading_deg.round().rem_euclid(360.0),
            battery_pct: (95.0 - 6.0 * hours).clamp(12.0, 100.0).round(),
        });
    }
}

fn place(handover: &Handover) -> Place {
    Place { lat: handover.lat, lng: handover.lng }
}

fn nearest_depot(to: Place) -> Place {
    let by_distance = |one: &Place, other: &Place| metres(*one, to).total_cmp(&metres(*other, to));
    DEPOTS.into_iter().min_by(by_distance).unwrap_or(to)
}

/// Returns the route by road, or a straight line where roads would be a long detour.
fn route(from: Place, to: Place) -> Vec<Place> {
    let by_road: Vec<Place> = std::iter::once(from).chain(way(from, to)).collect();
    if length(&by_road) > 2.0 * metres(from, to) { vec![from, to] } else { by_road }
}

fn length(path: &[Place]) -> f64 {
    path.windows(2).map(|two| metres(two[0], two[1])).sum()
}

/// Returns the position and heading after `gone` meters of a path.
fn position(path: &[Place], mut gone: f64) -> (Place, f64) {
    for two in path.windows(2) {
        let length = metres(two[0], two[1]);
        if gone <= length && length > 0.0 {
            return (along(two[0], two[1], gone), heading(two[0], two[1]));
        }
        gone -= length;
    }
    (path.last().copied().unwrap_or(DEPOTS[0]), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handover(minutes: i64, lat: f64, lng: f64) -> Handover {
        let at = DateTime::from_timestamp(1_795_000_000, 0).unwrap() + Duration::minutes(minutes);
        Handover { driver_id: "DRV-0007".into(), at, lat, lng }
    }

    fn stood(demo: &Demo, at: &Handover) -> Duration {
        let here = |it: &&Step| metres(Place { lat: it.lat, lng: it.lng }, place(at)) < 150.0;
        let near = demo.way.iter().filter(|it| (it.at - at.at).abs() < Duration::minutes(15)).filter(here);
        let times: Vec<_> = near.map(|it| it.at).collect();
        match times.as_slice() {
            [first, .., last] if *first <= at.at && *last >= at.at => *last - *first,
            _ => Duration::zero(),
        }
    }

    #[test]
    fn a_trail_stops_wherever_something_was_delivered() {
        let all = [
            handover(0, 14.5547, 121.0244),
            handover(22, 14.5605, 121.0310),
            handover(50, 14.5764, 121.0851),
            handover(900, 14.6507, 120.9768),
        ];
        let mut demo = Demo::default();
        let now = all[3].at + Duration::minutes(2);
        follow(&mut demo, &all, now);
        for it in &all[..3] {
            assert!(stood(&demo, it) > Duration::minutes(6), "{it:?}");
        }
        assert!(demo.way.windows(2).all(|two| two[0].at < two[1].at));
        assert!(demo.way.iter().all(|it| it.at <= now) && demo.did.iter().all(|(at, _)| *at <= now));
        let last = demo.way.last().unwrap();
        assert!(
            metres(Place { lat: last.lat, lng: last.lng }, place(&all[3])) < 150.0,
            "it still stands there"
        );
        let fast = |two: &[Step]| {
            let place = |it: &Step| Place { lat: it.lat, lng: it.lng };
            let seconds = (two[1].at - two[0].at).num_seconds() as f64;
            seconds < 3_600.0 && metres(place(&two[0]), place(&two[1])) / seconds > 30.0
        };
        assert!(!demo.way.windows(2).any(fast));
        let logins = demo.did.iter().filter(|(_, what)| *what == "login").count();
        assert_eq!(logins, 2, "two outings");
    }

    #[test]
    fn what_nobody_could_reach_is_left_out() {
        let far =
            [handover(0, 14.5547, 121.0244), handover(9, 14.7011, 120.9830), handover(60, 14.5605, 121.0310)];
        let mut demo = Demo::default();
        follow(&mut demo, &far, far[2].at + Duration::hours(1));
        assert_eq!(stood(&demo, &far[1]), Duration::zero());
        assert!(stood(&demo, &far[2]) > Duration::minutes(6));
    }
}
