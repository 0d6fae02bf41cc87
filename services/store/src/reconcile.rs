//! Recovers events that the broker lost or cannot deliver: a consumer asks the emitting service for its events,
//! and handles those that it has never seen.
//!
//! Runs at start, every few minutes, and as soon as the stream has been replaced. While the broker is away, it
//! runs every few seconds for consumers that keep copies, which may handle events before they are published.
//! Events go through the same handler as from the bus: the inbox makes repetition harmless, and failures count
//! as usual. The watermark moves only after a pass that left no event waiting.

use std::time::Duration;

use chrono::{DateTime, Utc};
use kit::bus::{Bus, Consumer, Retry, replay};
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Result};
use prost::Message;
use proto::events::events_service_client::EventsServiceClient;
use proto::events::{Envelope, ListPublishedRequest, keeps_copy};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, EntityTrait};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::dead_letters::{self, plain};
use crate::{Db, db, inbox};

/// How often to check whether the broker is away or the stream was replaced.
const LOOK: Duration = Duration::from_secs(5);
const EVERY: Duration = Duration::from_secs(120);
/// Pause after a pass that failed or left events waiting.
const AGAIN: Duration = Duration::from_secs(20);
/// Maximum size of a response in bytes; a page may be a single event of the largest size ever allowed.
const MAX_ANSWER: usize = 16 << 20;

pub mod event_watermark {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_watermarks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub consumer: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub subject: String,
        /// All events published before this time, by the clock of the source's database, have been handled or
        /// given up.
        pub seen_until: DateTimeUtc,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use event_watermark::{ActiveModel, Column, Entity};

/// One consumer and the source of its events.
pub struct Reconcile {
    pub db: Db,
    pub bus: Bus,
    /// The consumer. Its subject must have no wildcards.
    pub consumer: Consumer,
    pub source: Transport,
    pub identity: ServiceIdentity,
    pub retry: Retry,
}

impl Reconcile {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let name = self.consumer.name;
        let mut known = None;
        let mut due = Instant::now();
        let mut last_failed = false;
        while !stop.is_cancelled() {
            if self.must_ask(&mut known).await && !last_failed {
                due = Instant::now();
            }
            if Instant::now() >= due {
                let passed = tokio::select! {
                    passed = self.pass() => passed,
                    () = stop.cancelled() => break,
                };
                last_failed = passed.is_err();
                due = Instant::now() + if last_failed { AGAIN } else { EVERY };
                match passed {
                    Ok(0) => {}
                    Ok(events) => tracing::info!(
                        consumer = name,
                        events,
                        "events that had not arrived were asked for and handled"
                    ),
                    Err(error) => tracing::warn!(
                        consumer = name,
                        "whether events are missing is looked at again in a moment: {error:#}"
                    ),
                }
            }
            // Jitter, because replicas that ask in step would handle the same events.
            let jitter = Duration::from_millis(rand::random_range(0..1_000));
            tokio::select! {
                () = tokio::time::sleep(LOOK + jitter) => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(())
    }

    /// Returns whether to ask for events now: if the stream is another one than `known` or, for a consumer that
    /// keeps a copy, if the broker is away. Sets `known` to the stream.
    async fn must_ask(&self, known: &mut Option<String>) -> bool {
        let (name, service) = (self.consumer.name, self.consumer.service());
        let looked = async {
            // Without a connection, looking would take until its time limit.
            self.bus.ready().await?;
            self.bus.incarnation(service).await
        };
        match looked.await {
            Ok(Some(stream)) => {
                let is_new = known.as_ref().is_some_and(|known| *known != stream);
                if is_new {
                    tracing::error!(stream.service = %service, consumer = name, "the event stream is a new one; what it lost is asked for");
                }
                *known = Some(stream);
                is_new
            }
            Ok(None) => false,
            Err(error) => {
                tracing::debug!("the event stream cannot be looked at: {error:#}");
                keeps_copy(name)
            }
        }
    }

    /// Handles all events of the source that were neither handled here nor given up; returns how many.
    pub async fn pass(&self) -> Result<u64> {
        let key = (self.consumer.name.to_owned(), self.consumer.subject.clone());
        let row = Entity::find_by_id(key).one(self.db.read()).await.map_err(db)?;
        let since = row.map(|row| proto::timestamp(row.seen_until));
        let mut ask = ListPublishedRequest {
            subject: self.consumer.subject.clone(),
            since,
            after: String::new(),
            waiting: keeps_copy(self.consumer.name),
        };
        let (mut handled, mut waiting) = (0, 0);
        let as_of = loop {
            // Get a new token for each page: tokens live for a minute, and a pass may take longer.
            let source = self.source.with_token(self.identity.token()?.into());
            let mut client = EventsServiceClient::new(source).max_decoding_message_size(MAX_ANSWER);
            let page = client.list_published(ask.clone()).await?.into_inner();
            for event in self.missing(page.envelopes).await? {
                match replay(&self.consumer, &event, &self.retry).await {
                    true => handled += 1,
                    false => waiting += 1,
                }
            }
            if page.next.is_empty() {
                break page.as_of.and_then(proto::instant);
            }
            ask.after = page.next;
        };
        if waiting > 0 {
            return Err(Error::unavailable(
                "EVENTS_WAIT",
                format!("{waiting} events that had not arrived cannot be handled yet"),
            ));
        }
        self.advance(as_of.ok_or_else(|| Error::internal("an answer without its time"))?).await?;
        Ok(handled)
    }

    /// Returns the events that were neither handled here nor given up.
    async fn missing(&self, events: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let name = self.consumer.name;
        let id =
            |event: &Vec<u8>| Envelope::decode(event.as_slice()).map(|it| plain(&it.id)).unwrap_or_default();
        let ids: Vec<String> = events.iter().map(id).collect();
        let uuids = ids.iter().filter_map(|id| Uuid::parse_str(id).ok()).collect();
        let handled = inbox::handled(&self.db, name, uuids).await?;
        let given_up = dead_letters::given_up(&self.db, name, ids.clone()).await?;
        let is_done =
            |id: &String| given_up.contains(id) || Uuid::parse_str(id).is_ok_and(|id| handled.contains(&id));
        Ok(events.into_iter().zip(ids).filter(|(_, id)| !is_done(id)).map(|(event, _)| event).collect())
    }

    async fn advance(&self, seen_until: DateTime<Utc>) -> Result<()> {
        let row = ActiveModel {
            consumer: Set(self.consumer.name.to_owned()),
            subject: Set(self.consumer.subject.clone()),
            seen_until: Set(seen_until),
        };
        let over = OnConflict::columns([Column::Consumer, Column::Subject])
            .update_column(Column::SeenUntil)
            .to_owned();
        Entity::insert(row).on_conflict(over).exec_without_returning(&self.db.writer).await.map_err(db)?;
        Ok(())
    }
}
