//! Reports a service's events to the services that consume them, because the broker may have lost some, or may
//! be away.
//!
//! Reads the outbox in the order in which events were marked as published, by the database's clock. A reader
//! can miss an event only if the statement that marks the event has not committed yet; [`OVERLAP`] covers
//! that time. Services that keep copies can also read the current state of what the service owns
//! ([`Snapshot`]).
//!
//! Readers that keep copies also get events that wait to be published, in the order of ids. An id has the time
//! of the process that made it. So an event is listed later if that clock is ahead of the database's, and readers may
//! miss it if that clock is behind by more than [`WAITING_OVERLAP`], or if its transaction took longer than that.
//! They get a missed event from the broker later. Only copies may use these events: an event may wait longer than
//! an inbox remembers it, and then only the revisions in a copy show that the event was handled.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use kit::principal::principal;
use kit::{Error, Result};
use proto::events::events_service_server::{EventsService, EventsServiceServer};
use proto::events::{
    Event, ListPublishedRequest, ListPublishedResponse, ReadSnapshotRequest, ReadSnapshotResponse,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonic::{Request, Response, Status};
use uuid::{Builder, Uuid};

use crate::outbox::outbox_event::{Column, Entity};
use crate::snapshot::{self, Snapshot};
use crate::{Db, db};

/// How long after its `published_at` an event may become visible. Longer than any statement takes, and more
/// than the clocks of a database and its replacement can differ.
const OVERLAP: Duration = Duration::minutes(5);
/// How long after its id was made a waiting event may become visible. Short, because readers list waiting events
/// every few seconds while the broker is away, and each list repeats all events of this time.
const WAITING_OVERLAP: Duration = Duration::seconds(30);
/// Age from which an event counts as waiting. Most events are published earlier, and the broker delivers them.
const WAIT: Duration = Duration::seconds(2);
const ROWS: usize = 200;
/// Maximum size of a page in bytes. A larger first event is sent alone.
const BYTES: usize = 1 << 20;

/// Serves the events of one service.
pub struct Published {
    db: Db,
    readers: Vec<&'static str>,
    /// The snapshots, by kind of event.
    snapshots: BTreeMap<&'static str, Served>,
}

/// The snapshot of one kind of event, and the services that may read it.
struct Served {
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
    pub fn with_snapshot<E: Event>(mut self, snapshot: impl Snapshot) -> Self {
        let readers = E::ENTRY.consumers.iter().map(|it| it.service()).collect();
        self.snapshots.insert(E::ENTRY.name, Served { readers, snapshot: Arc::new(snapshot) });
        self
    }

    pub fn serve(self) -> EventsServiceServer<Self> {
        EventsServiceServer::new(self)
    }

    async fn page(&self, request: ListPublishedRequest) -> Result<ListPublishedResponse> {
        let since = request.since.and_then(proto::instant);
        // Limited to the present: a clock that was set back must not hide later events.
        let start = |until: DateTime<Utc>, overlap: Duration| {
            since.map_or(DateTime::UNIX_EPOCH, |since| since.min(until) - overlap)
        };
        let from = match request.after.as_str() {
            "" => {
                let until = self.db.now().await?;
                Cursor { until, at: Some(start(until, OVERLAP)), id: Uuid::nil() }
            }
            text => Cursor::parse(text)
                .ok_or_else(|| Error::invalid_field("after", "After is no place in the list"))?,
        };
        let (mut rows, after) = match from.at {
            Some(at) => {
                let rows = self.published(&request.subject, &from, at).await?;
                (rows, first_id(start(from.until, WAITING_OVERLAP)))
            }
            None => (Vec::new(), from.id),
        };
        if request.waiting && rows.len() < ROWS {
            let room = ROWS - rows.len();
            rows.extend(self.waiting(&request.subject, after, from.until, room).await?);
        }
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

    /// Returns published events after `from`, whose last event was published at `at`.
    async fn published(&self, subject: &str, from: &Cursor, at: DateTime<Utc>) -> Result<Vec<Row>> {
        let further = Condition::any()
            .add(Column::PublishedAt.gt(at))
            .add(Condition::all().add(Column::PublishedAt.eq(at)).add(Column::Id.gt(from.id)));
        rows(subject, ROWS)
            .filter(Column::PublishedAt.between(at, from.until))
            .filter(further)
            .order_by_asc(Column::PublishedAt)
            .order_by_asc(Column::Id)
            .into_tuple()
            .all(self.db.read())
            .await
            .map_err(db)
    }

    /// Returns events that wait to be published and come after this id.
    async fn waiting(
        &self,
        subject: &str,
        after: Uuid,
        until: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Row>> {
        rows(subject, limit)
            .filter(Column::PublishedAt.is_null())
            .filter(Column::RefusedAt.is_null())
            .filter(Column::Id.gt(after))
            .filter(Column::Id.lt(first_id(until - WAIT)))
            .order_by_asc(Column::Id)
            .into_tuple()
            .all(self.db.read())
            .await
            .map_err(db)
    }
}

/// An event's id, when it was published, and the event.
type Row = (Uuid, Option<DateTime<Utc>>, Vec<u8>);

/// Selects the columns of [`Row`] for events of a subject.
fn rows(subject: &str, limit: usize) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::PublishedAt, Column::Envelope])
        .filter(Column::Subject.eq(subject))
        .limit(limit as u64)
}

/// Returns the first id of events created at this time.
fn first_id(at: DateTime<Utc>) -> Uuid {
    Builder::from_unix_timestamp_millis(at.timestamp_millis().max(0).unsigned_abs(), &[0; 10]).into_uuid()
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
        let served = self.snapshots.get(event.as_str());
        let served =
            served.ok_or_else(|| Error::invalid_field("event", "There is no snapshot of this event"))?;
        caller.require_any_service(&served.readers)?;
        Ok(Response::new(snapshot::page(served.snapshot.after(&self.db, &after).await?)))
    }
}

/// Position of a reader in the events up to `until`. The reader's last event is `id`. It was published at `at`,
/// or waits to be published if `at` is `None`.
#[derive(Debug, PartialEq)]
struct Cursor {
    until: DateTime<Utc>,
    at: Option<DateTime<Utc>>,
    id: Uuid,
}

impl Cursor {
    fn text(&self) -> String {
        let at = self.at.map(|at| at.timestamp_micros().to_string()).unwrap_or_default();
        format!("{}.{at}.{}", self.until.timestamp_micros(), self.id)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let instant = |text: &str| DateTime::from_timestamp_micros(text.parse().ok()?);
        let until = instant(parts.next()?)?;
        let at = match parts.next()? {
            "" => None,
            at => Some(instant(at)?),
        };
        Some(Self { until, at, id: parts.next()?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_list_is_found_again() {
        let at = DateTime::from_timestamp_micros(1_795_000_000_123_456).unwrap();
        let until = at + Duration::seconds(9);
        for at in [Some(at), None] {
            let cursor = Cursor { until, at, id: kit::clock::new_id() };
            assert_eq!(Cursor::parse(&cursor.text()).unwrap(), cursor);
        }
        for bad in ["", "1", "1.2", "1.2.x", "1..x", "x.2.019a0000-0000-7000-8000-000000000001"] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
