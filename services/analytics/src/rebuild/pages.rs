//! The reading stages of a rebuild. Each message of a stream is written in one transaction.

use ::store::jobs::{Halt, Hold};
use kit::Result;
use proto::deliveries::v1::{SnapshotDeliveriesRequest, SnapshotShipmentsRequest, SnapshotSourcesRequest};
use proto::drivers::v1::{SnapshotDriversRequest, SnapshotStopsRequest};

use super::source::{Source, next};
use super::{Checkpoint, Stage};
use crate::entity::{driver_fact, source_fact, stop_fact};
use crate::facts::{self, Delivery, Shipment};
use crate::store::{Origin, Write, deliveries, parties, shipments, stops};

pub(super) struct Pages<'a> {
    pub source: &'a Source,
    pub hold: &'a Hold,
}

/// The content of a message, as rows.
enum Rows {
    Sources(Vec<source_fact::Model>),
    Drivers(Vec<driver_fact::Model>),
    Stops(Vec<stop_fact::Model>),
    Deliveries(Vec<Delivery>),
    Shipments(Vec<Shipment>),
}

impl Pages<'_> {
    pub async fn sources(&self, at: Checkpoint) -> Result<Checkpoint, Halt> {
        let answer = self.source.deliveries()?.snapshot_sources(SnapshotSourcesRequest {}).await;
        let sources = answer.map_err(kit::Error::from)?.into_inner().sources;
        let rows = sources
            .iter()
            .filter_map(|it| Some(facts::source(it.source.as_ref()?, it.sequence)))
            .collect::<Result<_>>()?;
        let next = at.at(Stage::Drivers);
        self.write(&next, Rows::Sources(rows)).await?;
        Ok(next)
    }

    pub async fn drivers(&self, mut at: Checkpoint) -> Result<Checkpoint, Halt> {
        let request = SnapshotDriversRequest { after: at.after.clone() };
        let answer = self.source.drivers()?.snapshot_drivers(request).await;
        let mut stream = answer.map_err(kit::Error::from)?.into_inner();
        while let Some(page) = next(&mut stream).await? {
            let rows = page
                .drivers
                .iter()
                .filter_map(|it| Some(facts::driver(it.driver.as_ref()?, it.sequence)))
                .collect::<Result<_>>()?;
            at.after = page.last_key;
            self.write(&at, Rows::Drivers(rows)).await?;
        }
        Ok(at.at(Stage::Stops))
    }

    pub async fn stops(&self, mut at: Checkpoint) -> Result<Checkpoint, Halt> {
        let request = SnapshotStopsRequest { after: at.after.clone() };
        let answer = self.source.drivers()?.snapshot_stops(request).await;
        let mut stream = answer.map_err(kit::Error::from)?.into_inner();
        while let Some(page) = next(&mut stream).await? {
            let rows = page
                .stops
                .iter()
                .filter_map(|it| Some(facts::stop(it.stop.as_ref()?, it.sequence)))
                .collect::<Result<_>>()?;
            at.after = page.last_key;
            self.write(&at, Rows::Stops(rows)).await?;
        }
        Ok(at.at(Stage::Deliveries))
    }

    pub async fn deliveries(&self, mut at: Checkpoint) -> Result<Checkpoint, Halt> {
        let request = SnapshotDeliveriesRequest { after: at.after.clone(), ids: Vec::new() };
        let answer = self.source.deliveries()?.snapshot_deliveries(request).await;
        let mut stream = answer.map_err(kit::Error::from)?.into_inner();
        while let Some(page) = next(&mut stream).await? {
            let rows = page
                .deliveries
                .iter()
                .filter_map(|it| Some(facts::delivery(it.delivery.as_ref()?, &it.variances)))
                .collect::<Result<Vec<_>>>()?;
            at.deliveries += rows.iter().filter(|it| !it.is_removed).count() as u64;
            at.total = Some(page.total.max(at.deliveries));
            let is_first = at.after.is_empty();
            at.lists_removed = page.lists_removed && (is_first || at.lists_removed);
            at.after = page.last_key;
            self.write(&at, Rows::Deliveries(rows)).await?;
        }
        Ok(at.at(Stage::Shipments))
    }

    pub async fn shipments(&self, mut at: Checkpoint) -> Result<Checkpoint, Halt> {
        let request = SnapshotShipmentsRequest { after: at.after.clone() };
        let answer = self.source.deliveries()?.snapshot_shipments(request).await;
        let mut stream = answer.map_err(kit::Error::from)?.into_inner();
        while let Some(page) = next(&mut stream).await? {
            let rows = page.shipments.iter().map(facts::shipment).collect::<Result<_>>()?;
            at.after = page.last_key;
            self.write(&at, Rows::Shipments(rows)).await?;
        }
        Ok(at.at(Stage::Sweep))
    }

    /// Writes a page, and the checkpoint that follows it.
    async fn write(&self, at: &Checkpoint, rows: Rows) -> Result<(), Halt> {
        self.hold.check()?;
        let held = self.hold.begin().await?;
        let mut write = Write::begin_many(&held, Origin::Rebuild { run: at.run }).await?;
        match rows {
            Rows::Sources(rows) => parties::sources(&mut write, rows).await?,
            Rows::Drivers(rows) => parties::drivers(&mut write, rows).await?,
            Rows::Stops(rows) => stops::write(&mut write, rows).await?,
            Rows::Deliveries(rows) => deliveries::write(&mut write, rows).await?,
            Rows::Shipments(rows) => shipments::write(&mut write, rows).await?,
        }
        write.finish().await?;
        held.advance(at.progress()?).await?;
        held.commit().await?;
        Ok(())
    }
}
