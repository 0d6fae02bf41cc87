//! Copies of system settings, in the database of each service that uses some.
//!
//! The settings service emits an event for every change; [`Follow`] stores the newest value of each setting, also of
//! those that this release doesn't use: during an upgrade it handles events for a later release that shares the database.
//! Code that depends on settings reads [`Settings`], which is in memory. It is reloaded once a second, and
//! immediately after an event that this process handled. So every replica applies a change within two
//! seconds, and nothing waits for the settings service. A setting that was never changed has no row here: the
//! configuration applies.
//!
//! A service that starts after a setting was changed asks once for all settings to be sent again. Reasons are
//! in docs/adr/0023.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, Shared};
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::service::Task;
use kit::{Error, Result};
use proto::events::{Envelope, Event, SettingChanged, Subscription};
use proto::settings::v1::RepublishSettingsRequest;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use sea_orm_migration::prelude::{ColumnDef, DbErr, MigrationName, MigrationTrait, SchemaManager, Table};
use tokio_util::sync::CancellationToken;

use crate::consume::{self, Apply, Meta, Revision, consume};
use crate::copies::table::Columns;
use crate::copies::{self, Copy, Known, Reported};
use crate::{Db, Tx, db};

/// The service that emits settings.
const SOURCE: &str = "settings";
const EVERY: Duration = Duration::from_secs(1);
/// How soon a failed request for all values is repeated.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// The id of a row that is not a setting, but lists the settings whose values have been requested.
const ASKED: &str = "*";
/// Time after which requested values have certainly arrived.
const ARRIVED: chrono::Duration = chrono::Duration::minutes(10);

pub mod setting_copy {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "setting_copy")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub value: String,
        /// The setting's version at which it got this value.
        pub version: i64,
        /// The sequence of the event that brought this value.
        pub sequence: i64,
        /// When the setting got this value, or when its owner last sent all values again.
        pub kept_at: DateTimeUtc,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use setting_copy::{ActiveModel, Column, Entity, Model};

/// Returns the migrations for the copies, for services that use settings.
pub fn migrations() -> Vec<Box<dyn MigrationTrait>> {
    vec![Box::new(Copies), Box::new(CopySequence)]
}

struct Copies;

impl MigrationName for Copies {
    fn name(&self) -> &str {
        "m0002_setting_copies"
    }
}

#[async_trait]
impl MigrationTrait for Copies {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table(Entity)
                    .col(ColumnDef::new(Column::Id).string().not_null().primary_key())
                    .col(ColumnDef::new(Column::Value).text().not_null())
                    .col(ColumnDef::new(Column::Version).big_integer().not_null())
                    .col(ColumnDef::new(Column::KeptAt).timestamp_with_time_zone().not_null())
                    .to_owned(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}

struct CopySequence;

impl MigrationName for CopySequence {
    fn name(&self) -> &str {
        "m0003_setting_copy_sequence"
    }
}

#[async_trait]
impl MigrationTrait for CopySequence {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new(Column::Sequence).big_integer().not_null().default(0).take();
        manager.alter_table(Table::alter().table(Entity).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table(Entity).drop_column(Column::Sequence).to_owned()).await
    }
}

/// The changed settings that this process knows. Cheap to clone; where a setting is missing, the
/// configuration applies.
#[derive(Clone, Default)]
pub struct Settings {
    known: Arc<RwLock<Arc<HashMap<String, Model>>>>,
    source: Option<Source>,
}

/// Waits until the settings service has started, and returns the transport to it.
pub type Service = Shared<BoxFuture<'static, Transport>>;

/// The settings service, and the identity for calling it.
#[derive(Clone)]
struct Source {
    service: Service,
    identity: ServiceIdentity,
}

impl Settings {
    /// Loads the copies from the database.
    pub async fn open(db_: &Db) -> Result<Self> {
        let this = Self::default();
        this.load(db_).await?;
        Ok(this)
    }

    /// Sets the service that [`Follow::task`] asks for earlier changes.
    pub fn from_service(self, service: Service, identity: ServiceIdentity) -> Self {
        Self { source: Some(Source { service, identity }), ..self }
    }

    /// Returns the setting's value, if it was ever changed.
    pub fn get(&self, id: &str) -> Option<String> {
        self.known().get(id).map(|row| row.value.clone())
    }

    /// Returns the parsed value. The settings service validates values, so an unreadable value is from
    /// another release and counts as unset.
    pub fn parsed<T: FromStr>(&self, id: &str) -> Option<T> {
        let text = self.get(id)?;
        let value = text.parse().ok();
        if value.is_none() {
            tracing::warn!(setting = id, "a setting cannot be read, the configuration holds");
        }
        value
    }

    /// Returns whether the setting got its value after that time. A value that was sent again may count as newer
    /// than it is.
    pub fn has_changed_since(&self, id: &str, at: DateTime<Utc>) -> bool {
        self.known().get(id).is_some_and(|row| row.kept_at > at)
    }

    /// Returns whether all changed settings have arrived. Irreversible work must not begin before that. A request
    /// with a time far ahead counts as old: the clock was wrong when it was noted, and has been set right since.
    pub fn is_complete(&self, now: DateTime<Utc>) -> bool {
        self.known().get(ASKED).is_some_and(|row| (now - row.kept_at).abs() >= ARRIVED)
    }

    async fn load(&self, db_: &Db) -> Result<()> {
        let rows = Entity::find().all(db_.read()).await.map_err(db)?;
        let known = rows.into_iter().map(|row| (row.id.clone(), row)).collect();
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
        Ok(())
    }

    fn known(&self) -> Arc<HashMap<String, Model>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Declares the settings that a service uses: a constant for each, and [`OBEYED`](Follow::wanted) with all
/// of them.
///
/// Shape: `store::obeyed! { NAME = "organization-name"; }`
#[macro_export]
macro_rules! obeyed {
    ($($name:ident = $id:literal;)+) => {
        $(const $name: &str = $id;)+

        pub const OBEYED: &[&str] = &[$($name),+];
    };
}

/// Maintains a service's copies.
#[derive(Clone)]
pub struct Follow {
    pub db: Db,
    pub clock: Clock,
    pub settings: Settings,
    pub subscription: Subscription<SettingChanged>,
    /// The settings that the service uses. A release that uses others asks for all values again.
    pub wanted: &'static [&'static str],
}

impl Follow {
    /// Returns the consumer. Register it before any relay starts, then run it.
    pub fn consumer(&self) -> Consumer {
        let subject = SettingChanged::ENTRY.subject(SOURCE);
        consume::consumer(self.subscription, subject, &self.db, &self.clock, Arc::new(self.clone()))
    }

    /// Returns [`run`](Self::run) as a task of the service. The task fails if no settings service is set.
    pub fn task(self) -> Task {
        Task::new("settings", move |stop| async move {
            let Some(Source { service, identity }) = self.settings.source.clone() else {
                return Err(Error::internal("settings are followed without their service"));
            };
            self.run(service, identity, stop).await
        })
    }

    /// Runs until stopped: reloads what other replicas stored, and asks for changes from before this service
    /// existed.
    pub async fn run(
        self,
        source: Service,
        identity: ServiceIdentity,
        stop: CancellationToken,
    ) -> Result<()> {
        let looking = async {
            loop {
                tokio::time::sleep(EVERY).await;
                if let Err(error) = self.settings.load(&self.db).await {
                    tracing::warn!("settings cannot be read, what was known holds: {error:#}");
                }
            }
        };
        let asking = async {
            let source = source.await;
            while let Err(error) = self.ask(&source, &identity).await {
                tracing::debug!("settings are asked for again in a moment: {error:#}");
                tokio::time::sleep(ASK_AGAIN).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = stop.cancelled() => {}
            ((), ()) = async { tokio::join!(looking, asking) } => {}
        }
        Ok(())
    }

    /// Asks once for all settings that this release uses.
    async fn ask(&self, source: &Transport, identity: &ServiceIdentity) -> Result<()> {
        let wanted = self.wanted.join(",");
        let asked = Entity::find_by_id(ASKED.to_owned()).one(self.db.read()).await.map_err(db)?;
        if asked.is_some_and(|row| row.value == wanted) {
            return Ok(());
        }
        let mut client = SettingsServiceClient::new(source.with_token(identity.token()?.into()));
        client.republish_settings(RepublishSettingsRequest {}).await?;
        let tx = self.db.begin().await?;
        let row = ActiveModel {
            id: Set(ASKED.to_owned()),
            value: Set(wanted),
            version: Set(0),
            sequence: Set(0),
            kept_at: Set(self.clock.now()),
        };
        let again = OnConflict::column(Column::Id).update_columns([Column::Value, Column::KeptAt]).to_owned();
        Entity::insert(row).on_conflict(again).exec_without_returning(&*tx).await.map_err(db)?;
        tx.commit().await?;
        self.settings.load(&self.db).await
    }
}

#[async_trait]
impl Handler for Follow {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        consume(&self.db, &self.clock, self.subscription, envelope, &Keep).await?;
        self.settings.load(&self.db).await
    }
}

/// Stores the newest value of each setting.
struct Keep;

impl<'a> Apply<'a, SettingChanged> for Keep {
    type Applied = BoxFuture<'a, Result<()>>;

    fn apply(&self, tx: &'a Tx, changed: SettingChanged, meta: &'a Meta) -> Self::Applied {
        Box::pin(keep(tx, changed, meta))
    }
}

async fn keep(tx: &Tx, changed: SettingChanged, meta: &Meta) -> Result<()> {
    COLUMNS.keep(tx, vec![row(changed, meta)]).await?;
    kit::fail_point("store.settings.applied");
    Ok(())
}

fn row(changed: SettingChanged, meta: &Meta) -> ActiveModel {
    ActiveModel {
        id: Set(changed.id),
        value: Set(changed.value),
        version: Set(meta.revision.version),
        sequence: Set(meta.revision.sequence),
        kept_at: Set(meta.occurred_at),
    }
}

const COLUMNS: Columns<Entity> = Columns {
    key: Column::Id,
    version: Column::Version,
    sequence: Column::Sequence,
    content: &[Column::Value, Column::KeptAt],
};

/// Returns the service's copy, for rebuilds.
pub fn copy(subscription: Subscription<SettingChanged>) -> Copy {
    Copy::of(subscription, Keep)
}

#[async_trait]
impl copies::Keep for Keep {
    type Event = SettingChanged;

    /// Sorts in memory, because the database may order text differently. There are few rows.
    async fn known(&self, db_: &Db, after: &str, limit: usize) -> Result<Vec<Known>> {
        let rows = Entity::find().filter(Column::Id.ne(ASKED)).all(db_.read()).await.map_err(db)?;
        let known = |row: Model| {
            let revision = Revision { version: row.version, sequence: row.sequence };
            Known { key: row.id, revision }
        };
        let mut rows: Vec<Known> =
            rows.into_iter().filter(|row| row.id.as_str() > after).map(known).collect();
        rows.sort_by(|one, other| one.key.cmp(&other.key));
        rows.truncate(limit);
        Ok(rows)
    }

    async fn write(&self, tx: &Tx, reported: Vec<Reported<SettingChanged>>) -> Result<usize> {
        COLUMNS.yield_to(tx, &reported, |it| it.event.id.clone()).await?;
        COLUMNS.keep(tx, reported.into_iter().map(|it| row(it.event, &it.meta)).collect()).await?;
        Ok(0)
    }

    async fn remove(&self, tx: &Tx, gone: &[Known], _now: DateTime<Utc>) -> Result<()> {
        COLUMNS.remove(tx, gone).await
    }
}
