//! The list of status changes.

use kit::Result;
use kit::principal::{Role, principal};
use proto::common::v1::{Count, CountRequest};
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use crate::Context;
use crate::queries::histories;

pub async fn list(
    context: &Context,
    request: Request<ListStatusHistoriesRequest>,
) -> Result<Response<ListStatusHistoriesResponse>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let page = request.into_inner().page.unwrap_or_default();
    let (rows, more) = histories::LIST.page(&context.db, &page).await?;
    let histories = rows.into_iter().map(Into::into).collect();
    Ok(Response::new(ListStatusHistoriesResponse { histories, more }))
}

pub async fn count(context: &Context, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    Ok(Response::new(histories::LIST.count(&context.db, &request.into_inner().r#where).await?))
}
