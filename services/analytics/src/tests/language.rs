//! Valid and invalid queries, in the contract's wording.

use super::queries::at;
use crate::query::check::{QueryType, check};

/// A Saturday, at 07:37 UTC.
const NOW: &str = "2026-11-21T07:37:00Z";

fn refusal(query: &str) -> String {
    match check(query, at(NOW)) {
        Ok(_) => panic!("this was accepted: {query}"),
        Err(error) => {
            assert_eq!(error.kind, kit::Kind::InvalidInput, "{query}");
            error.message.to_string()
        }
    }
}

/// Returns the range that a text is resolved to, as it is repeated in answers.
fn range(text: &str, zone: &str) -> String {
    let query = serde_json::json!({
        "measures": ["Delivery.count"], "timezone": zone,
        "timeDimensions": [{ "dimension": "Delivery.scheduledatetime", "dateRange": text }],
    });
    let asked = check(&query.to_string(), at(NOW)).unwrap_or_else(|error| panic!("{text}: {error}"));
    let [start, end] = asked.queries[0].times[0].range.unwrap().texts();
    format!("{start} {end}")
}

#[test]
fn what_is_no_query_is_refused_with_its_reason() {
    let empty = "Query should contain either measures, dimensions or timeDimensions with granularities in order to be valid";
    for (query, text) in [
        ("", "Query param is required"),
        ("{}", empty),
        (r#"{"timeDimensions":[{"dimension":"Delivery.scheduledatetime"}]}"#, empty),
        (r#"{"measures":["Delivery.nope"]}"#, "'nope' not found for path 'Delivery.nope'"),
        (r#"{"dimensions":["Nope.x"]}"#, "Cube 'Nope' not found for path 'Nope.x'"),
        (r#"{"dimensions":["Driver.driverId"],"limit":50001}"#, "The query limit has been exceeded."),
        (
            r#"{"measures":["Delivery.count"],"timeDimensions":[{"dimension":"Delivery.scheduledatetime","dateRange":"soon"}]}"#,
            "Can't parse date: 'soon'",
        ),
        (r#"[{"measures":["Delivery.count"]}]"#, "Data blending query without granularity is not supported"),
    ] {
        assert_eq!(refusal(query), text, "{query}");
    }
    for (query, begin) in [
        ("{", "Unable to decode query param as JSON, error: "),
        ("NOT_JSON", "Unable to decode query param as JSON, error: "),
        ("7", "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"surprise":1}"#, "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"limit":-1}"#, "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"limit":1.5}"#, "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"limit":"1"}"#, "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"limit":null}"#, "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"order":{"Delivery.count":"none"}}"#, "Invalid query format: "),
        (r#"{"measures":["Delivery.count"],"timezone":"Mars/North"}"#, "Unknown time zone: "),
    ] {
        assert!(refusal(query).starts_with(begin), "{query}: {}", refusal(query));
    }
}

#[test]
fn a_filter_that_makes_no_sense_is_refused() {
    let with = |filter: &str| refusal(&format!(r#"{{"measures":["Delivery.count"],"filters":[{filter}]}}"#));
    for (filter, begin) in [
        (r#"{"member":"Delivery.trucker","operator":"equals"}"#, "Values required for filter: {"),
        (
            r#"{"member":"Delivery.trucker","operator":"contains","values":[]}"#,
            "Values required for filter: {",
        ),
        (r#"{"member":"Delivery.trucker","operator":"like","values":["a"]}"#, "Invalid query format: "),
        (
            r#"{"member":"Delivery.count","operator":"contains","values":["1"]}"#,
            "The operator contains cannot be used",
        ),
        (
            r#"{"member":"Delivery.count","operator":"gt","values":["many"]}"#,
            "The filter on Delivery.count takes numbers",
        ),
        (r#"{"or":[],"and":[]}"#, "Invalid query format: "),
        (r#"{"member":"Delivery.trucker","or":[]}"#, "Invalid query format: "),
        (
            r#"{"or":[{"member":"Delivery.count","operator":"set"},{"member":"Delivery.trucker","operator":"set"}]}"#,
            "You cannot use dimension and measure in same condition: ",
        ),
        (
            r#"{"member":"Delivery.scheduledatetime","operator":"inDateRange","values":["today","last week"]}"#,
            "Can't parse date: ",
        ),
    ] {
        assert!(with(filter).starts_with(begin), "{filter}: {}", with(filter));
    }
}

#[test]
fn times_among_the_dimensions_count_as_time_dimensions() {
    let units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
    let scheduled = units.map(|unit| format!("Delivery.scheduledatetime.{unit}"));
    let asked = |dimensions: &[String], times: serde_json::Value| {
        serde_json::json!({ "dimensions": dimensions, "timeDimensions": times }).to_string()
    };
    let time = |name: &str| serde_json::json!([{ "dimension": name, "granularity": "day" }]);
    let none = serde_json::json!([]);
    let count = |query: &str| check(query, at(NOW)).unwrap().queries[0].times.len();

    let mut nine = scheduled.to_vec();
    nine.push("Delivery.deliverydatetime.day".to_owned());
    for query in [asked(&nine, none.clone()), asked(&scheduled, time("Delivery.deliverydatetime"))] {
        assert_eq!(refusal(&query), "Invalid query format: the query names too many members");
    }
    assert_eq!(count(&asked(&scheduled, none.clone())), 8);
    // Repeated ones are one.
    assert_eq!(count(&asked(&vec![scheduled[6].clone(); 99], none)), 1);
    assert_eq!(count(&asked(&scheduled, time("Delivery.scheduledatetime"))), 8);
}

#[test]
fn hostile_queries_are_refused_before_anything_runs() {
    let deep = format!(
        r#"{{"measures":["Delivery.count"],"filters":[{}{{"member":"Delivery.trucker","operator":"set"}}{}]}}"#,
        r#"{"or":["#.repeat(11),
        "]}".repeat(11)
    );
    let deeper = format!("{}{}", r#"{"filters":[{"and":["#, r#"{"or":["#.repeat(5_000));
    let many = |count: usize, text: &str| vec![text; count].join(",");
    let leaves = many(101, r#"{"member":"Delivery.trucker","operator":"set"}"#);
    let values = many(501, r#""a""#);
    let long = "a".repeat(501);
    let filters = |filters: &str| format!(r#"{{"measures":["Delivery.count"],"filters":[{filters}]}}"#);
    let equals = |values: &str| {
        filters(&format!(r#"{{"member":"Delivery.trucker","operator":"equals","values":[{values}]}}"#))
    };
    for query in [
        deep,
        deeper,
        filters(&leaves),
        equals(&values),
        equals(&format!("\"{long}\"")),
        equals(r#"{"a":1}"#),
        r#"{"measures":["Delivery.count; DROP TABLE delivery_fact"]}"#.to_owned(),
        r#"{"dimensions":["delivery_fact.run"]}"#.to_owned(),
        r#"{"dimensions":["Delivery.scheduledatetime.day') --"]}"#.to_owned(),
        r#"{"measures":["Delivery.count"],"order":{"1; --":"asc"}}"#.to_owned(),
        r#"{"measures":["Delivery.count"],"timezone":"UTC' --"}"#.to_owned(),
        r#"{"measures":["Delivery.count"],"timeDimensions":[{"dimension":"Delivery.scheduledatetime","granularity":"second","dateRange":["0001-01-01","9999-12-31"]}]}"#.to_owned(),
        format!(r#"{{"measures":["Delivery.count"],"timezone":"{}"}}"#, "a".repeat(300_000)),
        format!("[{}]", many(11, r#"{"measures":["Delivery.count"]}"#)),
        format!("{}{{}}", "[".repeat(100_000)),
    ] {
        let text = refusal(&query);
        assert!(!text.is_empty() && text.chars().count() <= 1_000, "{text}");
    }
}

#[test]
fn words_mean_whole_calendar_units() {
    let days = |from: &str, to: &str| format!("2026-{from}T00:00:00.000 2026-{to}T23:59:59.999");
    for (text, expected) in [
        ("today", days("11-21", "11-21")),
        ("now", days("11-21", "11-21")),
        ("Yesterday", days("11-20", "11-20")),
        ("tomorrow", days("11-22", "11-22")),
        ("last 7 days", days("11-14", "11-20")),
        ("last week", days("11-09", "11-15")),
        ("last 2 weeks", days("11-02", "11-15")),
        ("this week", days("11-16", "11-22")),
        ("last quarter", days("07-01", "09-30")),
        ("this month", days("11-01", "11-30")),
        ("next 2 days", days("11-22", "11-23")),
        ("from 7 days ago to now", days("11-14", "11-21")),
        ("from now to 2 weeks from now", days("11-21", "12-05")),
        ("3 days ago", days("11-18", "11-18")),
        ("last monday", days("11-16", "11-16")),
        ("2026-03-02", days("03-02", "03-02")),
        ("9999-12-31", "9999-12-31T00:00:00.000 9999-12-31T23:59:59.999".to_owned()),
        ("from 2026-01-01 to 2026-01-31", days("01-01", "01-31")),
        ("March 2026", days("03-01", "03-01")),
        ("last 6 hours", "2026-11-21T01:00:00.000 2026-11-21T06:59:59.999".to_owned()),
        ("2026-03-02T10:20:30.456", "2026-03-02T10:20:30.456 2026-03-02T10:20:30.456".to_owned()),
    ] {
        assert_eq!(range(text, "UTC"), expected, "{text}");
    }
    // In Honolulu it is still Friday.
    assert_eq!(range("today", "pacific/honolulu"), days("11-20", "11-20"));
}

#[test]
fn a_query_comes_back_with_its_defaults() {
    let asked = check(
        r#""{\"measures\":[\"Delivery.count\"],\"dimensions\":[\"Delivery.trucker\",\"Delivery.scheduledatetime.week\"],\"renewQuery\":true,\"timezone\":\"asia/manila\"}""#,
        at(NOW),
    )
    .unwrap();
    assert_eq!(asked.kind, QueryType::Regular);
    let echo = serde_json::Value::Object(asked.queries[0].echo());
    let expected = serde_json::json!({
        "measures": ["Delivery.count"], "dimensions": ["Delivery.trucker"], "segments": [], "filters": [],
        "timeDimensions": [{ "dimension": "Delivery.scheduledatetime", "granularity": "week" }],
        "order": [{ "id": "Delivery.scheduledatetime", "desc": false }],
        "limit": 10_000, "rowLimit": 10_000, "timezone": "Asia/Manila",
    });
    assert_eq!(echo, expected);
}
