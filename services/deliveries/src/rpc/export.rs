//! Exports everything that matches, as a stream.

use kit::Result;
use kit::principal::{Role, principal};
use kit::rpc::Messages;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use crate::Context;
use crate::queries::export;

pub type Export = Messages<ExportDeliveriesResponse>;

pub async fn export_deliveries(
    context: &Context,
    request: Request<ExportDeliveriesRequest>,
) -> Result<Response<Export>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let ExportDeliveriesRequest { page, items } = request.into_inner();
    let export = export::run(context.db.clone(), page.unwrap_or_default(), items).await?;
    Ok(Response::new(export))
}
