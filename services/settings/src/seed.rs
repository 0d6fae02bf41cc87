//! Demo announcements of a warehouse in Manila: at least one in each state, to fill the list.

use ::store::{Db, db};
use chrono::{DateTime, Duration, Utc};
use kit::Result;
use kit::clock::new_id;
use proto::settings::v1::{AnnouncementInput, AnnouncementSeverity as Severity};
use sea_orm::{EntityTrait, PaginatorTrait};

use crate::domain::announcement;
use crate::entity::announcement::Entity;
use crate::store::{By, Creation, announcements};

/// The actor of demo data.
const ACTOR: &str = "demo";

struct Demo {
    title: &'static str,
    message: &'static str,
    severity: Severity,
    roles: &'static [&'static str],
    /// Start, in hours from now.
    starts: i64,
    ends: Option<i64>,
    is_active: bool,
    dismissible: bool,
}

const OFFICE: &[&str] = &["transport_planner", "dispatcher"];

const DEMOS: [Demo; 6] = [
    Demo {
        title: "Truck ban on EDSA extended",
        message: "The truck ban on EDSA runs until 22:00 this week. Plan drops in Makati and Ortigas before 17:00 or after \
                  22:00.",
        severity: Severity::Warning,
        roles: OFFICE,
        starts: -20,
        ends: Some(100),
        is_active: true,
        dismissible: true,
    },
    Demo {
        title: "Dock 3 is closed",
        message: "Dock 3 of the Taguig warehouse is closed for repairs until Friday. Load at docks 1 and 2.",
        severity: Severity::Info,
        roles: OFFICE,
        starts: -44,
        ends: Some(52),
        is_active: true,
        dismissible: true,
    },
    Demo {
        title: "Signatures for Balikatan Retail",
        message: "Balikatan Retail accepts no delivery without a signature and a photo of the seal. Remind drivers when you \
                  assign them.",
        severity: Severity::Info,
        roles: OFFICE,
        starts: -150,
        ends: None,
        is_active: true,
        dismissible: true,
    },
    Demo {
        title: "Stock count on Sunday",
        message: "No dispatch on Sunday from 06:00 to 14:00: the warehouse counts its stock.",
        severity: Severity::Warning,
        roles: &[],
        starts: 40,
        ends: Some(88),
        is_active: true,
        dismissible: false,
    },
    Demo {
        title: "Typhoon signal no. 2",
        message: "Signal no. 2 is raised over Metro Manila. Boats to Bataan and Mindoro do not run; reschedule what goes \
                  there.",
        severity: Severity::Critical,
        roles: &[],
        starts: -290,
        ends: Some(-240),
        is_active: true,
        dismissible: false,
    },
    Demo {
        title: "Christmas cut-off",
        message: "Orders for delivery before 24 December are taken until 20 December, 12:00.",
        severity: Severity::Info,
        roles: &[],
        starts: 24,
        ends: Some(700),
        is_active: false,
        dismissible: true,
    },
];

/// Fills the table if it is empty; returns the number of added rows.
pub async fn run(db_: &Db, now: DateTime<Utc>) -> Result<usize> {
    if Entity::find().count(db_.read()).await.map_err(db)? > 0 {
        return Ok(0);
    }
    for demo in &DEMOS {
        let input = input(demo, now);
        let creation = Creation::new(&new_id().to_string(), &input)?;
        // Created two hours before they begin, or two hours ago if they begin in the future.
        let by = By { actor: ACTOR, address: "", now: now - Duration::hours(2 - demo.starts.min(0)) };
        announcements::create(db_, creation, announcement::read(input)?, by).await?;
    }
    Ok(DEMOS.len())
}

fn input(demo: &Demo, now: DateTime<Utc>) -> AnnouncementInput {
    let at = |hours: i64| proto::timestamp(now + Duration::hours(hours));
    AnnouncementInput {
        title: demo.title.to_owned(),
        message: demo.message.to_owned(),
        severity: demo.severity.into(),
        audience_roles: demo.roles.iter().map(|role| (*role).to_owned()).collect(),
        audience_users: Vec::new(),
        starts_at: Some(at(demo.starts)),
        ends_at: demo.ends.map(at),
        is_active: demo.is_active,
        dismissible: demo.dismissible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Migrator;
    use crate::entity::announcement::Column;
    use sea_orm::QueryOrder;

    ::store::on_both!(demo_data_are_made_once, Migrator, |db: Db| async move {
        let now: DateTime<Utc> = "2026-11-21T08:00:00Z".parse().unwrap();
        assert_eq!(run(&db, now).await.unwrap(), DEMOS.len());
        assert_eq!(run(&db, now).await.unwrap(), 0);
        let rows = Entity::find().order_by_asc(Column::StartsAt).all(db.read()).await.unwrap();
        assert_eq!(rows.len(), DEMOS.len());
        for row in rows {
            assert!(row.created_at < now && row.created_at < row.starts_at, "{}", row.title);
        }
    });
}
