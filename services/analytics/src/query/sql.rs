//! Turns a plan into one SELECT. Identifiers come from the registry; everything else is bound or generated
//! here.
//!
//! The statement has three levels. The innermost selects a row per row of the main table, with the columns of
//! the group, the buckets of times, and the summands of the measures. If joins repeat a delivery, the middle
//! level merges its rows into one per group again. The outermost level sums, filters groups, sorts and
//! limits. For the reasons of the buckets, see docs/adr/0051.

use sea_orm::DbBackend;
use sea_orm::sea_query::{
    Alias, Asterisk, Expr, ExprTrait, Func, JoinType, NullOrdering, Order, Query, SelectStatement, Value,
};

use super::check::Query as Asked;
use super::plan::{Plan, ROLLUP, Source};
use super::wire::Direction;
use super::zone;
use crate::members::{Aggregate, Dimension, Kind, Measure, Table};

/// Builds the SELECT of a plan.
pub struct Sql<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) backend: DbBackend,
}

/// Alias of each inner level.
const ROWS: &str = "fact";

impl<'a> Sql<'a> {
    pub fn new(plan: &'a Plan<'a>, backend: DbBackend) -> Self {
        Self { plan, backend }
    }

    /// Selects the rows of the answer. Columns are `k<i>` for the keys of dimensions, `d<i>` for their
    /// displayed values, `b<i>` for buckets, `m<i>a` and `m<i>b` for measures.
    pub fn rows(&self) -> SelectStatement {
        let query = self.plan.query;
        if self.plan.source == Source::Walk {
            return self.walk();
        }
        let mut rows = self.grouped();
        for (expr, way) in self.order() {
            match (self.backend, way) {
                // Postgres already sorts NULL like this. Stating it would keep Postgres from using an index.
                (DbBackend::Postgres, Direction::Asc) => rows.order_by_expr(expr, Order::Asc),
                (DbBackend::Postgres, Direction::Desc) => rows.order_by_expr(expr, Order::Desc),
                (_, Direction::Asc) => rows.order_by_expr_with_nulls(expr, Order::Asc, NullOrdering::Last),
                (_, Direction::Desc) => rows.order_by_expr_with_nulls(expr, Order::Desc, NullOrdering::First),
            };
        }
        rows.limit(query.limit);
        if query.offset > 0 {
            rows.offset(query.offset);
        }
        rows
    }

    /// Counts the rows regardless of limit and offset.
    pub fn total(&self) -> SelectStatement {
        let total = Expr::col(Asterisk).count();
        Query::select().expr_as(total, "total").from_subquery(self.grouped(), Alias::new("answer")).take()
    }

    fn grouped(&self) -> SelectStatement {
        let query = self.plan.query;
        let mut select = Query::select();
        for (at, dimension) in query.dimensions.iter().enumerate() {
            select.expr_as(column(&k(at)), Alias::new(k(at)));
            if is_text(dimension) {
                select.expr_as(self.shown(column(&d(at))), Alias::new(d(at)));
            }
        }
        for (at, _) in query.cut().enumerate() {
            select.expr_as(column(&b(at)), Alias::new(b(at)));
        }
        for (at, measure) in query.measures.iter().enumerate() {
            let (first, second) = self.sums(measure, &at.to_string());
            select.expr_as(first, Alias::new(m(&at.to_string(), 'a')));
            if let Some(second) = second {
                select.expr_as(second, Alias::new(m(&at.to_string(), 'b')));
            }
        }
        let rows = if self.plan.is_multiplied { self.once_each() } else { self.innermost() };
        select.from_subquery(rows, Alias::new(ROWS));
        let keys: Vec<Expr> = self.group().iter().map(|name| column(name)).collect();
        if !keys.is_empty() {
            select.add_group_by(keys);
        }
        let filters = query.filters.iter().filter(|filter| filter.is_of_groups());
        if let Some(passes) = self.passes_all(filters) {
            select.and_having(passes);
        }
        select
    }

    /// Returns the names of the columns that form a group.
    fn group(&self) -> Vec<String> {
        let query = self.plan.query;
        let mut names: Vec<String> = (0..query.dimensions.len()).map(k).collect();
        names.extend((0..query.cut().count()).map(b));
        if query.ungrouped {
            names.extend((0..self.row_keys().len()).map(r));
        }
        names
    }

    /// Returns the columns that identify a row of the main table, joined with its variances if the plan needs
    /// them.
    fn row_keys(&self) -> Vec<(Table, &'static str)> {
        let mut tables = vec![self.plan.root];
        let with_variances = self.plan.root == Table::Delivery && self.plan.needs(Table::Variance);
        if with_variances {
            tables.push(Table::Variance);
        }
        tables.into_iter().map(|table| (table, table.key())).collect()
    }

    fn order(&self) -> Vec<(Expr, Direction)> {
        let query = self.plan.query;
        let mut named: Vec<String> = Vec::new();
        let mut order = Vec::new();
        for (name, way) in &query.order {
            if let Some(at) = query.measures.iter().position(|it| it.name == name) {
                order.push((self.value(query.measures[at], &at.to_string()), *way));
            } else if let Some(column_name) = self.group_column(name) {
                order.push((column(&column_name), *way));
                named.push(column_name);
            }
        }
        // Sort by the remaining columns of the group last, so that pages neither repeat nor skip rows.
        let rest = self.group().into_iter().filter(|name| !named.contains(name));
        let rest: Vec<_> = rest.map(|name| (column(&name), Direction::Asc)).collect();
        order.into_iter().chain(rest).collect()
    }

    /// Returns the column of a dimension or, for a time, the bucket of its finest unit.
    fn group_column(&self, name: &str) -> Option<String> {
        let query = self.plan.query;
        if let Some(at) = query.dimensions.iter().position(|it| it.name == name) {
            return Some(k(at));
        }
        let finest = query.cut().enumerate().filter(|(_, (time, _))| time.dimension.name == name);
        finest.min_by_key(|(_, (_, unit))| *unit).map(|(at, _)| b(at))
    }

    /// Selects the bytewise smallest spelling in a group, so that both databases agree.
    pub(super) fn shown(&self, text: Expr) -> Expr {
        self.bytewise(text).min()
    }

    fn bytewise(&self, text: Expr) -> Expr {
        match self.backend {
            DbBackend::Postgres => Expr::cust_with_exprs("$1 COLLATE \"C\"", [text]),
            _ => text,
        }
    }

    /// Selects rows in which each delivery occurs once per group.
    fn once_each(&self) -> SelectStatement {
        let query = self.plan.query;
        let mut select = Query::select();
        for name in self.group() {
            select.expr_as(column(&name), Alias::new(&name));
        }
        for (at, dimension) in query.dimensions.iter().enumerate() {
            if is_text(dimension) {
                select.expr_as(self.shown(column(&d(at))), Alias::new(d(at)));
            }
        }
        for (measure, id) in self.summed() {
            let fold =
                |expr: Expr| if measure.table == Table::Variance { whole(expr.sum()) } else { expr.max() };
            let (_, has_second) = self.parts(measure);
            select.expr_as(fold(column(&m(&id, 'a'))), Alias::new(m(&id, 'a')));
            if has_second.is_some() {
                select.expr_as(fold(column(&m(&id, 'b'))), Alias::new(m(&id, 'b')));
            }
        }
        select.from_subquery(self.innermost(), Alias::new(ROWS));
        select.add_group_by(self.group().iter().map(|name| column(name)));
        select.add_group_by([column("e")]);
        select
    }

    fn innermost(&self) -> SelectStatement {
        let query = self.plan.query;
        let mut select = Query::select();
        self.from(&mut select);
        for (at, dimension) in query.dimensions.iter().enumerate() {
            select.expr_as(self.compared(dimension), Alias::new(k(at)));
            if is_text(dimension) {
                select.expr_as(self.spelled(dimension), Alias::new(d(at)));
            }
        }
        for (at, (time, unit)) in query.cut().enumerate() {
            select.expr_as(self.bucket(time, unit), Alias::new(b(at)));
        }
        if query.ungrouped {
            for (at, (table, key)) in self.row_keys().into_iter().enumerate() {
                select.expr_as(self.column(table, key), Alias::new(r(at)));
            }
        }
        if self.plan.is_multiplied {
            select.expr_as(self.column(Table::Delivery, Table::Delivery.key()), Alias::new("e"));
        }
        for (measure, id) in self.summed() {
            let (first, second) = self.parts(measure);
            select.expr_as(first, Alias::new(m(&id, 'a')));
            if let Some(second) = second {
                select.expr_as(second, Alias::new(m(&id, 'b')));
            }
        }
        self.within(&mut select);
        let filters = query.filters.iter().filter(|filter| !filter.is_of_groups());
        select.and_where_option(self.passes_all(filters));
        select
    }

    /// Keeps only rows in the requested time ranges.
    pub(super) fn within(&self, select: &mut SelectStatement) {
        for time in &self.plan.query.times {
            if let Some(range) = time.range {
                let (from, until) = zone::instants(range, self.plan.query.zone);
                let at = || self.time(time.dimension);
                select.and_where(at().gte(from)).and_where(at().lt(until));
            }
        }
    }

    /// Returns the displayed measures and those in filters, each with the suffix of its columns.
    pub(super) fn summed(&self) -> Vec<(&'static Measure, String)> {
        let query: &Asked = self.plan.query;
        let mut all: Vec<(&'static Measure, String)> =
            query.measures.iter().enumerate().map(|(at, it)| (*it, at.to_string())).collect();
        for measure in query.measures() {
            if !all.iter().any(|(other, _)| other.name == measure.name) {
                let id = format!("f{}", all.len());
                all.push((measure, id));
            }
        }
        all
    }

    fn from(&self, select: &mut SelectStatement) {
        if let Source::Rollup { axis, grain } = self.plan.source {
            select.from(Alias::new(ROLLUP));
            let own = |name: &'static str| Expr::col((Alias::new(ROLLUP), Alias::new(name)));
            select.and_where(own("axis").eq(axis.as_str())).and_where(own("grain").eq(grain.as_str()));
            // Ignore rows without deliveries.
            select.and_where(own("deliveries").gt(0));
            if self.plan.needs(Table::Source) {
                self.join(select, Table::Source, ROLLUP);
            }
            return;
        }
        let root = self.plan.root;
        select.from(Alias::new(root.name()));
        if root == Table::Variance && self.needs_delivery() {
            self.join(select, Table::Delivery, Table::Variance.name());
        }
        for table in [Table::Variance, Table::Driver, Table::Shipment, Table::Source] {
            if table != root && self.plan.needs(table) {
                self.join(select, table, Table::Delivery.name());
            }
        }
    }

    /// Returns whether the query needs data of deliveries besides their variances.
    fn needs_delivery(&self) -> bool {
        [Table::Delivery, Table::Driver, Table::Shipment, Table::Source].iter().any(|it| self.plan.needs(*it))
    }

    fn join(&self, select: &mut SelectStatement, table: Table, from: &'static str) {
        let key = match table {
            Table::Variance | Table::Delivery => "delivery_id_key",
            other => other.key(),
        };
        let on = |table: &'static str| Expr::col((Alias::new(table), Alias::new(key)));
        select.join(JoinType::LeftJoin, Alias::new(table.name()), on(table.name()).eq(on(from)));
    }

    fn is_rolled_up(&self) -> bool {
        matches!(self.plan.source, Source::Rollup { .. })
    }

    /// Returns a column of a table. Columns of deliveries are taken from the roll-up if the plan reads one.
    pub(super) fn column(&self, table: Table, name: &'static str) -> Expr {
        let is_rolled_up = self.is_rolled_up() && table == Table::Delivery;
        let table = if is_rolled_up { ROLLUP } else { table.name() };
        Expr::col((Alias::new(table), Alias::new(name)))
    }

    /// Returns the expression by which a dimension is compared, grouped and sorted.
    pub(super) fn compared(&self, dimension: &Dimension) -> Expr {
        let table = self.plan.table(dimension);
        match dimension.kind {
            Kind::YesNo => self.bytewise(words(self.column(table, dimension.column), "yes", "no")),
            Kind::Instant => self.time(dimension),
            Kind::Text { key, .. } => filled(dimension, self.column(table, key)),
        }
    }

    /// Returns the expression for the displayed value of a dimension.
    fn spelled(&self, dimension: &Dimension) -> Expr {
        let own = self.column(self.plan.table(dimension), dimension.column);
        if dimension.kind == Kind::YesNo { words(own, "Yes", "No") } else { filled(dimension, own) }
    }

    pub(super) fn time(&self, dimension: &Dimension) -> Expr {
        let name = if self.is_rolled_up() { "hour" } else { dimension.column };
        self.column(Table::Delivery, name)
    }

    /// Returns what one row adds to each sum of a measure.
    fn parts(&self, measure: &Measure) -> (Expr, Option<Expr>) {
        let rolled_up = self.is_rolled_up();
        let own = |name: &'static str| self.column(measure.table, name);
        let known = |name| Expr::case(own(name).is_not_null(), 1).finally(0).into();
        let rows = || if rolled_up { own("deliveries") } else { constant(1) };
        match measure.aggregate {
            Aggregate::Rows if measure.table == self.plan.root => (rows(), None),
            // Return the shipment's number, which its deliveries share. `sums` counts the distinct numbers.
            Aggregate::Rows if measure.table == Table::Shipment => {
                (self.column(Table::Delivery, Table::Shipment.key()), None)
            }
            Aggregate::Rows => (known(measure.table.key()), None),
            Aggregate::RowsWith(statuses) => {
                let one = own("delivery_status").is_in(statuses.iter().copied());
                (Expr::case(one, rows()).finally(0).into(), None)
            }
            Aggregate::Rate(name) if rolled_up => (own(name), Some(own(known_column(name)))),
            Aggregate::Rate(name) => {
                let yes = own(name).eq(Expr::Constant(true.into()));
                (Expr::case(yes, 1).finally(0).into(), Some(known(name)))
            }
            Aggregate::MeanMinutes(name) if rolled_up => (own(name), Some(own("stops"))),
            Aggregate::MeanMinutes(name) => (or_zero(own(name)), Some(known(name))),
            Aggregate::Sum(name) | Aggregate::Thousandths(name) => (or_zero(own(name)), None),
        }
    }

    /// Returns the sums of a measure over a group.
    fn sums(&self, measure: &Measure, id: &str) -> (Expr, Option<Expr>) {
        let first = column(&m(id, 'a'));
        if measure.table == Table::Shipment && self.plan.root != Table::Shipment {
            return (first.count_distinct(), None);
        }
        let second = self.parts(measure).1.map(|_| whole(column(&m(id, 'b')).sum()));
        (whole(first.sum()), second)
    }

    /// Returns a measure's value in a group, as a floating-point number; NULL if it has none.
    pub(super) fn value(&self, measure: &Measure, id: &str) -> Expr {
        let (first, second) = self.sums(measure, id);
        let first = first.cast_as(Alias::new("double precision"));
        let number = |number: f64| Expr::Constant(Value::Double(Some(number)));
        match (measure.aggregate, second) {
            (Aggregate::Thousandths(_), _) => first.div(number(1000.0)),
            (Aggregate::Rate(_), Some(known)) => {
                let rate = first.mul(number(100.0)).div(known.clone());
                Expr::case(known.gt(constant(0)), rate).finally(Expr::null()).into()
            }
            (_, Some(known)) => {
                let mean = first.div(known.clone()).div(number(60.0));
                Expr::case(known.gt(constant(0)), mean).finally(Expr::null()).into()
            }
            (_, None) => first,
        }
    }
}

fn whole(sum: Expr) -> Expr {
    or_zero(sum).cast_as(Alias::new("bigint"))
}

fn or_zero(expr: Expr) -> Expr {
    Func::coalesce([expr, constant(0)]).into()
}

pub(super) fn constant(number: i32) -> Expr {
    Expr::Constant(number.into())
}

fn words(is_so: Expr, yes: &'static str, no: &'static str) -> Expr {
    let is_so = is_so.eq(Expr::Constant(true.into()));
    Expr::case(is_so, Expr::Constant(yes.into())).finally(Expr::Constant(no.into())).into()
}

/// Returns NULL for an empty text if it means that the dimension has no value.
fn filled(dimension: &Dimension, text: Expr) -> Expr {
    match dimension.kind {
        Kind::Text { is_blank_missing: true, .. } => {
            Func::cust("NULLIF").args([text, Expr::Constant("".into())]).into()
        }
        _ => text,
    }
}

fn known_column(name: &'static str) -> &'static str {
    match name {
        "on_time" => "on_time_known",
        "first_attempt" => "first_attempt_known",
        _ => "perfect_known",
    }
}

fn is_text(dimension: &Dimension) -> bool {
    !dimension.is_time()
}

/// Returns a column of the next inner level.
fn column(name: &str) -> Expr {
    Expr::col((Alias::new(ROWS), Alias::new(name)))
}

fn k(at: usize) -> String {
    format!("k{at}")
}

fn d(at: usize) -> String {
    format!("d{at}")
}

fn b(at: usize) -> String {
    format!("b{at}")
}

fn r(at: usize) -> String {
    format!("r{at}")
}

fn m(id: &str, part: char) -> String {
    format!("m{id}{part}")
}
