//! The calendar of demo data: ninety days that end today, and a few days ahead.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc, Weekday};
use chrono_tz::Tz;

use super::chance::Chance;
use super::parties::DRIVERS;

pub const DAYS: u64 = 90;
/// The weight of today; `busy` has those of past days. If today gets fewer than `MORNING` deliveries by this
/// weight, it gets `MORNING`, but at most `MOST_OF_ALL` per thousand of all deliveries.
const WORKING_DAY: u64 = 110;
const MORNING: u64 = 120;
const MOST_OF_ALL: u64 = 50;
/// Deliveries already planned for tomorrow and the day after, per hundred of today's.
const TOMORROW: u64 = 40;
const DAY_AFTER: u64 = 20;

/// One shipment: a driver with a load, on a day.
pub struct Trip {
    /// The trip's number among all trips, from 0.
    pub ordinal: u64,
    /// Number of deliveries in all trips before this one.
    pub first: u64,
    pub size: u64,
    pub shipmentnumber: String,
    pub driver: u64,
    /// When the first stop is due.
    pub starts: DateTime<Utc>,
    /// The day's number: 0 is the oldest, `DAYS` and beyond are in the future.
    pub day: u64,
    /// How late the trip is.
    pub behind: TimeDelta,
    /// Whether the trip is on the worst recent day.
    pub flooded: bool,
}

/// Returns the last working day before yesterday, on which streets were flooded.
pub fn worst_day(today: NaiveDate) -> NaiveDate {
    let days = (2..7).map(|ago| today - Days::new(ago));
    let mut working = days.filter(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun));
    working.next().unwrap_or(today)
}

/// Returns the number of deliveries of each day; the numbers add up to `deliveries`.
pub fn days(today: NaiveDate, deliveries: u64) -> Vec<(NaiveDate, u64)> {
    let first = today - Days::new(DAYS - 1);
    let dates: Vec<NaiveDate> = (0..DAYS + 2).map(|day| first + Days::new(day)).collect();
    let past: u64 = dates.iter().filter(|date| **date < today).map(|date| busy(*date)).sum();
    let of_today = of_today(deliveries, past);
    let (tomorrow, day_after) = (of_today * TOMORROW / 100, of_today * DAY_AFTER / 100);
    let of_past = deliveries - of_today - tomorrow - day_after;
    let (mut sum, mut given) = (0, 0);
    dates
        .into_iter()
        .map(|date| {
            let count = match (date - today).num_days() {
                ..0 => {
                    sum += busy(date);
                    // Cumulative shares, so that rounding loses nothing.
                    let up_to = (u128::from(of_past) * u128::from(sum) / u128::from(past)) as u64;
                    up_to - std::mem::replace(&mut given, up_to)
                }
                0 => of_today,
                1 => tomorrow,
                _ => day_after,
            };
            (date, count)
        })
        .collect()
}

fn of_today(deliveries: u64, past: u64) -> u64 {
    let ahead = WORKING_DAY * (100 + TOMORROW + DAY_AFTER) / 100;
    let usual = deliveries * WORKING_DAY / (past + ahead);
    usual.max(MORNING.min(deliveries * MOST_OF_ALL / 1_000))
}

/// Returns the weight of this date's day of the week.
fn busy(date: NaiveDate) -> u64 {
    match date.weekday() {
        Weekday::Sun => 35,
        Weekday::Sat => 80,
        Weekday::Mon | Weekday::Fri => 115,
        _ => 100,
    }
}

/// Returns all trips in the order of their days.
pub fn trips(now: DateTime<Utc>, zone: Tz, deliveries: u64) -> impl Iterator<Item = Trip> {
    let today = now.with_timezone(&zone).date_naive();
    let worst = worst_day(today);
    let (mut ordinal, mut first) = (0, 0);
    days(today, deliveries).into_iter().zip(0..).flat_map(move |((date, mut left), day)| {
        let mut chance = Chance::of(3, day);
        let mut sizes = Vec::new();
        while left > 0 {
            let size = chance.between(5, 11).unsigned_abs().min(left);
            sizes.push(size);
            left -= size;
        }
        let rounds = (sizes.len() as u64).div_ceil(DRIVERS).max(1);
        let of_day: Vec<Trip> = sizes
            .into_iter()
            .zip(0..)
            .map(|(size, number)| {
                let flooded = date == worst;
                let behind = behind(&mut Chance::of(13, ordinal), flooded);
                let trip = Trip {
                    ordinal,
                    first,
                    size,
                    shipmentnumber: format!("SHP-{}-{:04}", date.format("%y%m%d"), number + 1),
                    // Each day uses other drivers, and each of them gets one load before anyone gets two.
                    driver: (day * 53 + number) % DRIVERS,
                    starts: leaves(&mut chance, date, zone, number / DRIVERS, rounds),
                    day,
                    behind,
                    flooded,
                };
                ordinal += 1;
                first += size;
                trip
            })
            .collect();
        of_day
    })
}

/// Draws a delay: most trips are about on time, some are late at every stop.
fn behind(chance: &mut Chance, flooded: bool) -> TimeDelta {
    let usual = match chance.between(0, 99) {
        0..62 => chance.between(-15, 12),
        62..86 => chance.between(12, 35),
        _ => chance.between(35, 80),
    };
    TimeDelta::minutes(if flooded { usual + chance.between(40, 120) } else { usual })
}

/// Draws a departure between 06:00 and 15:00 on a quarter of an hour. Later rounds leave later: most trips
/// before nine, many after noon.
fn leaves(chance: &mut Chance, date: NaiveDate, zone: Tz, round: u64, rounds: u64) -> DateTime<Utc> {
    let quarters = 36;
    let (round, rounds) = (round as i64, rounds as i64);
    let of_day = match chance.between(0, 99) {
        0..52 => chance.between(0, 10),
        52..76 => chance.between(26, quarters),
        _ => chance.between(0, quarters),
    };
    let slot = (quarters * round + of_day) / rounds;
    let local = date.and_time(chrono::NaiveTime::MIN) + TimeDelta::hours(6) + TimeDelta::minutes(15 * slot);
    kit::input::time::local_instant(zone, local)
}
