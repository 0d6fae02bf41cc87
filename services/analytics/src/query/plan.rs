//! Which tables answer a query: what its rows are, what is joined, and whether the roll-ups have everything.

use chrono::{DateTime, Timelike, Utc};

use super::check::{Query, TimeUse};
use super::dates::Unit;
use super::filter::{Filter, How, Leaf, Test, What};
use super::wire::Direction;
use super::zone::{self, Offsets};
use crate::entity::delivery_rollup::{Axis, Grain};
use crate::members::{Dimension, Measure, Table, cube_of};

/// How a query is answered.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    pub query: &'a Query,
    /// What one row is before grouping.
    pub root: Table,
    pub source: Source,
    /// A delivery stands in several rows, one for each of its variances, and has to count once.
    pub is_multiplied: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Facts,
    Rollup {
        axis: Axis,
        grain: Grain,
    },
    /// The values of one dimension, from one to the next along an index of the facts.
    Walk,
}

impl Source {
    /// The table, as `/sql` names it.
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

/// The plan that reads facts whatever the roll-ups have.
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
    /// Measures that are shown or filtered by.
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

    fn names(&self) -> Vec<&str> {
        let leaves = self.leaves();
        let times = self.times.iter().map(|it| it.dimension.name);
        let shown = self.dimensions.iter().map(|it| it.name).chain(self.measures.iter().map(|it| it.name));
        shown.chain(times).chain(leaves.into_iter().map(|leaf| leaf.member.as_str())).collect()
    }
}

/// What the rows of a query are.
///
/// A query about drivers or shipments alone lists all of them, also those without a delivery. One that shows
/// variances and no measure of anything else has a row for each variance. Every other has one for each delivery.
fn root(query: &Query) -> Table {
    let names = query.names();
    let all = |cube: &str| names.iter().all(|name| cube_of(name) == cube);
    if all("Driver") {
        return Table::Driver;
    }
    if all("Shipment") {
        return Table::Shipment;
    }
    let shows_variances = query.dimensions.iter().any(|it| it.table == Table::Variance)
        || query.measures().any(|it| it.table == Table::Variance);
    if shows_variances && query.measures().all(|it| it.table == Table::Variance) {
        return Table::Variance;
    }
    Table::Delivery
}

impl Plan<'_> {
    /// Table of a dimension: `Driver.driverId` is the delivery's, but for a list of drivers.
    pub fn table(&self, dimension: &Dimension) -> Table {
        if self.root == Table::Driver { Table::Driver } else { dimension.table }
    }

    /// Whether a table has to be joined, or is the root.
    pub fn needs(&self, table: Table) -> bool {
        let query = self.query;
        let by_leaf = |leaf: &&Leaf| match leaf.what {
            What::Dimension { of, .. } => self.table(of) == table,
            What::Measure { of, .. } => self.reads(of) == table,
            // Only the cases below look at a row.
            What::Own(of) => self.reads(of) == table && of.table != Table::Shipment,
        };
        self.root == table
            || query.dimensions.iter().any(|it| self.table(it) == table)
            || query.times.iter().any(|it| self.table(it.dimension) == table)
            || query.measures.iter().any(|it| self.reads(it) == table)
            || query.leaves().iter().any(by_leaf)
    }

    /// Table that a measure is made from: the number of a shipment is on each of its deliveries.
    fn reads(&self, measure: &Measure) -> Table {
        match (measure.table, self.root) {
            (Table::Shipment, Table::Delivery) => Table::Delivery,
            (table, _) => table,
        }
    }
}

/// The roll-up that has everything, when one has.
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

/// As many values as are found one by one; with more, reading all rows once costs less.
const MAX_WALKED: u64 = 1_000;

/// Whether a query asks for the values of a dimension as a dropdown does: the first ones in order, by prefix, of a
/// stretch of time. Each is found by one step along its index then, whatever number of deliveries has it.
fn is_walk(query: &Query, root: Table) -> bool {
    let ([dimension], []) = (query.dimensions.as_slice(), query.measures.as_slice()) else { return false };
    let is_prefix = |filter: &Filter| match filter {
        Filter::Leaf(Leaf { what: What::Dimension { of, test, negated: false }, .. }) => {
            of == dimension
                && matches!(test, Test::Texts { how: How::StartsWith, any, null: false } if any.len() == 1)
        }
        _ => false,
    };
    // A delivery may have no driver, and then that is a value too, unless there is a prefix.
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

/// Whether the roll-ups keep a dimension apart.
fn has(dimension: &Dimension) -> bool {
    matches!(
        dimension.name,
        "Delivery.deliverystatus" | "Delivery.source" | "Delivery.scanmode" | "Delivery.trucker"
    )
}

/// The one time that a query goes by.
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
        // Pending deliveries have no such time and no row there: only a range leaves them out anyway.
        ["Delivery.deliverydatetime"] if query.times.iter().any(|it| it.range.is_some()) => {
            Some(Axis::Processed)
        }
        _ => None,
    }
}

/// Whether rows of whole UTC hours can be cut and bounded like this.
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
