//! The parsers, tested with the corpus and with random input.

#[path = "../../tests/ingest/corpus.rs"]
#[allow(dead_code)] // each test that includes it uses only a part
mod corpus;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use kit::config::{Flags, Organization, Target};
use kit::input::position::*;
use kit::input::time::is_possible;
use proptest::prelude::*;
use proto::drivers::v1::PositionInput;
use serde_json::json;

use super::report::{Parts, Report, Result, Wrong, pairs};
use corpus::{Entry, facts};

fn organization() -> Organization {
    kit::config::load(&Flags::default(), Target::All).unwrap().config.organization
}

fn headers(entry: &Entry) -> HeaderMap {
    let pairs = entry
        .headers()
        .into_iter()
        .map(|(name, value)| (HeaderName::try_from(name).unwrap(), HeaderValue::try_from(value).unwrap()));
    pairs.collect()
}

fn parse(entry: &Entry, body: &[u8], organization: &Organization) -> Result<Report> {
    let (method, headers) = (entry.method(), headers(entry));
    let query = entry.target().split_once('?').map_or("", |(_, query)| query);
    super::parse(&Parts {
        method: &method,
        query,
        headers: &headers,
        body,
        now: corpus::now(),
        organization: Some(organization),
    })
}

/// Parses a POST request with this body alone.
fn post(body: &str) -> Result<Report> {
    super::parse(&Parts {
        method: &Method::POST,
        query: "",
        headers: &HeaderMap::new(),
        body: body.as_bytes(),
        now: corpus::now(),
        organization: Some(organization_once()),
    })
}

fn shown(input: &PositionInput) -> corpus::Facts {
    let at = proto::instant(input.occurred_at.unwrap()).unwrap();
    facts(&json!({
        "occurredAt": at.to_rfc3339(), "lat": input.lat, "lng": input.lng, "altitude": input.altitude,
        "speedKmh": input.speed_kmh, "headingDeg": input.heading_deg, "accuracyM": input.accuracy_m,
        "batteryPct": input.battery_pct, "charging": input.charging, "motion": input.motion,
        "odometerM": input.odometer_m, "attributes": input.attributes,
    }))
}

#[test]
fn each_request_of_the_corpus_says_exactly_that() {
    let (organization, mut taken, mut refused) = (organization(), 0, 0);
    for entry in corpus::entries() {
        let got = parse(&entry, &entry.plain(), &organization);
        match entry.refusal() {
            // Refused before any parser runs: by the verb, the length, or the compression.
            Some((405 | 414 | 415, _)) => {}
            Some((400, "not gzip")) => {}
            Some((status, says)) => {
                let wrong: Wrong = got.expect_err(&entry.name);
                assert_eq!(wrong.status().as_u16(), status, "{}: {}", entry.name, wrong.text());
                assert!(wrong.text().contains(says), "{}: {}", entry.name, wrong.text());
                refused += 1;
            }
            None => {
                let report = got.unwrap_or_else(|wrong| panic!("{}: {}", entry.name, wrong.text()));
                assert_eq!(report.device_id, entry.device(), "{}", entry.name);
                assert_eq!(report.protocol.provider(), entry.provider(), "{}", entry.name);
                let positions: Vec<_> = report.positions.iter().map(shown).collect();
                assert_eq!(positions, entry.positions(), "{}", entry.name);
                taken += 1;
            }
        }
    }
    assert!(taken >= 60 && refused >= 60, "{taken} taken, {refused} refused");
}

#[test]
fn a_thousand_positions_fit_and_one_more_does_not() {
    let batch = |count: usize| {
        let point = json!({ "occurredAt": "2026-11-21T03:59:00Z", "lat": 14.5, "lng": 121 });
        json!({ "deviceId": "d", "positions": vec![point; count] }).to_string()
    };
    let list = |count: usize| {
        json!(vec![json!({ "id": "d", "lat": 14.5, "lon": 121, "timestamp": 1_795_233_540 }); count])
            .to_string()
    };
    assert_eq!(post(&batch(1_000)).unwrap().positions.len(), 1_000);
    assert_eq!(post(&list(1_000)).unwrap().positions.len(), 1_000);
    assert!(post(&batch(1_001)).unwrap_err().text().contains("no more than 1000"));
    assert!(post(&list(1_001)).unwrap_err().text().contains("no more than 1000"));
}

#[test]
fn what_is_kept_besides_is_bounded() {
    let organization = organization();
    let query: String = (0..100).map(|n| format!("a{n}={}&", "x".repeat(n * 3))).collect();
    let query = format!("id=d&lat=14.5&lon=121&{query}");
    let parts = Parts {
        method: &Method::GET,
        query: &query,
        headers: &HeaderMap::new(),
        body: b"",
        now: corpus::now(),
        organization: Some(&organization),
    };
    let attributes = super::parse(&parts).unwrap().positions.remove(0).attributes;
    let bytes: usize = attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(
        attributes.len() <= MAX_ATTRIBUTES && bytes <= MAX_ATTRIBUTE_BYTES,
        "{} of {bytes} bytes",
        attributes.len()
    );
    assert_eq!(attributes["a1"], "xxx");
}

#[test]
fn a_request_that_would_take_much_memory_is_not_parsed() {
    let foreign = vec![r#"{"":0}"#; 20_000].join(",");
    for body in [
        format!("[{foreign}]"),
        format!(r#"{{"id":"d","lat":1,"lon":2,"foreign":[{foreign}]}}"#),
        format!(r#"{{"_type":"location","tid":"d","tst":1795233540,"lat":1,"lon":2,"foreign":[{foreign}]}}"#),
        format!(
            r#"{{"deviceId":"d","positions":[{{"occurredAt":"2026-11-21T03:59:00Z","lat":1,"lng":2,
            "attributes":{{"foreign":[{foreign}]}}}}]}}"#
        ),
    ] {
        assert!(post(&body).unwrap_err().text().contains("too many values"), "{body:.80}");
    }
    // The maximum number of positions, each with everything that is stored of it.
    let extras: serde_json::Map<_, _> = (0..50).map(|n| (format!("a{n}"), json!(n))).collect();
    let location = json!({
        "timestamp": 1_795_233_540, "coords": {
            "latitude": 1, "longitude": 2, "accuracy": 3, "speed": 4, "speed_accuracy": 5, "heading": 6,
            "heading_accuracy": 7, "altitude": 8, "altitude_accuracy": 9,
        },
        "is_moving": true, "odometer": 1, "event": "motionchange", "mock": false, "uuid": "x",
        "battery": { "level": 1, "is_charging": false }, "activity": { "type": "still", "confidence": 100 },
        "extras": extras,
    });
    let entry = json!({ "device_id": "d", "location": location }).to_string();
    let list = vec![entry; MAX_POSITIONS].join(",");
    assert!(super::weight(list.as_bytes()) < super::MAX_WEIGHT);

    assert_eq!(pairs(&"a=1&".repeat(2_000)).len(), 1_000);
}

#[test]
fn a_decimal_number_is_a_time_in_seconds_or_in_milliseconds() {
    let at = |body: serde_json::Value| {
        let body = body.to_string();
        let report = post(&body).unwrap_or_else(|wrong| panic!("{body}: {}", wrong.text()));
        proto::instant(report.positions[0].occurred_at.unwrap()).unwrap().timestamp_millis()
    };
    for (count, expected) in [
        (1_795_233_540.5, 1_795_233_540_500),
        (1_795_233_540_000.0, 1_795_233_540_000),
        (1_795_233_540_250.75, 1_795_233_540_251),
    ] {
        let coords = json!({ "latitude": 14.5, "longitude": 121 });
        assert_eq!(at(json!({ "id": "d", "lat": 14.5, "lon": 121, "timestamp": count })), expected);
        let location = json!({ "timestamp": count, "coords": coords });
        assert_eq!(at(json!({ "device_id": "d", "location": location })), expected);
        let message = json!({ "_type": "location", "tid": "d", "tst": count, "lat": 14.5, "lon": 121 });
        assert_eq!(at(message), expected);
    }
}

#[test]
fn only_a_time_without_an_offset_waits_for_the_time_zone() {
    let at = |timestamp: &str| {
        let query = format!("id=d&lat=14.5&lon=121&timestamp={timestamp}");
        super::parse(&Parts {
            method: &Method::GET,
            query: &query,
            headers: &HeaderMap::new(),
            body: b"",
            now: corpus::now(),
            organization: None,
        })
    };
    for known in ["1795233540", "2026-11-21T12:00:00Z", "2026-11-21 12:00:00%2B08:00"] {
        assert!(at(known).is_ok(), "{known}");
    }
    assert_eq!(at("2026-11-21 12:00:00"), Err(Wrong::Later));
    assert!(matches!(at("yesterday"), Err(Wrong::Unreadable(_))));
}

/// Asserts that the report may be passed to the drivers service.
fn good(report: &Report) {
    for it in &report.positions {
        assert!(LATITUDE.contains(&it.lat) && LONGITUDE.contains(&it.lng), "{it:?}");
        let seconds = it.occurred_at.unwrap().seconds;
        assert!(is_possible(chrono::DateTime::from_timestamp(seconds, 0).unwrap()), "{it:?}");
        for (value, range) in [
            (it.altitude, ALTITUDE_M),
            (it.speed_kmh, SPEED_KMH),
            (it.heading_deg, HEADING_DEG),
            (it.accuracy_m, ACCURACY_M),
            (it.battery_pct, BATTERY_PCT),
            (it.odometer_m, ODOMETER_M),
        ] {
            assert!(value.is_none_or(|value| range.contains(&value)), "{it:?}");
        }
    }
    assert!(report.device_id.chars().count() <= 300);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_bytes_are_taken_or_refused(
        post in any::<bool>(),
        json in any::<bool>(),
        query in "[ -~]{0,80}",
        body in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let organization = organization_once();
        let method = if post { Method::POST } else { Method::GET };
        let mut headers = HeaderMap::new();
        if json {
            headers.insert("content-type", HeaderValue::from_static("application/json"));
        }
        let parts = Parts { method: &method, query: &query, headers: &headers, body: &body, now: corpus::now(), organization: Some(organization) };
        if let Ok(report) = super::parse(&parts) {
            good(&report);
        }
    }

    #[test]
    fn a_request_with_some_bytes_changed_is_taken_or_refused(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        number in any::<f64>(),
    ) {
        let entry = which.get(entries_once());
        let mut body = entry.plain();
        for (at, byte) in changes {
            if !body.is_empty() {
                let at = at.index(body.len());
                body[at] = byte;
            }
        }
        if let Ok(report) = parse(entry, &body, organization_once()) {
            good(&report);
        }
        // Replaces the coordinate 14.5 by a number of any size.
        let text = String::from_utf8_lossy(&entry.plain()).replace("14.5", &number.to_string());
        if let Ok(report) = parse(entry, text.as_bytes(), organization_once()) {
            good(&report);
        }
    }
}

fn organization_once() -> &'static Organization {
    static ONCE: std::sync::OnceLock<Organization> = std::sync::OnceLock::new();
    ONCE.get_or_init(organization)
}

fn entries_once() -> &'static [Entry] {
    static ONCE: std::sync::OnceLock<Vec<Entry>> = std::sync::OnceLock::new();
    ONCE.get_or_init(corpus::entries)
}
