//! The owner's snapshot streams, with a few rows per message.

use kit::rpc::{Messages, stream};
use kit::text::fold;
use proto::deliveries::v1::*;
use proto::drivers::v1::{
    DriverSnapshot, SnapshotDriversRequest, SnapshotDriversResponse, SnapshotStopsRequest,
    SnapshotStopsResponse, StopSnapshot,
};
use tonic::{Request, Response, Status};

use super::{Owner, of_deliveries, of_drivers};

#[tonic::async_trait]
impl of_deliveries::SnapshotService for Owner {
    type SnapshotDeliveriesStream = Messages<SnapshotDeliveriesResponse>;
    type SnapshotShipmentsStream = Messages<SnapshotShipmentsResponse>;

    async fn snapshot_deliveries(
        &self,
        request: Request<SnapshotDeliveriesRequest>,
    ) -> Result<Response<Self::SnapshotDeliveriesStream>, Status> {
        let SnapshotDeliveriesRequest { mut after, ids } = request.into_inner();
        let this = self.clone();
        Ok(Response::new(stream(move |sender| async move {
            if !ids.is_empty() {
                let deliveries = {
                    let state = this.state.lock().unwrap();
                    ids.iter().map(|id| state.snapshot(&fold(id))).collect()
                };
                sender.send(SnapshotDeliveriesResponse { deliveries, ..Default::default() }).await;
                return Ok(());
            }
            while let Some(page) = this.page(&after)? {
                after.clone_from(&page.last_key);
                this.meanwhile().await;
                if !sender.send(page).await {
                    break;
                }
            }
            if after.is_empty() {
                let lists_removed = !this.state.lock().unwrap().is_old;
                sender.send(SnapshotDeliveriesResponse { lists_removed, ..Default::default() }).await;
            }
            Ok(())
        })))
    }

    async fn snapshot_shipments(
        &self,
        request: Request<SnapshotShipmentsRequest>,
    ) -> Result<Response<Self::SnapshotShipmentsStream>, Status> {
        let after = request.into_inner().after;
        let this = self.clone();
        Ok(Response::new(stream(move |sender| async move {
            let all = this.state.lock().unwrap().shipments();
            this.meanwhile().await;
            let later: Vec<_> = all.into_iter().filter(|it| fold(&it.shipmentnumber) > after).collect();
            for some in later.chunks(3) {
                let last_key = fold(&some[some.len() - 1].shipmentnumber);
                sender.send(SnapshotShipmentsResponse { shipments: some.to_vec(), last_key }).await;
            }
            Ok(())
        })))
    }

    async fn snapshot_sources(
        &self,
        _: Request<SnapshotSourcesRequest>,
    ) -> Result<Response<SnapshotSourcesResponse>, Status> {
        let state = self.state.lock().unwrap();
        let all = state.sources.values().cloned();
        let sources = all.map(|(source, sequence)| SourceSnapshot { source: Some(source), sequence });
        Ok(Response::new(SnapshotSourcesResponse { sources: sources.collect() }))
    }
}

#[tonic::async_trait]
impl of_drivers::SnapshotService for Owner {
    type SnapshotDriversStream = Messages<SnapshotDriversResponse>;
    type SnapshotStopsStream = Messages<SnapshotStopsResponse>;

    async fn snapshot_drivers(
        &self,
        request: Request<SnapshotDriversRequest>,
    ) -> Result<Response<Self::SnapshotDriversStream>, Status> {
        let after = request.into_inner().after;
        let later: Vec<_> = {
            let state = self.state.lock().unwrap();
            state.drivers.iter().filter(|(key, _)| **key > after).map(|(_, it)| it.clone()).collect()
        };
        Ok(Response::new(stream(move |sender| async move {
            let drivers: Vec<_> = later
                .into_iter()
                .map(|(driver, sequence)| DriverSnapshot { driver: Some(driver), sequence })
                .collect();
            if let Some(last) = drivers.last().and_then(|it| it.driver.as_ref()) {
                let last_key = fold(&last.driver_id);
                sender.send(SnapshotDriversResponse { drivers, last_key }).await;
            }
            Ok(())
        })))
    }

    async fn snapshot_stops(
        &self,
        request: Request<SnapshotStopsRequest>,
    ) -> Result<Response<Self::SnapshotStopsStream>, Status> {
        let after = request.into_inner().after;
        let this = self.clone();
        Ok(Response::new(stream(move |sender| async move {
            let later: Vec<_> = {
                let state = this.state.lock().unwrap();
                state
                    .stops
                    .iter()
                    .filter(|(key, _)| **key > after)
                    .map(|(key, it)| (key.clone(), it.clone()))
                    .collect()
            };
            for some in later.chunks(5) {
                let stops = some.iter().map(|(_, (stop, sequence))| StopSnapshot {
                    stop: Some(stop.clone()),
                    sequence: *sequence,
                });
                let last_key = some[some.len() - 1].0.clone();
                sender.send(SnapshotStopsResponse { stops: stops.collect(), last_key }).await;
                this.meanwhile().await;
            }
            Ok(())
        })))
    }
}
