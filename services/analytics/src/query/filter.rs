//! Validates filters, and reduces the operators of the contract to a few tests.
//!
//! A leaf passes a row or does not; there is no third result. A missing value passes a test only where this
//! is stated, and a negated leaf passes exactly the rows that its test does not. In a query about deliveries that uses
//! variances only to filter by them, a negated leaf on variances passes exactly the deliveries that its test does not:
//! those without a variance that passes. `conditions` and the evaluator of the tests implement the same rules.

use chrono::{DateTime, TimeDelta, Utc};
use kit::Result;
use kit::text::fold;
use serde_json::{Value, json};

use super::dates::{self, Today};
use super::{names, refuse, wire, zone};
use crate::members::{Aggregate, Dimension, Measure, Table};

pub const MAX_DEPTH: usize = 10;
pub const MAX_LEAVES: usize = 100;
/// Maximum number of groups, which counts groups without filters, too.
pub const MAX_GROUPS: usize = 100;
pub const MAX_VALUES: usize = 500;
pub const MAX_VALUES_IN_ALL: usize = 5_000;
pub const MAX_VALUE_CHARS: usize = 500;

#[derive(Debug, Clone)]
pub enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Leaf(Leaf),
}

#[derive(Debug, Clone)]
pub struct Leaf {
    /// The member's name, as it is repeated in answers.
    pub member: String,
    pub operator: String,
    pub values: Option<Vec<Option<String>>>,
    pub what: What,
}

/// The condition that a leaf of the filter tree tests.
#[derive(Debug, Clone)]
pub enum What {
    Dimension {
        of: &'static Dimension,
        test: Test,
        negated: bool,
    },
    Measure {
        of: &'static Measure,
        test: NumberTest,
        negated: bool,
    },
    /// Whether the row counts for a measure, by its delivery status.
    Own(&'static Measure),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Equals,
    Contains,
    StartsWith,
    EndsWith,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Than {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// A test of a dimension's value.
#[derive(Debug, Clone)]
pub enum Test {
    IsSet,
    /// The value matches any of these folded texts. With `null`, a missing value passes, too.
    Texts {
        how: How,
        any: Vec<String>,
        null: bool,
    },
    /// Compares by the byte order of folded texts.
    Compare {
        than: Than,
        key: String,
    },
    /// The time is in one of these half-open ranges. With `null`, a missing time passes, too.
    Times {
        any: Vec<(DateTime<Utc>, DateTime<Utc>)>,
        null: bool,
    },
    Since(DateTime<Utc>),
    Before(DateTime<Utc>),
}

/// A test of a measure's value.
#[derive(Debug, Clone)]
pub enum NumberTest {
    IsSet,
    Any { any: Vec<f64>, null: bool },
    Compare { than: Than, number: f64 },
}

impl Leaf {
    /// Returns the table of the tested member.
    pub fn table(&self) -> Table {
        match &self.what {
            What::Dimension { of, .. } => of.table,
            What::Measure { of, .. } | What::Own(of) => of.table,
        }
    }

    pub fn is_measure(&self) -> bool {
        matches!(self.what, What::Measure { .. })
    }

    /// Returns the bounds of the tested times. Equal leaves may have different ones, because relative dates in
    /// their values depend on the time of the request.
    pub fn bounds(&self) -> Vec<DateTime<Utc>> {
        match &self.what {
            What::Dimension { test: Test::Times { any, .. }, .. } => {
                any.iter().flat_map(|(from, until)| [*from, *until]).collect()
            }
            What::Dimension { test: Test::Since(at) | Test::Before(at), .. } => vec![*at],
            _ => Vec::new(),
        }
    }

    fn echo(&self) -> Value {
        let mut leaf = json!({ "member": self.member, "operator": self.operator });
        if let Some(values) = &self.values {
            leaf["values"] = json!(values);
        }
        leaf
    }
}

impl Filter {
    pub fn echo(&self) -> Value {
        let all = |of: &[Filter]| of.iter().map(Self::echo).collect::<Vec<_>>();
        match self {
            Self::And(of) => json!({ "and": all(of) }),
            Self::Or(of) => json!({ "or": all(of) }),
            Self::Leaf(leaf) => leaf.echo(),
        }
    }

    pub fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Self::And(of) | Self::Or(of) => of.iter().flat_map(Self::leaves).collect(),
            Self::Leaf(leaf) => vec![leaf],
        }
    }

    /// Returns whether the filter tests measures, and therefore applies to groups instead of rows.
    pub fn is_of_groups(&self) -> bool {
        self.leaves().iter().any(|leaf| leaf.is_measure())
    }
}

/// Parses the filters of a query.
pub struct Reader {
    today: Today,
    leaves: usize,
    groups: usize,
    values: usize,
}

impl Reader {
    pub fn new(today: Today) -> Self {
        Self { today, leaves: 0, groups: 0, values: 0 }
    }

    pub fn all(&mut self, filters: Vec<wire::Filter>) -> Result<Vec<Filter>> {
        filters.into_iter().map(|filter| self.filter(filter, 1)).collect()
    }

    fn filter(&mut self, filter: wire::Filter, depth: usize) -> Result<Filter> {
        if depth > MAX_DEPTH {
            return Err(refuse(&format!(
                "Invalid query format: filters are nested deeper than {MAX_DEPTH} levels"
            )));
        }
        let is_leaf = filter.member.is_some()
            || filter.dimension.is_some()
            || filter.operator.is_some()
            || filter.values.is_some();
        match (filter.or, filter.and, is_leaf) {
            (Some(parts), None, false) => Ok(Filter::Or(self.group(parts, depth)?)),
            (None, Some(parts), false) => Ok(Filter::And(self.group(parts, depth)?)),
            (None, None, true) => {
                let wire::Filter { member, dimension, operator, values, .. } = filter;
                let member = match (member, dimension) {
                    (Some(member), None) | (None, Some(member)) => member,
                    _ => return Err(refuse("Invalid query format: a filter names exactly one member")),
                };
                let Some(operator) = operator else {
                    return Err(refuse("Invalid query format: a filter has an operator"));
                };
                Ok(Filter::Leaf(self.leaf(member, operator, values)?))
            }
            _ => Err(refuse(
                "Invalid query format: a filter is either a member with an operator, or one list of and, or of or",
            )),
        }
    }

    fn group(&mut self, parts: Vec<wire::Filter>, depth: usize) -> Result<Vec<Filter>> {
        self.groups += 1;
        if self.groups > MAX_GROUPS {
            let text = format!("Invalid query format: a query has at most {MAX_GROUPS} groups of filters");
            return Err(refuse(&text));
        }
        let parts: Vec<Filter> =
            parts.into_iter().map(|part| self.filter(part, depth + 1)).collect::<Result<_>>()?;
        let leaves: Vec<&Leaf> = parts.iter().flat_map(Filter::leaves).collect();
        let mixed =
            leaves.iter().any(|leaf| leaf.is_measure()) && leaves.iter().any(|leaf| !leaf.is_measure());
        if mixed {
            let names: Vec<&str> = leaves.iter().map(|leaf| leaf.member.as_str()).take(10).collect();
            let text =
                format!("You cannot use dimension and measure in same condition: {}", names.join(", "));
            return Err(refuse(&text));
        }
        Ok(parts)
    }

    fn leaf(&mut self, member: String, operator: String, values: Option<Vec<wire::Scalar>>) -> Result<Leaf> {
        self.leaves += 1;
        let values: Option<Vec<Option<String>>> =
            values.map(|values| values.into_iter().map(|wire::Scalar(value)| value).collect());
        self.bound(&member, values.as_deref().unwrap_or_default())?;
        let measure = names::measure(&member).ok();
        let echo =
            |what| Leaf { member: member.clone(), operator: operator.clone(), values: values.clone(), what };
        if operator == "measureFilter" {
            let measure = measure.map_or_else(|| names::measure(&member), Ok)?;
            return Ok(echo(What::Own(measure)));
        }
        let given = values.as_deref().unwrap_or_default();
        let needs_values = !matches!(operator.as_str(), "set" | "notSet");
        let (positive, negated) = split(&operator)?;
        if needs_values && given.is_empty() {
            return Err(no_values(&member, &operator, given));
        }
        if let Some(measure) = measure {
            let test = number_test(&member, positive, &operator, given)?;
            return Ok(echo(What::Measure { of: measure, test, negated }));
        }
        let dimension = names::dimension(&member)?;
        let test = match (positive, dimension.is_time()) {
            (Positive::Set, _) => Test::IsSet,
            (positive, true) => self.time_test(&member, positive, &operator, given)?,
            (positive, false) => text_test(&member, positive, &operator, given)?,
        };
        Ok(echo(What::Dimension { of: dimension, test, negated }))
    }

    fn bound(&mut self, member: &str, values: &[Option<String>]) -> Result<()> {
        self.values += values.len();
        let shown: String = member.chars().take(100).collect();
        let text = if self.leaves > MAX_LEAVES {
            format!("Invalid query format: a query has at most {MAX_LEAVES} filters")
        } else if values.len() > MAX_VALUES {
            format!("Invalid query format: the filter on {shown} has more than {MAX_VALUES} values")
        } else if self.values > MAX_VALUES_IN_ALL {
            format!("Invalid query format: the filters have more than {MAX_VALUES_IN_ALL} values together")
        } else if values.iter().flatten().any(|value| value.chars().count() > MAX_VALUE_CHARS) {
            format!(
                "Invalid query format: a value of the filter on {shown} is longer than {MAX_VALUE_CHARS} characters"
            )
        } else {
            return Ok(());
        };
        Err(refuse(&text))
    }

    fn time_test(
        &self,
        member: &str,
        positive: Positive,
        operator: &str,
        values: &[Option<String>],
    ) -> Result<Test> {
        let null = values.contains(&None);
        let texts: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
        let stretch = |range| zone::instants(range, self.today.zone);
        let first = || match texts.first() {
            Some(text) => Ok(stretch(dates::of_text(text, self.today)?)),
            None => Err(no_values(member, operator, values)),
        };
        Ok(match positive {
            Positive::How(How::Equals) => {
                let read = |text: &&str| Ok(stretch(dates::of_text(text, self.today)?));
                Test::Times { any: texts.iter().map(read).collect::<Result<_>>()?, null }
            }
            Positive::Range if texts.len() > 2 => {
                return Err(refuse(&format!("{operator} on {member} takes one or two dates")));
            }
            Positive::Range => {
                if texts.is_empty() {
                    return Err(no_values(member, operator, values));
                }
                let given = wire::DateRange::List(texts.iter().map(|text| (*text).to_owned()).collect());
                Test::Times { any: vec![stretch(dates::range(&given, self.today)?)], null }
            }
            Positive::Before => Test::Before(first()?.0),
            Positive::BeforeOrOn => Test::Before(first()?.1),
            Positive::After => Test::Since(first()?.1),
            Positive::AfterOrOn => Test::Since(first()?.0),
            Positive::Than(than) => {
                let at = first()?.0;
                let next = at + TimeDelta::milliseconds(1);
                match than {
                    Than::Greater => Test::Since(next),
                    Than::GreaterOrEqual => Test::Since(at),
                    Than::Less => Test::Before(at),
                    Than::LessOrEqual => Test::Before(next),
                }
            }
            Positive::Set => Test::IsSet,
            Positive::How(_) => return Err(unsuited(member, operator)),
        })
    }
}

/// An operator without its negation.
#[derive(Debug, Clone, Copy)]
enum Positive {
    Set,
    How(How),
    Than(Than),
    Range,
    Before,
    BeforeOrOn,
    After,
    AfterOrOn,
}

fn split(operator: &str) -> Result<(Positive, bool)> {
    Ok(match operator {
        "set" => (Positive::Set, false),
        "notSet" => (Positive::Set, true),
        "equals" | "in" => (Positive::How(How::Equals), false),
        "notEquals" | "notIn" => (Positive::How(How::Equals), true),
        "contains" => (Positive::How(How::Contains), false),
        "notContains" => (Positive::How(How::Contains), true),
        "startsWith" => (Positive::How(How::StartsWith), false),
        "notStartsWith" => (Positive::How(How::StartsWith), true),
        "endsWith" => (Positive::How(How::EndsWith), false),
        "notEndsWith" => (Positive::How(How::EndsWith), true),
        "gt" => (Positive::Than(Than::Greater), false),
        "gte" => (Positive::Than(Than::GreaterOrEqual), false),
        "lt" => (Positive::Than(Than::Less), false),
        "lte" => (Positive::Than(Than::LessOrEqual), false),
        "inDateRange" | "onTheDate" => (Positive::Range, false),
        "notInDateRange" => (Positive::Range, true),
        "beforeDate" => (Positive::Before, false),
        "beforeOrOnDate" => (Positive::BeforeOrOn, false),
        "afterDate" => (Positive::After, false),
        "afterOrOnDate" => (Positive::AfterOrOn, false),
        other => {
            let other: String = other.chars().take(50).collect();
            return Err(refuse(&format!("Invalid query format: there is no operator {other}")));
        }
    })
}

fn text_test(member: &str, positive: Positive, operator: &str, values: &[Option<String>]) -> Result<Test> {
    let null = values.contains(&None);
    match positive {
        Positive::How(how) => {
            let any: Vec<String> = values.iter().flatten().map(|value| fold(value)).collect();
            if how != How::Equals && any.is_empty() {
                return Err(no_values(member, operator, values));
            }
            Ok(Test::Texts { how, any, null })
        }
        Positive::Than(than) => match values.iter().flatten().next() {
            Some(value) => Ok(Test::Compare { than, key: fold(value) }),
            None => Err(no_values(member, operator, values)),
        },
        Positive::Set => Ok(Test::IsSet),
        _ => Err(unsuited(member, operator)),
    }
}

fn number_test(
    member: &str,
    positive: Positive,
    operator: &str,
    values: &[Option<String>],
) -> Result<NumberTest> {
    let number = |text: &String| {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| refuse(&format!("The filter on {member} takes numbers")))
    };
    let numbers: Vec<f64> = values.iter().flatten().map(number).collect::<Result<_>>()?;
    match positive {
        Positive::Set => Ok(NumberTest::IsSet),
        Positive::How(How::Equals) => Ok(NumberTest::Any { any: numbers, null: values.contains(&None) }),
        Positive::Than(than) => match numbers.first() {
            Some(number) => Ok(NumberTest::Compare { than, number: *number }),
            None => Err(no_values(member, operator, values)),
        },
        _ => Err(unsuited(member, operator)),
    }
}

fn no_values(member: &str, operator: &str, values: &[Option<String>]) -> kit::Error {
    let filter = json!({ "member": member, "operator": operator, "values": values });
    refuse(&format!("Values required for filter: {filter}"))
}

fn unsuited(member: &str, operator: &str) -> kit::Error {
    refuse(&format!("The operator {operator} cannot be used on {member}"))
}

/// Returns the delivery statuses of the rows that a measure counts; `None` if it counts rows of any status.
pub fn own_statuses(measure: &Measure) -> Option<&'static [&'static str]> {
    match measure.aggregate {
        Aggregate::RowsWith(statuses) => Some(statuses),
        _ => None,
    }
}
