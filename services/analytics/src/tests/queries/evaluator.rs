//! Evaluates queries row by row in memory, without statements, roll-ups and the plans of `query::plan`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::calendar::{bucket, within};
use super::data::{Data, Delivery, Variance};
use crate::entity::{driver_fact, shipment_fact};
use crate::members::{Dimension, Measure, cube_of};
use crate::query::check::Query;
use crate::query::dates::{Unit, show};
use crate::query::filter::{Filter, How, NumberTest, Test, Than, What};
use crate::query::run::Rows;
use crate::query::wire::Direction;

/// One row before grouping.
#[derive(Clone, Copy, Default)]
struct Row<'a> {
    delivery: Option<&'a Delivery>,
    variance: Option<&'a Variance>,
    driver: Option<&'a driver_fact::Model>,
    shipment: Option<&'a shipment_fact::Model>,
    source: Option<&'a str>,
}

/// A value in the form that rows are compared and grouped by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Text(String),
    Time(DateTime<Utc>),
    None,
}

/// A group: its key and its rows. The key has values and buckets and, without grouping, the row's own key.
type Group<'a> = ((Vec<Value>, String), Vec<Row<'a>>);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Deliveries,
    Variances,
    Drivers,
    Shipments,
}

pub struct Evaluator<'a> {
    data: &'a Data,
    query: &'a Query,
    kind: Kind,
}

impl<'a> Evaluator<'a> {
    pub fn new(data: &'a Data, query: &'a Query) -> Self {
        let leaves = query.leaves();
        let mut names: Vec<&str> = query.dimensions.iter().map(|it| it.name).collect();
        names.extend(query.measures.iter().map(|it| it.name));
        names.extend(query.times.iter().map(|it| it.dimension.name));
        let shown = names.clone();
        names.extend(leaves.iter().map(|leaf| leaf.member.as_str()));
        let counted = leaves.iter().filter(|leaf| leaf.is_measure()).map(|leaf| leaf.member.as_str());
        let mut measured: Vec<&str> = query.measures.iter().map(|it| it.name).collect();
        measured.extend(counted);
        let kind = if names.iter().all(|it| is("Driver", it)) {
            Kind::Drivers
        } else if names.iter().all(|it| is("Shipment", it)) {
            Kind::Shipments
        } else if shown.iter().chain(&measured).any(|it| is("Variance", it))
            && measured.iter().all(|it| is("Variance", it))
        {
            Kind::Variances
        } else {
            Kind::Deliveries
        };
        Self { data, query, kind }
    }

    fn rows(&self) -> Vec<Row<'a>> {
        let with_variances = self.query.dimensions.iter().any(|it| cube_of(it.name) == "Variance")
            || self.query.measures.iter().any(|it| cube_of(it.name) == "Variance")
            || self.query.leaves().iter().any(|leaf| cube_of(&leaf.member) == "Variance");
        match self.kind {
            Kind::Drivers => {
                self.data.drivers.iter().map(|it| Row { driver: Some(it), ..Row::default() }).collect()
            }
            Kind::Shipments => {
                self.data.shipments.iter().map(|it| Row { shipment: Some(it), ..Row::default() }).collect()
            }
            Kind::Variances => self
                .data
                .variances
                .iter()
                .map(|variance| {
                    let delivery =
                        self.data.deliveries.iter().find(|it| it.delivery_id_key == variance.delivery_id_key);
                    Row { variance: Some(variance), ..self.of(delivery.unwrap()) }
                })
                .collect(),
            Kind::Deliveries if !with_variances => {
                self.data.deliveries.iter().map(|it| self.of(it)).collect()
            }
            Kind::Deliveries => {
                self.data.deliveries.iter().flat_map(|it| self.joined(&self.of(it))).collect()
            }
        }
    }

    /// Returns a row per variance of the row's delivery, or the row itself if there is none.
    fn joined(&self, row: &Row<'a>) -> Vec<Row<'a>> {
        let key = row.delivery.map(|it| &it.delivery_id_key);
        let own = self.data.variances.iter().filter(|it| Some(&it.delivery_id_key) == key);
        let rows: Vec<Row<'a>> = own.map(|it| Row { variance: Some(it), ..*row }).collect();
        if rows.is_empty() { vec![*row] } else { rows }
    }

    /// Returns whether a negated filter on this dimension is about all variances of a delivery.
    fn is_of_no_variance(&self, of: &Dimension) -> bool {
        let query = self.query;
        let counted = query.leaves().into_iter().filter(|leaf| leaf.is_measure());
        let mut shown: Vec<&str> = query.dimensions.iter().map(|it| it.name).collect();
        shown.extend(query.measures.iter().map(|it| it.name));
        shown.extend(counted.map(|leaf| leaf.member.as_str()));
        self.kind == Kind::Deliveries && is("Variance", of.name) && !shown.iter().any(|it| is("Variance", it))
    }

    fn of(&self, delivery: &'a Delivery) -> Row<'a> {
        let data = self.data;
        Row {
            delivery: Some(delivery),
            variance: None,
            driver: data.drivers.iter().find(|it| Some(&it.driver_id_key) == delivery.driver_id_key.as_ref()),
            shipment: data.shipments.iter().find(|it| it.shipment_number_key == delivery.shipment_number_key),
            source: data
                .sources
                .iter()
                .find(|it| Some(it.source_id) == delivery.source_id)
                .map(|it| &*it.source),
        }
    }

    fn text(&self, row: &Row<'a>, name: &str) -> Option<&'a str> {
        let delivery = row.delivery;
        match name {
            "Delivery.id" => Some(&delivery?.delivery_id),
            "Delivery.shipmentnumber" => Some(&delivery?.shipment_number),
            "Delivery.deliverystatus" => Some(&delivery?.delivery_status),
            "Delivery.trucker" => Some(delivery?.trucker.as_str()).filter(|it| !it.is_empty()),
            "Delivery.scanmode" => Some(&delivery?.scan_mode),
            "Delivery.source" => row.source,
            "Delivery.outcomeReason" => delivery?.outcome_reason.as_deref(),
            "Delivery.conflict" => Some(if delivery?.conflict { "Yes" } else { "No" }),
            "CustomerReport.customername" => Some(&delivery?.customer_name),
            "Variance.reason" => row.variance?.reason.as_deref(),
            "Variance.kind" => Some(&row.variance?.kind),
            "Variance.responsible" => row.variance?.responsible.as_deref(),
            "Driver.driverId" if self.kind == Kind::Drivers => Some(&row.driver?.driver_id),
            "Driver.driverId" => delivery?.driver_id.as_deref(),
            "Driver.driverName" => Some(&row.driver?.driver_name),
            "Shipment.shipmentstatus" => Some(&row.shipment?.shipment_status),
            other => panic!("{other} has no value"),
        }
    }

    fn time(row: &Row<'a>, name: &str) -> Option<DateTime<Utc>> {
        match name {
            "Delivery.scheduledatetime" => Some(row.delivery?.schedule_date_time),
            _ => row.delivery?.delivery_date_time,
        }
    }

    fn value(&self, row: &Row<'a>, dimension: &Dimension) -> Value {
        if dimension.is_time() {
            return Self::time(row, dimension.name).map_or(Value::None, Value::Time);
        }
        self.text(row, dimension.name).map_or(Value::None, |text| Value::Text(kit::text::fold(text)))
    }

    pub fn run(&self) -> Rows {
        let query = self.query;
        let keeps = |row: &Row<'a>| {
            query.times.iter().all(|time| {
                time.range.is_none_or(|range| {
                    Self::time(row, time.dimension.name).is_some_and(|at| within(at, range, query.zone))
                })
            }) && query.filters.iter().filter(|it| !it.is_of_groups()).all(|it| self.passes(it, row))
        };
        let rows: Vec<Row<'a>> = self.rows().into_iter().filter(keeps).collect();
        // Without grouping, the key of the row is a part of the group's key.
        let mut groups: BTreeMap<(Vec<Value>, String), Vec<Row<'a>>> = BTreeMap::new();
        for row in rows {
            let mut key: Vec<Value> = query.dimensions.iter().map(|it| self.value(&row, it)).collect();
            key.extend(query.cut().map(|(time, unit)| {
                Self::time(&row, time.dimension.name)
                    .map_or(Value::None, |at| Value::Text(bucket(at, unit, query.zone)))
            }));
            let id = if query.ungrouped { id(&row) } else { String::new() };
            groups.entry((key, id)).or_default().push(row);
        }
        if groups.is_empty()
            && query.dimensions.is_empty()
            && query.cut().next().is_none()
            && !query.ungrouped
        {
            groups.insert((Vec::new(), String::new()), Vec::new());
        }
        let mut groups: Vec<Group<'a>> = groups
            .into_iter()
            .filter(|(_, rows)| {
                query.filters.iter().filter(|it| it.is_of_groups()).all(|it| self.group_passes(it, rows))
            })
            .collect();
        groups.sort_by(|one, other| self.compare(one, other));
        let total = query.total.then_some(groups.len() as u64);
        let from = usize::try_from(query.offset).unwrap();
        let groups = groups.into_iter().skip(from).take(usize::try_from(query.limit).unwrap());
        let shown: Vec<Vec<(String, Option<String>)>> =
            groups.map(|((key, _), rows)| self.show(&key, &rows)).collect();
        let width = query.dimensions.len() + query.cut().count();
        let columns = self.show(&vec![Value::None; width], &[]).into_iter().map(|(name, _)| name).collect();
        let rows = shown.into_iter().map(|row| row.into_iter().map(|(_, value)| value).collect()).collect();
        Rows { columns, rows, total }
    }

    fn show(&self, key: &[Value], rows: &[Row<'a>]) -> Vec<(String, Option<String>)> {
        let query = self.query;
        let mut cells: Vec<(String, Option<String>)> = Vec::new();
        for (dimension, value) in query.dimensions.iter().zip(key) {
            let text = match value {
                Value::None => None,
                Value::Time(at) => Some(show(at.with_timezone(&query.zone).naive_local())),
                Value::Text(_) => {
                    rows.iter().filter_map(|row| self.text(row, dimension.name)).min().map(str::to_owned)
                }
            };
            cells.push((dimension.name.to_owned(), text));
        }
        let buckets = &key[query.dimensions.len()..];
        for ((time, unit), value) in query.cut().zip(buckets) {
            let text = if let Value::Text(text) = value { Some(text.clone()) } else { None };
            let finest =
                query.cut().filter(|(it, _)| it.dimension == time.dimension).map(|(_, unit)| unit).min();
            let mut names = vec![format!("{}.{}", time.dimension.name, unit.name())];
            names.extend((finest == Some(unit)).then(|| time.dimension.name.to_owned()));
            for name in names {
                if !cells.iter().any(|(other, _)| *other == name) {
                    cells.push((name, text.clone()));
                }
            }
        }
        for measure in &query.measures {
            cells.push((measure.name.to_owned(), self.measure(measure, rows).map(|it| it.to_string())));
        }
        cells
    }

    /// Returns a measure's value in a group.
    #[allow(clippy::cast_precision_loss)]
    fn measure(&self, measure: &Measure, rows: &[Row<'a>]) -> Option<f64> {
        let mut seen = BTreeSet::new();
        let deliveries: Vec<&Delivery> = rows
            .iter()
            .filter_map(|row| row.delivery)
            .filter(|it| self.kind == Kind::Variances || seen.insert(&it.delivery_id_key))
            .collect();
        let count =
            |wanted: &dyn Fn(&Delivery) -> bool| deliveries.iter().filter(|it| wanted(it)).count() as f64;
        let rate = |answer: &dyn Fn(&Delivery) -> Option<bool>| {
            let known = count(&|it| answer(it).is_some());
            (known > 0.0).then(|| count(&|it| answer(it) == Some(true)) * 100.0 / known)
        };
        match measure.name {
            "Delivery.count" => Some(deliveries.len() as f64),
            "Delivery.pendingCount" => Some(count(&|it| it.delivery_status == "Pending")),
            "Delivery.completedCount" => Some(count(&|it| it.delivery_status.starts_with("Complete"))),
            "Delivery.onTimeRate" => rate(&|it| it.on_time),
            "Delivery.firstAttemptRate" => rate(&|it| it.first_attempt),
            "Delivery.perfectRate" => rate(&|it| it.perfect),
            "Delivery.avgStopMinutes" => {
                let seconds: Vec<i64> = deliveries.iter().filter_map(|it| it.stop_seconds).collect();
                let mean = seconds.iter().sum::<i64>() as f64 / seconds.len() as f64;
                (!seconds.is_empty()).then_some(mean / 60.0)
            }
            "Delivery.lateEventCount" => Some(deliveries.iter().map(|it| it.late_events).sum::<i32>().into()),
            "Variance.count" => Some(rows.iter().filter(|row| row.variance.is_some()).count() as f64),
            "Variance.quantity" => {
                let sum: i64 =
                    rows.iter().filter_map(|row| row.variance).map(|it| it.quantity_thousandths).sum();
                Some(sum as f64 / 1000.0)
            }
            "Shipment.count" if self.kind == Kind::Shipments => Some(rows.len() as f64),
            "Shipment.count" => {
                let numbers: BTreeSet<&str> =
                    rows.iter().filter_map(|row| row.delivery).map(|it| &*it.shipment_number_key).collect();
                Some(numbers.len() as f64)
            }
            other => panic!("{other} has no value"),
        }
    }

    fn compare(&self, one: &Group<'a>, other: &Group<'a>) -> Ordering {
        let query = self.query;
        for (name, way) in &query.order {
            let order = if let Some(measure) = query.measures.iter().find(|it| it.name == name) {
                let value = |rows: &[Row<'a>]| self.measure(measure, rows);
                match (value(&one.1), value(&other.1)) {
                    (Some(one), Some(other)) => one.partial_cmp(&other).unwrap(),
                    (one, other) => one.is_none().cmp(&other.is_none()),
                }
            } else if let Some(at) = self.place(name) {
                one.0.0[at].cmp(&other.0.0[at])
            } else {
                Ordering::Equal
            };
            let order = if *way == Direction::Desc { order.reverse() } else { order };
            if order != Ordering::Equal {
                return order;
            }
        }
        one.0.cmp(&other.0)
    }

    fn place(&self, name: &str) -> Option<usize> {
        let query = self.query;
        let dimension = query.dimensions.iter().position(|it| it.name == name);
        dimension.or_else(|| {
            let cut: Vec<(usize, Unit)> = query
                .cut()
                .enumerate()
                .filter(|(_, (time, _))| time.dimension.name == name)
                .map(|(at, (_, unit))| (at + query.dimensions.len(), unit))
                .collect();
            cut.iter().min_by_key(|(_, unit)| *unit).map(|(at, _)| *at)
        })
    }

    fn passes(&self, filter: &Filter, row: &Row<'a>) -> bool {
        match filter {
            Filter::And(parts) => parts.iter().all(|it| self.passes(it, row)),
            Filter::Or(parts) => parts.is_empty() || parts.iter().any(|it| self.passes(it, row)),
            Filter::Leaf(leaf) => match &leaf.what {
                What::Dimension { of, test, negated: true } if self.is_of_no_variance(of) => {
                    !self.joined(row).iter().any(|it| tested(&self.value(it, of), test))
                }
                What::Dimension { of, test, negated } => tested(&self.value(row, of), test) != *negated,
                What::Own(measure) => match measure.name {
                    "Delivery.pendingCount" => row.delivery.is_some_and(|it| it.delivery_status == "Pending"),
                    "Delivery.completedCount" => {
                        row.delivery.is_some_and(|it| it.delivery_status.starts_with("Complete"))
                    }
                    name if name.starts_with("Variance.") => row.variance.is_some(),
                    _ => true,
                },
                What::Measure { .. } => panic!("a measure has no value in a row"),
            },
        }
    }

    fn group_passes(&self, filter: &Filter, rows: &[Row<'a>]) -> bool {
        match filter {
            Filter::And(parts) => parts.iter().all(|it| self.group_passes(it, rows)),
            Filter::Or(parts) => parts.iter().any(|it| self.group_passes(it, rows)),
            Filter::Leaf(leaf) => {
                let What::Measure { of, test, negated } = &leaf.what else { panic!("no measure") };
                let value = self.measure(of, rows);
                let passes = match test {
                    NumberTest::IsSet => value.is_some(),
                    NumberTest::Any { any, null } => value.map_or(*null, |it| any.contains(&it)),
                    NumberTest::Compare { than, number } => {
                        value.is_some_and(|it| holds(it.partial_cmp(number).unwrap(), *than))
                    }
                };
                passes != *negated
            }
        }
    }
}

fn tested(value: &Value, test: &Test) -> bool {
    match (test, value) {
        (Test::IsSet, value) => *value != Value::None,
        (Test::Texts { null, .. } | Test::Times { null, .. }, Value::None) => *null,
        (Test::Texts { how, any, .. }, Value::Text(key)) => any.iter().any(|text| match how {
            How::Equals => key == text,
            How::Contains => key.contains(text.as_str()),
            How::StartsWith => key.starts_with(text.as_str()),
            How::EndsWith => key.ends_with(text.as_str()),
        }),
        (Test::Compare { than, key: with }, Value::Text(key)) => holds(key.cmp(with), *than),
        (Test::Times { any, .. }, Value::Time(at)) => {
            any.iter().any(|(from, until)| from <= at && at < until)
        }
        (Test::Since(from), Value::Time(at)) => at >= from,
        (Test::Before(until), Value::Time(at)) => at < until,
        _ => false,
    }
}

fn holds(order: Ordering, than: Than) -> bool {
    match than {
        Than::Greater => order == Ordering::Greater,
        Than::GreaterOrEqual => order != Ordering::Less,
        Than::Less => order == Ordering::Less,
        Than::LessOrEqual => order != Ordering::Greater,
    }
}

fn id(row: &Row<'_>) -> String {
    let part = |it: Option<&String>| it.cloned().unwrap_or_else(|| "\u{10ffff}".to_owned());
    let delivery = part(row.delivery.map(|it| &it.delivery_id_key));
    let variance = part(row.variance.map(|it| &it.variance_id));
    let driver = part(row.driver.map(|it| &it.driver_id_key));
    let shipment = part(row.shipment.map(|it| &it.shipment_number_key));
    format!("{delivery} {variance} {driver} {shipment}")
}

fn is(cube: &str, name: &str) -> bool {
    cube_of(name) == cube
}
