//! Lists that are read through rather than worked on: the status history, and everything as a stream.

use kit::Result;
use kit::principal::{Role, principal};
use proto::common::v1::{Count, CountRequest};
use proto::deliveries::v1::*;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use crate::Context;
use crate::store::{export, histories};

pub type Export = ReceiverStream<Result<ExportDeliveriesResponse, Status>>;

pub async fn list_status_histories(
    context: &Context,
    request: Request<ListStatusHistoriesRequest>,
) -> Result<Response<ListStatusHistoriesResponse>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let page = request.into_inner().page.unwrap_or_default();
    let (rows, more) = histories::LIST.page(&context.db, &page).await?;
    let histories = rows.into_iter().map(Into::into).collect();
    Ok(Response::new(ListStatusHistoriesResponse { histories, more }))
}

pub async fn count_status_histories(
    context: &Context,
    request: Request<CountRequest>,
) -> Result<Response<Count>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    Ok(Response::new(histories::LIST.count(&context.db, &request.into_inner().r#where).await?))
}

pub async fn export_deliveries(
    context: &Context,
    request: Request<ExportDeliveriesRequest>,
) -> Result<Response<Export>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let ExportDeliveriesRequest { page, items } = request.into_inner();
    let export = export::run(context.db.clone(), page.unwrap_or_default(), items).await?;
    Ok(Response::new(export))
}
