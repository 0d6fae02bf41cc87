//! A driver's positions as a file, and its CSV format: every point in order of time, with the reason if the
//! point is implausible. Times have the organization's UTC offset.

use chrono::TimeZone;
use csv::Writer;
use kit::sheet::{MARK, csv_writer};
use kit::text::with_apostrophes;
use kit::{Error, Result};
use proto::drivers::v1::Position;

use super::{Cell, local};

const HEADER: [&str; 11] = [
    "occurredAt",
    "lat",
    "lng",
    "speedKmh",
    "headingDeg",
    "accuracyM",
    "altitude",
    "batteryPct",
    "provider",
    "valid",
    "filteredReason",
];

/// A file that positions are added to, piece by piece.
pub trait Positions: Send + 'static {
    const FORMAT: &'static str;

    fn add(&mut self, position: &Position) -> Result<()>;
    /// Returns the number of bytes written so far, without those that are still buffered.
    fn len(&self) -> usize;
    /// Returns the bytes written since the last call.
    fn take(&mut self) -> Result<Vec<u8>>;
    /// Returns the remaining bytes, including the end of the file.
    fn end(self) -> Result<Vec<u8>>;
}

pub struct Table<Z> {
    zone: Z,
    writer: Writer<Vec<u8>>,
}

impl<Z> Table<Z> {
    pub fn begin(zone: Z) -> Result<Self> {
        let mut table = Self { zone, writer: csv_writer(MARK.to_vec()) };
        table.writer.write_record(HEADER).map_err(Error::internal)?;
        Ok(table)
    }
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

impl<Z> Positions for Table<Z>
where
    Z: TimeZone + Send + 'static,
    Z::Offset: std::fmt::Display,
{
    const FORMAT: &'static str = "csv";

    fn add(&mut self, it: &Position) -> Result<()> {
        let occurred_at = match local(it.occurred_at, &self.zone)? {
            Cell::Text(text) => text,
            _ => return Err(Error::internal("a service left out when a position was")),
        };
        let row = [
            occurred_at.into_owned(),
            it.lat.to_string(),
            it.lng.to_string(),
            number(it.speed_kmh),
            number(it.heading_deg),
            number(it.accuracy_m),
            number(it.altitude),
            number(it.battery_pct),
            with_apostrophes(&it.provider).into_owned(),
            (if it.valid { "Yes" } else { "No" }).to_owned(),
            with_apostrophes(it.filtered_reason.as_deref().unwrap_or_default()).into_owned(),
        ];
        self.writer.write_record(row).map_err(Error::internal)
    }

    fn len(&self) -> usize {
        self.writer.get_ref().len()
    }

    fn take(&mut self) -> Result<Vec<u8>> {
        let full = std::mem::replace(&mut self.writer, csv_writer(Vec::new()));
        full.into_inner().map_err(|error| Error::internal(error.to_string()))
    }

    fn end(mut self) -> Result<Vec<u8>> {
        self.take()
    }
}

#[cfg(test)]
pub mod testing {
    use super::*;

    pub fn position(second: i64) -> Position {
        Position {
            driver_id: "DRV-7".into(),
            occurred_at: Some(prost_types::Timestamp { seconds: 1_800_000_000 + second, nanos: 0 }),
            lat: -14.5,
            lng: 121.000_000_1,
            provider: "osmand".into(),
            valid: true,
            ..Position::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::position;
    use super::*;

    #[test]
    fn numbers_are_numbers_and_texts_are_no_formulas() {
        let mut table = Table::begin(chrono::FixedOffset::east_opt(8 * 3600).unwrap()).unwrap();
        table.add(&position(0)).unwrap();
        let odd = Position {
            speed_kmh: Some(36.5),
            heading_deg: Some(0.0),
            accuracy_m: Some(1e-7),
            altitude: Some(-3.0),
            battery_pct: Some(80.0),
            provider: "=cmd;@a".into(),
            valid: false,
            filtered_reason: Some("max_speed".into()),
            ..position(1)
        };
        let mut file = table.take().unwrap();
        table.add(&odd).unwrap();
        file.extend(table.end().unwrap());
        assert_eq!(
            String::from_utf8(file).unwrap(),
            "\u{feff}occurredAt,lat,lng,speedKmh,headingDeg,accuracyM,altitude,batteryPct,provider,valid,filteredReason\r\n\
             2027-01-15T16:00:00+08:00,-14.5,121.0000001,,,,,,osmand,Yes,\r\n\
             2027-01-15T16:00:01+08:00,-14.5,121.0000001,36.5,0,0.0000001,-3,80,'=cmd;'@a,No,max_speed\r\n"
        );
        assert!(Table::begin(chrono::Utc).unwrap().add(&Position::default()).is_err());
    }
}
