//! When the demo data happens: ninety days that end today, and a little of what is to come.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc, Weekday};
use chrono_tz::Tz;

use super::chance::Chance;
use super::parties::DRIVERS;

pub const DAYS: u64 = 90;
/// Per thousand of all deliveries.
const TODAY: u64 = 50;
const TOMORROW: u64 = 20;
const DAY_AFTER: u64 = 10;

/// One shipment: a driver with a load, on a day.
pub struct Trip {
    /// Counts all trips from 0.
    pub ordinal: u64,
    /// Counts all deliveries before this trip.
    pub first: u64,
    pub size: u64,
    pub shipmentnumber: String,
    pub driver: u64,
    /// When the first stop is due.
    pub starts: DateTime<Utc>,
    /// From 0, the oldest, to `DAYS` and beyond.
    pub day: u64,
    /// How far it runs behind.
    pub behind: TimeDelta,
    /// On the worst day of late.
    pub flooded: bool,
}

/// The last working day before yesterday: streets were under water.
pub fn worst_day(today: NaiveDate) -> NaiveDate {
    let days = (2..7).map(|ago| today - Days::new(ago));
    let mut working = days.filter(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun));
    working.next().unwrap_or(today)
}

/// How many deliveries each day has; together all there are.
pub fn days(today: NaiveDate, deliveries: u64) -> Vec<(NaiveDate, u64)> {
    let first = today - Days::new(DAYS - 1);
    let dates: Vec<NaiveDate> = (0..DAYS + 2).map(|day| first + Days::new(day)).collect();
    let past: u64 = dates.iter().filter(|date| **date < today).map(|date| busy(*date)).sum();
    let rest = 1_000 - TODAY - TOMORROW - DAY_AFTER;
    let mut sum = 0_u128;
    let mut given = 0;
    dates
        .into_iter()
        .map(|date| {
            // In parts of 1,000 x past, so that nothing is lost to rounding.
            sum += u128::from(match (date - today).num_days() {
                ..0 => busy(date) * rest,
                0 => TODAY * past,
                1 => TOMORROW * past,
                _ => DAY_AFTER * past,
            });
            let up_to = (u128::from(deliveries) * sum / u128::from(1_000 * past)) as u64;
            let count = up_to - given;
            given = up_to;
            (date, count)
        })
        .collect()
}

/// How much is delivered on such a day of the week.
fn busy(date: NaiveDate) -> u64 {
    match date.weekday() {
        Weekday::Sun => 35,
        Weekday::Sat => 80,
        Weekday::Mon | Weekday::Fri => 115,
        _ => 100,
    }
}

/// All trips in the order of their days.
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
                    // Another few drivers each day, each with one load before anyone has two.
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

/// Most trips are about on time, some are late at every stop.
fn behind(chance: &mut Chance, flooded: bool) -> TimeDelta {
    let usual = match chance.between(0, 99) {
        0..62 => chance.between(-15, 12),
        62..86 => chance.between(12, 35),
        _ => chance.between(35, 80),
    };
    TimeDelta::minutes(if flooded { usual + chance.between(40, 120) } else { usual })
}

/// Between 06:00 and 15:00, later rounds later, on a quarter of an hour: most before nine, and many after noon.
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
    // An hour that the zone skips does not matter to a demonstration.
    local.and_local_timezone(zone).earliest().map_or_else(|| local.and_utc(), |at| at.with_timezone(&Utc))
}
