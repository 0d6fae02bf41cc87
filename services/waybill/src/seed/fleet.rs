//! The demo drivers: who they are, and how some of them drove yesterday and drive today. Drivers with
//! deliveries went where goods were handed over (`trail`); the others drive around. Both days end at the
//! current time of day, so that somebody is always on the road. The same moment always gives the same fleet.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use deliveries::seed::Handover;
use drivers::seed::{Demo, Step};

use super::{person, trail};
use crate::simulate::roads::{DEPOTS, Place, along, heading, metres, mix, somewhere, way};

/// The number of drivers with full trails. The others have positions only near deliveries.
const TRACKED: usize = 60;
/// How many of these drivers are on the road now. `STALE` more drivers were on the road until a few minutes
/// ago.
const ONLINE: usize = 36;
const STALE: usize = 10;
/// The index of the blocked driver, who is not on the road.
const BLOCKED: usize = TRACKED + 1;
const STEP: Duration = Duration::seconds(30);
const STOP: Duration = Duration::minutes(9);
const TODAY: Duration = Duration::hours(6);
const YESTERDAY: (Duration, Duration) = (Duration::hours(32), Duration::hours(24));
const TRUCKERS: [&str; 4] = ["Alon Freight", "Bagong Daan Hauling", "Luntian Logistics", "Tala Trucking"];

/// Returns all demo drivers as of now, based on recent handovers.
pub fn demos(now: DateTime<Utc>, handovers: &[Handover]) -> Vec<Demo> {
    let mut by_driver: HashMap<&str, Vec<Handover>> = HashMap::new();
    for it in handovers {
        by_driver.entry(&it.driver_id).or_default().push(it.clone());
    }
    for theirs in by_driver.values_mut() {
        theirs.sort_by_key(|it| it.at);
    }
    deliveries::seed::driver_ids()
        .enumerate()
        .map(|(index, driver_id)| {
            let (name, username) = person(index);
            let chance = mix(index as u64);
            let mut demo = Demo {
                driver_id,
                name,
                username,
                phone: format!("+63 917 555 {:04}", index),
                trucker: TRUCKERS[index % TRUCKERS.len()].to_owned(),
                vehicle_plate: format!(
                    "N{}A {:04}",
                    char::from(b'A' + (chance % 26) as u8),
                    chance / 26 % 10_000
                ),
                blocked: index == BLOCKED,
                ..Demo::default()
            };
            let theirs = by_driver.get(demo.driver_id.as_str()).map_or(&[][..], Vec::as_slice);
            if index < TRACKED || !theirs.is_empty() {
                demo.device = Some(format!("demo-phone-{:03}", index + 1));
            }
            trail::follow(&mut demo, theirs, now);
            if index < TRACKED {
                drive(&mut demo, index, now);
            }
            if demo.blocked {
                demo.did.push((now - Duration::days(2), "blocked"));
            }
            demo
        })
        .collect()
}

/// Returns devices that are not paired, near drivers who are on the road.
pub fn unpaired(demos: &[Demo]) -> Vec<(&'static str, Step)> {
    let names = ["nokia-c31-spare", "truck-tablet-07", "863719060412345"];
    let last = demos.iter().filter_map(|it| it.way.last().copied());
    names.into_iter().zip(last).collect()
}

fn drive(demo: &mut Demo, index: usize, now: DateTime<Utc>) {
    let until = match index {
        index if index < ONLINE => now - Duration::seconds(5 + (index % 4) as i64 * 10),
        index if index < ONLINE + STALE => now - Duration::minutes(4),
        _ => now - Duration::minutes(95),
    };
    let last = demo.way.last().copied();
    if last.is_none() {
        day(demo, index as u64, None, now - YESTERDAY.0, now - YESTERDAY.1);
    }
    // After the last delivery, drivers continue from where they are.
    let begin = last.map_or(now - TODAY, |it| (it.at + STEP * 2).max(now - TODAY));
    let here = last.filter(|it| it.at > now - TODAY).map(|it| Place { lat: it.lat, lng: it.lng });
    if begin >= until {
        return;
    }
    day(demo, index as u64 + 1_000, here, begin, until);
    if index >= ONLINE + STALE {
        demo.did.push((until, if index.is_multiple_of(2) { "location_off" } else { "low_battery" }));
    }
}

/// Drives from a depot, or from the current place, from stop to stop, until the end.
fn day(demo: &mut Demo, number: u64, here: Option<Place>, from: DateTime<Utc>, to: DateTime<Utc>) {
    if here.is_none() {
        demo.did.push((from - Duration::minutes(3), "login"));
    }
    let mut here = here.unwrap_or(DEPOTS[(number % DEPOTS.len() as u64) as usize]);
    // Not all drivers report in the same second.
    let mut at = from + Duration::seconds((mix(number) % 30) as i64);
    let whole = (to - from).num_seconds().max(1) as f64;
    for stop in 0_u64.. {
        let speed = 18.0 + (mix(number * 1_000 + stop) % 20) as f64;
        for corner in way(here, somewhere(number * 1_000 + stop)) {
            let toward = heading(here, corner);
            while metres(here, corner) > 1.0 {
                if at > to {
                    return;
                }
                demo.way.push(step(at, here, speed, toward, (at - from).num_seconds() as f64 / whole));
                here = along(here, corner, speed / 3.6 * STEP.num_seconds() as f64);
                at += STEP;
            }
            here = corner;
        }
        demo.did.push((at, "arrived"));
        let leave = at + STOP;
        while at < leave {
            if at > to {
                demo.did.retain(|(when, _)| *when <= to);
                return;
            }
            demo.way.push(step(at, here, 0.0, 0.0, (at - from).num_seconds() as f64 / whole));
            at += STEP * 2;
        }
        demo.did.push((at.min(to), "departed"));
    }
}

fn step(at: DateTime<Utc>, place: Place, speed_kmh: f64, heading_deg: f64, gone: f64) -> Step {
    // A GPS receiver is precise to about a decimeter.
    let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
    Step {
        at,
        lat: round(place.lat),
        lng: round(place.lng),
        speed_kmh,
        heading_deg: heading_deg.round().rem_euclid(360.0),
        battery_pct: (95.0 - 60.0 * gone).round(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_moment_makes_the_same_fleet() {
        let now = DateTime::from_timestamp(1_795_000_000, 0).unwrap();
        let (one, other) = (demos(now, &[]), demos(now, &[]));
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
        assert_eq!(one.iter().filter(|it| !it.way.is_empty()).count(), TRACKED);
        assert_eq!(one.iter().filter(|it| it.blocked).count(), 1);
        for demo in one.iter().filter(|it| !it.way.is_empty()) {
            assert!(demo.way.windows(2).all(|two| two[0].at < two[1].at), "{}", demo.driver_id);
            assert!(demo.way.iter().all(|it| it.at <= now && (0.0..360.0).contains(&it.heading_deg)));
            assert!(demo.did.iter().all(|(at, _)| *at <= now));
            // No jump between two positions is implausible.
            let fast = |two: &[Step]| {
                let place = |it: &Step| somewhere_of(it.lat, it.lng);
                let hours = (two[1].at - two[0].at).num_seconds() as f64 / 3_600.0;
                metres(place(&two[0]), place(&two[1])) / 1_000.0 / hours > 150.0
            };
            assert!(!demo.way.windows(2).any(fast), "{}", demo.driver_id);
        }
    }

    #[test]
    fn who_delivered_was_there_and_drives_on() {
        let now = DateTime::from_timestamp(1_795_000_000, 0).unwrap();
        let handover = |driver: &str, minutes: i64| Handover {
            driver_id: driver.into(),
            at: now - Duration::minutes(minutes),
            lat: 14.5547,
            lng: 121.0244 + minutes as f64 / 10_000.0,
        };
        // One handover by a driver with a full trail, and one by another driver.
        let all = [handover("DRV-0003", 90), handover("DRV-0250", 50), handover("DRV-0003", 120)];
        let demos = demos(now, &all);
        let of = |id: &str| demos.iter().find(|it| it.driver_id == id).unwrap();
        for it in &all {
            let near = |step: &&Step| {
                metres(somewhere_of(step.lat, step.lng), somewhere_of(it.lat, it.lng)) < 150.0
                    && (step.at - it.at).abs() < Duration::minutes(5)
            };
            assert!(of(&it.driver_id).way.iter().filter(near).count() > 10, "{it:?}");
            assert!(of(&it.driver_id).device.is_some());
        }
        let last = of("DRV-0003").way.last().unwrap();
        assert!(now - last.at < Duration::minutes(2), "on the road now");
    }

    fn somewhere_of(lat: f64, lng: f64) -> Place {
        Place { lat, lng }
    }
}
