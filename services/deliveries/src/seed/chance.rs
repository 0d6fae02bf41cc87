//! Pseudo-random numbers that are the same each time, because demo data must be equal on every machine.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// SplitMix64: small, and good enough for drawing names.
pub struct Chance(u64);

impl Chance {
    /// Creates a separate sequence for each `stream`, so that no part depends on how much another part drew.
    pub fn of(kind: u64, stream: u64) -> Self {
        let mut seed = Self(kind.wrapping_mul(0xA076_1D64_78BD_642F) ^ stream);
        Self(seed.next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number from 0 (inclusive) to 1 (exclusive).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws from `low` to `high`, inclusive.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = (high - low + 1).unsigned_abs().max(1);
        low + (self.next() % span) as i64
    }

    /// Returns true in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: i64) -> bool {
        self.between(0, 99) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[(self.next() % from.len() as u64) as usize]
    }

    /// Draws a time-ordered id.
    pub fn id(&mut self, at: DateTime<Utc>) -> Uuid {
        let mut bytes = [0; 10];
        for (byte, random) in bytes.iter_mut().zip(self.next().to_le_bytes().into_iter().cycle()) {
            *byte = random;
        }
        let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}
