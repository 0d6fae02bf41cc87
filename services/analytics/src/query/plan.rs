//! Chooses the tables for a query: the main table, the joins, and whether roll-ups suffice.

use chrono::{DateTime, Timelike, Utc};

use super::check::{Query, TimeUse};
use super::dates::Unit;
use super::filter::{Filter, How, Leaf, Test, What};
use super::wire::Direction;
use super::zone::{self, Offsets};
use crate::entity::delivery_rollup::{Axis, Grain};
use crate::members::{Dimension, Measure, Table, cube_of};

/// The plan of a query.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    pub query: &'a Query,
    /// The main table, whose rows are grouped.
    pub root: Table,
    pub source: Source,
    /// Whether the join with variances repeats deliveries, which must be counted once.
    pub is_multiplied: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Facts,
    Rollup {
        axis: Axis,
        grain: Grain,
    },
    /// The values of one dimension, found one by one in an index of the facts.
    Walk,
}

impl Source {
    /// Returns the table's name for the answer of `/sql`.
    pub fn table(self, root: Table) -> &'static str {
        match self {
            Self::Facts | Self::Walk => root.name(),
            Self::Rollup { .. } => ROLLUP,
        }
    }
}

pub const ROLLUP: &str = "delivery_rollup";

pub fn plan(query: &Query) -> Plan<'_> {
    let root = root(query);
    let walk = || is_walk(query, root).then_some(Source::Walk);
    let source = rollup(query, root).or_else(walk).unwrap_or(Source::Facts);
    facts(query, root, source)
}

/// Returns a plan that reads facts, even where roll-ups suffice.
pub fn plan_of_facts(query: &Query) -> Plan<'_> {
    facts(query, root(query), Source::Facts)
}

fn facts(query: &Query, root: Table, source: Source) -> Plan<'_> {
    let mut plan = Plan { query, root, source, is_multiplied: false };
    plan.is_multiplied = root == Table::Delivery
        && plan.needs(Table::Variance)
        && query.measures().any(|measure| measure.table != Table::Variance);
    plan
}

impl Query {
    /// Returns the measures that are displayed or used in a filter.
    pub fn measures(&self) -> impl Iterator<Item = &'static Measure> {
        let filtered = self.leaves().into_iter().filter_map(|leaf| match leaf.what {
            What::Measure { of, .. } => Some(of),
            _ => None,
        });
        self.measures.iter().copied().chain(filtered)
    }

    pub fn leaves(&self) -> Vec<&Leaf> {
        self.filters.iter().flat_map(Filter::leaves).collect()
    }

    /// Returns whether the answer is about variances. A filter of rows alone does not make it so.
    pub fn shows_variances(&self) -> bool {
        self.dimensions.iter().any(|it| it.table == Table::Variance)
            || self.measures().any(|it| it.table == Table::Variance)
    }

    fn names(&self) -> Vec<&str> {
        let leaves = self.leaves();
        let times = self.times.iter().map(|it| it.dimension.name);
        let shown = self.dimensions.iter().map(|it| it.name).chain(self.measures.iter().map(|it| it.name));
        shown.chain(times).chain(leaves.into_iter().map(|leaf| leaf.member.as_str())).collect()
    }
}

/// Returns the main table of a query.
///
/// A query about drivers alone, or shipments alone, lists all of them, even those without a delivery. A query
/// that shows variances, and no measure of anything else, reads a row per variance. All other queries read a
/// row per delivery.
fn root(query: &Query) -> Table {
    let names = query.names();
    let all = |cube: &str| names.iter().all(|name| cube_of(name) == cube);
    if all("Driver") {
        return Table::Driver;
    }
    if all("Shipment") {
        return Table::Shipment;
    }
    if query.shows_variances() && query.measures().all(|it| it.table == Table::Variance) {
        return Table::Variance;
    }
    Table::Delivery
}

impl Plan<'_> {
    /// Returns the table of a dimension. `Driver.driverId` is read from deliveries, except in a list of
    /// drivers.
    pub fn table(&self, dimension: &Dimension) -> Table {
        if self.root == Table::Driver { Table::Driver } else { dimension.table }
    }

    /// Returns whether the plan reads a table, as the main table or by a join.
    pub fn needs(&self, table: Table) -> bool {
        let query = self.query;
        let by_leaf = |leaf: &&Leaf| match leaf.what {
            What::Dimension { of, .. } => self.table(of) == table,
            What::Measure { of, .. } => self.reads(of) == table,
            // For shipments this filter is always true, so it needs no join.
            What::Own(of) => self.reads(of) == table && of.table != Table::Shipment,
        };
        self.root == table
            || query.dimensions.iter().any(|it| self.table(it) == table)
            || query.times.iter().any(|it| self.table(it.dimension) == table)
            || query.measures.iter().any(|it| self.reads(it) == table)
            || query.leaves().iter().any(by_leaf)
    }

    /// Returns the table from which a measure is computed. With deliveries as the main table, shipments are
    /// counted by their numbers there.
    fn reads(&self, measure: &Measure) -> Table {
        match (measure.table, self.root) {
            (Table::Shipment, Table::Delivery) => Table::Delivery,
            (table, _) => table,
        }
    }
}

/// Returns a roll-up that suffices for the query, if there is one.
fn rollup(query: &Query, root: Table) -> Option<Source> {
    if root != Table::Delivery || query.ungrouped || !query.measures().all(|it| it.table == Table::Delivery) {
        return None;
    }
    if !query.dimensions.iter().all(|it| has(it)) {
        return None;
    }
    let axis = axis(query)?;
    let leaves = query.leaves();
    if !query.times.iter().all(|time| time_fits(time, query)) || !leaves.iter().all(|leaf| leaf_fits(leaf)) {
        return None;
    }
    let filtered = leaves.iter().filter_map(|leaf| match leaf.what {
        What::Dimension { of, .. } => Some(of.name),
        _ => None,
    });
    let mut grain = Grain::Outcome;
    for name in query.dimensions.iter().map(|it| it.name).chain(filtered) {
        match name {
            "Delivery.trucker" => grain = Grain::Trucker,
            "Delivery.source" | "Delivery.scanmode" if grain == Grain::Outcome => grain = Grain::Status,
            _ => {}
        }
    }
    Some(Source::Rollup { axis, grain })
}

/// Maximum number of values to find one by one. For more, reading all rows once is cheaper.
const MAX_WALKED: u64 = 1_000;

/// Returns whether a query asks for the values of a dimension as a dropdown does: the first ones in order, by
/// prefix, in a time range. Each value then takes one step in the dimension's index, however many deliveries
/// have it.
fn is_walk(query: &Query, root: Table) -> bool {
    let ([dimension], []) = (query.dimensions.as_slice(), query.measures.as_slice()) else { return false };
    let is_prefix = |filter: &Filter| match filter {
        Filter::Leaf(Leaf { what: What::Dimension { of, test, negated: false }, .. }) => {
            of == dimension
                && matches!(test, Test::Texts { how: How::StartsWith, any, null: false } if any.len() == 1)
        }
        _ => false,
    };
    // Without a prefix, the values would include NULL for deliveries without a driver, which the walk does
    // not find.
    let has_index = match dimension.name {
        "CustomerReport.customername" => true,
        "Driver.driverId" => !query.filters.is_empty(),
        _ => false,
    };
    let in_order = query.order.iter().all(|(name, way)| name == dimension.name && *way == Direction::Asc);
    root == Table::Delivery
        && has_index
        && in_order
        && !query.ungrouped
        && !query.total
        && query.limit + query.offset <= MAX_WALKED
        && query.filters.len() <= 1
        && query.filters.iter().all(is_prefix)
        && query.times.len() <= 1
        && query
            .times
            .iter()
            .all(|time| time.granularity.is_none() && time.dimension.name == "Delivery.scheduledatetime")
}

/// Returns whether roll-ups contain this dimension.
fn has(dimension: &Dimension) -> bool {
    matches!(
        dimension.name,
        "Delivery.deliverystatus" | "Delivery.source" | "Delivery.scanmode" | "Delivery.trucker"
    )
}

/// Returns the axis of the time that a query uses; `None` if it uses several, or needs rows that the axis
/// does not have.
fn axis(query: &Query) -> Option<Axis> {
    let leaves = query.leaves();
    let filtered = leaves.iter().filter_map(|leaf| match leaf.what {
        What::Dimension { of, .. } if of.is_time() => Some(of.name),
        _ => None,
    });
    let mut names: Vec<&str> = query.times.iter().map(|it| it.dimension.name).chain(filtered).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] | ["Delivery.scheduledatetime"] => Some(Axis::Scheduled),
        // Pending deliveries have no processed time and no row on this axis. Use it only if a range excludes
        // them anyway.
        ["Delivery.deliverydatetime"] if query.times.iter().any(|it| it.range.is_some()) => {
            Some(Axis::Processed)
        }
        _ => None,
    }
}

/// Returns whether rows of whole UTC hours suffice for the range and the granularity.
fn time_fits(time: &TimeUse, query: &Query) -> bool {
    let bounds = time.range.map(|range| zone::instants(range, query.zone));
    let begins = bounds.is_none_or(|(from, until)| on_the_hour(from) && on_the_hour(until));
    let Some(unit) = time.granularity else { return begins };
    let offsets = Offsets::between(query.zone, bounds.map(|it| it.0), bounds.map(|it| it.1));
    begins && unit >= Unit::Hour && offsets.are_whole_hours()
}

fn on_the_hour(at: DateTime<Utc>) -> bool {
    at.minute() == 0 && at.second() == 0 && at.nanosecond() == 0
}

fn leaf_fits(leaf: &Leaf) -> bool {
    match &leaf.what {
        What::Measure { .. } => true,
        What::Own(measure) => measure.table == Table::Delivery,
        What::Dimension { of, .. } if !of.is_time() => has(of),
        What::Dimension { test, .. } => match test {
            Test::Times { any, .. } => {
                any.iter().all(|(from, until)| on_the_hour(*from) && on_the_hour(*until))
            }
            Test::Since(at) | Test::Before(at) => on_the_hour(*at),
            Test::IsSet => true,
            Test::Texts { .. } | Test::Compare { .. } => false,
        },
    }
}
