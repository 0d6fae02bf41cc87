//! Tests the copied data on both databases, with an owner that generates random histories.

mod answers;
mod dice;
mod evaluate;
mod events;
mod language;
mod many;
mod owner;
mod queries;
mod rebuild;
mod report_mail;
mod turns;

use ::store::Db;
use chrono::DateTime;
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder};
use tonic::service::Routes;

use crate::entity::*;
use crate::{Context, Migrator, rebuild as jobs};
use owner::Owner;

/// All data that queries can see, in a fixed order. Includes sequences, but not runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tables {
    pub deliveries: Vec<delivery_fact::Model>,
    pub variances: Vec<variance_fact::Model>,
    pub shipments: Vec<shipment_fact::Model>,
    pub drivers: Vec<driver_fact::Model>,
    pub sources: Vec<source_fact::Model>,
    pub stops: Vec<stop_fact::Model>,
    pub rollups: Vec<delivery_rollup::Model>,
}

impl Tables {
    pub async fn read(db: &Db) -> Self {
        let reader = db.read();
        let mut tables = Self {
            deliveries: delivery_fact::Entity::find()
                .order_by_asc(delivery_fact::Column::DeliveryIdKey)
                .all(reader)
                .await
                .unwrap(),
            variances: variance_fact::Entity::find()
                .order_by_asc(variance_fact::Column::VarianceId)
                .all(reader)
                .await
                .unwrap(),
            shipments: shipment_fact::Entity::find()
                .order_by_asc(shipment_fact::Column::ShipmentNumberKey)
                .all(reader)
                .await
                .unwrap(),
            drivers: driver_fact::Entity::find()
                .order_by_asc(driver_fact::Column::DriverIdKey)
                .all(reader)
                .await
                .unwrap(),
            sources: source_fact::Entity::find()
                .order_by_asc(source_fact::Column::SourceId)
                .all(reader)
                .await
                .unwrap(),
            stops: stop_fact::Entity::find()
                .order_by_asc(stop_fact::Column::StopKey)
                .all(reader)
                .await
                .unwrap(),
            rollups: delivery_rollup::Entity::find()
                .order_by_asc(delivery_rollup::Column::RollupId)
                .all(reader)
                .await
                .unwrap(),
        };
        tables.deliveries.iter_mut().for_each(|row| row.run = 0);
        tables.shipments.iter_mut().for_each(|row| row.run = 0);
        tables.drivers.iter_mut().for_each(|row| row.run = 0);
        tables.sources.iter_mut().for_each(|row| row.run = 0);
        tables.stops.iter_mut().for_each(|row| row.run = 0);
        tables
    }
}

pub struct World {
    pub context: Context,
    pub owner: Owner,
}

impl World {
    pub fn open(db: &Db, seed: u64) -> Self {
        let clock = Clock::fixed(DateTime::from_timestamp(1_795_000_000, 0).unwrap());
        let owner = Owner::new(seed, db.clone(), clock.clone());
        let context = Context {
            db: db.clone(),
            deliveries: Transport::InProcess(Routes::new(owner.deliveries())),
            drivers: Transport::InProcess(Routes::new(owner.drivers())),
            settings: Transport::InProcess(Routes::default()),
            auth: Transport::InProcess(Routes::default()),
            identity: ServiceIdentity::new(crate::NAME, "x".repeat(32).into(), clock.clone()),
            clock,
        };
        Self { context, owner }
    }

    pub fn db(&self) -> &Db {
        &self.context.db
    }

    /// Runs all due jobs; returns the number of attempts.
    pub async fn work(&self) -> usize {
        jobs::jobs(&self.context).run_all().await.unwrap()
    }

    /// Runs a rebuild, which reads everything from the owner again.
    pub async fn rebuild(&self) {
        crate::seed::request_rebuild(self.db(), "admin-1", self.context.clock.now()).await.unwrap();
        self.work().await;
        assert_eq!(self.version().await.run, self.version().await.complete_run, "the rebuild finished");
    }

    pub async fn version(&self) -> data_version::Model {
        data_version::Entity::find_by_id(data_version::ONLY).one(self.db().read()).await.unwrap().unwrap()
    }

    /// Reads the tables, and checks the roll-ups against the facts.
    pub async fn tables(&self) -> Tables {
        let tables = Tables::read(self.db()).await;
        evaluate::assert_rolled_up(&tables);
        tables
    }

    /// Empties the tables, as if the database had been lost.
    pub async fn forget(&self) {
        let tx = self.db().begin().await.unwrap();
        for table in [
            "delivery_fact",
            "variance_fact",
            "shipment_fact",
            "driver_fact",
            "source_fact",
            "stop_fact",
            "removed_shipment",
            "removed_delivery",
            "delivery_rollup",
        ] {
            tx.execute_unprepared(&format!("DELETE FROM {table}")).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    /// Returns the tables after a rebuild that started with empty tables.
    pub async fn rebuilt(&self) -> Tables {
        self.forget().await;
        self.rebuild().await;
        self.tables().await
    }
}

store::on_both!(migrations_go_down_and_up_again, Migrator, |db: Db| async move {
    let count = <Migrator as sea_orm_migration::MigratorTrait>::migrations().len();
    let own = count - store::migrate::migrations().len();
    for _ in 0..own {
        store::testing::down_one::<Migrator>(&db).await;
    }
    store::migrate::up::<Migrator>(&db).await.unwrap();
    assert_eq!(World::open(&db, 1).version().await.version, 0);
});
