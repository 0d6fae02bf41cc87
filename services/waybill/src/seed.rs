//! Creates realistic demo data, each part in the service that owns it.

mod fleet;
mod trail;

use chrono::SubsecRound;
use drivers::seed::Demo;
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::config::{Config, Target};
use proto::events::DriverChanged;
use store::Db;
use store::consume::Revision;

use crate::database::{open_or_create, require_each};
use crate::target;

pub const DEFAULT_DELIVERIES: u64 = 20_000;
/// The actor of demo data.
const ACTOR: &str = "demo";
/// The revision of each new driver. The seed emits no events, so every event is newer than this.
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

/// The databases for demo data.
pub struct Databases {
    pub accounts: Db,
    pub analytics: Db,
    pub deliveries: Db,
    pub drivers: Db,
    pub settings: Db,
    /// Storage of attachments.
    pub objects: Blob,
}

impl Databases {
    /// Opens the databases of a single process, and creates the tables of those that are new.
    pub async fn open(config: &Config) -> Result<Self> {
        let services = [auth::NAME, analytics::NAME, deliveries::NAME, drivers::NAME, settings::NAME];
        require_each(config, target::services(Target::All).count())?;
        // The other services get their tables too: commands such as backup refuse a folder that lacks a database.
        for row in target::services(Target::All).filter(|row| !services.contains(&row.name)) {
            open_or_create(config, row.name).await?.close().await;
        }
        Ok(Self {
            accounts: open_or_create(config, auth::NAME).await?,
            analytics: open_or_create(config, analytics::NAME).await?,
            deliveries: open_or_create(config, deliveries::NAME).await?,
            drivers: open_or_create(config, drivers::NAME).await?,
            settings: open_or_create(config, settings::NAME).await?,
            objects: crate::plumbing::blob_of_command(config, &Clock::system())?,
        })
    }

    pub async fn close(self) {
        for db in [self.accounts, self.analytics, self.deliveries, self.drivers, self.settings] {
            db.close().await;
        }
    }
}

/// The demo data to create.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub deliveries: u64,
    /// Whether to create an account for each role of the office, with a public password.
    pub staff: bool,
}

/// Fills empty databases; returns a summary.
pub async fn run(into: &Databases, clock: &Clock, config: &Config, wanted: Wanted) -> Result<String> {
    if wanted.staff {
        auth::seed::require_no_staff(&into.accounts).await?;
    }
    let mut said = fill(into, clock, config, wanted.deliveries).await?;
    if wanted.staff {
        auth::seed::staff(&into.accounts, clock.now()).await?;
        let names = auth::seed::STAFF.map(|(username, _)| username).join(", ");
        let password = auth::seed::STAFF_PASSWORD;
        said += &format!(
            " {names} sign in with the password {password}. Everybody can read it: keep strangers away."
        );
    }
    Ok(said)
}

async fn fill(into: &Databases, clock: &Clock, config: &Config, count: u64) -> Result<String> {
    let zone = config.organization.zone();
    let filled =
        deliveries::seed::run_with_files(&into.deliveries, &into.objects, clock, zone, count).await?;
    let made = filled.sentence();
    let now = clock.now();
    analytics::seed::request_rebuild(&into.analytics, ACTOR, now).await?;
    let announced = settings::seed::run(&into.settings, now).await?;
    let demos = fleet::demos(now.trunc_subsecs(0), &filled.handovers);
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

/// Returns the event that the drivers service would emit for a demo driver.
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

/// Returns a name and a username. The lists' lengths are coprime, so 380 combinations are distinct.
fn person(index: usize) -> (String, String) {
    let (first, last) = (FIRST[index % FIRST.len()], LAST[index % LAST.len()]);
    let plain = last.to_lowercase().replace('ñ', "n");
    (format!("{first} {last}"), format!("{}.{plain}", first.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kit::config::{Flags, load};
    use sea_orm::{ConnectionTrait, Statement};

    use super::*;

    #[test]
    fn every_driver_has_a_name_of_their_own() {
        let demos = fleet::demos(Clock::system().now(), &[]);
        let accounts = driver_accounts(&demos).unwrap();
        let ids: Vec<String> = deliveries::seed::driver_ids().collect();
        assert_eq!(accounts.len(), ids.len());
        let usernames: BTreeSet<String> = (0..ids.len()).map(|index| person(index).1).collect();
        assert_eq!(usernames.len(), ids.len());
        assert!(usernames.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'.')));
    }

    /// The same clock gives the same data. This clock shows a Friday, 1:30 PM in Manila.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_demonstration_has_trails_to_replay_and_somebody_of_each_role() {
        kit::install_crypto();
        let dir = tempfile::tempdir().unwrap();
        let flags = Flags { data: Some(dir.path().to_owned()), ..Flags::default() };
        let config = load(&flags, Target::All).unwrap().config;
        let clock = Clock::fixed("2026-11-20T05:30:00Z".parse().unwrap());
        let into = Databases::open(&config).await.unwrap();
        let wanted = Wanted { deliveries: 1_500, staff: true };
        let said = run(&into, &clock, &config, wanted).await.unwrap();
        assert!(said.contains("demo.dispatcher") && said.contains(auth::seed::STAFF_PASSWORD), "{said}");

        let count = async |db: &Db, sql: &str| -> i64 {
            let ask = Statement::from_string(db.backend(), sql.to_owned());
            db.read().query_one_raw(ask).await.unwrap().unwrap().try_get_by_index(0).unwrap()
        };
        for role in ["admin", "transport_planner", "dispatcher", "viewer"] {
            let sql = format!("SELECT count(*) FROM user_role WHERE role = '{role}'");
            assert_eq!(count(&into.accounts, &sql).await, 1, "{role}");
        }
        for kind in ["signature", "photo"] {
            let sql = format!("SELECT count(*) FROM attachment WHERE kind = '{kind}'");
            assert!(count(&into.deliveries, &sql).await > 5, "{kind}");
        }
        // A driver who is not on the road today has a trail of an hour, with stops.
        let sql = "SELECT count(*) FROM (SELECT driver FROM position WHERE driver > 60 GROUP BY driver \
                   HAVING count(*) > 120 AND sum(CASE WHEN speed_kmh = 0 THEN 1 ELSE 0 END) > 20) AS trails";
        assert!(count(&into.drivers, sql).await > 3);

        let again = run(&into, &clock, &config, Wanted { staff: false, ..wanted }).await.unwrap_err();
        assert_eq!(again.reason, "NOT_EMPTY");
        let again = run(&into, &clock, &config, wanted).await.unwrap_err();
        assert_eq!(again.reason, "ADMIN_EXISTS");
        assert!(again.message.contains("--staff"), "{}", again.message);
        into.close().await;
    }
}
