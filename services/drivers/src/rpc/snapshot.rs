//! Snapshot streams for services that keep copies.

use ::store::Db;
use kit::principal::principal;
use kit::rpc::{Messages, stream};
use proto::drivers::v1::snapshot_service_server::SnapshotService;
use proto::drivers::v1::{
    SnapshotDriversRequest, SnapshotDriversResponse, SnapshotStopsRequest, SnapshotStopsResponse,
};
use tonic::{Request, Response, Status};

use crate::store::snapshot;

/// The only service that may read snapshots.
const READER: &str = "analytics";

pub struct Service {
    pub db: Db,
}

#[tonic::async_trait]
impl SnapshotService for Service {
    type SnapshotDriversStream = Messages<SnapshotDriversResponse>;
    type SnapshotStopsStream = Messages<SnapshotStopsResponse>;

    async fn snapshot_drivers(
        &self,
        request: Request<SnapshotDriversRequest>,
    ) -> Result<Response<Self::SnapshotDriversStream>, Status> {
        principal(&request)?.require_service(READER)?;
        let mut after = request.into_inner().after;
        let db = self.db.clone();
        Ok(Response::new(stream(move |sender| async move {
            while let Some(message) = snapshot::drivers(&db, &after).await? {
                after.clone_from(&message.last_key);
                if !sender.send(message).await {
                    break;
                }
            }
            Ok(())
        })))
    }

    async fn snapshot_stops(
        &self,
        request: Request<SnapshotStopsRequest>,
    ) -> Result<Response<Self::SnapshotStopsStream>, Status> {
        principal(&request)?.require_service(READER)?;
        let mut after = request.into_inner().after;
        let db = self.db.clone();
        Ok(Response::new(stream(move |sender| async move {
            while let Some(message) = snapshot::stops(&db, &after).await? {
                after.clone_from(&message.last_key);
                if !sender.send(message).await {
                    break;
                }
            }
            Ok(())
        })))
    }
}
