//! Validates a query: looks up members, resolves dates, fills in defaults.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use kit::Result;
use kit::input::limits;
use serde_json::{Map, Value, json};

use super::dates::{self, Range, Today, Unit};
use super::filter::{Filter, Reader};
use super::wire::{self, Direction, Format};
use super::{names, refuse, zone};
use crate::members::{Dimension, Measure};

pub const DEFAULT_LIMIT: u64 = 10_000;
pub const MAX_LIMIT: u64 = 50_000;
/// Maximum number of queries in a list, and of ranges in a comparison.
pub const MAX_QUERIES: usize = 10;
const MAX_TIMES: usize = 8;
const MAX_NAMES: usize = 100;
/// The same limit as in other lists. The database has to compute the rows before the offset, although nobody
/// sees them.
const MAX_OFFSET: u64 = 1_000_000;
const MAX_QUERY_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryType {
    Regular,
    CompareDateRange,
    Blending,
}

impl QueryType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Regular => "regularQuery",
            Self::CompareDateRange => "compareDateRangeQuery",
            Self::Blending => "blendingQuery",
        }
    }
}

/// A request, split into one or more queries.
#[derive(Debug, Clone)]
pub struct Asked {
    pub kind: QueryType,
    pub queries: Vec<Query>,
}

/// A validated query.
#[derive(Debug, Clone)]
pub struct Query {
    pub measures: Vec<&'static Measure>,
    pub dimensions: Vec<&'static Dimension>,
    pub times: Vec<TimeUse>,
    /// The index of the time in `times` whose ranges are compared.
    pub compared: Option<usize>,
    pub filters: Vec<Filter>,
    pub order: Vec<(String, Direction)>,
    pub limit: u64,
    pub offset: u64,
    pub total: bool,
    pub ungrouped: bool,
    pub zone: Tz,
    pub format: Format,
}

/// The use of a time dimension: truncated to a unit, limited to a range, or both.
#[derive(Debug, Clone)]
pub struct TimeUse {
    pub dimension: &'static Dimension,
    pub granularity: Option<Unit>,
    pub range: Option<Range>,
}

impl TimeUse {
    /// Returns the name under which its value appears in a row.
    pub fn key(&self) -> Option<String> {
        self.granularity.map(|unit| format!("{}.{}", self.dimension.name, unit.name()))
    }
}

/// Parses and validates a request.
///
/// # Errors
///
/// `ANALYTICS_QUERY` and `ANALYTICS_MEMBER_UNKNOWN`, with the texts of the contract.
pub fn check(text: &str, now: DateTime<Utc>) -> Result<Asked> {
    if text.len() > MAX_QUERY_BYTES {
        return Err(refuse("Invalid query format: the query is larger than 256 KiB"));
    }
    let (queries, is_list) = wire::read(text)?;
    if queries.is_empty() || queries.len() > MAX_QUERIES {
        let text = format!("Invalid query format: a list has 1 to {MAX_QUERIES} queries");
        return Err(refuse(&text));
    }
    let compares =
        |query: &wire::Query| query.time_dimensions.iter().any(|it| it.compare_date_range.is_some());
    if is_list {
        if queries.iter().any(compares) {
            return Err(refuse("compareDateRange is not supported in a list of queries"));
        }
        let queries: Vec<Query> = queries.into_iter().map(|query| one(query, now)).collect::<Result<_>>()?;
        same_granularity(&queries)?;
        return Ok(Asked { kind: QueryType::Blending, queries });
    }
    let Some(query) = queries.into_iter().next() else {
        return Err(refuse("Query param is required"));
    };
    if !compares(&query) {
        return Ok(Asked { kind: QueryType::Regular, queries: vec![one(query, now)?] });
    }
    let (at, ranges) = compared(&query)?;
    let each = |range: &wire::DateRange| -> Result<Query> {
        let mut query = query.clone();
        for time in &mut query.time_dimensions {
            if time.compare_date_range.take().is_some() {
                time.date_range = Some(range.clone());
            }
        }
        Ok(Query { compared: Some(at), ..one(query, now)? })
    };
    let queries = ranges.iter().map(each).collect::<Result<_>>()?;
    Ok(Asked { kind: QueryType::CompareDateRange, queries })
}

/// Returns the index of the time dimension to compare, and its ranges. Fails unless exactly one time dimension
/// has ranges to compare.
fn compared(query: &wire::Query) -> Result<(usize, &[wire::DateRange])> {
    let times = query.time_dimensions.iter().enumerate();
    let mut all = times.filter(|(_, it)| it.compare_date_range.is_some());
    let (Some((at, time)), None) = (all.next(), all.next()) else {
        return Err(refuse("compareDateRange can only exist for one timeDimension"));
    };
    if time.date_range.is_some() {
        return Err(refuse("Invalid query format: dateRange and compareDateRange exclude each other"));
    }
    let ranges = time.compare_date_range.as_deref().unwrap_or_default();
    if ranges.is_empty() || ranges.len() > MAX_QUERIES {
        let text = format!("Invalid query format: compareDateRange has 1 to {MAX_QUERIES} ranges");
        return Err(refuse(&text));
    }
    Ok((at, ranges))
}

fn same_granularity(queries: &[Query]) -> Result<()> {
    let first = |query: &Query| query.times.first().and_then(|time| time.granularity);
    let wanted = queries.first().and_then(first);
    if queries.iter().any(|query| first(query) != wanted) {
        return Err(refuse("Data blending query granularities must match"));
    }
    match wanted {
        Some(_) => Ok(()),
        None => Err(refuse("Data blending query without granularity is not supported")),
    }
}

fn one(query: wire::Query, now: DateTime<Utc>) -> Result<Query> {
    let zone = match query.timezone.as_deref() {
        None => Tz::UTC,
        Some(name) => zone::named(name).ok_or_else(|| {
            let shown: String = name.chars().take(100).collect();
            refuse(&format!("Unknown time zone: '{shown}'"))
        })?,
    };
    let today = Today { now, zone };
    let too_many = || refuse("Invalid query format: the query names too many members");
    if query.measures.len() + query.dimensions.len() > MAX_NAMES || query.time_dimensions.len() > MAX_TIMES {
        return Err(too_many());
    }
    if let Some(segment) = query.segments.first() {
        return Err(names::missing(segment));
    }
    let mut measures = Vec::new();
    for name in &query.measures {
        add(&mut measures, names::measure(name)?, |one, other| one.name == other.name);
    }
    let (dimensions, moved) = dimensions(&query.dimensions)?;
    let mut times = Vec::new();
    for time in &query.time_dimensions {
        times.push(time_use(time, today)?);
    }
    for time in moved {
        add(&mut times, time, |one, other| one.key() == other.key());
    }
    if times.len() > MAX_TIMES {
        return Err(too_many());
    }
    bounded(&times)?;
    if measures.is_empty() && dimensions.is_empty() && times.iter().all(|it| it.granularity.is_none()) {
        return Err(refuse(
            "Query should contain either measures, dimensions or timeDimensions with granularities in order to be valid",
        ));
    }
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if limit > MAX_LIMIT {
        return Err(refuse("The query limit has been exceeded."));
    }
    let offset = query.offset.unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(refuse(&format!("Invalid query format: the offset is at most {MAX_OFFSET}")));
    }
    let filters = Reader::new(today).all(query.filters)?;
    let mut checked = Query {
        measures,
        dimensions,
        times,
        compared: None,
        filters,
        order: Vec::new(),
        limit,
        offset,
        total: query.total,
        ungrouped: query.ungrouped,
        zone,
        format: query.response_format.unwrap_or_default(),
    };
    checked.order = checked.ordered(query.order.map(|it| it.0).unwrap_or_default())?;
    Ok(checked)
}

fn add<T>(list: &mut Vec<T>, item: T, same: impl Fn(&T, &T) -> bool) {
    if !list.iter().any(|other| same(other, &item)) {
        list.push(item);
    }
}

/// Returns the dimensions with these names. A name like `Cube.time.granularity` becomes the use of a time
/// dimension.
fn dimensions(names: &[String]) -> Result<(Vec<&'static Dimension>, Vec<TimeUse>)> {
    let (mut dimensions, mut times) = (Vec::new(), Vec::new());
    for name in names {
        match name.rsplit_once('.').filter(|(path, _)| path.contains('.')) {
            Some((path, unit)) => {
                let dimension = names::time(path)?;
                let granularity = Some(granularity(dimension, unit)?);
                times.push(TimeUse { dimension, granularity, range: None });
            }
            None => add(&mut dimensions, names::dimension(name)?, |one, other| one.name == other.name),
        }
    }
    Ok((dimensions, times))
}

fn time_use(time: &wire::TimeDimension, today: Today) -> Result<TimeUse> {
    let dimension = names::time(&time.dimension)?;
    let granularity = time.granularity.as_deref().map(|name| granularity(dimension, name)).transpose()?;
    let range = time.date_range.as_ref().map(|given| dates::range(given, today)).transpose()?;
    Ok(TimeUse { dimension, granularity, range })
}

fn granularity(dimension: &Dimension, name: &str) -> Result<Unit> {
    Unit::named(name).ok_or_else(|| {
        let shown: String = name.chars().take(50).collect();
        refuse(&format!("Granularity \"{shown}\" does not exist in dimension {}", dimension.name))
    })
}

fn bounded(times: &[TimeUse]) -> Result<()> {
    for time in times {
        if let (Some(unit), Some(range)) = (time.granularity, time.range)
            && unit.count(range) > i64::from(limits::TIME_GROUPS)
        {
            let text = format!(
                "The date range has more than {} {}s. Choose a shorter range or a larger granularity.",
                limits::TIME_GROUPS,
                unit.name()
            );
            return Err(refuse(&text));
        }
    }
    Ok(())
}

impl Query {
    /// Returns the time dimensions that are truncated to a unit.
    pub fn cut(&self) -> impl Iterator<Item = (&TimeUse, Unit)> {
        self.times.iter().filter_map(|time| Some((time, time.granularity?)))
    }

    /// Returns the finest unit to which a time dimension is truncated. The value in this unit also appears
    /// under the dimension's plain name.
    pub fn finest(&self, dimension: &Dimension) -> Option<Unit> {
        self.cut().filter(|(time, _)| time.dimension == dimension).map(|(_, unit)| unit).min()
    }

    /// Returns the requested sort order, without members that are not displayed; if none is left, the
    /// contract's default.
    fn ordered(&self, asked: Vec<(String, Direction)>) -> Result<Vec<(String, Direction)>> {
        let mut order: Vec<(String, Direction)> = Vec::new();
        for (name, direction) in asked {
            if names::measure(&name).is_err() {
                names::dimension(&name)?;
            }
            let is_here = self.measures.iter().any(|it| it.name == name)
                || self.dimensions.iter().any(|it| it.name == name)
                || self.cut().any(|(time, _)| time.dimension.name == name);
            if is_here {
                add(&mut order, (name, direction), |one, other| one.0 == other.0);
            }
        }
        if !order.is_empty() {
            return Ok(order);
        }
        let first = match (self.cut().next(), self.measures.first(), self.dimensions.first()) {
            (Some((time, _)), _, _) => (time.dimension.name, Direction::Asc),
            (None, Some(measure), Some(_)) => (measure.name, Direction::Desc),
            (None, None, Some(dimension)) => (dimension.name, Direction::Asc),
            (None, _, None) => return Ok(order),
        };
        Ok(vec![(first.0.to_owned(), first.1)])
    }

    /// Returns the query as it is repeated in answers, with all defaults filled in.
    pub fn echo(&self) -> Map<String, Value> {
        let times = self.times.iter().map(|time| {
            let mut shown = Map::new();
            shown.insert("dimension".into(), json!(time.dimension.name));
            if let Some(unit) = time.granularity {
                shown.insert("granularity".into(), json!(unit.name()));
            }
            if let Some(range) = time.range {
                shown.insert("dateRange".into(), json!(range.texts()));
            }
            Value::Object(shown)
        });
        let order =
            self.order.iter().map(|(name, way)| json!({ "id": name, "desc": *way == Direction::Desc }));
        let mut shown = Map::new();
        let mut set = |key: &str, value: Value| shown.insert(key.to_owned(), value);
        set("measures", json!(self.measures.iter().map(|it| it.name).collect::<Vec<_>>()));
        set("dimensions", json!(self.dimensions.iter().map(|it| it.name).collect::<Vec<_>>()));
        set("segments", json!([]));
        set("timeDimensions", times.collect());
        set("filters", self.filters.iter().map(Filter::echo).collect());
        set("order", order.collect());
        set("limit", json!(self.limit));
        set("rowLimit", json!(self.limit));
        set("timezone", json!(self.zone.name()));
        if self.offset > 0 {
            set("offset", json!(self.offset));
        }
        if self.total {
            set("total", json!(true));
        }
        if self.ungrouped {
            set("ungrouped", json!(true));
        }
        match self.format {
            Format::Default => None,
            Format::Compact => set("responseFormat", json!("compact")),
            Format::Columnar => set("responseFormat", json!("columnar")),
        };
        shown
    }
}
