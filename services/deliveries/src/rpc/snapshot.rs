//! Snapshot streams, for services that keep copies.

use ::store::Db;
use kit::Error;
use kit::principal::principal;
use kit::rpc::{Messages, stream};
use proto::deliveries::v1::snapshot_service_server::SnapshotService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use crate::queries::snapshot::{self, MAX_IDS};

/// The only service that may read snapshots.
const READER: &str = "analytics";

pub struct Service {
    pub db: Db,
}

#[tonic::async_trait]
impl SnapshotService for Service {
    type SnapshotDeliveriesStream = Messages<SnapshotDeliveriesResponse>;
    type SnapshotShipmentsStream = Messages<SnapshotShipmentsResponse>;

    async fn snapshot_deliveries(
        &self,
        request: Request<SnapshotDeliveriesRequest>,
    ) -> Result<Response<Self::SnapshotDeliveriesStream>, Status> {
        principal(&request)?.require_service(READER)?;
        let SnapshotDeliveriesRequest { mut after, ids } = request.into_inner();
        if ids.len() > MAX_IDS {
            return Err(Error::invalid_field("ids", format!("at most {MAX_IDS} at once")).into());
        }
        let db = self.db.clone();
        Ok(Response::new(stream(move |sender| async move {
            loop {
                let keys = match ids.is_empty() {
                    true => snapshot::keys_after(&db, &after).await?,
                    false => snapshot::keys_of(&ids),
                };
                match keys.last() {
                    Some(last) => after.clone_from(last),
                    None => {
                        if after.is_empty() {
                            sender.send(snapshot::nothing()).await;
                        }
                        return Ok(());
                    }
                }
                for message in snapshot::deliveries(&db, keys).await? {
                    if !sender.send(message).await {
                        return Ok(());
                    }
                }
                if !ids.is_empty() {
                    return Ok(());
                }
            }
        })))
    }

    async fn snapshot_shipments(
        &self,
        request: Request<SnapshotShipmentsRequest>,
    ) -> Result<Response<Self::SnapshotShipmentsStream>, Status> {
        principal(&request)?.require_service(READER)?;
        let mut after = request.into_inner().after;
        let db = self.db.clone();
        Ok(Response::new(stream(move |sender| async move {
            while let Some(message) = snapshot::shipments(&db, &after).await? {
                after.clone_from(&message.last_key);
                if !sender.send(message).await {
                    break;
                }
            }
            Ok(())
        })))
    }

    async fn snapshot_sources(
        &self,
        request: Request<SnapshotSourcesRequest>,
    ) -> Result<Response<SnapshotSourcesResponse>, Status> {
        principal(&request)?.require_service(READER)?;
        Ok(Response::new(SnapshotSourcesResponse { sources: snapshot::sources(&self.db).await? }))
    }
}
