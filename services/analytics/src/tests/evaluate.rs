//! Computes roll-ups from their definition, by grouping and summing facts.

use std::collections::BTreeMap;

use chrono::{DateTime, Timelike, Utc};
use uuid::Uuid;

use super::Tables;
use crate::entity::delivery_fact;

type Group = (&'static str, &'static str, DateTime<Utc>, String, Option<Uuid>, String, Option<String>);

#[derive(Debug, Default, PartialEq)]
struct Sums {
    deliveries: usize,
    on_time: (usize, usize),
    first_attempt: (usize, usize),
    perfect: (usize, usize),
    stops: (usize, i64),
    late_events: i64,
}

fn hour(at: DateTime<Utc>) -> DateTime<Utc> {
    at.with_minute(0).unwrap().with_second(0).unwrap().with_nanosecond(0).unwrap()
}

fn groups(fact: &delivery_fact::Model) -> Vec<Group> {
    let group = |axis, at, trucker: Option<&String>| {
        let grain = if trucker.is_some() { "trucker" } else { "status" };
        let (status, scan) = (fact.delivery_status.clone(), fact.scan_mode.clone());
        (axis, grain, hour(at), status, fact.source_id, scan, trucker.cloned())
    };
    let outcome =
        |axis, at| (axis, "outcome", hour(at), fact.delivery_status.clone(), None, String::new(), None);
    let mut groups = vec![outcome("scheduled", fact.schedule_date_time)];
    groups.extend(fact.delivery_date_time.map(|at| outcome("processed", at)));
    for trucker in [None, Some(&fact.trucker)] {
        groups.push(group("scheduled", fact.schedule_date_time, trucker));
        groups.extend(fact.delivery_date_time.map(|at| group("processed", at, trucker)));
    }
    groups
}

fn count(sum: &mut (usize, usize), answer: Option<bool>) {
    if let Some(answer) = answer {
        sum.0 += 1;
        sum.1 += usize::from(answer);
    }
}

pub fn assert_rolled_up(tables: &Tables) {
    let mut expected: BTreeMap<Group, Sums> = BTreeMap::new();
    for fact in &tables.deliveries {
        for group in groups(fact) {
            let sums = expected.entry(group).or_default();
            sums.deliveries += 1;
            count(&mut sums.on_time, fact.on_time);
            count(&mut sums.first_attempt, fact.first_attempt);
            count(&mut sums.perfect, fact.perfect);
            if let Some(seconds) = fact.stop_seconds {
                sums.stops.0 += 1;
                sums.stops.1 += seconds;
            }
            sums.late_events += i64::from(fact.late_events);
        }
    }
    let found: BTreeMap<Group, Sums> = tables
        .rollups
        .iter()
        .map(|row| {
            let size = |number: i64| usize::try_from(number).unwrap();
            let group = (
                row.axis.as_str(),
                row.grain.as_str(),
                row.hour,
                row.delivery_status.clone(),
                row.source_id,
                row.scan_mode.clone(),
                row.trucker.clone(),
            );
            let sums = Sums {
                deliveries: size(row.deliveries),
                on_time: (size(row.on_time_known), size(row.on_time)),
                first_attempt: (size(row.first_attempt_known), size(row.first_attempt)),
                perfect: (size(row.perfect_known), size(row.perfect)),
                stops: (size(row.stops), row.stop_seconds),
                late_events: row.late_events,
            };
            (group, sums)
        })
        .collect();
    assert_eq!(found.len(), tables.rollups.len(), "a group has one row");
    assert_eq!(found, expected);
}
