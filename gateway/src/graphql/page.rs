//! The parameters of every list and the result of every count.
//!
//! The service that owns a list checks keys, operators and limits. This module refuses only what the
//! contract cannot represent.

use async_graphql::{Enum, InputObject, SimpleObject};
use kit::Error;
use proto::common::v1 as common;

use super::error::Failure;

/// Number of rows of a page if the query sets no limit.
pub const DEFAULT_LIMIT: i32 = 25;
/// Maximum complexity of one list, so that sums of complexities do not overflow.
const MOST: usize = 1_000_000_000;

#[derive(InputObject)]
pub struct PageOptions {
    /// At most 20 filters.
    r#where: Option<Vec<Filter>>,
    /// At most 5 fields.
    sort: Option<Vec<Sort>>,
    /// Maximum number of rows: 1 to 100. Null means 25.
    #[graphql(default_with = "Some(DEFAULT_LIMIT)")]
    limit: Option<i32>,
    /// Number of rows to skip, at most 1,000,000.
    #[graphql(default_with = "Some(0)")]
    offset: Option<i32>,
}

/// A condition. Filters on different keys must all pass. On one key, at least one of the plain filters must pass, and all
/// of the negated ones. Text is compared ignoring case.
#[derive(InputObject)]
pub struct Filter {
    /// Name of a field of the list. A refusal names those that the list knows.
    key: String,
    /// One of contains, !contains, equals, !equals, startsWith, endsWith, inDateRange, isEmpty and !isEmpty.
    operator: String,
    /// Up to 50 values; none for isEmpty and !isEmpty. For inDateRange, two instants: from (included) and to (excluded).
    values: Vec<String>,
}

#[derive(InputObject)]
pub struct Sort {
    key: String,
    direction: SortDirection,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum SortDirection {
    Asc,
    Desc,
}

proto::same_enum!(common::SortDirection => SortDirection { Asc => Asc, Desc => Desc });

impl From<Filter> for common::Filter {
    fn from(filter: Filter) -> Self {
        let Filter { key, operator, values } = filter;
        Self { key, operator, values }
    }
}

impl From<Sort> for common::Sort {
    fn from(sort: Sort) -> Self {
        let Sort { key, direction } = sort;
        Self { key, direction: common::SortDirection::from(direction).into() }
    }
}

/// Converts the options of a list. Without options, returns the first page.
pub fn page(options: Option<PageOptions>) -> Result<common::Page, Failure> {
    let Some(PageOptions { r#where, sort, limit, offset }) = options else {
        return Ok(common::Page { limit: 25, ..common::Page::default() });
    };
    // In the contract 0 means the default limit, but a caller who sends 0 made a mistake.
    let positive = |_| Error::invalid_field("limit", "must be between 1 and 100");
    let limit = u32::try_from(limit.unwrap_or(DEFAULT_LIMIT)).map_err(positive)?;
    if limit == 0 {
        return Err(Error::invalid_field("limit", "must be between 1 and 100").into());
    }
    let offset = u64::try_from(offset.unwrap_or(0))
        .map_err(|_| Error::invalid_field("offset", "must not be negative"))?;
    Ok(common::Page {
        r#where: filters(r#where),
        sort: sort.unwrap_or_default().into_iter().map(Into::into).collect(),
        limit,
        offset,
    })
}

pub fn count(r#where: Option<Vec<Filter>>) -> common::CountRequest {
    common::CountRequest { r#where: filters(r#where) }
}

pub fn filters(filters: Option<Vec<Filter>>) -> Vec<common::Filter> {
    filters.unwrap_or_default().into_iter().map(Into::into).collect()
}

/// Returns the complexity of a list: its number of rows, times the complexity of a row.
pub fn cost(options: &Option<PageOptions>, row: usize) -> usize {
    let limit = options.as_ref().and_then(|options| options.limit).unwrap_or(DEFAULT_LIMIT);
    times(usize::try_from(limit).unwrap_or(0), row)
}

/// Returns the complexity of a list without a limit that has about `rows` rows.
pub fn times(rows: usize, row: usize) -> usize {
    rows.max(1).saturating_mul(row).saturating_add(1).min(MOST)
}

#[derive(SimpleObject)]
pub struct Count {
    total: u64,
    /// False if counting stopped at a limit. There are then at least `total` rows.
    exact: bool,
}

impl From<common::Count> for Count {
    fn from(count: common::Count) -> Self {
        let common::Count { total, exact } = count;
        Self { total, exact }
    }
}
