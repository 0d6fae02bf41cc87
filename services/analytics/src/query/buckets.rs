//! Truncates times to units, by an SQL expression for either database.

use chrono::{DateTime, Utc};
use sea_orm::DbBackend;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func};

use super::check::TimeUse;
use super::dates::Unit;
use super::sql::{Sql, constant};
use super::zone::{self, Offsets};

impl Sql<'_> {
    /// Truncates a time to a unit, in local time of the query's zone.
    ///
    /// Does not use time zones of the database: SQLite has none, and those of Postgres may be older than
    /// ours. Instead, the expression contains the offsets that apply in the range, as a tree of comparisons.
    pub(super) fn bucket(&self, time: &TimeUse, unit: Unit) -> Expr {
        let zone = self.plan.query.zone;
        let bounds = time.range.map(|range| zone::instants(range, zone));
        let offsets = Offsets::between(zone, bounds.map(|it| it.0), bounds.map(|it| it.1));
        let at = self.time(time.dimension);
        let offset = self.offset(&at, offsets.first, &offsets.changes);
        if self.backend == DbBackend::Postgres {
            let local = "($1 AT TIME ZONE 'UTC') + $2 * interval '1 second'";
            return Expr::cust_with_exprs(format!("date_trunc('{}', {local})", unit.name()), [at, offset]);
        }
        // Cut off fractions of a second, which SQLite would round.
        let at = Func::cust(Alias::new("substr")).args([at, constant(1), constant(19)]);
        let strftime = |format: &str, more: Vec<Expr>| {
            let head = [Expr::Constant(format.into()), at.clone().into(), offset.clone()];
            Expr::from(Func::cust(Alias::new("strftime")).args(head.into_iter().chain(more)))
        };
        let text = |text: &str| Expr::Constant(text.into());
        match unit {
            Unit::Second => strftime("%Y-%m-%dT%H:%M:%S", vec![]),
            Unit::Minute => strftime("%Y-%m-%dT%H:%M:00", vec![]),
            Unit::Hour => strftime("%Y-%m-%dT%H:00:00", vec![]),
            Unit::Day => strftime("%Y-%m-%dT00:00:00", vec![]),
            // "weekday 0" moves forward to Sunday, or nowhere on a Sunday. Six days before that is Monday.
            Unit::Week => strftime("%Y-%m-%dT00:00:00", vec![text("weekday 0"), text("-6 days")]),
            Unit::Month => strftime("%Y-%m-01T00:00:00", vec![]),
            Unit::Year => strftime("%Y-01-01T00:00:00", vec![]),
            Unit::Quarter => {
                let month = || strftime("%m", vec![]);
                let year = |rest: &str| strftime(&format!("%Y-{rest}T00:00:00"), vec![]);
                Expr::case(month().lt(text("04")), year("01-01"))
                    .case(month().lt(text("07")), year("04-01"))
                    .case(month().lt(text("10")), year("07-01"))
                    .finally(year("10-01"))
                    .into()
            }
        }
    }

    fn offset(&self, at: &Expr, first: i32, changes: &[(DateTime<Utc>, i32)]) -> Expr {
        let Some((from, middle)) = changes.get(changes.len() / 2) else {
            return match self.backend {
                DbBackend::Postgres => constant(first),
                _ => Expr::Constant(format!("{first:+} seconds").into()),
            };
        };
        let (before, after) = changes.split_at(changes.len() / 2);
        let earlier = self.offset(at, first, before);
        let later = self.offset(at, *middle, after.get(1..).unwrap_or_default());
        Expr::case(at.clone().lt(*from), earlier).finally(later).into()
    }
}
