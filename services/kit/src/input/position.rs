//! Limits of a position, whichever way it comes in.

use std::ops::RangeInclusive;

/// Maximum number of positions per request.
pub const MAX_POSITIONS: usize = 1_000;

/// Degrees.
pub const LATITUDE: RangeInclusive<f64> = -90.0..=90.0;
pub const LONGITUDE: RangeInclusive<f64> = -180.0..=180.0;
pub const HEADING_DEG: RangeInclusive<f64> = 0.0..=360.0;
/// Meters.
pub const ALTITUDE_M: RangeInclusive<f64> = -12_000.0..=100_000.0;
pub const ACCURACY_M: RangeInclusive<f64> = 0.0..=1e8;
pub const ODOMETER_M: RangeInclusive<f64> = 0.0..=1e12;
pub const SPEED_KMH: RangeInclusive<f64> = 0.0..=100_000.0;
pub const BATTERY_PCT: RangeInclusive<f64> = 0.0..=100.0;

pub const MAX_ATTRIBUTES: usize = 50;
/// Maximum size of the names and values of all attributes of a position together.
pub const MAX_ATTRIBUTE_BYTES: usize = 2_000;
