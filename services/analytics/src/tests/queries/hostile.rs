//! Malicious queries. Each is refused with an error text, quickly and before a statement is built.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::dice::Dice;
use super::draw::Draw;
use super::{at, number};
use crate::query::check::check;
use crate::query::filter::MAX_GROUPS;

/// Time limit for one query. The largest is parsed in milliseconds; the rest is for a busy machine.
const LONGEST: Duration = Duration::from_secs(10);
/// Maximum increase of the process's peak memory by all queries together.
const MOST_KIB: u64 = 96 * 1024;

const INJECTIONS: [&str; 14] = [
    "' OR 1=1 --",
    "\"; DROP TABLE delivery_fact; --",
    ") UNION SELECT secret FROM account --",
    "`",
    "\u{0}",
    "/**/",
    "$1",
    "%00",
    "\\",
    " ",
    "\u{202e}",
    "ı",
    "${7*7}",
    "\n",
];
const STRANGE_NAMES: [&str; 16] = [
    "delivery_fact.run",
    "Delivery.delivery_id_key",
    "delivery.count",
    "Delivery.Count",
    "Delivery..count",
    ".count",
    "Delivery.",
    "Delivery",
    "",
    ".",
    "*",
    "__proto__.x",
    "Delivery.constructor",
    "pg_catalog.pg_user",
    "sqlite_master.sql",
    "Delivery.count.day.hour",
];
const DATES: [&str; 12] = [
    "soon",
    "10000-01-01",
    "0000-01-01",
    "-2024-01-01",
    "2024-02-30",
    "2024-13-01",
    "last 999999999 years",
    "next 99999999999999999999 days",
    "from 999999999 years ago to now",
    "2024-01-01T25:00:00",
    "'; SELECT pg_sleep(60) --",
    "٢٠٢٤-٠١-٠١",
];

struct Malice(Draw);

impl Malice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0.0.roll(sides)
    }

    fn query(&mut self) -> String {
        match self.roll(8) {
            0 | 1 => self.name().to_string(),
            2 => self.value().to_string(),
            3 => self.deep(),
            4 => self.range().to_string(),
            5 => self.number(),
            6 => self.shape(),
            _ => self.broken(),
        }
    }

    /// Draws a text that is not the name of a member.
    fn strange(&mut self, kind: &str) -> String {
        let honest = if kind == "measure" { "Delivery.count" } else { "Delivery.trucker" };
        let injected = self.0.of(&INJECTIONS);
        match self.roll(4) {
            0 => self.0.of(&STRANGE_NAMES).to_owned(),
            1 => format!("{honest}{injected}"),
            2 => {
                let at = self.roll(honest.len());
                format!("{}{injected}{}", &honest[..at], &honest[at..])
            }
            _ => honest.repeat(2 + self.roll(5_000)),
        }
    }

    /// Draws a query with an invalid name in a random place.
    fn name(&mut self) -> Value {
        let mut query = json!({ "measures": ["Delivery.count"], "dimensions": ["Delivery.trucker"] });
        let leaf = |name: Value| json!([{ "member": name, "operator": "equals", "values": ["a"] }]);
        match self.roll(9) {
            0 => query["measures"] = json!(["Delivery.count", self.strange("measure")]),
            1 => query["dimensions"] = json!([self.strange("dimension")]),
            2 => query["timeDimensions"] = json!([{ "dimension": self.strange("time") }]),
            3 => query["filters"] = leaf(json!(self.strange("dimension"))),
            4 => query["filters"] = json!([{ "and": [{ "or": leaf(json!(self.strange("measure"))) }] }]),
            5 => query["order"] = json!({ self.strange("measure"): "asc" }),
            6 => query["order"] = json!([[self.strange("dimension"), "desc"]]),
            7 => query["segments"] = json!([self.strange("measure")]),
            _ => {
                let unit = format!("day{}", self.0.of(&INJECTIONS));
                query["dimensions"] = json!([format!("Delivery.scheduledatetime.{unit}")]);
            }
        }
        query
    }

    /// Draws a query with too many values, too long ones, or ones of a type that the operator does not
    /// accept.
    fn value(&mut self) -> Value {
        let more = self.roll(3_000);
        let leaf = |operator: &str, values: Value| json!({ "member": "Delivery.trucker", "operator": operator, "values": values });
        let filters = match self.roll(9) {
            0 => json!([leaf("equals", json!(vec!["a"; 501 + more]))]),
            1 => json!([leaf("contains", json!(["%".repeat(501 + more)]))]),
            2 => json!(vec![leaf("in", json!(vec!["a"; 500])); 11]),
            3 => json!(vec![leaf("set", Value::Null); 101 + more]),
            4 => json!([leaf("equals", json!([{ "$gt": "" }]))]),
            5 => json!([leaf("equals", json!([[["a"]]]))]),
            6 => json!([leaf(self.0.of(&["gt", "like", "regexp", "inDateRange", "; --"]), json!([null]))]),
            7 => {
                json!([{ "member": "Delivery.count", "operator": "gt", "values": [self.0.of(&INJECTIONS)] }])
            }
            _ => json!([{ "or": [leaf("set", Value::Null),
                { "member": "Delivery.count", "operator": "set" }] }]),
        };
        json!({ "measures": ["Delivery.count"], "filters": filters })
    }

    /// Draws a query with nested filters, nested lists, or nested texts.
    fn deep(&mut self) -> String {
        let levels = 11 + self.roll(9_000);
        let word = self.0.of(&["or", "and"]);
        let end = if self.0.0.chance(50) { "]}".repeat(levels) } else { String::new() };
        let leaf = r#"{"member":"Delivery.trucker","operator":"set"}"#;
        match self.roll(3) {
            0 => format!(
                r#"{{"measures":["Delivery.count"],"filters":[{}{leaf}{end}]}}"#,
                format!("{{\"{word}\":[").repeat(levels)
            ),
            1 => format!("{}1{}", "[".repeat(levels), "]".repeat(levels)),
            _ => {
                let mut text = r#"{"measures":["Delivery.count"]}"#.to_owned();
                for _ in 0..2 + self.roll(4) {
                    text = Value::String(text).to_string();
                }
                text
            }
        }
    }

    /// Draws a query with more times, buckets or ranges than allowed.
    fn range(&mut self) -> Value {
        let unit = self.0.of(&["second", "minute"]);
        let time = |rest: Value| {
            let mut time = json!({ "dimension": "Delivery.scheduledatetime" });
            time.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            time
        };
        let times = match self.roll(7) {
            0 => json!([time(json!({ "granularity": unit, "dateRange": ["0001-01-01", "9999-12-31"] }))]),
            1 => json!([time(json!({ "granularity": unit, "dateRange": "last 90 years" }))]),
            2 => json!([time(json!({ "dateRange": self.0.of(&DATES) }))]),
            3 => json!([time(json!({ "dateRange": ["2024-01-01", self.0.of(&DATES)] }))]),
            4 => json!([time(json!({ "compareDateRange": vec!["today"; 11 + self.roll(2_000)] }))]),
            5 => json!(vec![time(json!({ "granularity": "day" })); 9 + self.roll(500)]),
            _ => {
                json!([time(json!({ "granularity": self.0.of(&["decade", "day'", "DAY", "", "day; --"]) }))])
            }
        };
        json!({ "measures": ["Delivery.count"], "timeDimensions": times })
    }

    fn number(&mut self) -> String {
        let key = self.0.of(&["limit", "offset"]);
        let number = self.0.of(&[
            "-1",
            "1.5",
            "1e400",
            "-0.1",
            "18446744073709551616",
            "18446744073709551615",
            "9223372036854775808",
            "1e300",
            "\"7\"",
            "[1]",
            "{}",
            "true",
            "NaN",
            "Infinity",
            "0x10",
            "null",
            "9e15",
        ]);
        format!(r#"{{"measures":["Delivery.count"],"{key}":{number}}}"#)
    }

    /// Draws JSON that is not in the format of a query.
    fn shape(&mut self) -> String {
        let zone =
            format!("{}{}", self.0.of(&["UTC", "../../etc/passwd", "Mars/North"]), self.0.of(&INJECTIONS));
        match self.roll(9) {
            0 => json!({ "measures": ["Delivery.count"], "timezone": zone + "x" }).to_string(),
            1 => json!({ "measures": vec!["Delivery.count"; 101 + self.roll(5_000)] }).to_string(),
            2 => json!(vec![json!({ "measures": ["Delivery.count"] }); 11 + self.roll(2_000)]).to_string(),
            3 => json!({ "measures": ["Delivery.count"], "sql": "SELECT 1" }).to_string(),
            4 => r#"{"measures":["Delivery.count"],"measures":["Delivery.count"]}"#.to_owned(),
            5 => json!({ "measures": { "0": "Delivery.count" } }).to_string(),
            6 => json!({ "measures": ["Delivery.count"], "order": { "Delivery.count": "asc; --" } })
                .to_string(),
            7 => json!({ "measures": ["Delivery.count"], "x": "a".repeat(256 * 1024) }).to_string(),
            _ => self.0.of(&["[]", "{}", "null", "7", "\"\"", "true", "[{}]", "[[]]", "\"7\""]).to_owned(),
        }
    }

    /// Truncates a valid query, or changes its bytes so that it is not JSON any more.
    fn broken(&mut self) -> String {
        let text = self.0.request().to_string();
        let mut at = 1 + self.roll(text.len() - 2);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match self.roll(3) {
            0 => text[..at].to_owned(),
            1 => format!("{text}{}", self.0.of(&["x", "}", "{}", ",", "\u{0}", "--"])),
            _ => format!("{}{text}", self.0.of(&["x", "}", ",", "\u{feff}", "--", "'"])),
        }
    }
}

/// Returns the peak memory of this process, where the system reports it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn groups_without_filters_are_limited_too() {
    let empty = |word: &str, count: usize| vec![json!({ word: [] }); count];
    for filters in [
        json!([{ "or": empty("or", 2_000) }]),
        json!([{ "and": [{ "or": empty("and", 2_000) }] }]),
        json!(empty("or", 3_000)),
        json!(empty("and", MAX_GROUPS + 1)),
    ] {
        let query = json!({ "measures": ["Delivery.count"], "filters": filters }).to_string();
        let error = check(&query, at("2024-06-01T00:00:00Z")).expect_err("too many groups");
        assert_eq!(error.kind, kit::Kind::InvalidInput);
        assert_eq!(error.message, "Invalid query format: a query has at most 100 groups of filters");
    }
}

#[test]
fn made_up_hostile_queries_are_refused_at_once() {
    let queries = number("WAYBILL_HOSTILE_QUERIES", 600);
    let mut malice = Malice(Draw(Dice::new(number("WAYBILL_QUERY_SEED", 2024))));
    let before = peak_kib();
    let mut slowest = Duration::ZERO;
    for _ in 0..queries {
        let text = malice.query();
        let shown: String = text.chars().take(300).collect();
        let begun = Instant::now();
        let Err(error) = check(&text, at("2024-06-01T00:00:00Z")) else {
            panic!("this was accepted: {shown}")
        };
        slowest = slowest.max(begun.elapsed());
        assert_eq!(error.kind, kit::Kind::InvalidInput, "{shown}");
        let said = error.message.chars().count();
        assert!((10..=1_000).contains(&said), "{shown}: {}", error.message);
        assert!(!error.message.contains("panicked") && !error.message.contains("src/"), "{}", error.message);
    }
    eprintln!("{queries} queries; the slowest took {slowest:?}");
    assert!(slowest < LONGEST, "{slowest:?}");
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        assert!(after - before < MOST_KIB, "{} KiB more at the peak", after - before);
    }
}
