//! Reports a service's published events to the services that consume them, because the broker may have lost
//! some.
//!
//! Reads the outbox in the order in which events were marked as published, by the database's clock. A reader
//! can miss an event only if the statement that marks the event has not committed yet; [`OVERLAP`] covers
//! that time. Services that keep copies can also read the current state of what the service owns
//! ([`Snapshot`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use kit::principal::principal;
use kit::{Error, Result};
use proto::events::events_service_server::{EventsService, EventsServiceServer};
use proto::events::{
    Event, ListPublishedRequest, ListPublishedResponse, ReadSnapshotRequest, ReadSnapshotResponse,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::outbox::outbox_event::{Column, Entity};
use crate::snapshot::{self, Snapshot};
use crate::{Db, db};

/// How long after its `published_at` an event may become visible. Longer than any statement takes, and more
/// than the clocks of a database and its replacement can differ.
const OVERLAP: Duration = Duration::minutes(5);
const ROWS: usize = 200;
/// Maximum size of a page in bytes. A larger first event is sent alone.
const BYTES: usize = 1 << 20;

/// Serves the events of one service.
pub struct Published {
    db: Db,
    readers: Vec<&'static str>,
    /// The snapshots, by kind of event.
    snapshots: BTreeMap<&'static str, Told>,
}

/// The snapshot of one kind of event, and the services that may read it.
struct Told {
    readers: Vec<&'static str>,
    snapshot: Arc<dyn Snapshot>,
}

impl Published {
    /// Serves the consumers of `service`'s events.
    pub fn service(db: &Db, service: &str) -> EventsServiceServer<Self> {
        Self::new(db, service).serve()
    }

    pub fn new(db: &Db, service: &str) -> Self {
        Self { db: db.clone(), readers: proto::events::readers(service), snapshots: BTreeMap::new() }
    }

    /// Lets the consumers of the event `E` read a snapshot of all aggregates that `E` is about.
    pub fn telling<E: Event>(mut self, snapshot: impl Snapshot) -> Self {
        let readers = E::ENTRY.consumers.iter().map(|it| it.service()).collect();
        self.snapshots.insert(E::ENTRY.name, Told { readers, snapshot: Arc::new(snapshot) });
        self
    }

    pub fn serve(self) -> EventsServiceServer<Self> {
        EventsServiceServer::new(self)
    }

    async fn page(&self, request: ListPublishedRequest) -> Result<ListPublishedResponse> {
        let from = match request.after.as_str() {
            "" => {
                let now = self.db.now().await?;
                let since = request.since.and_then(proto::instant);
                // Limited to the present: a clock that was set back must not hide later events.
                let at = since.map_or(DateTime::UNIX_EPOCH, |since| since.min(now) - OVERLAP);
                Cursor { until: now, at, id: Uuid::nil() }
            }
            text => Cursor::parse(text)
                .ok_or_else(|| Error::invalid_field("after", "After is no place in the list"))?,
        };
        let further = Condition::any()
            .add(Column::PublishedAt.gt(from.at))
            .add(Condition::all().add(Column::PublishedAt.eq(from.at)).add(Column::Id.gt(from.id)));
        let rows: Vec<(Uuid, DateTime<Utc>, Vec<u8>)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::PublishedAt, Column::Envelope])
            .filter(Column::PublishedAt.between(from.at, from.until))
            .filter(Column::Subject.eq(&request.subject))
            .filter(further)
            .order_by_asc(Column::PublishedAt)
            .order_by_asc(Column::Id)
            .limit(ROWS as u64)
            .into_tuple()
            .all(self.db.read())
            .await
            .map_err(db)?;
        let mut more = rows.len() == ROWS;
        let (mut envelopes, mut bytes, mut last) = (Vec::new(), 0, None);
        for (id, at, envelope) in rows {
            bytes += envelope.len();
            if bytes > BYTES && !envelopes.is_empty() {
                more = true;
                break;
            }
            last = Some(Cursor { until: from.until, at, id });
            envelopes.push(envelope);
        }
        Ok(ListPublishedResponse {
            envelopes,
            next: last.filter(|_| more).map(|it| it.text()).unwrap_or_default(),
            as_of: Some(proto::timestamp(from.until)),
        })
    }
}

#[tonic::async_trait]
impl EventsService for Published {
    async fn list_published(
        &self,
        request: Request<ListPublishedRequest>,
    ) -> Result<Response<ListPublishedResponse>, Status> {
        principal(&request)?.require_any_service(&self.readers)?;
        Ok(Response::new(self.page(request.into_inner()).await?))
    }

    async fn read_snapshot(
        &self,
        request: Request<ReadSnapshotRequest>,
    ) -> Result<Response<ReadSnapshotResponse>, Status> {
        let caller = principal(&request)?.require_any_service(&self.readers)?.clone();
        let ReadSnapshotRequest { event, after } = request.into_inner();
        let told = self.snapshots.get(event.as_str());
        let told = told.ok_or_else(|| Error::invalid_field("event", "There is no snapshot of this event"))?;
        caller.require_any_service(&told.readers)?;
        Ok(Response::new(snapshot::page(told.snapshot.after(&self.db, &after).await?)))
    }
}

/// Position of a reader in the events published up to `until`. The reader's last event is `id`, published at
/// `at`.
#[derive(Debug, PartialEq)]
struct Cursor {
    until: DateTime<Utc>,
    at: DateTime<Utc>,
    id: Uuid,
}

impl Cursor {
    fn text(&self) -> String {
        format!("{}.{}.{}", self.until.timestamp_micros(), self.at.timestamp_micros(), self.id)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut instant = || DateTime::from_timestamp_micros(parts.next()?.parse().ok()?);
        let (until, at) = (instant()?, instant()?);
        Some(Self { until, at, id: parts.next()?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_list_is_found_again() {
        let at = DateTime::from_timestamp_micros(1_795_000_000_123_456).unwrap();
        let cursor = Cursor { until: at + Duration::seconds(9), at, id: kit::clock::new_id() };
        assert_eq!(Cursor::parse(&cursor.text()).unwrap(), cursor);
        for bad in ["", "1", "1.2", "1.2.x", "x.2.019a0000-0000-7000-8000-000000000001"] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
