//! Parses the JSON of a query into types, and refuses unknown keys. `check` validates the content.

use std::fmt;

use kit::Result;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::refuse;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    #[serde(default)]
    pub measures: Vec<String>,
    #[serde(default)]
    pub dimensions: Vec<String>,
    #[serde(default)]
    pub segments: Vec<String>,
    #[serde(default)]
    pub filters: Vec<Filter>,
    #[serde(default)]
    pub time_dimensions: Vec<TimeDimension>,
    pub order: Option<Order>,
    #[serde(default, deserialize_with = "whole")]
    pub limit: Option<u64>,
    #[serde(default, deserialize_with = "whole")]
    pub offset: Option<u64>,
    #[serde(default)]
    pub total: bool,
    pub timezone: Option<String>,
    #[serde(default)]
    pub ungrouped: bool,
    pub response_format: Option<Format>,
    pub cache: Option<CacheMode>,
    /// Old clients send this. It has no effect, because every answer is fresh.
    #[serde(rename = "renewQuery")]
    pub _renew_query: Option<IgnoredAny>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Default,
    Compact,
    Columnar,
}

/// Accepted because clients send it. It has no effect, because every answer is based on current data.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheMode {
    StaleIfSlow,
    StaleWhileRevalidate,
    MustRevalidate,
    NoCache,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimeDimension {
    pub dimension: String,
    pub granularity: Option<String>,
    pub date_range: Option<DateRange>,
    pub compare_date_range: Option<Vec<DateRange>>,
}

/// A text, or a list of one or two texts.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum DateRange {
    Text(String),
    List(Vec<String>),
}

/// A leaf or a group. `check` refuses a filter that is both or neither.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    pub member: Option<String>,
    /// The former name of `member`.
    pub dimension: Option<String>,
    pub operator: Option<String>,
    pub values: Option<Vec<Scalar>>,
    pub or: Option<Vec<Filter>>,
    pub and: Option<Vec<Filter>>,
}

/// A filter value as text; `None` for null.
#[derive(Debug, Clone)]
pub struct Scalar(pub Option<String>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Scalar;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, true, false or null")
            }
            fn visit_str<E>(self, it: &str) -> std::result::Result<Scalar, E> {
                Ok(Scalar(Some(it.to_owned())))
            }
            fn visit_i64<E>(self, it: i64) -> std::result::Result<Scalar, E> {
                Ok(Scalar(Some(it.to_string())))
            }
            fn visit_u64<E>(self, it: u64) -> std::result::Result<Scalar, E> {
                Ok(Scalar(Some(it.to_string())))
            }
            fn visit_f64<E>(self, it: f64) -> std::result::Result<Scalar, E> {
                Ok(Scalar(Some(it.to_string())))
            }
            fn visit_bool<E>(self, it: bool) -> std::result::Result<Scalar, E> {
                Ok(Scalar(Some(it.to_string())))
            }
            fn visit_unit<E>(self) -> std::result::Result<Scalar, E> {
                Ok(Scalar(None))
            }
        }
        from.deserialize_any(Read)
    }
}

/// The sort order: members and directions, the most significant first.
#[derive(Debug, Clone)]
pub struct Order(pub Vec<(String, Direction)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Asc,
    Desc,
}

/// Parses an object that maps members to directions, in its order, or a list of pairs.
impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Order;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or a list of [member, direction]")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Order, A::Error> {
                let mut order = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    order.push(entry);
                }
                Ok(Order(order))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Order, A::Error> {
                let mut order = Vec::new();
                while let Some(entry) = list.next_element()? {
                    order.push(entry);
                }
                Ok(Order(order))
            }
        }
        from.deserialize_any(Read)
    }
}

/// Parses a non-negative integer. Accepts 10.0 as 10, because JavaScript does not distinguish them.
fn whole<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<u64>, D::Error> {
    struct Read;
    impl Visitor<'_> for Read {
        type Value = u64;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number that is not negative")
        }
        fn visit_u64<E>(self, it: u64) -> std::result::Result<u64, E> {
            Ok(it)
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be whole and in range
        fn visit_f64<E: serde::de::Error>(self, it: f64) -> std::result::Result<u64, E> {
            if it >= 0.0 && it.fract() == 0.0 && it <= 9e15 {
                return Ok(it as u64);
            }
            Err(E::invalid_value(serde::de::Unexpected::Float(it), &self))
        }
    }
    from.deserialize_any(Read).map(Some)
}

/// Parses the queries of a request. Also returns whether they were a list.
///
/// # Errors
///
/// The contract's errors for invalid JSON and for invalid queries.
pub fn read(text: &str) -> Result<(Vec<Query>, bool)> {
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        return Err(refuse("Query param is required"));
    }
    if trimmed.starts_with('"') {
        // The query may be JSON inside a JSON string.
        let inner: String = serde_json::from_str(text).map_err(|error| undecodable(&error))?;
        if inner.trim_start().starts_with('"') {
            return Err(refuse("Invalid query format: a query is an object or a list of objects"));
        }
        return read(&inner);
    }
    if trimmed.starts_with('[') {
        return Ok((parse(text)?, true));
    }
    if !trimmed.starts_with('{') {
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| undecodable(&error))?;
        return Err(refuse("Invalid query format: a query is an object or a list of objects"));
    }
    Ok((vec![parse(text)?], false))
}

fn parse<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => refuse(&format!("Invalid query format: {error}")),
        _ => undecodable(&error),
    })
}

fn undecodable(error: &serde_json::Error) -> kit::Error {
    refuse(&format!("Unable to decode query param as JSON, error: {error}"))
}
