//! A driver's positions as one GPX 1.1 track of the plausible points, in order of time.
//!
//! A new segment begins after a gap, so that no program draws a line where nobody was.

use std::fmt::Write as _;

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use kit::{Error, Result};
use proto::drivers::v1::{Driver, Position};

use super::positions::Positions;

/// Maximum time between two points of a segment.
const SILENCE: Duration = Duration::minutes(10);

pub struct Track {
    text: String,
    /// Time of the last point of the open segment.
    last: Option<DateTime<Utc>>,
}

impl Track {
    pub fn begin(driver: &Driver) -> Self {
        let name = escaped(&format!("{} ({})", driver.name, driver.driver_id));
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <gpx xmlns=\"http://www.topografix.com/GPX/1/1\" version=\"1.1\" creator=\"Waybill\">\n\
             <metadata><name>{name}</name></metadata>\n<trk><name>{name}</name>\n"
        );
        Self { text, last: None }
    }
}

impl Positions for Track {
    const FORMAT: &'static str = "gpx";

    fn add(&mut self, it: &Position) -> Result<()> {
        if !it.valid {
            return Ok(());
        }
        let at = it.occurred_at.and_then(proto::instant);
        let at = at.ok_or_else(|| Error::internal("a service left out when a position was"))?;
        match self.last.replace(at) {
            None => self.text.push_str("<trkseg>\n"),
            Some(last) if at - last > SILENCE => self.text.push_str("</trkseg>\n<trkseg>\n"),
            Some(_) => {}
        }
        let (lat, lng, time) = (it.lat, it.lng, at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        let height = it.altitude.map(|metres| format!("<ele>{metres}</ele>")).unwrap_or_default();
        writeln!(self.text, "<trkpt lat=\"{lat}\" lon=\"{lng}\">{height}<time>{time}</time></trkpt>")
            .map_err(Error::internal)
    }

    fn len(&self) -> usize {
        self.text.len()
    }

    fn take(&mut self) -> Result<Vec<u8>> {
        Ok(std::mem::take(&mut self.text).into_bytes())
    }

    fn end(mut self) -> Result<Vec<u8>> {
        if self.last.is_some() {
            self.text.push_str("</trkseg>\n");
        }
        self.text.push_str("</trk>\n</gpx>\n");
        self.take()
    }
}

/// Escapes a text for XML 1.0; drops characters that XML cannot contain.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::positions::testing::position;

    fn file(positions: &[Position]) -> String {
        let driver =
            Driver { driver_id: "D\"1\"".into(), name: "Ann <&\u{0}> 'O".into(), ..Driver::default() };
        let mut track = Track::begin(&driver);
        let mut file = Vec::new();
        for position in positions {
            track.add(position).unwrap();
            file.extend(track.take().unwrap());
        }
        file.extend(track.end().unwrap());
        String::from_utf8(file).unwrap()
    }

    #[test]
    fn a_track_has_the_plausible_points_in_segments() {
        let implausible = Position { valid: false, filtered_reason: Some("duplicate".into()), ..position(1) };
        let high = Position { altitude: Some(12.5), ..position(2) };
        let text = file(&[position(0), implausible, high, position(602), position(1_203)]);
        let (head, body) = text.split_once("<trkseg>").unwrap();
        let name = "<name>Ann &lt;&amp;&gt; &apos;O (D&quot;1&quot;)</name>";
        assert_eq!(head.matches(name).count(), 2, "{head}");
        assert_eq!(
            body,
            "\n<trkpt lat=\"-14.5\" lon=\"121.0000001\"><time>2027-01-15T08:00:00Z</time></trkpt>\n\
             <trkpt lat=\"-14.5\" lon=\"121.0000001\"><ele>12.5</ele><time>2027-01-15T08:00:02Z</time></trkpt>\n\
             <trkpt lat=\"-14.5\" lon=\"121.0000001\"><time>2027-01-15T08:10:02Z</time></trkpt>\n\
             </trkseg>\n<trkseg>\n\
             <trkpt lat=\"-14.5\" lon=\"121.0000001\"><time>2027-01-15T08:20:03Z</time></trkpt>\n\
             </trkseg>\n</trk>\n</gpx>\n"
        );
    }

    #[test]
    fn nothing_is_a_track_too() {
        let text = file(&[]);
        assert!(!text.contains("trkseg") && text.ends_with("</trk>\n</gpx>\n"), "{text}");
    }
}
