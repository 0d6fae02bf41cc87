//! The migrations of one service as a value, for the list of services in the crate `waybill`.

use futures::future::BoxFuture;
use kit::Result;
use sea_orm_migration::prelude::*;

use super::Found;
use crate::Db;

type Running<'a, T = ()> = BoxFuture<'a, Result<T>>;

/// The migrations of one service.
#[derive(Clone, Copy)]
pub struct Migrations {
    list: fn() -> Vec<Box<dyn MigrationTrait>>,
    up: for<'a> fn(&'a Db) -> Running<'a>,
    require_current: for<'a> fn(&'a Db, &'a str) -> Running<'a>,
    found: for<'a> fn(&'a Db) -> Running<'a, Found>,
    #[cfg(feature = "testing")]
    first: for<'a> fn(&'a Db, u32) -> BoxFuture<'a, std::result::Result<(), DbErr>>,
}

impl Migrations {
    pub const fn of<M: MigratorTrait + 'static>() -> Self {
        Self {
            list: M::migrations,
            up: |db| Box::pin(super::up::<M>(db)),
            require_current: |db, service| Box::pin(super::require_current::<M>(db, service)),
            found: |db| Box::pin(Found::read::<M, _>(db.read())),
            #[cfg(feature = "testing")]
            first: |db, count| Box::pin(async move { M::up(&db.writer, Some(count)).await }),
        }
    }

    pub fn count(&self) -> usize {
        (self.list)().len()
    }

    /// Returns the state of the database, compared to these migrations.
    pub(super) async fn found(&self, db: &Db) -> Result<Found> {
        (self.found)(db).await
    }

    /// Upgrades the database; see [`up`](super::up).
    pub async fn up(&self, db: &Db) -> Result<()> {
        (self.up)(db).await
    }

    /// Creates the tables of a new database. Refuses another one that does not fit the program, like
    /// [`require_current`](super::require_current).
    pub async fn create_or_require_current(&self, db: &Db, service: &str) -> Result<()> {
        match self.found(db).await?.is_empty {
            true => self.up(db).await,
            false => self.require_current(db, service).await,
        }
    }

    /// Refuses a database that does not fit the program; see [`require_current`](super::require_current).
    pub async fn require_current(&self, db: &Db, service: &str) -> Result<()> {
        (self.require_current)(db, service).await
    }

    /// Applies the first `count` migrations to an empty database, as an earlier release did.
    #[cfg(feature = "testing")]
    pub async fn first(&self, db: &Db, count: u32) -> std::result::Result<(), DbErr> {
        (self.first)(db, count).await
    }
}
