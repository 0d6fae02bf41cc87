//! What is sent to other systems, when it is retried, and which endpoints are valid.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use kit::input::{Check, limits};
use kit::outbound::Reach;
use proto::deliveries::v1 as wire;
use ring::digest::{SHA256, digest};

use super::delivery::text_enum;

text_enum!(
    /// Why something is sent. `Event` is different: an event that one of our consumers gave up on, or an
    /// unreadable report of a producer.
    Method {
        Create => "create",
        Update => "update",
        Status => "status",
        Variance => "variance",
        Form => "form",
        Cancel => "cancel",
        Correction => "correction",
        Event => "event",
    }
);

text_enum!(
    /// The state of a send. A `Queued` send has had no attempt yet.
    State {
        Queued => "queued",
        ScheduledRetry => "scheduled_retry",
        Failed => "failed",
        Success => "success",
        Discarded => "discarded",
    }
);

text_enum!(
    /// The kind of failure of an attempt.
    ErrorClass {
        Dns => "dns",
        Tls => "tls",
        Connection => "connection",
        Timeout => "timeout",
        Redirect => "redirect",
        Http4xx => "http_4xx",
        Http5xx => "http_5xx",
        Validation => "validation",
        Handling => "handling",
        Reported => "reported",
    }
);

impl State {
    /// States of a send that waits for its next attempt.
    pub const OPEN: [State; 2] = [State::Queued, State::ScheduledRetry];
    /// States of a send that an administrator may have to act on.
    pub const TO_FIX: [State; 2] = [State::ScheduledRetry, State::Failed];
    /// States of a send that has ended.
    pub const CLOSED: [State; 2] = [State::Success, State::Discarded];
}

/// Methods that an endpoint can subscribe to.
pub const SENT: &[Method] = &[
    Method::Create,
    Method::Update,
    Method::Status,
    Method::Variance,
    Method::Form,
    Method::Cancel,
    Method::Correction,
];

/// Pauses between attempts, in seconds. The first attempt is immediate; the ninth is the last.
const PAUSES: [i64; 8] = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400];
/// Each pause is longer or shorter by up to this share, so that failed sends are not retried together.
const JITTER: f64 = 0.1;

/// The longest pause between two attempts.
pub const LONGEST_PAUSE: Duration = Duration::seconds(PAUSES[PAUSES.len() - 1] * 11 / 10);

/// An endpoint is paused after this many failures in a row.
pub const FAILURES_BEFORE_PAUSE: i32 = 50;
/// For this long after a secret is rotated, messages are also signed with the old secret.
pub const OLD_SECRET_FOR: Duration = Duration::hours(24);

/// Returns when to try again after `tries` attempts; `None` after the last one. `chance`, between 0 and 1,
/// places the time within the jitter.
pub fn next_attempt(tries: i32, now: DateTime<Utc>, chance: f64) -> Option<DateTime<Utc>> {
    let pause = PAUSES.get(usize::try_from(tries - 1).ok()?)?;
    let factor = 1.0 - JITTER + 2.0 * JITTER * chance.clamp(0.0, 1.0);
    Some(now + Duration::milliseconds((*pause as f64 * 1_000.0 * factor) as i64))
}

/// Returns a random number between 0 and 1.
pub fn chance() -> Result<f64> {
    Ok(f64::from(u32::from_be_bytes(kit::random::bytes()?)) / f64::from(u32::MAX))
}

/// Returns whether retrying is useless: for every 4xx status except those that ask to try again later.
pub fn is_permanent(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 408 | 425 | 429)
}

/// Returns the key by which failures are grouped. Failures have the same key if their endpoint, their kind
/// and their error text are the same, ignoring numbers in the text.
pub fn fingerprint(endpoint: &str, class: ErrorClass, text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c != '#' || !plain.ends_with('#') {
            plain.push(c);
        }
    }
    let hash = digest(&SHA256, format!("{endpoint}\n{}\n{plain}", class.as_str()).as_bytes());
    hex::encode(&hash.as_ref()[..12])
}

/// What administrators enter about an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointForm {
    pub name: String,
    pub url: String,
    pub methods: Vec<Method>,
    /// Sources whose deliveries are sent to the endpoint; empty means all sources.
    pub source_ids: Vec<String>,
    pub is_active: bool,
}

const MAX_URL: usize = 500;
const MAX_SOURCES: usize = 50;

/// Validates the form. The error lists everything that is wrong.
pub fn endpoint(request: wire::SaveOutboundEndpointRequest, reach: Reach) -> Result<EndpointForm> {
    let wire::SaveOutboundEndpointRequest { name, url, methods, source_ids, is_active, .. } = request;
    let mut check = Check::new();
    let name = check.required("name", "Name", &name, limits::SHORT_NAME);
    let url = check.required("url", "Address", &url, MAX_URL);
    if !check.is_wrong("url") {
        check.require(may_be_called(&url, reach), "url", address_rule(reach));
    }
    let chosen: Vec<Method> =
        SENT.iter().copied().filter(|it| methods.iter().any(|text| text == it.as_str())).collect();
    let known = methods.iter().all(|text| SENT.iter().any(|it| it.as_str() == text));
    check.require(known && !chosen.is_empty(), "methods", "Choose at least one of the methods");
    let are_ids = source_ids.iter().all(|id| uuid::Uuid::try_parse(id).is_ok());
    check.require(are_ids && source_ids.len() <= MAX_SOURCES, "sourceIds", "Choose up to 50 of the sources");
    check.done(EndpointForm { name, url, methods: chosen, source_ids, is_active })
}

fn address_rule(reach: Reach) -> &'static str {
    match reach {
        Reach::Public => "Enter an address that starts with https:// and is reachable from the internet",
        Reach::Private => "Enter an address that starts with https:// or http://",
    }
}

/// Returns whether `url` is a valid URL that `reach` allows to call.
pub fn may_be_called(url: &str, reach: Reach) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| reach.may_call(&url))
}

/// Checks that an edited payload is a JSON object of at most 64 KiB; returns it unchanged.
pub fn edited(text: &str) -> Result<String> {
    const MOST: usize = 64 << 10;
    let refuse = |why: &str| kit::Error::invalid_field("payload", why);
    if text.len() > MOST {
        return Err(refuse("The payload must have no more than 64 KiB"));
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Object(_)) => Ok(text.to_owned()),
        _ => Err(refuse("The payload must be a JSON object. Check its brackets and commas.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_within_ten_percent_of_the_schedule_and_end() {
        let now = DateTime::UNIX_EPOCH;
        for (tries, seconds) in (1..).zip([10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400]) {
            for chance in [0.0, 0.5, 1.0] {
                let pause = (next_attempt(tries, now, chance).unwrap() - now).as_seconds_f64();
                let expected = f64::from(seconds) * (0.9 + 0.2 * chance);
                assert!((pause - expected).abs() < 0.01, "{tries}: {pause} for {expected}");
            }
        }
        assert!(next_attempt(8, now, 1.0).unwrap() - now <= LONGEST_PAUSE);
        assert_eq!(next_attempt(9, now, 0.5), None);
        assert!((0..100).all(|_| (0.0..=1.0).contains(&chance().unwrap())));
    }

    #[test]
    fn only_an_answer_that_stays_the_same_is_permanent() {
        let permanent: Vec<u16> = [200, 301, 400, 404, 408, 410, 422, 425, 429, 499, 500, 503]
            .into_iter()
            .filter(|it| is_permanent(*it))
            .collect();
        assert_eq!(permanent, [400, 404, 410, 422, 499]);
    }

    #[test]
    fn failures_are_grouped_whatever_numbers_they_name() {
        let of = |text| fingerprint("e", ErrorClass::Http4xx, text);
        assert_eq!(of("422: No invoice SI-880377"), of("422: No invoice SI-12"));
        assert_ne!(of("422: No invoice"), of("422: No customer"));
        assert_ne!(of("x"), fingerprint("other", ErrorClass::Http4xx, "x"));
        assert_ne!(of("x"), fingerprint("e", ErrorClass::Http5xx, "x"));
    }

    fn form() -> wire::SaveOutboundEndpointRequest {
        wire::SaveOutboundEndpointRequest {
            name: " ERP ".into(),
            url: "https://erp.example.com/hook".into(),
            methods: vec!["status".into(), "create".into()],
            is_active: true,
            ..Default::default()
        }
    }

    #[test]
    fn an_endpoint_is_checked_whole() {
        let read = endpoint(form(), Reach::Public).unwrap();
        assert_eq!((read.name.as_str(), read.methods), ("ERP", vec![Method::Create, Method::Status]));
        let wrong = wire::SaveOutboundEndpointRequest {
            name: " ".into(),
            url: "https://10.0.0.1/".into(),
            methods: vec!["event".into()],
            source_ids: vec!["x".into()],
            ..form()
        };
        let fields = endpoint(wrong.clone(), Reach::Public).unwrap_err().fields;
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        assert_eq!(names, ["methods", "name", "sourceIds", "url"]);
        let fields = endpoint(wrong, Reach::Private).unwrap_err().fields;
        assert!(!fields.contains_key("url"), "{fields:?}");
    }

    #[test]
    fn an_edited_payload_is_an_object_of_bounded_size() {
        assert_eq!(edited("{ \"a\": 1 }").unwrap(), "{ \"a\": 1 }");
        for wrong in ["", "[]", "{", "1", &format!("{{\"a\":\"{}\"}}", "x".repeat(70_000))] {
            assert!(edited(wrong).is_err());
        }
    }
}
