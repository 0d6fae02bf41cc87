//! Updates for open maps: which drivers moved, at most one batch per second.
//!
//! A subscription sends what its subscriber lacks, read with the subscriber's own token, and then what it
//! hears from this process's poller (`locations`), so that a thousand open maps cost as much as one. It
//! begins to listen before it reads, so nothing is lost in between, but a location may be sent twice,
//! unchanged or newer. A slow subscriber gets the latest location of each driver.

use std::collections::HashSet;
use std::time::Duration;

use async_graphql::{Context, Subscription};
use futures::Stream;
use futures::stream::unfold;
use kit::Role;
use kit::rpc::Client;
use kit::text::fold;
use proto::drivers::v1::ListLocationsRequest;
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use tokio::time::Instant;

use super::clients;
use super::error::Failure;
use super::tracker::{self as queries, DriverLocations};
use super::viewer::{viewed, viewer};
use crate::accesses::View;
use crate::locations::{Batch, Listener, Moved};

/// Minimum time between two messages, except while catching up.
const CALM: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct TrackingSubscription;

#[Subscription]
impl TrackingSubscription {
    /// First sends the locations that changed since the cursor `after`, or all last known locations without a
    /// cursor. Then sends the locations of drivers who move, at most once per second. `driverIds` has 1 to
    /// 1,000 ids; null means all drivers.
    async fn driver_positions_changed(
        &self,
        ctx: &Context<'_>,
        driver_ids: Option<Vec<String>>,
        after: Option<String>,
    ) -> Result<impl Stream<Item = Result<DriverLocations, Failure>>, Failure> {
        let viewer = viewer(ctx)?;
        viewer.session()?.require(Role::STAFF)?;
        let driver_ids = queries::named(driver_ids)?;
        // Record the view once: a subscription lasts minutes, and is then renewed.
        let id = queries::whom(&driver_ids);
        viewed(ctx, View::Location, (id, id)).await?;
        let wanted: HashSet<_> = driver_ids.iter().map(|id| fold(id)).collect();
        let following = Following {
            listener: viewer.app.locations.listen(),
            client: clients::tracker(ctx)?,
            wanted: Some(wanted).filter(|it| !it.is_empty()),
            driver_ids,
            cursor: queries::cursor(after),
            is_behind: true,
            next: Instant::now(),
        };
        Ok(unfold(Some(following), |following| async move {
            let mut following = following?;
            match following.next().await {
                Ok(Some(locations)) => Some((Ok(locations), Some(following))),
                Ok(None) => None,
                Err(failure) => Some((Err(failure), None)),
            }
        }))
    }
}

/// The state of one subscription.
struct Following {
    listener: Listener,
    client: TrackerServiceClient<Client>,
    driver_ids: Vec<String>,
    /// The wanted drivers by folded id; `None` means all drivers.
    wanted: Option<HashSet<String>>,
    /// The cursor after everything that was sent.
    cursor: Option<String>,
    /// Whether something has to be read from the service.
    is_behind: bool,
    /// When the next message may be sent.
    next: Instant,
}

impl Following {
    /// Returns the next message; `None` when this process stops.
    async fn next(&mut self) -> Result<Option<DriverLocations>, Failure> {
        if self.is_behind {
            return self.catch_up().await.map(Some);
        }
        tokio::time::sleep_until(self.next).await;
        match self.listener.next(self.wanted.as_ref()).await {
            Moved::Batch(batch) => Ok(Some(self.tell(batch))),
            Moved::Missed => self.catch_up().await.map(Some),
            Moved::End => Ok(None),
        }
    }

    async fn catch_up(&mut self) -> Result<DriverLocations, Failure> {
        let ask = ListLocationsRequest { after: self.cursor.clone(), driver_ids: self.driver_ids.clone() };
        let answer = DriverLocations::from(self.client.list_locations(ask).await?.into_inner());
        self.is_behind = answer.more;
        self.cursor = queries::cursor(Some(answer.cursor.clone()));
        self.next = Instant::now() + CALM;
        Ok(answer)
    }

    fn tell(&mut self, batch: Batch) -> DriverLocations {
        let Batch { locations, cursor, more, .. } = batch;
        if !more {
            self.next = Instant::now() + CALM;
        }
        self.cursor = queries::cursor(Some(cursor.to_string()));
        DriverLocations { locations, cursor: cursor.to_string(), more }
    }
}
