//! Parses filters into clauses, and refuses invalid filters.

use chrono::{DateTime, Utc};
use kit::Result;
use proto::common::v1::Filter;
use sea_orm::ColumnTrait;
use uuid::Uuid;

use super::clause::{Clause, Clauses, Match, Test, add_new};
use super::empty::held;
use super::{Field, FieldKind, MAX_FILTERS, MAX_VALUE_CHARS, MAX_VALUES, Related, find, fold, refuse};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Match(Match),
    InDateRange,
    IsEmpty,
}

impl<C: ColumnTrait> Clauses<C> {
    /// Parses the filters of a list.
    ///
    /// # Errors
    ///
    /// TOO_MANY_FILTERS, FIELD_UNKNOWN, FILTER_OPERATOR_UNKNOWN, FILTER_OPERATOR_UNSUITED, FILTER_VALUES,
    /// FILTER_VALUE, FILTER_VALUE_TOO_LONG, FILTER_VALUE_UNKNOWN, FILTER_DATE_RANGE.
    pub fn parse(fields: &'static [Field<C>], filters: &[Filter]) -> Result<Self> {
        if filters.len() > MAX_FILTERS {
            return Err(refuse(
                "TOO_MANY_FILTERS",
                format!("at most {MAX_FILTERS} filters can be used at once"),
            ));
        }
        let mut all: Vec<Clause<C>> = Vec::with_capacity(filters.len());
        for filter in filters {
            // One clause for each key and operator, so that all of their whole values are one list in SQL.
            let clause = clause(fields, filter)?;
            let other = all.iter_mut().try_fold(clause, |clause, same| same.absorb(clause));
            all.extend(other);
        }
        Ok(Self { fields, all })
    }
}

fn clause<C: ColumnTrait>(fields: &'static [Field<C>], filter: &Filter) -> Result<Clause<C>> {
    let field = find(fields, &filter.key)?;
    let (op, negated) = operator(&filter.operator).ok_or_else(|| {
        refuse("FILTER_OPERATOR_UNKNOWN", format!("{} is no filter operator", filter.operator))
    })?;
    Ok(Clause { field, negated, test: test(field, op, filter)? })
}

/// Returns the operator of this name, and whether it is negated.
fn operator(name: &str) -> Option<(Op, bool)> {
    Some(match name {
        "contains" => (Op::Match(Match::Contains), false),
        "!contains" => (Op::Match(Match::Contains), true),
        "equals" => (Op::Match(Match::Equals), false),
        "!equals" => (Op::Match(Match::Equals), true),
        "startsWith" => (Op::Match(Match::StartsWith), false),
        "endsWith" => (Op::Match(Match::EndsWith), false),
        "inDateRange" => (Op::InDateRange, false),
        "isEmpty" => (Op::IsEmpty, false),
        "!isEmpty" => (Op::IsEmpty, true),
        _ => return None,
    })
}

fn test<C: ColumnTrait>(field: &Field<C>, op: Op, filter: &Filter) -> Result<Test<C>> {
    let unsuited =
        || refuse("FILTER_OPERATOR_UNSUITED", format!("{} cannot be used on {}", filter.operator, field.key));
    if op == Op::IsEmpty {
        if !filter.values.is_empty() {
            let text = format!("{} on {} takes no values", filter.operator, field.key);
            return Err(refuse("FILTER_VALUES", text));
        }
        return held(field).map(Test::Empty).ok_or_else(unsuited);
    }
    check_values(field.key, &filter.values)?;
    let values = || filter.values.iter().map(String::as_str);
    Ok(match (field.kind, op) {
        (
            FieldKind::Text { .. }
            | FieldKind::Search { .. }
            | FieldKind::Related { value: Related::Text { .. }, .. },
            Op::Match(how),
        ) => Test::Texts(how, values().map(fold).collect()),
        (
            FieldKind::Choice(spellings)
            | FieldKind::Choices(spellings)
            | FieldKind::Related { value: Related::Choice { spellings, .. }, .. },
            Op::Match(how),
        ) => Test::Choices(how, chosen(field.key, spellings, how, filter)?),
        (FieldKind::Id, Op::Match(Match::Equals)) => Test::Ids(values().map(id).collect::<Result<_>>()?),
        (FieldKind::Number, Op::Match(Match::Equals)) => {
            Test::Numbers(values().map(number).collect::<Result<_>>()?)
        }
        (FieldKind::Flag { yes, no }, Op::Match(Match::Equals)) => {
            Test::Flags(values().map(|value| flag(field.key, value, yes, no)).collect::<Result<_>>()?)
        }
        (
            FieldKind::Instant | FieldKind::FirstInstant { .. } | FieldKind::InstantIf { .. },
            Op::InDateRange,
        ) => {
            let [from, to] = filter.values.as_slice() else {
                return Err(refuse(
                    "FILTER_DATE_RANGE",
                    format!("a date range on {} takes two instants, from and to", filter.key),
                ));
            };
            Test::Range(instant(from)?, instant(to)?)
        }
        _ => return Err(unsuited()),
    })
}

/// Checks the values of a filter whose operator takes values.
///
/// # Errors
///
/// FILTER_VALUES, FILTER_VALUE_TOO_LONG.
pub fn check_values(key: &str, values: &[String]) -> Result<()> {
    if values.is_empty() || values.len() > MAX_VALUES {
        return Err(refuse("FILTER_VALUES", format!("a filter on {key} takes 1 to {MAX_VALUES} values")));
    }
    if values.iter().any(|value| value.chars().count() > MAX_VALUE_CHARS || value.contains('\0')) {
        return Err(refuse(
            "FILTER_VALUE_TOO_LONG",
            format!(
                "a value of the filter on {key} is longer than {MAX_VALUE_CHARS} characters or not plain text"
            ),
        ));
    }
    Ok(())
}

/// Returns the members of a fixed set that the filter's values match; there may be none.
fn chosen(
    key: &str,
    spellings: &'static [&'static str],
    how: Match,
    filter: &Filter,
) -> Result<Vec<&'static str>> {
    let mut chosen = Vec::new();
    for value in &filter.values {
        let wanted = fold(value);
        let passing = spellings.iter().copied().filter(|spelling| how.passes(&fold(spelling), &wanted));
        let passing: Vec<_> = passing.collect();
        // A substring that no member contains matches nothing; a whole value that is not a member is an input
        // error.
        if how == Match::Equals && passing.is_empty() {
            return Err(refuse("FILTER_VALUE_UNKNOWN", format!("{key} is one of {}", spellings.join(", "))));
        }
        add_new(&mut chosen, passing);
    }
    Ok(chosen)
}

fn id(value: &str) -> Result<Uuid> {
    value.trim().parse().map_err(|_| refuse("FILTER_VALUE", format!("{value} is no id")))
}

fn number(value: &str) -> Result<i64> {
    value.trim().parse().map_err(|_| refuse("FILTER_VALUE", format!("{value} is no whole number")))
}

fn flag(key: &str, value: &str, yes: &str, no: &str) -> Result<bool> {
    let value = fold(value);
    if value == "true" || value == fold(yes) {
        Ok(true)
    } else if value == "false" || value == fold(no) {
        Ok(false)
    } else {
        Err(refuse("FILTER_VALUE", format!("{key} is {yes} or {no}")))
    }
}

/// The first and last microsecond of the years 1 to 9999. SQLite compares times as texts, which sort like times in
/// these years only.
const FIRST: i64 = -62_135_596_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

/// Parses an instant, truncated to microseconds as databases store it. Returns the nearest instant from [`FIRST`] to
/// [`LAST`]: with its offset, a text of the year 9999 may mean a time in the year 10000.
fn instant(text: &str) -> Result<DateTime<Utc>> {
    let read = DateTime::parse_from_rfc3339(text).ok();
    let at = read.and_then(|at| DateTime::from_timestamp_micros(at.timestamp_micros().clamp(FIRST, LAST)));
    at.ok_or_else(|| refuse("FILTER_VALUE", format!("{text} is no instant such as 2026-11-21T00:00:00Z")))
}
