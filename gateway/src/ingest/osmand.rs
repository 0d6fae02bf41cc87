//! OsmAnd and compatible senders: parameters of a GET, or of a posted form.
//!
//! `id` or `deviceid`; `lat` and `lon`, or `location=lat,lon`; `timestamp`, default now; `speed` in knots, or
//! in `speed_unit` (`kn`, `kmh`, `ms`); `bearing` or `heading`; `altitude`, `accuracy` in meters; `batt` in
//! percent; `charge`. All other parameters are stored as attributes. If a parameter occurs several times, the
//! first one counts. The query string comes before the form.

use proto::drivers::v1::PositionInput;

use super::report::{Parts, Protocol, Report, Result, Wrong, device_id, pairs};
use super::value::{Attributes, flag, knots, metres_a_second, number, place, sensible, time};

pub fn parse(parts: &Parts<'_>) -> Result<Report> {
    let form = std::str::from_utf8(parts.body).map_err(|_| Wrong::unreadable("the form is not UTF-8"))?;
    let mut fields = pairs(parts.query);
    fields.extend(pairs(form));
    read(Protocol::Osmand, fields, parts)
}

/// Parses the parameters, which may come from the query string or the form.
pub fn read(protocol: Protocol, fields: Vec<(String, String)>, parts: &Parts<'_>) -> Result<Report> {
    let mut said = Said::default();
    for (name, value) in fields {
        said.add(&name, value);
    }
    let device_id = device_id("id", said.id.as_deref().unwrap_or_default())?;
    let positions = said.position(parts)?.into_iter().collect();
    Ok(Report { protocol, device_id, positions })
}

#[derive(Default)]
struct Said {
    id: Option<String>,
    lat: Option<String>,
    lon: Option<String>,
    location: Option<String>,
    timestamp: Option<String>,
    speed: Option<String>,
    speed_unit: Option<String>,
    bearing: Option<String>,
    altitude: Option<String>,
    accuracy: Option<String>,
    batt: Option<String>,
    charging: Option<bool>,
    others: Attributes,
}

impl Said {
    fn add(&mut self, name: &str, value: String) {
        let field = match name {
            "id" | "deviceid" => &mut self.id,
            "lat" => &mut self.lat,
            "lon" => &mut self.lon,
            "location" => &mut self.location,
            "timestamp" => &mut self.timestamp,
            "speed" => &mut self.speed,
            "speed_unit" => &mut self.speed_unit,
            "bearing" | "heading" => &mut self.bearing,
            "altitude" => &mut self.altitude,
            "accuracy" => &mut self.accuracy,
            "batt" => &mut self.batt,
            "charge" if flag(&value).is_some() => {
                self.charging = self.charging.or(flag(&value));
                return;
            }
            // Do not store `valid=true`, because every good point has it.
            "valid" if flag(&value) == Some(true) => return,
            "valid" if flag(&value) == Some(false) => return self.others.add("valid", "false"),
            _ => return self.others.add(name, value),
        };
        if field.is_none() && !value.trim().is_empty() {
            *field = Some(value);
        }
    }

    /// Returns the position; `None` if the sender only reports that it is alive.
    fn position(self, parts: &Parts<'_>) -> Result<Option<PositionInput>> {
        let occurred_at = self.timestamp.as_deref().map(|text| time("timestamp", text, parts)).transpose()?;
        let Some((lat, lng)) = self.place()? else {
            return match occurred_at {
                Some(_) => Ok(None),
                None => Err(Wrong::unreadable("lat and lon are missing")),
            };
        };
        let read = |name: &str, text: &Option<String>| match text {
            Some(text) => number(name, text),
            None => Ok(None),
        };
        let speed = read("speed", &self.speed)?;
        let speed_kmh = match self.speed_unit.as_deref() {
            None | Some("kn") => speed.map(knots),
            Some("kmh") => speed,
            Some("ms") => speed.map(metres_a_second),
            Some(_) => return Err(Wrong::unreadable("speed_unit must be kn, kmh or ms")),
        };
        let batt = self.batt.as_deref().map(|text| text.trim().trim_end_matches('%'));
        Ok(Some(sensible(PositionInput {
            occurred_at: Some(occurred_at.unwrap_or_else(|| proto::timestamp(parts.now))),
            lat,
            lng,
            altitude: read("altitude", &self.altitude)?,
            speed_kmh,
            heading_deg: read("bearing", &self.bearing)?,
            accuracy_m: read("accuracy", &self.accuracy)?,
            battery_pct: batt.map(|text| number("batt", text)).transpose()?.flatten(),
            charging: self.charging,
            motion: None,
            odometer_m: None,
            attributes: self.others.into_map(),
        })))
    }

    fn place(&self) -> Result<Option<(f64, f64)>> {
        let both = match (&self.lat, &self.lon, &self.location) {
            (Some(lat), Some(lon), _) => Some((lat.as_str(), lon.as_str(), "lat", "lon")),
            (Some(_), None, None) => return Err(Wrong::unreadable("lon is missing")),
            (None, Some(_), None) => return Err(Wrong::unreadable("lat is missing")),
            (_, _, Some(location)) => {
                let (lat, lon) =
                    location.split_once(',').ok_or_else(|| Wrong::unreadable("location must be lat,lon"))?;
                Some((lat, lon, "the lat of location", "the lon of location"))
            }
            (None, None, None) => None,
        };
        let Some((lat, lon, lat_name, lon_name)) = both else { return Ok(None) };
        let known = |name: &str, text: &str| {
            number(name, text)?.ok_or_else(|| Wrong::unreadable(format!("{name} is not a number")))
        };
        place(lat_name, known(lat_name, lat)?, known(lon_name, lon)?, lon_name).map(Some)
    }
}
