//! The table of services, one row each, and the targets that follow from it.
//!
//! Everything that must know all services reads this table: composition, `migrate`, the targets of the
//! command line, addresses of peers, the folder's lock, and the tests of the whole product. A new service
//! is a crate and a row; CONTRIBUTING.md has the steps, docs/adr/0040 the reasons.

use kit::config::{Flags, Loaded, Problems, SetupToken, Target};
use kit::service::Service;
use kit::{Error, Result};
use store::copies::Copy;
use store::migrate::Migrations;

use crate::compose::Process;
pub use crate::compose::Row;

/// All services, in the order in which they start.
pub static SERVICES: &[Row] = &[
    // Auth starts first, because all others verify tokens with its keys.
    Row {
        name: auth::NAME,
        calls: &[],
        keeps_objects: false,
        answers_for_events: true,
        migrations: Migrations::of::<auth::Migrator>(),
        copies: auth::copies,
        start: |process| Box::pin(auth(process)),
    },
    Row {
        name: settings::NAME,
        calls: &[],
        keeps_objects: true,
        answers_for_events: true,
        migrations: Migrations::of::<settings::Migrator>(),
        copies: Vec::new,
        start: |process| Box::pin(settings(process)),
    },
    Row {
        name: drivers::NAME,
        calls: &[settings::NAME],
        keeps_objects: false,
        answers_for_events: true,
        migrations: Migrations::of::<drivers::Migrator>(),
        copies: drivers::copies,
        start: |process| Box::pin(drivers(process)),
    },
    Row {
        name: deliveries::NAME,
        calls: &[settings::NAME],
        keeps_objects: true,
        answers_for_events: true,
        migrations: Migrations::of::<deliveries::Migrator>(),
        copies: deliveries::copies,
        start: |process| Box::pin(deliveries(process)),
    },
    Row {
        name: upload::NAME,
        calls: &[settings::NAME, deliveries::NAME],
        keeps_objects: true,
        answers_for_events: true,
        migrations: Migrations::of::<upload::Migrator>(),
        copies: upload::copies,
        start: |process| Box::pin(upload(process)),
    },
    Row {
        name: analytics::NAME,
        calls: &[auth::NAME, settings::NAME, drivers::NAME, deliveries::NAME],
        keeps_objects: false,
        answers_for_events: true,
        migrations: Migrations::of::<analytics::Migrator>(),
        copies: analytics::copies,
        start: |process| Box::pin(analytics(process)),
    },
];

async fn auth(process: Process) -> Result<Service> {
    let settings = process.settings().await?;
    let Process { config, target, clock, db, .. } = process;
    let mailing = auth::Mailing::new(&config, target)?;
    let setup_token_needed = match config.auth.setup_token {
        SetupToken::Yes => true,
        SetupToken::No => false,
        // A person who can reach only the loopback address is at the machine; anyone else, or anyone behind
        // a proxy, must show the token that was printed there.
        SetupToken::Auto => target != Target::All || !config.http.is_local(),
    };
    let config = config.auth;
    auth::service(auth::Context { db, clock, config, setup_token_needed, mailing, settings }).await
}

async fn settings(process: Process) -> Result<Service> {
    let blob = process.blob()?;
    let Process { config, clock, db, .. } = process;
    let public_url = config.http.public_url.trim_end_matches('/').to_owned();
    let defaults = settings::Defaults {
        organization: config.organization,
        deliveries: config.deliveries,
        drivers: config.drivers,
        imports: config.imports,
    };
    settings::service(settings::Context { db, clock, blob, public_url, defaults }).await
}

async fn drivers(process: Process) -> Result<Service> {
    let settings = process.settings().await?;
    let Process { config, clock, db, .. } = process;
    drivers::service(drivers::Context { db, clock, config: config.drivers, settings }).await
}

async fn deliveries(process: Process) -> Result<Service> {
    let (settings, blob) = (process.settings().await?, process.blob()?);
    let Process { config, clock, db, .. } = process;
    let context = deliveries::Context {
        db,
        clock,
        settings,
        blob,
        public_url: config.http.base(),
        seal: deliveries::Seal::new(config.auth.service_secret.first()),
        sealer: kit::sealed::Sealer::new(&config.auth.service_secret, "outbound")?,
        config: config.deliveries,
        organization: config.organization,
    };
    deliveries::service(context).await
}

async fn upload(process: Process) -> Result<Service> {
    let context = upload::Context {
        settings: process.settings().await?,
        blob: process.blob()?,
        deliveries: process.peer(deliveries::NAME)?,
        identity: process.identity(),
        zone: process.config.organization.zone(),
        imports: process.config.imports,
        db: process.db,
        clock: process.clock,
    };
    upload::service(context).await
}

async fn analytics(process: Process) -> Result<Service> {
    let context = analytics::Context {
        deliveries: process.peer(deliveries::NAME)?,
        drivers: process.peer(drivers::NAME)?,
        settings: process.peer(settings::NAME)?,
        auth: process.peer(auth::NAME)?,
        identity: process.identity(),
        db: process.db,
        clock: process.clock,
    };
    analytics::service(context).await
}

/// Returns the services of a process, in start order.
pub fn services(target: Target) -> impl Iterator<Item = &'static Row> {
    SERVICES.iter().filter(move |row| target.runs(row.name))
}

/// Returns the copies with this name, or all copies, each with the service that keeps it.
pub fn copies(named: Option<&str>) -> Vec<(&'static Row, Copy)> {
    let all = SERVICES.iter().flat_map(|row| (row.copies)().into_iter().map(move |copy| (row, copy)));
    all.filter(|(_, copy)| named.is_none_or(|name| copy.name == name)).collect()
}

/// Returns the row of a service.
pub fn service(name: &str) -> Result<&'static Row> {
    let row = SERVICES.iter().find(|row| row.name == name);
    row.ok_or_else(|| Error::internal(format!("there is no service {name}")))
}

/// Returns everything that `--target` accepts.
pub fn targets() -> Vec<Target> {
    let services = SERVICES.iter().map(Row::target);
    [Target::All, Target::Gateway].into_iter().chain(services).collect()
}

/// Returns the target of this name.
pub fn named(name: &str) -> Result<Target> {
    let target = targets().into_iter().find(|target| target.as_str() == name);
    target.ok_or_else(|| Error::internal(format!("there is no target {name}")))
}

/// Loads the configuration for a process that runs `target`.
pub fn load(flags: &Flags, target: Target) -> std::result::Result<Loaded, Problems> {
    let services = SERVICES.iter().map(|row| row.name).collect();
    kit::config::load(&Flags { services, ..flags.clone() }, target)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_service_stands_behind_those_it_calls() {
        assert_eq!(SERVICES[0].name, auth::NAME, "the keys of all others come from it");
        let mut before = BTreeSet::new();
        for row in SERVICES {
            for called in row.calls {
                assert!(before.contains(called), "{} calls {called}, which starts later", row.name);
            }
            assert!(before.insert(row.name), "{} has two rows", row.name);
        }
    }

    #[test]
    fn a_service_can_rebuild_every_copy_that_the_registry_says_it_keeps() {
        for row in SERVICES {
            let kept: BTreeSet<&str> = (row.copies)().iter().map(|copy| copy.name).collect();
            let said: BTreeSet<&str> = proto::events::copies(row.name).into_iter().collect();
            assert_eq!(kept, said, "{} names its copies in its row and in the registry of events", row.name);
        }
    }

    #[test]
    fn every_target_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = targets().into_iter().map(Target::as_str).collect();
        assert_eq!(names.len(), SERVICES.len() + 2, "{names:?}");
        assert!(names.is_superset(&["all", "gateway", "auth", "upload"].into()));
    }
}
