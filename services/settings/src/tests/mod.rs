//! Tests of the service on both databases, through the methods of its gRPC services.

mod acts;
mod announcements;
mod news;
mod office;
mod plans;
mod report_schedules;
mod report_settings;
mod saved_views;
mod settings;

use chrono::{DateTime, Utc};
use kit::blob::{Blob, LocalBlob, LocalConfig};
use kit::clock::Clock;
use kit::config::{Flags, Target, load};
use kit::principal::{Caller, Principal, Role};
use kit::{Error, Kind};
use sea_orm::{EntityTrait, QueryOrder};
use store::Db;
pub use store::testing::events;
use tonic::{Request, Response, Status};

use crate::rpc::Shared;
use crate::{Context, Defaults, Migrator};

/// The service, a clock that tests advance, and a folder of objects.
pub struct World {
    pub context: Context,
    pub clock: Clock,
    pub settings: crate::rpc::settings::Service,
    /// The object folder.
    pub objects: tempfile::TempDir,
}

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

impl World {
    pub async fn start(db: Db) -> Self {
        let config = load(&Flags::default(), Target::All).unwrap().config;
        let clock = Clock::fixed(at("2026-11-21T08:00:00Z"));
        let objects = tempfile::tempdir().unwrap();
        let blob = LocalConfig {
            root: objects.path().to_owned(),
            public_url: Some(PUBLIC_URL.to_owned()),
            secret: "a-key-that-signs-links-of-this-test".to_owned().into(),
        };
        let context = Context {
            db,
            clock: clock.clone(),
            blob: Blob::Local(LocalBlob::new(blob, clock.clone()).unwrap()),
            public_url: PUBLIC_URL.to_owned(),
            defaults: Defaults {
                organization: config.organization,
                deliveries: config.deliveries,
                drivers: config.drivers,
                imports: config.imports,
            },
        };
        crate::store::settings::align(&context.db).await.unwrap();
        let settings = crate::rpc::settings::Service { shared: Shared { context: context.clone() } };
        Self { context, clock, settings, objects }
    }

    pub fn db(&self) -> &Db {
        &self.context.db
    }
}

const PUBLIC_URL: &str = "https://waybill.example";

pub fn good<T>(answer: Result<Response<T>, Status>) -> T {
    match answer {
        Ok(answer) => answer.into_inner(),
        Err(status) => panic!("refused: {:?}", Error::from(status)),
    }
}

pub fn refused<T>(answer: Result<Response<T>, Status>) -> Error {
    match answer {
        Ok(_) => panic!("was not refused"),
        Err(status) => Error::from(status),
    }
}

pub fn by<T>(principal: Principal, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let caller = Caller { principal, token: "".into(), address: "192.0.2.7".into() };
    request.extensions_mut().insert(caller);
    request
}

/// Returns a person with this role, from which name and id are derived.
pub fn user(role: Role) -> Principal {
    Principal::User {
        id: format!("id-of-{role}"),
        username: format!("{role}-1"),
        roles: vec![role],
        session: "s1".into(),
        driver_id: (role == Role::Driver).then(|| "D-1".to_owned()),
    }
}

pub fn admin<T>(message: T) -> Request<T> {
    by(user(Role::Admin), message)
}

pub fn planner<T>(message: T) -> Request<T> {
    by(user(Role::TransportPlanner), message)
}

store::on_both!(migrations_go_down_and_up_again, Migrator, |db: Db| async move {
    let own = <Migrator as sea_orm_migration::MigratorTrait>::migrations().len()
        - store::migrate::migrations().len();
    for _ in 0..own {
        store::testing::down_one::<Migrator>(&db).await;
    }
    let error = store::migrate::require_current::<Migrator>(&db, "settings").await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "MIGRATIONS_PENDING"));
    store::migrate::up::<Migrator>(&db).await.unwrap();
    World::start(db).await;
});
