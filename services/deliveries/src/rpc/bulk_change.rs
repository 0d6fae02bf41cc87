//! Bulk changes of all deliveries that match a filter.

use kit::Role;
use kit::principal::{Principal, principal};
use proto::deliveries::v1::bulk_service_server::BulkService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use crate::Context;
use crate::commands::bulk_change;

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
        Ok(Response::new(bulk_change::start(&self.context, request.into_inner(), (&by, &roles)).await?))
    }

    async fn get_bulk_change(
        &self,
        request: Request<GetBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk_change::get(&self.context, &request.into_inner().id, (&by, &roles)).await?))
    }

    async fn list_bulk_changes(
        &self,
        request: Request<ListBulkChangesRequest>,
    ) -> Result<Response<ListBulkChangesResponse>, Status> {
        let (by, _) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(ListBulkChangesResponse { changes: bulk_change::list(&self.context, &by).await? }))
    }

    async fn cancel_bulk_change(
        &self,
        request: Request<CancelBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk_change::cancel(&self.context, &request.into_inner().id, (&by, &roles)).await?))
    }

    async fn undo_bulk_change(
        &self,
        request: Request<UndoBulkChangeRequest>,
    ) -> Result<Response<BulkChange>, Status> {
        let (by, roles) = who(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(bulk_change::undo(&self.context, request.into_inner(), (&by, &roles)).await?))
    }
}

/// Returns the caller's name and roles, because a job continues with the permissions it was started with.
fn who(principal: &Principal) -> (String, Vec<Role>) {
    let roles = match principal {
        Principal::User { roles, .. } => roles.clone(),
        Principal::Service { .. } => Vec::new(),
    };
    (principal.actor(), roles)
}
