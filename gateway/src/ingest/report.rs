//! A parsed request in our terms and units, or its error.

use chrono::{DateTime, Utc};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, Method, StatusCode};
use kit::config::Organization;
use kit::input::limits::DEVICE_ID;
use proto::drivers::v1::PositionInput;
use reqwest::Url;

/// Maximum number of parameters that are read. Senders have a few dozen, and a request has room for half a million.
const MAX_PAIRS: usize = 1_000;

/// The sender's protocol, which is stored with positions and decides the format of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Osmand,
    TraccarJson,
    Owntracks,
    Batch,
}

impl Protocol {
    pub fn provider(self) -> &'static str {
        match self {
            Self::Osmand => "osmand",
            Self::TraccarJson => "traccar_json",
            Self::Owntracks => "owntracks",
            Self::Batch => "api",
        }
    }
}

/// Positions of one device. Empty if the device only reports that it is alive, or reports something that we
/// do not store. The response to an empty report is a success.
#[derive(Debug, PartialEq)]
pub struct Report {
    pub protocol: Protocol,
    pub device_id: String,
    pub positions: Vec<PositionInput>,
}

/// Why a request is refused, in a text for the person who set up the device.
#[derive(Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The request cannot be parsed.
    Unreadable(String),
    /// The request was parsed, but its content is impossible.
    Impossible(String),
    /// The request has a time without an offset, and the organization's time zone is not known yet.
    Later,
}

impl Wrong {
    pub fn unreadable(text: impl Into<String>) -> Self {
        Self::Unreadable(text.into())
    }

    pub fn impossible(text: impl Into<String>) -> Self {
        Self::Impossible(text.into())
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::Impossible(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Later => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) | Self::Impossible(_) => "BAD_USER_INPUT",
            Self::Later => "UNAVAILABLE",
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Unreadable(text) | Self::Impossible(text) => text,
            Self::Later => "the organization's time zone isn't known yet, so send this again in a moment",
        }
    }
}

pub type Result<T> = std::result::Result<T, Wrong>;

/// A request, received and decompressed.
pub struct Parts<'a> {
    pub method: &'a Method,
    pub query: &'a str,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
    /// The current time, used for a point without a time.
    pub now: DateTime<Utc>,
    /// The organization whose time zone applies to a time without an offset; `None` while it is not known.
    pub organization: Option<&'a Organization>,
}

impl Parts<'_> {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns whether the body is JSON, by its content type or its first character: some senders label JSON
    /// as a form.
    pub fn is_json(&self) -> bool {
        let first = self.body.iter().find(|byte| !byte.is_ascii_whitespace());
        let said = self.header(CONTENT_TYPE.as_str()).is_some_and(|it| it.starts_with("application/json"));
        matches!(first, Some(b'{' | b'[')) || (said && first.is_some())
    }

    /// Returns the user name of HTTP basic authentication. The password is ignored.
    pub fn basic_user(&self) -> Option<String> {
        use base64::Engine;
        let (scheme, coded) = self.header(AUTHORIZATION.as_str())?.split_once(' ')?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(coded.trim()).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (user, _) = text.split_once(':')?;
        (scheme.eq_ignore_ascii_case("basic") && !user.is_empty()).then(|| user.to_owned())
    }
}

/// Returns names and values of a query string or a form, and no more of them than [`MAX_PAIRS`].
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let Ok(mut url) = Url::parse("http://form/") else { return Vec::new() };
    url.set_query(Some(text));
    let pairs = url.query_pairs().take(MAX_PAIRS);
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Returns a trimmed device id.
pub fn device_id(name: &str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Wrong::unreadable(format!("{name} is missing: which device is this?")));
    }
    if text.chars().count() > DEVICE_ID || text.chars().any(|c| c.is_control() || c == '\u{fffd}') {
        return Err(Wrong::impossible(format!(
            "{name} must have no more than {DEVICE_ID} characters, and no control characters"
        )));
    }
    Ok(text.to_owned())
}
