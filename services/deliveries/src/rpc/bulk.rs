//! What is done to all deliveries that a filter finds.

use kit::Role;
use kit::principal::{Principal, principal};
use proto::deliveries::v1::bulk_service_server::BulkService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use crate::Context;
use crate::bulk;

pub struct Service {
    pub context: Context,
}

#[tonic::async_trait]
impl BulkService for Service {
    async fn start_bulk_change(
        &self,
        request: Request<StartBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk::start(&self.context, request.into_inner(), (&by, &roles)).await?))
    }

    async fn get_bulk_change(
        &self,
        request: Request<GetBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk::get(&self.context, &request.into_inner().id, (&by, &roles)).await?))
    }

    async fn list_bulk_changes(
        &self,
        request: Request<ListBulkChangesRequest>,
    ) -> Result<Response<ListBulkChangesResponse>, Status> {
        let (by, _) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(ListBulkChangesResponse { changes: bulk::list(&self.context, &by).await? }))
    }

    async fn cancel_bulk_change(
        &self,
        request: Request<CancelBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk::cancel(&self.context, &request.into_inner().id, (&by, &roles)).await?))
    }

    async fn undo_bulk_change(
        &self,
        request: Request<UndoBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk::undo(&self.context, request.into_inner(), (&by, &roles)).await?))
    }
}

/// Name and roles: a job goes on with the rights it was started with.
fn who(principal: &Principal) -> (String, Vec<Role>) {
    let roles = match principal {
        Principal::User { roles, .. } => roles.clone(),
        Principal::Service { .. } => Vec::new(),
    };
    (principal.actor(), roles)
}
