//! Copies of settings, on both databases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use kit::bus::Handler;
use kit::clock::{Clock, new_id};
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::Transport;
use proto::common::v1::{Count, CountRequest};
use proto::events::envelope::Payload;
use proto::events::events_service_client::EventsServiceClient;
use proto::events::{DELIVERIES_SETTINGS, Envelope, Event, ReadSnapshotRequest, SettingChanged};
use proto::settings::v1::settings_service_server::{SettingsService, SettingsServiceServer};
use proto::settings::v1::*;
use sea_orm::EntityTrait;
use sea_orm_migration::prelude::*;
use store::published::Published;
use store::settings::{Follow, Settings, setting_copy};
use store::snapshot::Snapshot;
use store::testing::copies::Case;
use store::{Db, on_both};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

const ATTEMPTS: &str = "delivery-max-attempts";
const ZONE: &str = "organization-time-zone";
const SECRET: &str = "a-secret-of-this-test-and-no-other";

struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = store::migrate::migrations();
        all.extend(store::settings::migrations());
        all.push(Box::new(JobTable));
        all
    }
}

struct JobTable;

impl MigrationName for JobTable {
    fn name(&self) -> &str {
        "m0004_jobs"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for JobTable {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        store::jobs::create_table(manager).await
    }
}

async fn follow(db: &Db, wanted: &'static [&'static str]) -> Follow {
    Follow {
        db: db.clone(),
        clock: Clock::fixed("2026-11-21T08:00:00Z".parse().unwrap()),
        settings: Settings::open(db).await.unwrap(),
        subscription: DELIVERIES_SETTINGS,
        wanted,
    }
}

fn changed(id: &str, version: u64, value: &str) -> Envelope {
    let payload = SettingChanged { id: id.into(), r#type: "text".into(), value: value.into() };
    Envelope {
        id: new_id().to_string(),
        subject: "waybill.settings.setting.changed.v1".into(),
        aggregate_id: id.into(),
        aggregate_version: version,
        payload: Some(Payload::SettingChanged(payload)),
        ..Envelope::default()
    }
}

on_both!(the_newest_value_stays_in_whatever_order_events_come, Migrator, |db: Db| async move {
    let follow = follow(&db, &[ATTEMPTS, ZONE]).await;
    let settings = follow.settings.clone();
    assert_eq!(settings.get(ATTEMPTS), None, "the configuration holds");
    let [second, third, fourth] =
        [(2, "5"), (3, "7"), (4, "9")].map(|(version, value)| changed(ATTEMPTS, version, value));
    follow.handle(&third).await.unwrap();
    assert_eq!(settings.parsed(ATTEMPTS), Some(7));
    follow.handle(&second).await.unwrap();
    assert_eq!(settings.parsed(ATTEMPTS), Some(7), "an older one changes nothing");
    follow.handle(&fourth).await.unwrap();
    for event in [&third, &second, &fourth] {
        follow.handle(event).await.unwrap();
    }
    assert_eq!(settings.parsed(ATTEMPTS), Some(9), "nor does one that came before");
    // Another event with the same version and the same value changes nothing.
    follow.handle(&changed(ATTEMPTS, 4, "9")).await.unwrap();
    assert_eq!(settings.parsed(ATTEMPTS), Some(9));
    // A value that this release cannot parse counts as unset.
    follow.handle(&changed(ATTEMPTS, 5, "many")).await.unwrap();
    assert_eq!(settings.parsed::<i32>(ATTEMPTS), None);
});

on_both!(a_setting_knows_when_it_last_changed, Migrator, |db: Db| async move {
    let follow = follow(&db, &[ATTEMPTS]).await;
    let settings = follow.settings.clone();
    let time = |minute: i64| follow.clock.now() - chrono::Duration::minutes(60 - minute);
    assert!(!settings.has_changed_since(ATTEMPTS, time(0)), "it has the value of the configuration");
    for (version, minute) in [(2, 10), (3, 20)] {
        let occurred_at = Some(proto::timestamp(time(minute)));
        follow.handle(&Envelope { occurred_at, ..changed(ATTEMPTS, version, "5") }).await.unwrap();
        assert!(settings.has_changed_since(ATTEMPTS, time(minute - 1)));
        assert!(!settings.has_changed_since(ATTEMPTS, time(minute)));
    }
});

// Replicas of both releases share the database during an upgrade, and each event is handled once.
on_both!(a_setting_that_only_the_next_release_uses_is_kept_for_it, Migrator, |db: Db| async move {
    let (next, before) = (follow(&db, &[ATTEMPTS, ZONE]).await, follow(&db, &[ATTEMPTS]).await);
    let event = changed(ZONE, 2, "Asia/Manila");
    before.handle(&event).await.unwrap();
    next.handle(&event).await.unwrap();
    assert_eq!(next.settings.get(ZONE).as_deref(), Some("Asia/Manila"));
});

// During an update both releases emit events, and those of the older release have no sequence.
on_both!(the_newest_value_stays_among_neighbouring_releases, Migrator, |db: Db| async move {
    let follow = follow(&db, &[ATTEMPTS]).await;
    let settings = follow.settings.clone();
    let event = |version, sequence, value| Envelope { sequence, ..changed(ATTEMPTS, version, value) };
    for (newer, older) in [
        (event(2, 0, "2"), event(1, 0, "1")),
        (event(2, 1, "3"), event(2, 0, "2")),
        (event(2, 2, "4"), event(2, 1, "3")),
        (event(3, 0, "5"), event(2, 2, "4")),
        (event(3, 3, "6"), event(3, 0, "5")),
    ] {
        follow.handle(&newer).await.unwrap();
        follow.handle(&older).await.unwrap();
        assert_eq!(
            settings.get(ATTEMPTS).as_deref(),
            match &newer.payload {
                Some(Payload::SettingChanged(it)) => Some(it.value.as_str()),
                _ => None,
            }
        );
    }
});

/// A settings service that counts requests, and may be down.
#[derive(Clone, Default)]
struct StandIn {
    asked: Arc<AtomicUsize>,
    away: Arc<AtomicBool>,
}

#[tonic::async_trait]
impl SettingsService for StandIn {
    async fn list_settings(
        &self,
        _: Request<ListSettingsRequest>,
    ) -> Result<Response<ListSettingsResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn count_settings(&self, _: Request<CountRequest>) -> Result<Response<Count>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn get_setting(&self, _: Request<GetSettingRequest>) -> Result<Response<Setting>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn update_setting(&self, _: Request<UpdateSettingRequest>) -> Result<Response<Setting>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn republish_settings(
        &self,
        request: Request<RepublishSettingsRequest>,
    ) -> Result<Response<RepublishSettingsResponse>, Status> {
        kit::principal::principal(&request)?.require_service("deliveries")?;
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.away.load(Ordering::SeqCst) {
            return Err(Status::unavailable("away"));
        }
        Ok(Response::new(RepublishSettingsResponse { settings: 0 }))
    }
}

struct NoKeys;

#[async_trait::async_trait]
impl KeySource for NoKeys {
    async fn keys(&self) -> kit::Result<std::collections::HashMap<String, Vec<u8>>> {
        Ok(Default::default())
    }
}

async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap_or_else(|_| panic!("until {what}"));
}

on_both!(a_service_that_joins_later_asks_once, Migrator, |db: Db| async move {
    let clock = Clock::system();
    let service = StandIn::default();
    service.away.store(true, Ordering::SeqCst);
    let verifier = Verifier::new(Arc::new(NoKeys), SECRET.to_owned().into(), clock.clone());
    let routes = Routes::new(SettingsServiceServer::new(service.clone()));
    let source = Transport::InProcess(kit::rpc::mount(routes, verifier, Duration::from_secs(5)));
    let identity = ServiceIdentity::new("deliveries", SECRET.to_owned().into(), clock.clone());
    let run = |follow: Follow, stop: &CancellationToken| {
        let service = std::future::ready(source.clone()).boxed().shared();
        tokio::spawn(follow.run(service, identity.clone(), stop.clone()))
    };

    let stop = CancellationToken::new();
    let first = follow(&db, &[ATTEMPTS]).await;
    let (settings, held) = (first.settings.clone(), first.clock.clone());
    let running = run(first, &stop);
    until("it was asked in vain", || service.asked.load(Ordering::SeqCst) > 0).await;
    held.advance(chrono::Duration::hours(1));
    assert!(!settings.is_complete(held.now()), "something may be missing");
    service.away.store(false, Ordering::SeqCst);
    let asked = service.asked.load(Ordering::SeqCst);
    until("it is asked again", || service.asked.load(Ordering::SeqCst) > asked).await;
    until("that is noted", || settings.is_complete(held.now() + chrono::Duration::hours(1))).await;
    held.advance(chrono::Duration::minutes(5));
    assert!(!settings.is_complete(held.now()), "what was asked for is under way");
    held.advance(chrono::Duration::minutes(10));
    until("everything has arrived", || settings.is_complete(held.now())).await;
    let set_right = held.now() - chrono::Duration::days(400);
    assert!(settings.is_complete(set_right), "a clock that was ahead delays nothing for a year");
    stop.cancel();
    running.await.unwrap().unwrap();

    // A service that got an answer does not ask again, unless it uses more settings.
    let asked = service.asked.load(Ordering::SeqCst);
    for (wanted, more) in [(&[ATTEMPTS][..], 0), (&[ATTEMPTS, ZONE][..], 1)] {
        let stop = CancellationToken::new();
        let next = follow(&db, wanted).await;
        // Another replica, which shares the database, handles the event of a change.
        let (here, elsewhere) = (next.settings.clone(), follow(&db, wanted).await);
        let running = run(next, &stop);
        let value = format!("{more}");
        elsewhere.handle(&changed(ATTEMPTS, 10 + more as u64, &value)).await.unwrap();
        until("a replica learns what another one was told", || here.get(ATTEMPTS) == Some(value.clone()))
            .await;
        until("it has asked", || service.asked.load(Ordering::SeqCst) >= asked + more).await;
        stop.cancel();
        running.await.unwrap().unwrap();
        assert_eq!(service.asked.load(Ordering::SeqCst), asked + more, "{wanted:?}");
    }
});

on_both!(a_copy_of_settings_is_rebuilt, Migrator, |db: Db| async move {
    let case = Case {
        copy: store::settings::copy(DELIVERIES_SETTINGS),
        make: |id, n| SettingChanged {
            id: id.into(),
            r#type: "text".into(),
            value: format!("value {n} of {id}"),
        },
        handler: |db, clock| {
            let settings = Settings::default();
            let (db, clock) = (db.clone(), clock.clone());
            Arc::new(Follow { db, clock, settings, subscription: DELIVERIES_SETTINGS, wanted: &[] })
        },
        rows: |db| {
            Box::pin(async move {
                let rows = setting_copy::Entity::find().all(db.read()).await.unwrap();
                let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
                rows.sort();
                rows
            })
        },
        removes: true,
    };
    store::testing::copies::hold::<Migrator, _>(db, case).await;
});

/// The owner of one setting.
struct OneSetting;

#[async_trait::async_trait]
impl Snapshot for OneSetting {
    async fn after(&self, _: &Db, _: &str) -> kit::Result<Vec<Envelope>> {
        Ok(vec![changed(ATTEMPTS, 2, "5")])
    }
}

on_both!(only_who_keeps_a_copy_may_read_the_snapshot, Migrator, |db: Db| async move {
    let clock = Clock::system();
    let verifier = Verifier::new(Arc::new(NoKeys), SECRET.to_owned().into(), clock.clone());
    let published = Published::new(&db, "settings").with_snapshot::<SettingChanged>(OneSetting);
    let routes = Routes::new(published.serve());
    let owner = Transport::InProcess(kit::rpc::mount(routes, verifier, Duration::from_secs(5)));
    let ask = async |service: &'static str, event: &str| {
        let identity = ServiceIdentity::new(service, SECRET.to_owned().into(), clock.clone());
        let client = owner.with_token(identity.token().unwrap().into());
        let request = ReadSnapshotRequest { event: event.to_owned(), after: String::new() };
        EventsServiceClient::new(client).read_snapshot(request).await.map_err(kit::Error::from)
    };
    let name = SettingChanged::ENTRY.name;
    for keeper in ["auth", "deliveries", "drivers", "upload"] {
        let page = ask(keeper, name).await.unwrap().into_inner();
        assert_eq!((page.aggregates.len(), page.next.as_str()), (1, ""), "{keeper}");
    }
    // These do not consume settings.
    for stranger in ["gateway", "analytics"] {
        assert_eq!(ask(stranger, name).await.unwrap_err().reason, "SERVICE_ONLY", "{stranger}");
    }
    assert_eq!(ask("deliveries", "driver.changed.v1").await.unwrap_err().kind, kit::Kind::InvalidInput);
});
