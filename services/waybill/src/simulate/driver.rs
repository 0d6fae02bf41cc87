//! A driver's day: drive, report positions, deliver, drive on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use kit::clock::{Clock, new_id};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval_at};

use super::Counts;
use super::api::{Driver, Ended};
use super::preparation::Ready;
use super::roads::{Place, metres, mix, somewhere};
use super::van::{Done, Van};

const TICK: Duration = Duration::from_secs(1);
/// The number of points kept while nothing can be sent. Beyond this, the oldest point is dropped.
const WAITING: usize = 5_000;
const BATCH: usize = 1_000;
/// The battery level of a charging phone.
const FULL: f64 = 100.0;

/// One delivery that the driver has to make.
struct Stop {
    delivery: Value,
    goal: Place,
}

/// The outcome of a delivery. It is sent again until the server has accepted or refused it.
struct Outcome {
    path: String,
    body: Value,
}

struct Day {
    number: u64,
    van: Van,
    api: Driver,
    counts: Arc<Counts>,
    clock: Clock,
    stops: VecDeque<Stop>,
    points: VecDeque<Value>,
    outcomes: VecDeque<Outcome>,
    /// How many places the driver has visited without a delivery.
    idle: u64,
}

/// Drives until stopped, or until the account is no longer valid.
pub async fn drive(ready: Ready, speed: u16, counts: Arc<Counts>, mut stop: watch::Receiver<bool>) {
    let Ready { number, driver: api, last } = ready;
    let mut van = Van::new(number, f64::from(speed));
    if let Some(place) = last {
        van.place = place;
    }
    let mut day = Day {
        number,
        van,
        api,
        counts,
        clock: Clock::system(),
        stops: VecDeque::new(),
        points: VecDeque::new(),
        outcomes: VecDeque::new(),
        idle: 0,
    };
    day.plan().await;
    if let Some(stop) = day.stops.front().filter(|_| last.is_none()) {
        day.van.begin_near(stop.goal);
    }
    day.head_on();
    // Drivers do not all begin at the same instant.
    let first = tokio::time::Instant::now() + Duration::from_millis(mix(number) % 1_000);
    let mut ticks = interval_at(first, TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = stop.changed() => break,
            _ = ticks.tick() => {}
        }
        day.second(speed).await;
        if !day.tell().await {
            return;
        }
    }
    day.tell().await;
    day.api.sign_out().await;
}

impl Day {
    /// Plans today's pending deliveries, except those that require proof from a person.
    async fn plan(&mut self) {
        let Ended::Good(mut day) = self.api.get("/driver/v1/deliveries").await else { return };
        let Some(deliveries) = day["deliveries"].as_array_mut() else { return };
        let open = |it: &Value| it["status"] == "Pending" && !wants(it, "signature") && !wants(it, "photo");
        for delivery in deliveries.iter_mut().map(Value::take).filter(open) {
            let id = delivery["id"].as_str().unwrap_or_default();
            let number =
                id.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
            let point = (delivery["point"]["lat"].as_f64(), delivery["point"]["lng"].as_f64());
            let goal = match point {
                (Some(lat), Some(lng)) => Place { lat, lng },
                _ => somewhere(number),
            };
            self.stops.push_back(Stop { delivery, goal });
        }
        nearest_first(self.van.place, &mut self.stops);
    }

    fn head_on(&mut self) {
        let goal = self.stops.front().map(|stop| stop.goal).unwrap_or_else(|| {
            self.idle += 1;
            somewhere(self.number.wrapping_mul(1_009).wrapping_add(self.idle))
        });
        self.van.head_for(goal);
    }

    /// Simulates one second, with this many points.
    async fn second(&mut self, points: u16) {
        let length = 1.0 / f64::from(points);
        let begun = self.clock.now() - TimeDelta::seconds(1);
        for part in 1..=points {
            let at = begun + TimeDelta::microseconds((length * f64::from(part) * 1e6) as i64);
            match self.van.pass(length) {
                Done::Nothing => {}
                Done::Arrived => self.log("arrived").await,
                Done::Ready => {
                    if let Some(stop) = self.stops.pop_front() {
                        self.outcomes.extend(outcome(self.number, &stop, at));
                    } else if self.outcomes.is_empty() {
                        // The office may have assigned deliveries in the meantime.
                        self.plan().await;
                    }
                    self.head_on();
                }
            }
            self.point(at);
        }
    }

    fn point(&mut self, at: DateTime<Utc>) {
        if self.points.len() >= WAITING {
            self.points.pop_front();
            self.counts.lost.fetch_add(1, Relaxed);
        }
        let van = &self.van;
        let rounded = |value: f64, to: f64| (value * to).round() / to;
        self.points.push_back(json!({
            "occurredAt": spelled(at),
            "lat": rounded(van.place.lat, 1e6),
            "lng": rounded(van.place.lng, 1e6),
            "speedKmh": rounded(van.kmh, 10.0),
            "headingDeg": rounded(van.heading, 10.0),
            "accuracyM": 4 + mix(self.number ^ at.timestamp().unsigned_abs()) % 9,
            "batteryPct": FULL,
            "charging": true,
            "motion": van.kmh > 0.0,
            "odometerM": van.odometer.round(),
        }));
    }

    /// Sends what is waiting, oldest first. Returns false once the account is invalid.
    async fn tell(&mut self) -> bool {
        while !self.points.is_empty() {
            let some: Vec<Value> = self.points.iter().take(BATCH).cloned().collect();
            let (count, body) = (some.len(), json!({ "positions": some }));
            match self.post("/driver/v1/positions", &body).await {
                Ended::Good(answer) => {
                    self.points.drain(..count);
                    self.counts.points.fetch_add(count as u64, Relaxed);
                    self.counts.filtered.fetch_add(answer["filtered"].as_u64().unwrap_or_default(), Relaxed);
                }
                Ended::Later(_) => break,
                Ended::Refused(_) => return false,
            }
        }
        while let Some(Outcome { path, body }) = self.outcomes.pop_front() {
            match self.post(&path, &body).await {
                Ended::Good(_) => {
                    self.counts.outcomes.fetch_add(1, Relaxed);
                }
                Ended::Later(_) => {
                    // Send the same event again: the server counts a repeated event once.
                    self.outcomes.push_front(Outcome { path, body });
                    break;
                }
                // The office has changed the delivery in the meantime.
                Ended::Refused(_) => {}
            }
        }
        true
    }

    async fn log(&mut self, activity: &str) {
        let Some(stop) = self.stops.front() else { return };
        let log = json!({
            "clientEventId": new_id(),
            "activity": activity,
            "deliveryId": stop.delivery["id"],
            "occurredAt": spelled(self.clock.now()),
            "lat": self.van.place.lat,
            "lng": self.van.place.lng,
        });
        // A log entry is not worth a retry.
        let _ = self.post("/driver/v1/logs", &json!({ "logs": [log] })).await;
    }

    async fn post(&mut self, path: &str, body: &Value) -> Ended {
        let asked = Instant::now();
        let ended = self.api.post(path, body).await;
        self.counts.answered(asked.elapsed());
        match &ended {
            Ended::Good(_) => {}
            Ended::Later(_) => drop(self.counts.later.fetch_add(1, Relaxed)),
            Ended::Refused(_) => drop(self.counts.refused.fetch_add(1, Relaxed)),
        }
        ended
    }
}

/// Sorts stops in driving order: the nearest one always comes next.
fn nearest_first(mut here: Place, stops: &mut VecDeque<Stop>) {
    for done in 0..stops.len() {
        let distance = |at: &usize| metres(here, stops[*at].goal);
        let next = (done..stops.len()).min_by(|one, other| distance(one).total_cmp(&distance(other)));
        stops.swap(done, next.unwrap_or(done));
        here = stops[done].goal;
    }
}

fn spelled(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn wants(delivery: &Value, proof: &str) -> bool {
    delivery["podRequirement"].as_array().is_some_and(|all| all.iter().any(|it| it == proof))
}

/// Draws an outcome: usually as expected, sometimes with a missing piece, sometimes with nobody at the
/// address.
fn outcome(number: u64, stop: &Stop, at: DateTime<Utc>) -> Option<Outcome> {
    let delivery = &stop.delivery;
    let id = delivery["id"].as_str()?;
    let drawn = mix(
        number ^ id.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(131).wrapping_add(u64::from(byte)))
    ) % 100;
    let mut body = json!({
        "clientEventId": new_id(),
        "attempt": delivery["attempt"],
        "occurredAt": spelled(at),
        "point": { "lat": stop.goal.lat, "lng": stop.goal.lng, "accuracy": 8.0 },
        "scanmode": if wants(delivery, "scan") { "Yes" } else { "No" },
    });
    match drawn {
        0..5 => {
            body["status"] = json!("Undelivered");
            body["reason"] = json!("recipient_absent");
            body["note"] = json!("Nobody was there");
        }
        _ => {
            body["receivedBy"] = json!("Receiving desk");
            body["relation"] = json!("colleague");
            if wants(delivery, "note") {
                body["note"] = json!("Left at the receiving desk");
            }
            match lines(delivery).filter(|_| drawn < 13) {
                Some(lines) => body["lines"] = lines,
                None => body["status"] = json!("Complete_No_Variance"),
            }
        }
    }
    Some(Outcome { path: format!("/driver/v1/deliveries/{}/outcome", segment(id)), body })
}

/// Counts all lines as expected, except that one piece is missing in the first line with two or more pieces.
fn lines(delivery: &Value) -> Option<Value> {
    let items = delivery["items"].as_array()?;
    let short = items.iter().position(|item| item["quantity"].as_f64().is_some_and(|count| count >= 2.0))?;
    let line = |(at, item): (usize, &Value)| {
        let mut line = json!({ "itemNumber": item["itemNumber"], "quantityDelivered": item["quantity"] });
        if at == short {
            line["quantityDelivered"] = json!(item["quantity"].as_f64().unwrap_or_default() - 1.0);
            line["varianceReason"] = json!("short_delivered");
        }
        line
    };
    Some(items.iter().enumerate().map(line).collect())
}

/// Encodes a Delivery Doc as one segment of a path.
fn segment(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    id.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(id: &str, proofs: &[&str]) -> Stop {
        let items = json!([{ "itemNumber": "1", "quantity": 1.0 }, { "itemNumber": "2", "quantity": 5.0 }]);
        let delivery = json!({ "id": id, "attempt": 1, "podRequirement": proofs, "items": items });
        Stop { delivery, goal: Place { lat: 14.5, lng: 121.0 } }
    }

    #[test]
    fn most_are_delivered_and_the_same_always_ends_the_same() {
        let at = Clock::system().now();
        let ends = |number: u64| {
            let made = outcome(3, &stop(&format!("DR-{number}"), &[]), at).unwrap().body;
            match made["status"].as_str() {
                Some("Undelivered") => "undelivered",
                Some("Complete_No_Variance") => "whole",
                _ => {
                    assert_eq!(made["lines"][1]["quantityDelivered"], 4.0);
                    assert_eq!(made["lines"][0]["quantityDelivered"], 1.0);
                    "short"
                }
            }
        };
        let count = |kind: &str| (0..1_000).filter(|number| ends(*number) == kind).count();
        assert!(count("whole") > 800 && count("short") > 30 && count("undelivered") > 20);
        assert_eq!(ends(7), ends(7));
    }

    #[test]
    fn a_driver_goes_to_the_nearest_first() {
        let at = |lat: f64| Stop { goal: Place { lat, lng: 121.0 }, ..stop("DR-1", &[]) };
        let mut stops: VecDeque<Stop> = [14.9, 14.6, 14.7, 14.52].map(at).into();
        nearest_first(Place { lat: 14.5, lng: 121.0 }, &mut stops);
        let order: Vec<f64> = stops.iter().map(|stop| stop.goal.lat).collect();
        assert_eq!(order, [14.52, 14.6, 14.7, 14.9]);
    }

    #[test]
    fn proof_is_given_where_a_machine_can_and_not_made_up_elsewhere() {
        let at = Clock::system().now();
        assert!(wants(&stop("DR-1", &["scan", "photo"]).delivery, "photo"));
        let made = outcome(3, &stop("DR-1", &["scan", "recipientName"]), at).unwrap();
        assert_eq!(made.body["scanmode"], "Yes");
        assert_eq!(segment("DR/1 ñ"), "DR%2F1%20%C3%B1");
    }
}
