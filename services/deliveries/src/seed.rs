//! Demo data: ninety days of fictitious deliveries to stores in Metro Manila.
//!
//! The same number of deliveries on the same day gives the same data on every machine, except for what
//! happens in the course of that day, and for the id of an existing source. The data is written in
//! transactions of a few thousand rows, directly to the tables, without events.

mod calendar;
mod chance;
mod goods;
mod life;
mod parties;
mod pictures;
mod proofs;
mod rows;
mod story;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use ::store::filter::fold;
use ::store::{Db, Tx, bulk, counter, db};
use chrono::{DateTime, Utc};
use kit::blob::Blob;
use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QuerySelect};
use tokio::time::Instant;
use uuid::Uuid;

use self::parties::{Customer, Customers, TRUCKERS};
use self::proofs::Proofs;
use self::rows::{Sources, Stretch, World};
use crate::domain::reason::Catalogue;
use crate::entity::{address, customer, delivery, source};
use crate::tables::deliveries::COUNTER;
use crate::tables::truckers;

pub use crate::events::on_driver_changed::follow as follow_drivers;

/// The actor of demo data.
const ACTOR: &str = "demo";
/// From this number of deliveries on, there are many customers and sources.
const LARGE: u64 = 200_000;
/// Maximum number of deliveries: document numbers have no room for more.
const MOST: u64 = 50_000_000;
/// In a large installation, only deliveries of this many days have forms, because each form is a large
/// document.
const FORM_DAYS: i64 = 7;
/// Deliveries per transaction.
const STRETCH: usize = 2_500;
/// How far back handovers are returned. Positions of drivers are generated from them.
const HANDOVERS: chrono::TimeDelta = chrono::TimeDelta::hours(48);
const REPORT: Duration = Duration::from_secs(5);

/// Fills an empty database, without files.
pub async fn run(db_: &Db, clock: &Clock, zone: chrono_tz::Tz, deliveries: u64) -> Result<Made> {
    fill(db_, None, clock, zone, deliveries).await
}

/// Fills an empty database, and stores the files that prove the last outcomes.
pub async fn run_with_files(
    db_: &Db,
    blob: &Blob,
    clock: &Clock,
    zone: chrono_tz::Tz,
    deliveries: u64,
) -> Result<Made> {
    let proofs = Proofs::new(blob, clock.now(), deliveries).await?;
    fill(db_, Some(proofs), clock, zone, deliveries).await
}

async fn fill(
    db_: &Db,
    proofs: Option<Proofs>,
    clock: &Clock,
    zone: chrono_tz::Tz,
    deliveries: u64,
) -> Result<Made> {
    if deliveries == 0 || deliveries > MOST {
        return Err(Error::invalid_field("deliveries", format!("demo data has 1 to {MOST} deliveries")));
    }
    let there = delivery::Entity::find().select_only().column(delivery::Column::IdKey).limit(1);
    if there.into_tuple::<String>().one(db_.read()).await.map_err(db)?.is_some() {
        return Err(Error::precondition(
            "NOT_EMPTY",
            "There are already deliveries. Demo data goes into an empty database only; nothing was changed.",
        ));
    }
    let now = clock.now();
    let large = deliveries >= LARGE;
    let customers = Customers::make(if large { 5_000 } else { 400 });
    let sources = write_parties(db_, &customers, now, large).await?;
    let forms_since = match large {
        true => now - chrono::TimeDelta::days(FORM_DAYS),
        false => DateTime::<Utc>::MIN_UTC,
    };
    let handovers_since = now - HANDOVERS;
    let reasons = Catalogue::seed();
    let world = World { now, zone, customers, sources, reasons, forms_since, proofs, handovers_since };

    let mut made = Made { customers: world.customers.all.len(), ..Made::default() };
    let mut reported = Instant::now();
    let mut trips = calendar::trips(now, zone, deliveries).peekable();
    while trips.peek().is_some() {
        let mut stretch = Stretch::default();
        while stretch.deliveries.len() < STRETCH {
            let Some(trip) = trips.next() else { break };
            world.tell(&trip, &mut stretch)?;
        }
        made.add(&mut stretch);
        if let Some(proofs) = &world.proofs {
            proofs.keep(&stretch.files).await?;
        }
        write(db_, stretch).await?;
        if reported.elapsed() >= REPORT {
            reported = Instant::now();
            tracing::info!(deliveries = made.deliveries, of = deliveries, "making demo data");
        }
    }
    Ok(made)
}

/// Returns the ids of the demo drivers.
pub fn driver_ids() -> impl Iterator<Item = String> {
    (0..parties::DRIVERS).map(|index| parties::driver(index).0)
}

/// Where and when a driver recorded an outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Handover {
    pub driver_id: String,
    pub at: DateTime<Utc>,
    pub lat: f64,
    pub lng: f64,
}

/// Counts of what was created.
#[derive(Debug, Default)]
pub struct Made {
    /// Handovers of the last two days.
    pub handovers: Vec<Handover>,
    files: usize,
    deliveries: usize,
    items: usize,
    steps: usize,
    forms: usize,
    shipments: usize,
    customers: usize,
}

impl Made {
    fn add(&mut self, stretch: &mut Stretch) {
        self.handovers.append(&mut stretch.handovers);
        self.files += stretch.files.len();
        self.deliveries += stretch.deliveries.len();
        self.items += stretch.items.len();
        self.steps += stretch.steps.len();
        self.forms += stretch.forms.len();
        self.shipments += stretch.shipments.len();
    }

    pub fn sentence(&self) -> String {
        format!(
            "Made {} deliveries in {} shipments, with {} items, {} changes of status, {} forms and {} photos and signatures, for {} customers and {} drivers, over {} days.",
            self.deliveries,
            self.shipments,
            self.items,
            self.steps,
            self.forms,
            self.files,
            self.customers,
            parties::DRIVERS,
            calendar::DAYS,
        )
    }
}

/// Writes customers, truckers and sources. Those that an earlier start of the service created stay unchanged.
async fn write_parties(db_: &Db, all: &Customers, now: DateTime<Utc>, large: bool) -> Result<Sources> {
    let since = (now - chrono::TimeDelta::days(400)).date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
    let tx = db_.begin().await?;
    let made = all.all.iter().map(|it| customer::ActiveModel {
        customer_name_key: Set(fold(&it.name)),
        customer_name: Set(it.name.clone()),
        customer_email_key: Set(it.email.as_deref().map(fold)),
        customer_email: Set(it.email.clone()),
        customer_address_key: Set(fold(&it.address)),
        customer_address: Set(it.address.clone()),
        created_at: Set(since),
        created_by: Set(ACTOR.to_owned()),
        updated_at: Set(since),
        updated_by: Set(ACTOR.to_owned()),
        version: Set(1),
        code: Set(None),
        phone: Set(Some(it.contact_phone.clone())),
        address_lat: Set(Some(it.place.lat)),
        address_lng: Set(Some(it.place.lng)),
        address_accuracy: Set(it.place.accuracy),
        pod_requirement: Set(None),
    });
    bulk::insert(&*tx, made.collect()).await?;
    write_places(&tx, all).await?;
    truckers::create_missing(&*tx, TRUCKERS.iter().map(|name| (*name).to_owned()).collect()).await?;

    let names = parties::sources(large);
    let last = names.len() - 1;
    let new = names.iter().enumerate().map(|(index, name)| source::ActiveModel {
        id: Set(chance::Chance::of(4, index as u64).id(since)),
        name: Set(name.clone()),
        name_key: Set(fold(name)),
        is_active: Set(index != last),
        created_at: Set(since),
        created_by: Set(ACTOR.to_owned()),
        updated_at: Set(since),
        updated_by: Set(ACTOR.to_owned()),
        version: Set(1),
        pod_requirement: Set(None),
    });
    source::Entity::insert_many(new)
        .on_conflict(OnConflict::column(source::Column::NameKey).do_nothing().to_owned())
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    let known: Vec<source::Model> = source::Entity::find().all(&*tx).await.map_err(db)?;
    let ids: BTreeMap<String, Uuid> = known.into_iter().map(|it| (it.name_key, it.id)).collect();
    tx.commit().await?;
    let mut ids = names.iter().filter_map(|name| ids.get(&fold(name)).copied()).collect::<Vec<_>>();
    let disabled = ids.pop().ok_or_else(|| Error::internal("no source was made"))?;
    Ok(Sources { active: ids, disabled })
}

/// Writes the customers' locations; all customers with the same address share its location.
async fn write_places(tx: &Tx, all: &Customers) -> Result<()> {
    let places: BTreeMap<String, &Customer> = all.all.iter().map(|it| (fold(&it.address), it)).collect();
    let known = places.into_iter().map(|(key, it)| address::ActiveModel {
        address_key: Set(key),
        address: Set(it.address.clone()),
        lat: Set(Some(it.place.lat)),
        lng: Set(Some(it.place.lng)),
        accuracy: Set(it.place.accuracy),
    });
    bulk::insert(&**tx, known.collect()).await
}

async fn write(db_: &Db, stretch: Stretch) -> Result<()> {
    let count = stretch.deliveries.len() as i64;
    let tx = db_.begin().await?;
    bulk::insert(&*tx, stretch.deliveries).await?;
    bulk::insert(&*tx, stretch.items).await?;
    bulk::insert(&*tx, stretch.steps).await?;
    bulk::insert(&*tx, stretch.variances).await?;
    bulk::insert(&*tx, stretch.forms).await?;
    bulk::insert(&*tx, stretch.shipments).await?;
    let files = stretch.files.into_iter().map(|it| it.row.into_active_model().reset_all());
    bulk::insert(&*tx, files.collect()).await?;
    counter::add(&*tx, COUNTER, count).await?;
    tx.commit().await
}
