//! Copies of system settings, in the database of each service that obeys some.
//!
//! The settings service tells every change by an event; [`Follow`] keeps the newest of each. Whoever
//! decides something asks [`Settings`], which answers from memory: read anew once a second, and at
//! once after an event that this process handled. So every replica obeys within two seconds, and
//! nobody waits for the settings service. What nobody set is not here: the configuration holds.
//!
//! A service that is there later than a setting was set asks, once, for all of them to be told again.
//! Why it is done so is told in docs/adr/0023.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Result};
use proto::events::Envelope;
use proto::events::envelope::Payload;
use proto::settings::v1::RepublishSettingsRequest;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ConnectionTrait, EntityTrait};
use sea_orm_migration::prelude::{ColumnDef, DbErr, MigrationName, MigrationTrait, SchemaManager, Table};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::outbox::DeadLetters;
use crate::{Db, db, inbox};

const SUBJECT: &str = "waybill.settings.setting.changed.v1";
const EVERY: Duration = Duration::from_secs(1);
/// How often an asking that failed is repeated.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// Instead of a setting: for which of them all values were asked.
const ASKED: &str = "*";
/// By then what was asked for has arrived.
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
        /// That the setting had with this value.
        pub version: i64,
        pub kept_at: DateTimeUtc,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use setting_copy::{ActiveModel, Column, Entity, Model};

/// Makes the table of copies; a service that obeys settings has it among its migrations.
pub struct Copies;

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

/// What was set, as this process knows it. Cheap to clone; empty, it leaves everything to the
/// configuration.
#[derive(Clone, Default)]
pub struct Settings(Arc<RwLock<Arc<HashMap<String, Model>>>>);

impl Settings {
    /// As the database has them.
    pub async fn open(db_: &Db) -> Result<Self> {
        let this = Self::default();
        this.load(db_).await?;
        Ok(this)
    }

    /// What somebody set, or nothing.
    pub fn get(&self, id: &str) -> Option<String> {
        self.known().get(id).map(|row| row.value.clone())
    }

    /// The same, read. The settings service lets nothing else pass, so what cannot be read is of
    /// another release, and as if nobody had set it.
    pub fn parsed<T: FromStr>(&self, id: &str) -> Option<T> {
        let text = self.get(id)?;
        let value = text.parse().ok();
        if value.is_none() {
            tracing::warn!(setting = id, "a setting cannot be read, the configuration holds");
        }
        value
    }

    /// Whether nothing that was ever set can be missing here: what cannot be undone waits for it.
    pub fn is_complete(&self, now: DateTime<Utc>) -> bool {
        self.known().get(ASKED).is_some_and(|row| now - row.kept_at >= ARRIVED)
    }

    async fn load(&self, db_: &Db) -> Result<()> {
        let rows = Entity::find().all(db_.read()).await.map_err(db)?;
        let known = rows.into_iter().map(|row| (row.id.clone(), row)).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
        Ok(())
    }

    fn known(&self) -> Arc<HashMap<String, Model>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What keeps the copies of a service.
#[derive(Clone)]
pub struct Follow {
    pub db: Db,
    pub clock: Clock,
    pub settings: Settings,
    /// Who follows.
    pub service: &'static str,
    /// Durable name of the consumer.
    pub consumer: &'static str,
    /// What the service obeys; nothing else is kept.
    pub wanted: &'static [&'static str],
}

impl Follow {
    /// To be registered before any relay starts, and run.
    pub fn consumer(&self) -> Consumer {
        let Self { db, clock, service, consumer, .. } = self.clone();
        Consumer {
            name: consumer,
            subject: SUBJECT.to_owned(),
            handler: Arc::new(self.clone()),
            dead_letters: Arc::new(DeadLetters { db, service, clock }),
        }
    }

    /// Looks for what other replicas learned, and asks for what was set before this service was
    /// there, until told to stop.
    pub async fn run(
        self,
        source: Transport,
        identity: ServiceIdentity,
        stop: CancellationToken,
    ) -> Result<()> {
        let looking = async {
            loop {
                tokio::time::sleep(EVERY).await;
                if let Err(error) = self.settings.load(&self.db).await {
                    tracing::warn!("settings cannot be read, what was known holds: {error}");
                }
            }
        };
        let asking = async {
            while let Err(error) = self.ask(&source, &identity).await {
                tracing::debug!("settings are asked for again in a moment: {error}");
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

    /// Once for everything that this release obeys.
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
        let Some(Payload::SettingChanged(changed)) = &envelope.payload else { return Ok(()) };
        if !self.wanted.contains(&changed.id.as_str()) {
            return Ok(());
        }
        let event = Uuid::parse_str(&envelope.id).map_err(Error::internal)?;
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        if !inbox::once(&tx, self.consumer, event, now).await? {
            return Ok(());
        }
        let row = ActiveModel {
            id: Set(changed.id.clone()),
            value: Set(changed.value.clone()),
            version: Set(i64::try_from(envelope.aggregate_version).map_err(Error::internal)?),
            kept_at: Set(now),
        };
        keep(&*tx, row).await?;
        tx.commit().await?;
        self.settings.load(&self.db).await
    }
}

/// Unless what is kept is newer: events come in no promised order.
async fn keep<C: ConnectionTrait>(connection: &C, row: ActiveModel) -> Result<()> {
    let newer = Expr::col((Entity, Column::Version)).lt(Expr::col(("excluded", Column::Version)));
    let over = OnConflict::column(Column::Id)
        .update_columns([Column::Value, Column::Version, Column::KeptAt])
        .action_and_where(newer)
        .to_owned();
    Entity::insert(row).on_conflict(over).exec_without_returning(connection).await.map_err(db)?;
    Ok(())
}
