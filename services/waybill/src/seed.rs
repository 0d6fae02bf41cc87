//! Believable demo data.

use kit::Result;
use kit::clock::Clock;
use store::Db;

pub const DEFAULT_DELIVERIES: u64 = 20_000;

/// Fills an empty database; says what was made.
pub async fn run(db: &Db, clock: &Clock, zone: chrono_tz::Tz, deliveries: u64) -> Result<String> {
    deliveries::seed::run(db, clock, zone, deliveries).await
}
