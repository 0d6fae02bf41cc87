//! Believable demo data, each part where its service keeps it.

mod fleet;

use chrono::SubsecRound;
use drivers::seed::Demo;
use kit::Result;
use kit::clock::Clock;
use kit::config::Config;
use proto::events::DriverChanged;
use store::Db;
use store::consume::Revision;

use crate::database::open_named;

pub const DEFAULT_DELIVERIES: u64 = 20_000;
/// Who made the demo data.
const ACTOR: &str = "demo";
/// Of each driver when created. The seed emits no events, so every event is newer.
const CREATED: Revision = Revision { version: 1, sequence: 0 };

const FIRST: [&str; 20] = [
    "Alma", "Arnel", "Bayani", "Cesar", "Danilo", "Edgar", "Efren", "Gina", "Joel", "Jun", "Lorna", "Manny",
    "Nestor", "Oscar", "Pepito", "Ramil", "Rey", "Rodel", "Teresa", "Vic",
];
const LAST: [&str; 19] = [
    "Aguinaldo",
    "Banzon",
    "Capistrano",
    "Dalisay",
    "Estrella",
    "Gatdula",
    "Halili",
    "Ilagan",
    "Jacinto",
    "Lacson",
    "Mercado",
    "Nolasco",
    "Ordoñez",
    "Pangilinan",
    "Roxas",
    "Salazar",
    "Tuazon",
    "Velasco",
    "Zabala",
];

/// The databases that demo data goes into.
pub struct Databases {
    pub accounts: Db,
    pub analytics: Db,
    pub deliveries: Db,
    pub drivers: Db,
    pub settings: Db,
}

impl Databases {
    /// Those of everything in one process, brought up to date.
    pub async fn open(config: &Config) -> Result<Self> {
        Ok(Self {
            accounts: open_named(config, auth::NAME).await?,
            analytics: open_named(config, analytics::NAME).await?,
            deliveries: open_named(config, deliveries::NAME).await?,
            drivers: open_named(config, drivers::NAME).await?,
            settings: open_named(config, settings::NAME).await?,
        })
    }

    pub async fn close(self) {
        for db in [self.accounts, self.analytics, self.deliveries, self.drivers, self.settings] {
            db.close().await;
        }
    }
}

/// Fills empty databases; says what was made.
pub async fn run(into: &Databases, clock: &Clock, config: &Config, count: u64) -> Result<String> {
    let zone = config.organization.zone();
    let made = deliveries::seed::run(&into.deliveries, clock, zone, count).await?;
    let now = clock.now();
    analytics::seed::request_rebuild(&into.analytics, ACTOR, now).await?;
    let announced = settings::seed::run(&into.settings, now).await?;
    let demos = fleet::demos(now.trunc_subsecs(0));
    let unpaired = fleet::unpaired(&demos);
    let Some(fleet) = drivers::seed::run(&into.drivers, now, &config.drivers, &demos, &unpaired).await?
    else {
        let stay = "There are drivers already; they stay as they are.";
        return Ok(format!("{made} {announced} announcements. {stay}"));
    };
    let told = demos.iter().map(|it| (changed(it), CREATED)).collect();
    deliveries::seed::follow_drivers(&into.deliveries, told).await?;
    let followed = auth::seed::follow_drivers(&into.accounts, clock, &driver_accounts(&demos)?).await?;
    let positions = fleet.positions;
    Ok(format!(
        "{made} {announced} announcements. {} drivers and {positions} positions; {followed} of them have an account that \
         waits for its PIN.",
        fleet.drivers
    ))
}

/// A driver of the demo data, as their service would tell of them.
fn changed(demo: &Demo) -> DriverChanged {
    DriverChanged {
        driver_id: demo.driver_id.clone(),
        name: demo.name.clone(),
        username: demo.username.clone(),
        status: if demo.blocked { "blocked" } else { "active" }.to_owned(),
    }
}

fn driver_accounts(demos: &[Demo]) -> Result<Vec<auth::seed::DriverChange>> {
    demos.iter().map(|it| auth::seed::DriverChange::parse(changed(it), CREATED, ACTOR)).collect()
}

/// A name and a username. As the numbers of names have no common divisor, no two of 380 are the same.
fn person(index: usize) -> (String, String) {
    let (first, last) = (FIRST[index % FIRST.len()], LAST[index % LAST.len()]);
    let plain = last.to_lowercase().replace('ñ', "n");
    (format!("{first} {last}"), format!("{}.{plain}", first.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_driver_has_a_name_of_their_own() {
        let demos = fleet::demos(Clock::system().now());
        let accounts = driver_accounts(&demos).unwrap();
        let ids: Vec<String> = deliveries::seed::driver_ids().collect();
        assert_eq!(accounts.len(), ids.len());
        let usernames: BTreeSet<String> = (0..ids.len()).map(|index| person(index).1).collect();
        assert_eq!(usernames.len(), ids.len());
        assert!(usernames.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'.')));
    }
}
